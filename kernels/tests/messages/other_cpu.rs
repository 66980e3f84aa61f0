// a kernel is a safe function only where its features are enabled
mod kernels {
    byways_kernels::aes_ctr! { key: [128], by: [28], width: [zmm] }
}

fn encrypt(keys: &byways_kernels::keys::RoundKeys<11>, data: &mut [u8]) {
    kernels::aes128_ctr_by28_zmm(keys, 0, data.into());
}

fn main() {}
