// every error of a call is reported, each at its place
byways_kernels::aes_ctr! {
    key: [128, 160], by: [8, 13, 0, many], width: [xmm, zmm, amm], size: [3];
    key: [256], by: [64], width: [ymm], by: [4];
    key: [], width: [zmm];
}

fn main() {}
