// a kernel takes round keys that lie as it wants them
use byways_kernels::keys::aria::{EcbFn, Keys, Packed, Schedule};

mod kernels {
    byways_kernels::aria! { mode: [ecb], by: [64], width: [zmm] }
}

fn encrypt(kernel: byways_kernels::cpu::Proven<EcbFn<byways_kernels::keys::aria::Grid>>, schedule: &Schedule, data: &mut [u8]) {
    kernel.run(&Keys::<Packed>::encryption(schedule), data.into());
}

fn main() {}
