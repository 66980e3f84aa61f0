//! What every expansion must be, for every kernel that can be: each algorithm at each width for each N.

use byways_codegen::emit;
use byways_codegen::families;
use byways_codegen::ir::{KeyLayout, Skeleton};
use byways_codegen::spec::{Algorithm, AriaForm, AriaMode, CrcForm, Variant, Width};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

fn every_variant() -> Vec<Variant> {
    let mut variants = Vec::new();
    for algorithm in Algorithm::all() {
        for width in Width::ALL {
            let unrolls = algorithm.unrolls(width);
            variants.extend(unrolls.map(|by| Variant::new(algorithm, by, width).expect("an allowed N")));
        }
    }
    // every N that fits, but in the cached form of counter mode powers of two; and of ARIA in each mode 2, 4, 8 or 16
    // registers, at zmm also 1; without GFNI 4, 8 or 16 at xmm alone; with xors of three inputs 2, 4 or 8 below zmm
    let (ctr, cached, crc, aria) =
        (3 * (16 + 16 + 32), 3 * (5 + 5 + 6), 5 * (16 + 16 + 32), 4 * (4 + 4 + 5 + 3 + 3 + 3));
    assert_eq!(variants.len(), ctr + cached + crc + aria);
    variants
}

#[test]
fn a_name_means_its_variant() {
    for variant in every_variant() {
        assert_eq!(variant.to_string().parse(), Ok(variant));
    }
}

#[test]
fn no_name_is_used_after_it_was_shadowed() {
    for variant in every_variant() {
        families::program(variant).check().unwrap_or_else(|name| panic!("{variant}: {name}"));
    }
}

/// `forbid(unsafe_code)` says nothing about what comes out of another crate's macro, so this walks the tokens: the only
/// unsafe ones are the registry's lines.
#[test]
fn nothing_is_unsafe_but_the_registry() {
    for variant in every_variant() {
        let function = emit::function(variant, &quote!(::byways_kernels));
        assert_eq!(unsafe_blocks(function), Vec::<String>::new(), "{variant}");
        let items = emit::items(&[variant], &quote!(::byways_kernels));
        let blocks = unsafe_blocks(items);
        assert_eq!(blocks.len(), 1, "{variant}: {blocks:?}");
        let line = format!("{{ :: byways_kernels :: cpu :: Kernel :: new (\"{variant}\" ,");
        assert!(blocks[0].starts_with(&line), "{variant}: {}", blocks[0]);
    }
}

/// What the registry says a function was compiled for is what it was compiled for: calling it rests on that.
#[test]
fn the_registry_has_the_functions_features() {
    for variant in every_variant() {
        let items = emit::items(&[variant], &quote!(::byways_kernels)).to_string();
        let enabled = between(&items, "# [target_feature (enable = ", ")]");
        let registered = between(&items, &format!("Kernel :: new (\"{variant}\" , "), " ,");
        assert_eq!(enabled, registered, "{variant}");
        assert!(enabled.len() > 4, "{variant}: {enabled}");
    }
}

fn crc_variants() -> Vec<Variant> {
    every_variant().into_iter().filter(|variant| matches!(variant.algorithm(), Algorithm::Crc(_))).collect()
}

/// A kernel has one signature, which its registry's type is of; of what stands beside it, CRCs have the lanes.
#[test]
fn the_registry_is_of_the_functions_kind() {
    for variant in every_variant() {
        let items = emit::items(&[variant], &quote!(::byways_kernels)).to_string();
        let registry = between(&items, "pub static KERNELS : & [", "] = ");
        let registered = between(&items, &format!("Kernel :: new (\"{variant}\" , "), "}");
        let form = match variant.algorithm() {
            Algorithm::Crc(form) => form,
            algorithm => {
                let of = if let Algorithm::Aria(..) = algorithm { "keys :: aria :: Aria" } else { "ctr :: Ctr" };
                let kernel = format!(":: byways_kernels :: cpu :: Kernel < :: byways_kernels :: {of} >");
                assert_eq!(registry, kernel, "{variant}");
                assert!(!items.contains("LANES"), "{variant}");
                continue;
            }
        };
        let lanes = between(&items, "pub const LANES : :: byways_kernels :: core :: primitive :: usize = ", " ;");
        assert_eq!(lanes, families::lanes(&[variant]).to_string(), "{variant}");
        let fold = format!(":: byways_kernels :: cpu :: Kernel < :: byways_kernels :: crc :: Fold < {lanes} > >");
        assert_eq!(registry, fold, "{variant}");
        let constants = between(&items, ":: byways_kernels :: crc :: Constants < ", " >");
        assert_eq!(constants, lanes, "{variant}");
        let first = match form {
            CrcForm::Lsb => "Lsb",
            CrcForm::MsbRev | CrcForm::MsbSwap => "Msb",
            CrcForm::Crc32c | CrcForm::Crc32cFused => "Crc32c",
        };
        let function = format!(":: byways_kernels :: crc :: Fold :: {first} ({variant})");
        assert!(registered.contains(&function), "{variant}: {registered}");
    }
}

