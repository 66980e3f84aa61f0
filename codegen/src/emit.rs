//! Programs to Rust: one safe `#[target_feature]` function a kernel, and the registry.
//!
//! A batch is straight-line code; rounds are a loop over the round keys, which the compiler unrolls where they are few. A value is a
//! variable of its name; what goes round a loop is a mutable one. Every path is rooted in the kernel crate, which
//! re-exports what it needs of `core`, or in one of two modules of it that the function imports by such a path, so that
//! the code means the same wherever it is put.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::families::{self, Outside, Registry};
use crate::ir::{
    Argument, Block, Chunks, Compute, Counter, Extent, Flow, Fold, Half, KeyLayout, Keys, Op, Order, Program, RoundKey,
    Rounds, Runs, Skeleton, Stmt, Value,
};
use crate::isa::{Instruction, features, look_up};
use crate::spec::{Variant, Width};

/// The kernels of `variants`, all of one family, as functions, and the registry of them; `krate` is the path of
/// `byways_kernels` where the tokens go. Nothing without variants.
pub fn items(variants: &[Variant], krate: &TokenStream) -> TokenStream {
    let Some(Registry { signature, items }) = families::registry(variants, krate) else { return TokenStream::new() };
    let programs: Vec<Program> = variants.iter().map(|&variant| families::program(variant)).collect();
    let kernels = programs.iter().map(|program| of_program(program, variants, krate));
    let (functions, entries): (Vec<_>, Vec<_>) = kernels.unzip();
    quote! {
        #(#functions)*

        #items

        /// Every kernel of this description, in its order.
        pub static KERNELS: &[#krate::cpu::Kernel<#signature>] = &[#(#entries),*];
    }
}

/// The kernel as a function.
pub fn function(variant: Variant, krate: &TokenStream) -> TokenStream {
    of_program(&families::program(variant), &[variant], krate).0
}

/// The function, and its line in the registry. That is the only unsafe one; the features in it are those on the function.
fn of_program(program: &Program, among: &[Variant], krate: &TokenStream) -> (TokenStream, TokenStream) {
    let variant = program.variant;
    if let Err(name) = program.check() {
        panic!("{variant}: {name}");
    }
    let emitter = Emitter { program, krate, uses: uses(program) };
    let (text, name) = (variant.to_string(), name(variant));
    let features = enabled(program);
    let Outside { documentation, parameters, returns, registered, .. } =
        families::outside(variant, among, &name, krate);
    let body = emitter.skeleton();
    let function = quote! {
        #(#[doc = #documentation])*
        #[target_feature(enable = #features)]
        pub fn #name(#parameters) #returns {
            use #krate::mem;
            use #krate::x86;

            #body
        }
    };
    (function, quote!(unsafe { #krate::cpu::Kernel::new(#text, #features, #registered) }))
}

fn name(variant: Variant) -> Ident {
    format_ident!("{}", variant.to_string())
}

/// The features as `#[target_feature(enable)]` takes them.
pub fn enabled(program: &Program) -> String {
    let mut used = BTreeSet::new();
    for stmts in [program.setup.as_slice()].into_iter().chain(program.skeleton.lists()) {
        collect_instructions(program, stmts, &mut used);
    }
    let features = features(program.variant.width(), used);
    features.into_iter().collect::<Vec<_>>().join(",")
}

fn collect_instructions(program: &Program, stmts: &[Stmt], used: &mut BTreeSet<(Instruction, Width)>) {
    for stmt in stmts {
        let instructions = Instruction::of_stmt(stmt).into_iter();
        used.extend(instructions.map(|(instruction, _)| (instruction, program.width_of(stmt))));
        match stmt {
            Stmt::EachKey { body, .. } => collect_instructions(program, body, used),
            Stmt::EachPair { former, latter, .. } => {
                collect_instructions(program, former, used);
                collect_instructions(program, latter, used);
            }
            _ => {}
        }
    }
}

/// How often each value of the program is used: by a statement, by a loop or by what is handed on.
fn uses(program: &Program) -> BTreeMap<Value, usize> {
    let states = program.state.iter().chain(program.skeleton.states()).map(|state| state.initial);
    let nexts = program.skeleton.blocks().into_iter().flat_map(|block| block.next.iter().copied());
    let mut used: Vec<Value> = states.chain(nexts).collect();
    let lists = [program.setup.as_slice()].into_iter().chain(program.skeleton.lists());
    lists.flatten().for_each(|stmt| stmt.collect_used(&mut used));
    used.into_iter().fold(BTreeMap::new(), |mut uses, value| {
        *uses.entry(value).or_default() += 1;
        uses
    })
}

/// Values that have no variable, and what is written for them.
type InPlace = BTreeMap<Value, TokenStream>;

struct Emitter<'a> {
    program: &'a Program,
    krate: &'a TokenStream,
    /// How often each value is used, in all of the program.
    uses: BTreeMap<Value, usize>,
}

impl Emitter<'_> {
    fn ident(&self, value: Value) -> Ident {
        Ident::new(self.program.name(value), Span::mixed_site())
    }

    fn vector(&self) -> TokenStream {
        let vector = format_ident!("{}", self.program.variant.width().vector());
        quote!(x86::#vector)
    }

    fn intrinsic(&self, instruction: Instruction, width: Width) -> TokenStream {
        let row = look_up(instruction, width);
        let name = row.intrinsic.expect("an operation on values has an intrinsic");
        // it may have an immediate operand, `::<0>`
        let name: TokenStream = name.parse().expect("an intrinsic is a path");
        quote!(x86::#name)
    }

    fn skeleton(&self) -> TokenStream {
        match &self.program.skeleton {
            Skeleton::Counter(counter) => self.counter(counter),
            Skeleton::Fold(fold) => self.fold(fold),
            Skeleton::Rounds(rounds) => self.rounds(rounds),
        }
    }

    /// Data in one stretch, or cut into runs and what is between them.
    fn counter(&self, counter: &Counter) -> TokenStream {
        let held = (counter.keys == Keys::Held).then(|| {
            let hold = format_ident!("hold_{}", self.program.variant.width().name());
            quote!(let keys = keys.#hold();)
        });
        let setup = self.stmts(&self.program.setup, &[], &[]);
        let flows = counter.flows.iter().map(|flow| self.flow(counter, flow));
        let start = self.start(counter);
        let plain = quote!(#start #(#flows)*);
        let Some(runs) = &counter.runs else {
            return quote!(let mut data = mem::Data::new(data); #held #setup #plain);
        };
        let runs = self.runs(counter, runs);
        quote! {
            let mut stretches = mem::Stretches::new(counter, data);
            #held
            #setup
            while let mem::Some((counter, mut data, runs)) = stretches.next() {
                if runs { #runs } else { #plain }
            }
        }
    }

    fn start(&self, counter: &Counter) -> TokenStream {
        let state: Vec<Value> = self.program.state.iter().map(|state| state.initial).collect();
        self.stmts(&counter.start, &state, &[])
    }

    /// The message cut into registers. Where there are none of what was counted before, which cannot be, the state
    /// stays as it is.
    fn fold(&self, fold: &Fold) -> TokenStream {
        let vector = self.vector();
        let state = Ident::new("state", Span::mixed_site());
        let order = match fold.order {
            Order::Reflected => quote!(reflected),
            Order::Plain => quote!(plain),
        };
        let setup = self.stmts(&self.program.setup, &[], &[]);
        let number = |n: usize| Literal::usize_unsuffixed(n);
        let some =
            |name: &TokenStream, value: TokenStream| quote!(let mem::Some(#name) = #value else { return #state };);
        let (data, left) = (quote!(data), quote!(mut left));

        let chunks = fold.chunks.as_ref().map(|chunks| self.chunks(chunks));
        let words = fold.words.as_ref().map(|words| {
            let most = number(words.short.len());
            let short = words.short.iter().enumerate().map(|(whole, block)| {
                let all = some(&data, {
                    let whole = number(whole);
                    quote!(data.all_words::<#whole>())
                });
                let (count, body, crc) =
                    (number(whole + 1), self.stmts(&block.body, &[], &[]), self.ident(block.next[0]));
                quote!(#count => { #all #body #crc })
            });
            quote! {
                if data.words() <= #most {
                    return match data.words() {
                        #(#short)*
                        _ => #state,
                    };
                }
            }
        });

        let by_word = fold.words.as_ref().map_or(0, |words| words.registers);
        let short = fold.short.iter().filter(|block| block.registers > by_word).map(|block| {
            let (registers, whole) = (number(block.registers), number(block.registers - 1));
            let all = some(&data, quote!(data.all::<#vector, #whole>()));
            let (body, crc) = (self.stmts(&block.body, &[], &[]), self.ident(block.next[0]));
            quote! {
                #registers => {
                    #all
                    let distances = constants.distances::<#vector, #registers>();
                    #body
                    #crc
                }
            }
        });

        let batch = self.program.variant.registers();
        let most = number(batch);
        let rest = some(&left, quote!(data.rest::<#vector, #most, _>(constants)));
        let each = self.stmts(&fold.each.body, &[], &[fold.sum.param]);
        let end = self.stmts(&fold.end.body, &[], &[]);
        let crc = self.ident(fold.end.next[0]);
        let end = quote! {
            while let mem::Some((data, distances)) = left.next() {
                #each
            }
            #end
            #crc
        };

        let lone = fold.lone.as_ref().map(|block| {
            let whole = number(block.registers - 1);
            let first = some(&quote!(first), quote!(data.begin::<#vector, #whole>()));
            let body = self.stmts(&block.body, &[block.next[0]], &[]);
            let (from, to) = (number(fold.short.len() + 1), number(batch - 1));
            quote! {
                #from..=#to => {
                    #first
                    #rest
                    let data = first;
                    let distances = left.distances();
                    #body
                    #end
                }
            }
        });

        let whole = number(fold.begin.registers - 1);
        let first = some(&data, quote!(data.begin::<#vector, #whole>()));
        let begin = self.stmts(&fold.begin.body, &[], &[]);
        let names: Vec<Ident> = self.program.state.iter().map(|state| self.ident(state.initial)).collect();
        let params: Vec<Value> = self.program.state.iter().map(|state| state.param).collect();
        let body = self.stmts(&fold.batch.body, &[], &params);
        let finish = self.stmts(&fold.finish.body, &[fold.finish.next[0]], &[]);
        quote! {
            let mut data = mem::Message::new(data);
            let constants = constants.#order();
            #setup
            #chunks
            #words
            match data.registers::<#vector>() {
                0 => #state,
                #(#short)*
                #lone
                _ => {
                    let (#(mut #names,)*) = {
                        #first
                        #begin
                        (#(#names,)*)
                    };
                    while let mem::Some(data) = data.batch::<#vector, #most>() {
                        #body
                    }
                    #rest
                    let distances = left.distances();
                    #finish
                    #end
                }
            }
        }
    }

    fn chunks(&self, chunks: &Chunks) -> TokenStream {
        let vector = self.vector();
        let number = |n: usize| Literal::usize_unsuffixed(n);
        let Chunks { steps, chains, words, begin, batch, end, crc, state } = chunks;
        let registers = number(self.program.variant.registers());
        let (steps, chains, words) = (number(*steps), number(*chains), number(*words));
        let crc_name = self.ident(crc.param);
        let begin = self.stmts(&begin.body, &state.iter().map(|state| state.initial).collect::<Vec<_>>(), &[]);
        let batch = self.stmts(&batch.body, &[], &state.iter().map(|state| state.param).collect::<Vec<_>>());
        let end = self.stmts(&end.body, &[], &[crc.param]);
        quote! {
            let mut #crc_name = #crc_name;
            while let mem::Some(mut chunk) =
                data.chunk::<#vector, #registers, #chains, #words, #steps>()
            {
                let mem::Some(data) = chunk.next() else { return #crc_name };
                #begin
                while let mem::Some(data) = chunk.next() {
                    #batch
                }
                let distances = constants.distances::<#vector, #registers>();
                #end
            }
        }
    }

    fn rounds(&self, rounds: &Rounds) -> TokenStream {
        let vector = self.vector();
        let setup = self.stmts(&self.program.setup, &[], &[]);
        let registers = Literal::usize_unsuffixed(rounds.batch.registers);
        let initial: Vec<Value> = self.program.state.iter().map(|state| state.initial).collect();
        let params: Vec<Value> = self.program.state.iter().map(|state| state.param).collect();
        let start = self.stmts(&rounds.start, &initial, &[]);
        let body = self.stmts(&rounds.batch.body, &[], &params);
        let is_whole = |stmt: &Stmt| matches!(stmt, Stmt::EachPair { behind, .. } if Stmt::ends_whole(*behind));
        let parts = if rounds.batch.body.iter().any(is_whole) {
            quote!(let (first, packed, pairs) = keys.parts_behind_second();)
        } else {
            quote!(let (first, pairs, last) = keys.parts();)
        };
        quote! {
            let mut room = mem::Room::<#vector, #registers>::new();
            let mut data = mem::Blocks::new(data, &mut room);
            #setup
            #start
            while let mem::Some(mut data) = data.next() {
                let keys = mem::opaque(keys);
                #parts
                #body
                data.end();
            }
        }
    }

    fn flow(&self, counter: &Counter, flow: &Flow) -> TokenStream {
        let vector = self.vector();
        match flow {
            Flow::While(block) => self.while_batch(counter, block),
            Flow::Rest(blocks) => {
                let arms = blocks.iter().map(|block| {
                    let (registers, body) = (Literal::usize_unsuffixed(block.registers), self.body(counter, block));
                    let whole = Literal::usize_unsuffixed(block.registers - 1);
                    quote! {
                        #registers => {
                            if let mem::Some(mut data) = data.last::<#vector, #whole>() {
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

    fn while_batch(&self, counter: &Counter, block: &Block) -> TokenStream {
        let vector = self.vector();
        let (registers, body) = (Literal::usize_unsuffixed(block.registers), self.body(counter, block));
        quote! {
            while let mem::Some(mut data) = data.batch::<#vector, #registers>() {
                #body
            }
        }
    }

    fn runs(&self, counter: &Counter, runs: &Runs) -> TokenStream {
        let (krate, vector) = (self.krate, self.vector());
        let streamed = self.streamed(counter);
        let enter = self.stmts(&runs.enter, &[], &[]);
        let start = self.start(counter);
        let build = self.while_batch(counter, &runs.build);
        let (registers, reuse) = (Literal::usize_unsuffixed(runs.reuse.registers), self.body(counter, &runs.reuse));
        quote! {
            let mut slots = mem::Slots::new();
            let mut table = slots.table::<#vector>();
            if let mem::Some(mut data) = data.run() {
                #streamed
                #enter
                #start
                #build
            }
            let mut counter = counter;
            while let mem::Some(mut data) = data.run() {
                counter = #krate::runs::step(counter, #krate::runs::RUN_BYTES);
                #streamed
                #enter
                for part in table.parts::<#registers>() {
                    if let mem::Some(mut data) = data.batch::<#vector, #registers>() {
                        #reuse
                    }
                }
            }
        }
    }

    fn streamed(&self, counter: &Counter) -> Option<TokenStream> {
        (counter.keys == Keys::Streamed).then(|| quote!(let keys = keys.stream();))
    }

    fn body(&self, counter: &Counter, block: &Block) -> TokenStream {
        let state: Vec<Value> = self.program.state.iter().map(|state| state.param).collect();
        let streamed = self.streamed(counter);
        let stmts = self.stmts(&block.body, &[], if block.next.is_empty() { &[] } else { &state });
        quote!(#streamed #stmts)
    }

    /// `mutable` are declared so, since a loop further out changes them; `assigned` are variables of such a loop.
    fn stmts(&self, stmts: &[Stmt], mutable: &[Value], assigned: &[Value]) -> TokenStream {
        let krate = self.krate;
        let carried: Vec<Value> = stmts
            .iter()
            .filter_map(|stmt| match stmt {
                Stmt::EachKey { carried, .. } => Some(carried.iter().map(|c| c.initial).collect::<Vec<_>>()),
                Stmt::EachPair { carried, .. } => Some(carried.iter().map(|c| c.initial).collect()),
                _ => None,
            })
            .flatten()
            .chain(mutable.iter().copied())
            .collect();
        let assigned: Vec<&str> = assigned.iter().map(|&value| self.program.name(value)).collect();
        let in_place = self.in_place(stmts);
        let is_plain = |value: Value| {
            !in_place.contains_key(&value) && !carried.contains(&value) && !assigned.contains(&self.program.name(value))
        };
        let unpacked =
            |at: usize| unpacked(stmts.get(at..at + 2)?).filter(|&[low, high, ..]| is_plain(low) && is_plain(high));
        let emitted = stmts.iter().enumerate().map(|(at, stmt)| match stmt {
            // it has the parameter's name
            Stmt::Let(_, Op::Argument(Argument::State)) => TokenStream::new(),
            Stmt::Let(value, _) if in_place.contains_key(value) => TokenStream::new(),
            Stmt::Let(..) if at > 0 && unpacked(at - 1).is_some() => TokenStream::new(),
            Stmt::Let(value, op) => {
                let width = self.program.width_of(stmt);
                if let Some(values) = unpacked(at) {
                    // at zmm there are registers for all, if what is behind the rounds is done in turn
                    let is_behind = stmts[..at].iter().any(|stmt| matches!(stmt, Stmt::EachPair { .. }));
                    let in_turn = if is_behind && width == Width::Zmm { "_at_once" } else { "" };
                    let unpack = format_ident!("unpack8{in_turn}_{}", width.name());
                    let [low, high, a, b] = values.map(|value| self.ident(value));
                    return quote!(let (#low, #high) = mem::#unpack(#a, #b););
                }
                let (name, op) = (self.ident(*value), self.op(op, width, &in_place));
                if assigned.contains(&self.program.name(*value)) {
                    quote!(#name = #op;)
                } else if carried.contains(value) {
                    quote!(let mut #name = #op;)
                } else {
                    quote!(let #name = #op;)
                }
            }
            Stmt::Store(register, extent, value) => self.store(*register, *extent, *value, &in_place),
            Stmt::Save(values) => {
                let values = values.iter().map(|&value| self.ident(value));
                quote!(table.push([#(#values),*]);)
            }
            Stmt::Prefetch(bytes) => {
                let bytes = Literal::usize_unsuffixed(*bytes);
                quote!(data.prefetch::<#bytes>();)
            }
            Stmt::EachPair { behind, carried, former, latter } => {
                let params: Vec<Value> = carried.iter().map(|c| c.param).collect();
                let [former, latter] = [former, latter].map(|body| self.stmts(body, &[], &params));
                let exit = (!Stmt::ends_whole(*behind)).then(|| {
                    quote! {
                        if #krate::core::ptr::eq(pair, last) {
                            break;
                        }
                    }
                });
                quote!(for pair in pairs { #former #exit #latter })
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
        quote!(#(#emitted)*)
    }

    /// Values that the next statement uses, and no other: they are written where they are used, if that makes no line
    /// that is too long: parts of round keys, registers of data, and what is computed of variables.
    fn in_place(&self, stmts: &[Stmt]) -> InPlace {
        let (mut in_place, mut calls) = (InPlace::new(), BTreeSet::new());
        for (stmt, next) in stmts.iter().zip(stmts.iter().skip(1)) {
            let Stmt::Let(value, op) = stmt else { continue };
            let fits = match (op, next) {
                (Op::Round(..) | Op::Load(_, Extent::Whole), Stmt::Let(_, next @ Op::Compute(..))) => {
                    next.operands().contains(value)
                }
                (Op::Compute(_, operands), Stmt::Let(_, next @ Op::Compute(..))) => {
                    let nested = operands.iter().any(|operand| calls.contains(operand));
                    !nested && next.operands().contains(value)
                }
                (Op::Compute(..), Stmt::Store(_, _, stored)) => stored == value,
                _ => false,
            };
            if !fits || self.uses.get(value) != Some(&1) {
                continue;
            }
            let written = self.op(op, self.program.width_of(stmt), &in_place);
            in_place.insert(*value, written);
            let line = match next {
                Stmt::Let(of, op) => {
                    let name = self.ident(*of);
                    let op = self.op(op, self.program.width_of(next), &in_place);
                    quote!(let #name = #op;)
                }
                Stmt::Store(register, extent, value) => self.store(*register, *extent, *value, &in_place),
                _ => continue,
            };
            if width(&line) > self.line() {
                in_place.remove(value);
            } else if matches!(op, Op::Compute(..)) {
                calls.insert(*value);
            }
        }
        in_place
    }

    /// Characters in a line, without its indentation, which is deeper where there are more loops and cases around.
    fn line(&self) -> usize {
        match self.program.skeleton {
            Skeleton::Rounds(_) => 76,
            Skeleton::Counter(_) | Skeleton::Fold(_) => 66,
        }
    }

    fn store(&self, register: usize, extent: Extent, value: Value, in_place: &InPlace) -> TokenStream {
        let (register, value) = (Literal::usize_unsuffixed(register), self.operand(value, in_place));
        match extent {
            Extent::Whole => quote!(data.store::<#register>(#value);),
            Extent::Last => quote!(data.store_last(#value);),
        }
    }

    fn operand(&self, value: Value, in_place: &InPlace) -> TokenStream {
        in_place.get(&value).cloned().unwrap_or_else(|| self.ident(value).into_token_stream())
    }

    fn op(&self, op: &Op, width: Width, in_place: &InPlace) -> TokenStream {
        let krate = self.krate;
        match op {
            Op::Argument(Argument::CounterLow) => quote!(counter as #krate::core::primitive::i64),
            Op::Argument(Argument::CounterHigh) => quote!((counter >> 64) as #krate::core::primitive::i64),
            Op::Argument(Argument::State) => quote!(state),
            Op::Const(lanes) => {
                if let [lane] = lanes.as_slice() {
                    let (splat, lane) = (format_ident!("splat_{}", width.name()), literal(*lane));
                    return quote!(mem::#splat(#lane));
                }
                let of = format_ident!("lanes_{}", width.name());
                let lanes = lanes.iter().cycle().take(width.lanes()).map(|&lane| literal(lane));
                quote!(mem::#of([#(#lanes),*]))
            }
            Op::Key(r) => {
                let r = Literal::usize_unsuffixed(*r);
                let key = quote!(keys.get::<#r>());
                self.broadcast(&key).unwrap_or(key)
            }
            Op::Round(key, i) => {
                let Skeleton::Rounds(rounds) = &self.program.skeleton else { unreachable!("rounds of a block cipher") };
                let (i, width) = (Literal::usize_unsuffixed(*i), width.name());
                let vector = format_ident!("{}{width}", rounds.layout.vector());
                let key = match key {
                    RoundKey::First => quote!(first),
                    RoundKey::Former => quote!(pair[0]),
                    RoundKey::Latter => quote!(pair[1]),
                    RoundKey::LastButOne => quote!(last[0]),
                    RoundKey::Last => quote!(last[1]),
                    RoundKey::Natural => {
                        let natural = format_ident!("last_{}", width);
                        return quote!(keys.#natural());
                    }
                    RoundKey::FirstPacked | RoundKey::SecondPacked => {
                        let (which, part) = (usize::from(*key == RoundKey::SecondPacked), format_ident!("{width}"));
                        let which = Literal::usize_unsuffixed(which);
                        return quote!(packed[#which].#part::<#i>());
                    }
                };
                match rounds.layout {
                    KeyLayout::Grid => quote!(#key.dword::<#i>().#vector()),
                    _ => quote!(#key.#vector::<#i>()),
                }
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
            Op::First(state) => {
                let state = self.ident(*state);
                quote!(data.first(#state))
            }
            Op::Second(state) => {
                let state = self.ident(*state);
                quote!(data.second(#state))
            }
            Op::Beyond(state) => {
                let state = self.ident(*state);
                quote!(data.beyond(#state))
            }
            Op::FirstWord(state) => {
                let state = self.ident(*state);
                quote!(data.first_word(#state))
            }
            Op::Word { chain, word } => {
                let (chain, word) = (Literal::usize_unsuffixed(*chain), Literal::usize_unsuffixed(*word));
                quote!(data.word::<#chain, #word>())
            }
            Op::Distance(registers) => {
                let registers = Literal::usize_unsuffixed(*registers);
                quote!(distances.at::<#registers>())
            }
            Op::Stride(lanes) => {
                let (lanes, stride) = (Literal::usize_unsuffixed(*lanes), format_ident!("stride_{}", width.name()));
                quote!(constants.#stride::<#lanes>())
            }
            Op::Quotient => quote!(constants.quotient()),
            Op::Unit => quote!(constants.unit()),
            Op::Compute(compute, operands) => {
                let operand = |&value| self.operand(value, in_place);
                self.compute(*compute, width, &operands.iter().map(operand).collect::<Vec<_>>())
            }
        }
    }

    fn compute(&self, compute: Compute, width: Width, operands: &[TokenStream]) -> TokenStream {
        let krate = self.krate;
        let instruction = Instruction::Compute(compute);
        match (compute, operands) {
            (Compute::Pair, _) => self.set(instruction, width, operands),
            (Compute::ScalarXor, [a, b]) => quote!(#a ^ #b),
            (Compute::SwapBytes, [a]) => quote!(#a.swap_bytes()),
            (Compute::Less8 | Compute::Halves8, _) => {
                let name = if compute == Compute::Less8 { "less8" } else { "halves8" };
                let function = format_ident!("{name}_{}", width.name());
                quote!(mem::#function(#(#operands),*))
            }
            // the instructions below AVX-512 have the mask behind
            (Compute::Blend, [mask, a, b]) if width != Width::Zmm => {
                let intrinsic = self.intrinsic(instruction, width);
                quote!(#intrinsic(#b, #a, #mask))
            }
            // out of two registers, which are the same
            (Compute::RotateLanes | Compute::SwapLanes, [a]) => {
                let intrinsic = self.intrinsic(instruction, width);
                quote!(#intrinsic(#a, #a))
            }
            // the index is in front
            (Compute::Permute8, [a, index]) => {
                let intrinsic = self.intrinsic(instruction, width);
                quote!(#intrinsic(#index, #a))
            }
            (Compute::Crc32, [word]) => {
                let intrinsic = self.intrinsic(instruction, width);
                quote!(#intrinsic(0, #word))
            }
            (Compute::Widen, [a]) => {
                let intrinsic = self.intrinsic(instruction, width);
                quote!(#intrinsic(#a as #krate::core::primitive::i64))
            }
            (Compute::Extract(Half::High), [a]) => quote!(mem::high(#a)),
            (Compute::Extract(Half::Low), _) => {
                let intrinsic = self.intrinsic(instruction, width);
                quote!(#intrinsic(#(#operands),*) as #krate::core::primitive::u64)
            }
            _ => {
                let intrinsic = self.intrinsic(instruction, width);
                quote!(#intrinsic(#(#operands),*))
            }
        }
    }

    /// A streamed key as a vector; a held one is a vector already.
    fn broadcast(&self, key: &TokenStream) -> Option<TokenStream> {
        let broadcast = format_ident!("broadcast_{}", self.program.variant.width().name());
        (self.program.skeleton.held_keys() == 0).then(|| quote!(mem::#broadcast(#key)))
    }

    /// The halves of a lane, high before low, or of all lanes, highest first.
    fn set(&self, instruction: Instruction, width: Width, halves: &[TokenStream]) -> TokenStream {
        let intrinsic = self.intrinsic(instruction, width);
        let halves = halves.iter().cycle().take(2 * width.lanes());
        quote!(#intrinsic(#(#halves),*))
    }
}

/// Of two statements that unpack the same: what they make, and of what.
fn unpacked(stmts: &[Stmt]) -> Option<[Value; 4]> {
    match stmts {
        [
            Stmt::Let(low, Op::Compute(Compute::UnpackLow8, of)),
            Stmt::Let(high, Op::Compute(Compute::UnpackHigh8, and)),
        ] => (of == and).then(|| [*low, *high, of[0], of[1]]),
        _ => None,
    }
}

/// A lane's bits: small numbers decimal, byte patterns hexadecimal.
fn literal(lane: u128) -> TokenStream {
    match lane {
        small @ ..0x1_0000 => Literal::u128_unsuffixed(small).into_token_stream(),
        lane => {
            let (high, low) = (lane >> 64, lane as u64);
            format!("0x{high:016x}_{low:016x}").parse().expect("a hexadecimal number is a token")
        }
    }
}

/// Characters in a statement on one line, about.
fn width(statement: &TokenStream) -> usize {
    let text: String = statement.to_string().split(' ').collect();
    // `let name = value` has three blanks, and each comma one behind it
    text.len() + text.matches(',').count() + if text.starts_with("let") { 3 } else { 0 }
}
