// every error of a call is reported, each at its place
byways_kernels::crc_fold! {
    form: [lsb, msb, cached], by: [8, 13, 0, lots], width: [xmm, zmm, mmx], key: [128];
    form: [msb_rev], by: [64], width: [ymm], form: [lsb];
    form: [], width: [zmm];
}

fn main() {}
