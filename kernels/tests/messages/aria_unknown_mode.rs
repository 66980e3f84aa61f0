byways_kernels::aria! { mode: [ecb, cbc], by: [8], width: [xmm] }

fn main() {}
