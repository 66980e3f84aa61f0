byways_kernels::aes_ctr! { key: [128], by: [6], width: [zmm] }

fn main() {}
