//! AES in counter mode (NIST SP 800-38A, section 6.5).

byways_macros::aes_ctr! {
    key: [128, 192, 256], by: [4, 8, 16], width: [xmm, ymm, zmm];
    key: [128, 192, 256], by: [32], width: [ymm, zmm];
    key: [128, 192, 256], form: [cached], by: [8], width: [xmm];
    key: [128, 192, 256], form: [cached], by: [16], width: [ymm, zmm];
}
