byways_kernels::crc_fold! { form: [lsb], by: [16, 20], width: [xmm, ymm] }

fn main() {}
