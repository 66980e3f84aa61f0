//! AES-CTR.

use byways_kernels::cpu::Detected;
use byways_kernels::keys::AesKeys;

/// By 12 at every width, and by 24 where 24 blocks fit the registers.
mod kernels {
    byways_kernels::aes_ctr! {
        key: [128, 256], by: [12], width: [xmm, ymm, zmm];
        key: [256], by: [24], width: [ymm, zmm];
    }
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    let cpu = Detected::get();
    for kernel in kernels::KERNELS {
        let run = match kernel.prove(cpu) {
            Ok(run) => run,
            Err(missing) => {
                println!("{}: not run, {missing}", kernel.name());
                continue;
            }
        };
        let aes = cpu.aes().ok_or("a kernel can run where there is no AES-NI")?;
        // zeros become the keystream; its block 256 is the first of a message that starts there
        let keys = AesKeys::new(&vec![0; kernel.function().key_len()], aes)?;
        let mut data = vec![0; 300 * 16];
        run.run(&keys, 0, data.as_mut_slice().into())?;
        let mut block = [0; 16];
        run.run(&keys, 256, block.as_mut_slice().into())?;
        if data[256 * 16..][..16] != block {
            return Err(format!("{} is wrong", kernel.name()).into());
        }
        println!("{}: block 256 of the keystream is {:032x}", kernel.name(), u128::from_be_bytes(block));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn kernels_agree_with_themselves() {
        super::run().unwrap();
    }
}
