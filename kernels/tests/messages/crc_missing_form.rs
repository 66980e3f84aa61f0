byways_kernels::crc_fold! { by: [8], width: [xmm] }

fn main() {}
