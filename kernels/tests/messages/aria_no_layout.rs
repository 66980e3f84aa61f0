byways_kernels::aria! { mode: [ecb, ctr], by: [12], width: [zmm] }

fn main() {}
