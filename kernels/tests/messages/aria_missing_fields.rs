byways_kernels::aria! { form: [gfni] }

fn main() {}
