//! ARIA (RFC 5794).

byways_macros::aria! {
    mode: [ecb], by: [4, 8, 16], width: [xmm, ymm];
    mode: [ecb], by: [2], width: [xmm];
    mode: [ecb], by: [32], width: [ymm];
    mode: [ecb], by: [8, 16, 32, 64], width: [zmm];
    mode: [odd, even], by: [2], width: [xmm];
}
