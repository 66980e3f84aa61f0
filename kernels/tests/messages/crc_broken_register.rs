byways_kernels::crc_fold! { form: [lsb, msb_swap], by: [6], width: [zmm] }

fn main() {}
