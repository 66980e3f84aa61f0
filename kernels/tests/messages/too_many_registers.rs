byways_kernels::aes_ctr! { key: [128], by: [4, 32], width: [xmm, ymm] }

fn main() {}
