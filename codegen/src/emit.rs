//! Programs to Rust: one safe `#[target_feature]` function a kernel, and the registry.
//!
//! A batch is straight-line code; rounds are a loop over the round keys, which the compiler unrolls. A value is a
//! variable of its name; what goes round a loop is a mutable one. Every path is rooted in the kernel crate, which
//! re-exports what it needs of `core`, so that the code means the same wherever it is put.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::families;
use crate::ir::{Argument, Block, Compute, Extent, Flow, Keys, Op, Program, Stmt, Value};
use crate::isa::{Instruction, features, look_up};
use crate::spec::{Algorithm, Variant};

/// The kernels of `variants` as functions, and the registry of them; `krate` is the path of `byways_kernels` where the
/// tokens go.
pub fn items(variants: &[Variant], krate: &TokenStream) -> TokenStream {
    let functions = variants.iter().map(|&variant| function(variant, krate));
    let entries = variants.iter().map(|&variant| entry(variant, krate));
    quote! {
        #(#functions)*

        /// Every kernel of this description, in its order.
        pub static KERNELS: &[#krate::cpu::Kernel<#krate::ctr::Ctr>] = &[#(#entries),*];
    }
}

/// The kernel as a function.
pub fn function(variant: Variant, krate: &TokenStream) -> TokenStream {
    let program = families::program(variant);
    if let Err(name) = program.check() {
        panic!("{variant}: {name}");
    }
    let emitter = Emitter { program: &program, krate };
    let name = format_ident!("{}", variant.to_string());
    let features = enabled(&program);
    let documentation = documentation(variant);
    let round_keys = Literal::usize_unsuffixed(program.round_keys);
    let (setup, skeleton) = (emitter.setup(), emitter.skeleton());
    quote! {
        #documentation
        #[target_feature(enable = #features)]
        pub fn #name(
            keys: &#krate::keys::RoundKeys<#round_keys>,
            counter: #krate::core::primitive::u128,
            data: #krate::inout::InOutBuf<'_, '_, #krate::core::primitive::u8>,
        ) {
            let mut data = #krate::mem::Data::new(data);
            #setup
            #skeleton
        }
    }
}

/// The kernel's line in the registry. It is the only unsafe one; the features in it are those on the function.
fn entry(variant: Variant, krate: &TokenStream) -> TokenStream {
    let program = families::program(variant);
    let (name, function) = (variant.to_string(), format_ident!("{}", variant.to_string()));
    let features = enabled(&program);
    let Algorithm::AesCtr(key) = variant.algorithm();
    let signature = format_ident!("{key:?}");
    quote! {
        unsafe { #krate::cpu::Kernel::new(#name, #features, #krate::ctr::Ctr::#signature(#function)) }
    }
}

/// The features as `#[target_feature(enable)]` takes them.
fn enabled(program: &Program) -> String {
    let mut used = BTreeSet::new();
    let blocks = program.skeleton.iter().flat_map(|flow| match flow {
        Flow::While(block) => std::slice::from_ref(block),
        Flow::Rest(blocks) => blocks,
    });
    instructions(&program.setup, &mut used);
    blocks.for_each(|block| instructions(&block.body, &mut used));
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
            Stmt::Let(..) | Stmt::Store(..) => {}
        }
    }
}

fn documentation(variant: Variant) -> TokenStream {
    let Algorithm::AesCtr(key) = variant.algorithm();
    let lines = [
        format!(
            " AES-{} in counter mode, {} blocks in flight in {} registers.",
            key.bits(),
            variant.by(),
            variant.width()
        ),
        String::new(),
        " `counter` is the first counter block as a big-endian number; its low 64 bits count, modulo 2^64.".to_owned(),
    ];
    quote!(#(#[doc = #lines])*)
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
        let (krate, name) = (self.krate, format_ident!("{name}"));
        quote!(#krate::x86::#name)
    }

    fn setup(&self) -> TokenStream {
        let state: Vec<Value> = self.program.state.iter().map(|state| state.initial).collect();
        let held = (self.program.keys == Keys::Held).then(|| {
            let hold = format_ident!("hold_{}", self.program.variant.width().name());
            quote!(let keys = keys.#hold();)
        });
        let setup = self.stmts(&self.program.setup, &state, &[]);
        quote!(#held #setup)
    }

    fn skeleton(&self) -> TokenStream {
        let vector = self.vector();
        let krate = self.krate;
        let state: Vec<Value> = self.program.state.iter().map(|state| state.param).collect();
        let body = |block: &Block| {
            let streamed = (self.program.keys == Keys::Streamed).then(|| quote!(let keys = keys.stream();));
            let stmts = self.stmts(&block.body, &[], if block.next.is_empty() { &[] } else { &state });
            quote!(#streamed #stmts)
        };
        let flows = self.program.skeleton.iter().map(|flow| match flow {
            Flow::While(block) => {
                let (registers, body) = (Literal::usize_unsuffixed(block.registers), body(block));
                quote! {
                    while let #krate::mem::Some(mut data) = data.batch::<#vector, #registers>() {
                        #body
                    }
                }
            }
            Flow::Rest(blocks) => {
                let arms = blocks.iter().map(|block| {
                    let (registers, body) = (Literal::usize_unsuffixed(block.registers), body(block));
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
        });
        quote!(#(#flows)*)
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
