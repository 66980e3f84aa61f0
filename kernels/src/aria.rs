//! ARIA (RFC 5794).

byways_macros::aria! {
    mode: [ecb, ctr], by: [4, 8, 16], width: [xmm, ymm];
    mode: [ecb, ctr], by: [2], width: [xmm];
    mode: [ecb, ctr], by: [32], width: [ymm];
    mode: [ecb, ctr], by: [8, 16, 32, 64], width: [zmm];
    mode: [ecb, ctr], by: [4], width: [zmm];
    mode: [ecb, ctr], form: [xor3], by: [2], width: [xmm];
    mode: [ecb, ctr], form: [xor3], by: [4], width: [ymm];
    mode: [ecb, ctr], form: [aessub], by: [4, 8, 16], width: [xmm];
    mode: [odd, even], by: [2], width: [xmm];
    mode: [odd, even], form: [aessub], by: [4], width: [xmm];
}
