//! The procedural macros of byways. Each is one line that calls `byways-codegen`; call them through the
//! `macro_rules!` doors of `byways-kernels`, which pass the path of that crate.

use proc_macro::TokenStream;

/// AES-CTR kernels and their registry: `key: [128, 192, 256], by: [4, 8, 16], width: [xmm, ymm, zmm]`.
#[proc_macro]
pub fn aes_ctr(input: TokenStream) -> TokenStream {
    byways_codegen::aes_ctr(input.into()).into()
}

/// CRC kernels and their registry: `form: [lsb, msb_rev, msb_swap, crc32c, crc32c_fused], by: [4, 8, 16],
/// width: [xmm, ymm, zmm]`.
#[proc_macro]
pub fn crc_fold(input: TokenStream) -> TokenStream {
    byways_codegen::crc_fold(input.into()).into()
}

/// ARIA kernels and their registry: `mode: [ecb, ctr, odd, even], form: [gfni, aessub, xor3], by: [4, 8, 16],
/// width: [xmm, ymm, zmm]`.
#[proc_macro]
pub fn aria(input: TokenStream) -> TokenStream {
    byways_codegen::aria(input.into()).into()
}

/// The table of CPU features, for `byways_kernels::cpu`.
#[proc_macro]
pub fn features(input: TokenStream) -> TokenStream {
    byways_codegen::features(input.into()).into()
}

/// How runs of blocks are cut, for `byways_kernels::mem`.
#[proc_macro]
pub fn runs(input: TokenStream) -> TokenStream {
    byways_codegen::runs(input.into()).into()
}

/// Layouts of ARIA's round keys, for `byways_kernels::keys::aria`.
#[proc_macro]
pub fn aria_layouts(input: TokenStream) -> TokenStream {
    byways_codegen::aria_layouts(input.into()).into()
}
