// constants have powers of x for the kernels that they were made for
use byways_kernels::crc::Constants;

mod kernels {
    byways_kernels::crc_fold! { form: [lsb], by: [28], width: [zmm] }
}

static CRC32: Constants<4> = Constants::new(32, 0x04c11db7);
static OURS: &Constants<{ kernels::LANES }> = &CRC32;

fn main() {}
