//! What every expansion must be, for every kernel that can be: each algorithm at each width for each N.

use byways_codegen::emit;
use byways_codegen::families;
use byways_codegen::spec::{Algorithm, Variant, Width};
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
    // every N that fits, but in the cached form of counter mode powers of two
    assert_eq!(variants.len(), 3 * (16 + 16 + 32) + 3 * (5 + 5 + 6) + 5 * (16 + 16 + 32));
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
