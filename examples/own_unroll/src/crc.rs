//! CRCs of one's own polynomial: that of CRC-32K, with the lowest bit of a byte first as there, and with the highest.

use byways_kernels::cpu::Detected;
use byways_kernels::crc::Constants;

/// By 12 at every width, for either order of the bits in a byte.
mod kernels {
    byways_kernels::crc_fold! { form: [lsb, msb_rev, msb_swap], by: [12], width: [xmm, ymm, zmm] }
}

/// What every kernel needs of the polynomial. It is made when the program is compiled.
static CRC_32K: Constants<{ kernels::LANES }> = Constants::new(32, 0x741b_8cd7);

/// The CRC of `data` by each kernel that this CPU can run, and which bit of a byte that takes first.
fn each(data: &[u8], mut crc: impl FnMut(&'static str, bool, u32)) {
    for kernel in kernels::KERNELS {
        let run = match kernel.prove(Detected::get()) {
            Ok(run) => run,
            Err(missing) => {
                println!("{}: not run, {missing}", kernel.name());
                continue;
            }
        };
        if kernel.function().is_lsb() {
            // the register is in the low bits
            crc(kernel.name(), true, !run.run(&CRC_32K, 0xffff_ffff, data) as u32);
        } else {
            // the register is in the high bits
            crc(kernel.name(), false, !(run.run(&CRC_32K, 0xffff_ffff << 32, data) >> 32) as u32);
        }
    }
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut wrong = None;
    each(b"123456789", |name, lowest_first, crc| {
        let check = if lowest_first { 0x2d3d_d0ae } else { 0xd14e_b786 };
        println!("{name}: the CRC of `123456789` is {crc:08x}");
        wrong = wrong.or((crc != check).then_some(name));
    });
    wrong.map_or(Ok(()), |name| Err(format!("{name} is wrong").into()))
}

#[cfg(test)]
mod tests {
    use crc::{Algorithm, Crc};

    use super::each;

    const fn crc_32k(lowest_first: bool) -> Algorithm<u32> {
        Algorithm {
            width: 32,
            poly: 0x741b_8cd7,
            init: 0xffff_ffff,
            refin: lowest_first,
            refout: lowest_first,
            xorout: 0xffff_ffff,
            check: 0,
            residue: 0,
        }
    }

    #[test]
    fn kernels_do_as_crate_crc_does() {
        static LSB: Crc<u32> = Crc::<u32>::new(&crc_32k(true));
        static MSB: Crc<u32> = Crc::<u32>::new(&crc_32k(false));
        let data: Vec<u8> = (0..3000_u32).map(|i| (i * i / 8) as u8).collect();
        for len in (0..300).chain([767, 768, 769, 1500, 3000]) {
            let data = &data[..len];
            each(data, |name, lowest_first, crc| {
                let theirs = if lowest_first { LSB.checksum(data) } else { MSB.checksum(data) };
                assert_eq!(crc, theirs, "{name}, {len} bytes");
            });
        }
    }

    #[test]
    fn the_check_comes_out() {
        super::run().unwrap();
    }
}
