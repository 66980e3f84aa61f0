byways_kernels::aes_ctr! {
    key: [128], by: [8, 12], width: [zmm];
    key: [128, 192], by: [12], width: [zmm];
}

fn main() {}
