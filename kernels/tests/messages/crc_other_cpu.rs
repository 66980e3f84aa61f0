// a kernel is a safe function only where its features are enabled
mod kernels {
    byways_kernels::crc_fold! { form: [msb_rev], by: [28], width: [zmm] }
}

fn checksum(constants: &byways_kernels::crc::Constants<{ kernels::LANES }>, data: &[u8]) -> u64 {
    kernels::crc_msb_rev_by28_zmm(constants, 0, data)
}

fn main() {}
