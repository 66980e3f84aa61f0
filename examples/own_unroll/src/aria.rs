//! ARIA.

use byways_kernels::cpu::Detected;
use byways_kernels::keys::aria::{Keys, Schedule};

/// Blocks by themselves, by 8, for CPUs with GFNI and AVX2 and for those without GFNI.
mod kernels {
    byways_kernels::aria! {
        mode: [ecb], by: [8], width: [ymm];
        mode: [ecb], form: [aessub], by: [8], width: [xmm];
    }
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    let cpu = Detected::get();
    for kernel in kernels::KERNELS {
        // round keys lie in memory as a kernel takes them: packed, by classes, or as the macro's other kernels do
        let wrong = if let Some(packed) = kernel.packed() {
            packed.prove(cpu).map(|run| is_wrong(cpu, |keys, data| run.run(keys, data.into())))
        } else if let Some(classed) = kernel.aes_dwords() {
            classed.prove(cpu).map(|run| is_wrong(cpu, |keys, data| run.run(keys, data.into())))
        } else {
            return Err(format!("{} takes keys of a third kind", kernel.name()).into());
        };
        match wrong {
            Ok(Some(block)) => return Err(format!("{} is wrong: {block:032x}", kernel.name()).into()),
            Ok(None) => println!("{}: 21 blocks are as RFC 5794 has them", kernel.name()),
            Err(missing) => println!("{}: not run, {missing}", kernel.name()),
        }
    }
    Ok(())
}

/// A block that is not what it should be, of 21 that are encrypted and decrypted: two batches and a part.
fn is_wrong<L: byways_kernels::keys::aria::Layout>(cpu: Detected, run: impl Fn(&Keys<L>, &mut [u8])) -> Option<u128> {
    // RFC 5794, appendix A.1
    const KEY: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;
    const PLAIN: u128 = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;
    const ENCRYPTED: u128 = 0xd718_fbd6_ab64_4c73_9da9_5f3b_e645_1778;
    let rounds = cpu.aria_rounds().expect("a kernel's CPU has what the key schedule needs");
    let schedule = Schedule::new(&KEY.to_be_bytes(), rounds).expect("a key of 128 bits");
    let mut blocks = [PLAIN.to_be_bytes(); 21];
    let mut differs = |keys: &Keys<L>, wanted: u128| {
        run(keys, blocks.as_flattened_mut());
        blocks.map(u128::from_be_bytes).into_iter().find(|&block| block != wanted)
    };
    differs(&Keys::encryption(&schedule), ENCRYPTED).or_else(|| differs(&Keys::decryption(&schedule), PLAIN))
}

#[cfg(test)]
mod tests {
    #[test]
    fn kernels_do_as_the_rfc_does() {
        super::run().unwrap();
    }
}
