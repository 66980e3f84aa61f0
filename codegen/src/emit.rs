//! Programs to Rust: one safe `#[target_feature]` function a kernel, and the registry.
//!
//! A batch is straight-line code; rounds are a loop over the round keys, which the compiler unrolls. A value is a
//! variable of its name; what goes round a loop is a mutable one. Every path is rooted in the kernel crate, which
//! re-exports what it needs of `core`, so that the code means the same wherever it is put.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::families::{self, Outside};
use crate::ir::{Argument, Block, Compute, Extent, Flow, Keys, Op, Program, Runs, Stmt, Value};
use crate::isa::{Instruction, features, look_up};
use crate::spec::Variant;

/// The kernels of `variants`, all of one family, as functions, and the registry of them; `krate` is the path of
/// `byways_kernels` where the tokens go. Nothing without variants.
pub fn items(variants: &[Variant], krate: &TokenStream) -> TokenStream {
    let Some(&first) = variants.first() else { return TokenStream::new() };
    let signature = families::outside(first, &name(first), krate).signature;
    let programs: Vec<Program> = variants.iter().map(|&variant| families::program(variant)).collect();
    let functions = programs.iter().map(|program| of_program(program, krate));
    let entries = programs.iter().map(|program| entry(program, krate));
    quote! {
        #(#functions)*

        /// Every kernel of this description, in its order.
        pub static KERNELS: &[#krate::cpu::Kernel<#signature>] = &[#(#entries),*];
    }
}

/// The kernel as a function.
pub fn function(variant: Variant, krate: &TokenStream) -> TokenStream {
    of_program(&families::program(variant), krate)
}

fn of_program(program: &Program, krate: &TokenStream) -> TokenStream {
    let variant = program.variant;
    if let Err(name) = program.check() {
        panic!("{variant}: {name}");
    }
    let emitter = Emitter { program, krate };
    let name = name(variant);
    let features = enabled(program);
    let Outside { documentation, parameters, .. } = families::outside(variant, &name, krate);
    let (begin, setup, skeleton) = (emitter.begin(), emitter.setup(), emitter.skeleton());
    quote! {
        #(#[doc = #documentation])*
        #[target_feature(enable = #features)]
        pub fn #name(#parameters) {
            #begin
            #setup
            #skeleton
        }
    }
}

