byways_kernels::aria! {
    mode: [ecb], by: [8, 16], width: [zmm];
    mode: [ctr, ecb], form: [gfni], by: [16], width: [zmm];
}

fn main() {}
