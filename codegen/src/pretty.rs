//! Kernels as formatted source text: what the snapshots hold and `byways expand` prints.

use quote::{format_ident, quote};

use crate::cost::cost;
use crate::spec::Variant;
use crate::{emit, families};

/// The macro call that makes the kernel, its cost, and its generated Rust.
///
/// ```
/// let text = byways_codegen::pretty::listing("aes128_ctr_by4_zmm".parse()?);
/// assert!(text.starts_with("// aes_ctr! { key: [128], by: [4], width: [zmm] }\n"));
/// assert!(text.contains("pub fn aes128_ctr_by4_zmm("));
/// # Ok::<(), byways_codegen::spec::NameError>(())
/// ```
pub fn listing(variant: Variant) -> String {
    let cost = cost(&families::program(variant)).to_string();
    let header = [macro_call(variant), String::new()].into_iter().chain(cost.lines().map(str::to_owned));
    let header: String = header.map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect();
    format!("{header}\n{}", source(variant))
}

/// The macro call that makes this kernel alone.
pub fn macro_call(variant: Variant) -> String {
    families::outside(variant, &[variant], &format_ident!("{}", variant.to_string()), &quote!(::byways_kernels))
        .macro_call
}

fn source(variant: Variant) -> String {
    let tokens = emit::items(&[variant], &quote!(::byways_kernels));
    let file = syn::parse2(tokens).expect("generated code is Rust");
    prettyplease::unparse(&file)
}
