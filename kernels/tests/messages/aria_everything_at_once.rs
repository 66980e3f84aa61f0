// every error of a call is reported, each at its place
byways_kernels::aria! {
    mode: [ecb, gcm], form: [gfni, sse], by: [8, 24, 13, 0, all], width: [xmm, zmm, mmx], key: [128];
    mode: [ecb], by: [128], width: [zmm], mode: [ctr];
    mode: [ctr], form: [aessub], by: [8], width: [ymm];
    mode: [], form: [], by: [], width: [];
}

fn main() {}
