byways_kernels::crc_fold! { form: [msb_rev, reflected], by: [8], width: [xmm] }

fn main() {}
