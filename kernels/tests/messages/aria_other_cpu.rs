// a kernel is a safe function only where its features are enabled
mod kernels {
    byways_kernels::aria! { mode: [ecb], by: [64], width: [zmm] }
}

fn encrypt(keys: &byways_kernels::keys::aria::Keys<byways_kernels::keys::aria::Grid>, data: &mut [u8]) {
    kernels::aria_ecb_by64_zmm(keys, data.into());
}

fn main() {}