/// The kernel's line in the registry. It is the only unsafe one; the features in it are those on the function.
fn entry(program: &Program, krate: &TokenStream) -> TokenStream {
    let variant = program.variant;
    let (text, features) = (variant.to_string(), enabled(program));
    let registered = families::outside(variant, &name(variant), krate).registered;
    quote!(unsafe { #krate::cpu::Kernel::new(#text, #features, #registered) })
}

fn name(variant: Variant) -> Ident {
    format_ident!("{}", variant.to_string())
}

/// The features as `#[target_feature(enable)]` takes them.
fn enabled(program: &Program) -> String {
    let mut used = BTreeSet::new();
    let enter = program.skeleton.runs.as_ref().map(|runs| &runs.enter);
    let blocks = program.skeleton.blocks().map(|block| &block.body);
    for stmts in [&program.setup, &program.skeleton.start].into_iter().chain(enter).chain(blocks) {
        instructions(stmts, &mut used);
    }
    let features = features(program.variant.width(), used);
    features.into_iter().collect::<Vec<_>>().join(",")
}

fn instructions(stmts: &[Stmt], used: &mut BTreeSet<Instruction>) {
    for stmt in stmts {
        match stmt {
            Stmt::Let(_, Op::Compute(compute, _)) => {
                used.insert(Instruction::Compute(*compute));
            }
            Stmt::EachKey { body, .. } => instructions(body, used),
            Stmt::Let(..) | Stmt::Store(..) | Stmt::Save(_) | Stmt::Prefetch(_) => {}
        }
    }
}

struct Emitter<'a> {
    program: &'a Program,
    krate: &'a TokenStream,
}

impl Emitter<'_> {
    fn ident(&self, value: Value) -> Ident {
        Ident::new(self.program.name(value), Span::mixed_site())
    }

    fn vector(&self) -> TokenStream {
        let (krate, vector) = (self.krate, format_ident!("{}", self.program.variant.width().vector()));
        quote!(#krate::x86::#vector)
    }

    fn intrinsic(&self, instruction: Instruction) -> TokenStream {
        let row = look_up(instruction, self.program.variant.width());
        let name = row.intrinsic.expect("an operation on values has an intrinsic");
        let krate = self.krate;
        // it may have an immediate operand, `::<0>`
        let name: TokenStream = name.parse().expect("an intrinsic is a path");
        quote!(#krate::x86::#name)
    }

    /// Data in one stretch, or cut into runs and what is between them.
    fn begin(&self) -> TokenStream {
        let krate = self.krate;
        match self.program.skeleton.runs {
            Some(_) => quote!(let mut stretches = #krate::mem::Stretches::new(counter, data);),
            None => quote!(let mut data = #krate::mem::Data::new(data);),
        }
    }

    fn setup(&self) -> TokenStream {
        let held = (self.program.keys == Keys::Held).then(|| {
            let hold = format_ident!("hold_{}", self.program.variant.width().name());
            quote!(let keys = keys.#hold();)
        });
        let setup = self.stmts(&self.program.setup, &[], &[]);
        quote!(#held #setup)
    }

    fn start(&self) -> TokenStream {
        let state: Vec<Value> = self.program.state.iter().map(|state| state.initial).collect();
        self.stmts(&self.program.skeleton.start, &state, &[])
    }

    fn skeleton(&self) -> TokenStream {
        let krate = self.krate;
        let flows = self.program.skeleton.flows.iter().map(|flow| self.flow(flow));
        let start = self.start();
        let plain = quote!(#start #(#flows)*);
        let Some(runs) = &self.program.skeleton.runs else { return plain };
        let runs = self.runs(runs);
        quote! {
            while let #krate::mem::Some((counter, mut data, runs)) = stretches.next() {
                if runs { #runs } else { #plain }
            }
        }
    }

    fn flow(&self, flow: &Flow) -> TokenStream {
        let (krate, vector) = (self.krate, self.vector());
        match flow {
            Flow::While(block) => self.while_batch(block),
            Flow::Rest(blocks) => {
                let arms = blocks.iter().map(|block| {
                    let (registers, body) = (Literal::usize_unsuffixed(block.registers), self.body(block));
                    let whole = Literal::usize_unsuffixed(block.registers - 1);
                    quote! {
                        #registers => {
                            if let #krate::mem::Some(mut data) = data.last::<#vector, #whole>() {
                                #body
                            }
                        }
                    }
                });
                quote! {
                    match data.registers::<#vector>() {
                        #(#arms)*
                        _ => {}
                    }
                }
            }
        }
    }

    fn while_batch(&self, block: &Block) -> TokenStream {
        let (krate, vector) = (self.krate, self.vector());
        let (registers, body) = (Literal::usize_unsuffixed(block.registers), self.body(block));
        quote! {
            while let #krate::mem::Some(mut data) = data.batch::<#vector, #registers>() {
                #body
            }
        }
    }

    fn runs(&self, runs: &Runs) -> TokenStream {
        let (krate, vector) = (self.krate, self.vector());
        let streamed = self.streamed();
        let enter = self.stmts(&runs.enter, &[], &[]);
        let start = self.start();
        let build = self.while_batch(&runs.build);
        let (registers, reuse) = (Literal::usize_unsuffixed(runs.reuse.registers), self.body(&runs.reuse));
        quote! {
            let mut slots = #krate::mem::Slots::new();
            let mut table = slots.table::<#vector>();
            if let #krate::mem::Some(mut data) = data.run() {
                #streamed
                #enter
                #start
                #build
            }
            let mut counter = counter;
            while let #krate::mem::Some(mut data) = data.run() {
                counter = #krate::runs::step(counter, #krate::runs::RUN_BYTES);
                #streamed
                #enter
                for part in table.parts::<#registers>() {
                    if let #krate::mem::Some(mut data) = data.batch::<#vector, #registers>() {
                        #reuse
                    }
                }
            }
        }
    }

    fn streamed(&self) -> Option<TokenStream> {
        (self.program.keys == Keys::Streamed).then(|| quote!(let keys = keys.stream();))
    }

    fn body(&self, block: &Block) -> TokenStream {
        let state: Vec<Value> = self.program.state.iter().map(|state| state.param).collect();
        let streamed = self.streamed();
        let stmts = self.stmts(&block.body, &[], if block.next.is_empty() { &[] } else { &state });
        quote!(#streamed #stmts)
    }

    /// `mutable` are declared so, since a loop further out changes them; `assigned` are variables of such a loop.
    fn stmts(&self, stmts: &[Stmt], mutable: &[Value], assigned: &[Value]) -> TokenStream {
        let carried: Vec<Value> = stmts
            .iter()
            .filter_map(|stmt| match stmt {
                Stmt::EachKey { carried, .. } => Some(carried.iter().map(|c| c.initial)),
                _ => None,
            })
            .flatten()
            .chain(mutable.iter().copied())
            .collect();
        let assigned: Vec<&str> = assigned.iter().map(|&value| self.program.name(value)).collect();
        let stmts = stmts.iter().map(|stmt| match stmt {
            Stmt::Let(value, op) => {
                let (name, op) = (self.ident(*value), self.op(op));
                if assigned.contains(&self.program.name(*value)) {
                    quote!(#name = #op;)
                } else if carried.contains(value) {
                    quote!(let mut #name = #op;)
                } else {
                    quote!(let #name = #op;)
                }
            }
            Stmt::Store(register, extent, value) => {
                let (register, value) = (Literal::usize_unsuffixed(*register), self.ident(*value));
                match extent {
                    Extent::Whole => quote!(data.store::<#register>(#value);),
                    Extent::Last => quote!(data.store_last(#value);),
                }
            }
            Stmt::Save(values) => {
                let values = values.iter().map(|&value| self.ident(value));
                quote!(table.push([#(#values),*]);)
            }
            Stmt::Prefetch(bytes) => {
                let bytes = Literal::usize_unsuffixed(*bytes);
                quote!(data.prefetch::<#bytes>();)
            }
            Stmt::EachKey { rounds, key, carried, body } => {
                let (from, to) = (Literal::usize_unsuffixed(rounds.start), Literal::usize_unsuffixed(rounds.end));
                let params: Vec<Value> = carried.iter().map(|c| c.param).collect();
                let key = self.ident(*key);
                let body = self.stmts(body, &[], &params);
                match self.broadcast(&quote!(#key)) {
                    Some(vector) => quote!(for #key in keys.range::<#from, #to>() { let #key = #vector; #body }),
                    None => quote!(for &#key in keys.range::<#from, #to>() { #body }),
                }
            }
        });
        quote!(#(#stmts)*)
    }

    fn op(&self, op: &Op) -> TokenStream {
        let krate = self.krate;
        match op {
            Op::Argument(Argument::CounterLow) => quote!(counter as #krate::core::primitive::i64),
            Op::Argument(Argument::CounterHigh) => quote!((counter >> 64) as #krate::core::primitive::i64),
            Op::Const(lanes) => {
                let halves = lanes.iter().rev().flat_map(|lane| [(lane >> 64) as u64, *lane as u64]);
                self.set(Instruction::Set, &halves.map(literal).collect::<Vec<_>>())
            }
            Op::Key(r) => {
                let r = Literal::usize_unsuffixed(*r);
                let key = quote!(keys.get::<#r>());
                self.broadcast(&key).unwrap_or(key)
            }
            Op::Load(register, Extent::Whole) => {
                let register = Literal::usize_unsuffixed(*register);
                quote!(data.load::<#register>())
            }
            Op::Load(_, Extent::Last) => quote!(data.load_last()),
            Op::Table(register) => {
                let register = Literal::usize_unsuffixed(*register);
                quote!(part[#register])
            }
            Op::Compute(compute, operands) => {
                let operands: Vec<TokenStream> =
                    operands.iter().map(|&value| self.ident(value)).map(|name| quote!(#name)).collect();
                let instruction = Instruction::Compute(*compute);
                if *compute == Compute::Pair {
                    self.set(instruction, &operands)
                } else {
                    let intrinsic = self.intrinsic(instruction);
                    quote!(#intrinsic(#(#operands),*))
                }
            }
        }
    }

    /// A streamed key as a vector; a held one is a vector already.
    fn broadcast(&self, key: &TokenStream) -> Option<TokenStream> {
        let krate = self.krate;
        let broadcast = format_ident!("broadcast_{}", self.program.variant.width().name());
        (self.program.keys == Keys::Streamed).then(|| quote!(#krate::mem::#broadcast(#key)))
    }

    /// The halves of a lane, high before low, or of all lanes, highest first.
    fn set(&self, instruction: Instruction, halves: &[TokenStream]) -> TokenStream {
        let intrinsic = self.intrinsic(instruction);
        let halves = halves.iter().cycle().take(2 * self.program.variant.width().lanes());
        quote!(#intrinsic(#(#halves),*))
    }
}

/// Half a lane as a signed literal: small numbers decimal, byte patterns hexadecimal.
fn literal(half: u64) -> TokenStream {
    match half as i64 {
        small @ ..0x1_0000 => Literal::i64_unsuffixed(small).into_token_stream(),
        pattern => format!("0x{pattern:016x}").parse().expect("a hexadecimal number is a token"),
    }
}