/// A kernel takes keys of the layout that its program has, and a counter where its mode has one; so says its registry.
#[test]
fn the_registry_has_the_layout_of_the_keys() {
    for variant in every_variant() {
        let Algorithm::Aria(mode, form) = variant.algorithm() else { continue };
        let items = emit::items(&[variant], &quote!(::byways_kernels)).to_string();
        let layout = match (form, variant.registers(), variant.width()) {
            (AriaForm::Gfni, 1, Width::Zmm) => KeyLayout::Lanes,
            (AriaForm::Gfni | AriaForm::Xor3, 2 | 4 | 8, _) => KeyLayout::Packed,
            (AriaForm::Gfni, 16, Width::Xmm | Width::Ymm) => KeyLayout::Sliced,
            (AriaForm::Gfni, 16, Width::Zmm) => KeyLayout::Grid,
            (AriaForm::AesSub, 4 | 8, Width::Xmm) => KeyLayout::Classed,
            (AriaForm::AesSub, 16, Width::Xmm) => KeyLayout::Bytes,
            (_, registers, _) => panic!("{variant} has {registers} registers"),
        };
        let Skeleton::Rounds(rounds) = families::program(variant).skeleton else { panic!("{variant} has no rounds") };
        assert_eq!(rounds.layout, layout, "{variant}");
        let keys = between(&items, "keys : & :: byways_kernels :: keys :: aria :: Keys < ", " > ,");
        assert_eq!(keys, format!(":: byways_kernels :: keys :: aria :: {}", layout.name()), "{variant}");
        let counted = mode == AriaMode::Ctr;
        assert_eq!(items.contains("counter : :: byways_kernels :: core :: primitive :: u128 ,"), counted, "{variant}");
        let kind = format!("{}{}", layout.name(), if counted { "Ctr" } else { "" });
        let registered = between(&items, &format!("Kernel :: new (\"{variant}\" , "), "}");
        let function = format!(":: byways_kernels :: keys :: aria :: Aria :: {kind} ({variant})");
        assert!(registered.contains(&function), "{variant}: {registered}");
    }
}

/// The constants of several kernels serve the one that takes the most.
#[test]
fn kernels_of_one_call_take_the_same_constants() {
    let kernels = ["crc_lsb_by4_xmm", "crc_msb_rev_by32_zmm", "crc_msb_swap_by16_ymm"];
    let kernels = kernels.map(|name| name.parse::<Variant>().expect("a kernel"));
    let most = kernels.map(|kernel| families::lanes(&[kernel])).into_iter().max().expect("there are some");
    assert_eq!(families::lanes(&kernels), most);
    let items = emit::items(&kernels, &quote!(::byways_kernels)).to_string();
    assert_eq!(items.matches(&format!("crc :: Constants < {most} >")).count(), 3);
    assert_eq!(items.matches("pub const LANES").count(), 1);
    assert_eq!(items.matches("pub static KERNELS").count(), 1);
    assert_eq!(items.matches("unsafe").count(), 3);
}

/// The kernel crate refuses to take powers of x that are not there, but only when a kernel is compiled. So this looks at
/// all that can be: the lanes suffice for each access, and are not more than the next register's end needs.
#[test]
fn the_lanes_are_those_that_the_kernel_takes() {
    for variant in crc_variants() {
        let function = emit::function(variant, &quote!(::byways_kernels)).to_string();
        let lanes = variant.width().lanes();
        // a list of generic arguments, of which the numbers count
        let numbers = |before: &str| -> Vec<usize> {
            let lists = function.split(before).skip(1).map(|rest| rest.split_once(" >").expect("it ends").0);
            lists.map(|list| list.split(' ').find_map(|word| word.parse().ok()).expect("a number")).collect()
        };
        let distances = numbers(". distances :: <").into_iter().map(|registers| registers * lanes);
        let rests = numbers(". rest :: <").into_iter().map(|registers| (2 * registers - 1) * lanes);
        let strides = numbers(&format!(". stride_{} :: <", variant.width())).into_iter().map(|step| step + 1);
        let [distances, rests, strides] = [distances.collect(), rests.collect(), strides.collect::<Vec<usize>>()];
        for found in [&distances, &rests, &strides] {
            assert!(!found.is_empty(), "{variant}: {distances:?} {rests:?} {strides:?}");
        }
        let most = [distances, rests, strides].concat().into_iter().max().expect("there are some");
        assert_eq!(families::lanes(&[variant]), most.next_multiple_of(Width::Zmm.lanes()), "{variant}");
    }
}

/// Nothing comes of nothing.
#[test]
fn no_variants_make_no_items() {
    assert!(emit::items(&[], &quote!(::byways_kernels)).is_empty());
}

/// The one stretch of the text between these two.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let mut parts = text.split(before).skip(1);
    let (part, more) = (parts.next().unwrap_or_else(|| panic!("no {before}")), parts.next());
    assert_eq!(more, None, "{before} is there more than once");
    part.split_once(after).expect("it ends").0
}

/// What follows each `unsafe`.
fn unsafe_blocks(tokens: TokenStream) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "unsafe" => {
                let block = tokens.next().expect("something follows `unsafe`");
                blocks.push(block.to_string());
            }
            TokenTree::Group(group) => blocks.extend(unsafe_blocks(group.stream())),
            _ => {}
        }
    }
    blocks
}
