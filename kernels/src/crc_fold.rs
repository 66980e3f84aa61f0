//! Cyclic redundancy checks of up to 64 bits by carry-less multiplication.

byways_macros::crc_fold! {
    form: [lsb, msb_rev, msb_swap], by: [4, 8, 16], width: [xmm, ymm, zmm];
    form: [lsb, msb_rev, msb_swap], by: [32], width: [zmm];
    form: [crc32c], by: [4], width: [xmm];
    form: [crc32c_fused], by: [8], width: [xmm];
    form: [crc32c_fused], by: [16], width: [ymm];
    form: [crc32c_fused], by: [32], width: [zmm];
}
