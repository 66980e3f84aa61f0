byways_kernels::aes_ctr! { key: 128, by: [8], width: [zmm] }

fn main() {}
