byways_kernels::crc_fold! {
    form: [lsb, msb_swap], by: [8, 12], width: [xmm];
    form: [msb_rev, msb_swap], by: [12], width: [xmm];
}

fn main() {}
