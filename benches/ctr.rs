//! Every AES-CTR kernel that this CPU can run, by name: `cargo bench --features cli -- aes128_ctr_by16_zmm`.
//!
//! In place, a fresh counter a message, round keys at hand. For cycles, and two kernels side by side, there is
//! `cargo byways bench ctr`.

use criterion::{Criterion, criterion_group, criterion_main};

#[cfg(target_arch = "x86_64")]
fn ctr(criterion: &mut Criterion) {
    use byways::Registered;
    use byways::cpu::Detected;
    use byways::keys::AesKeys;
    use criterion::{BenchmarkId, Throughput};

    let cpu = Detected::get();
    for registered in byways::kernels() {
        let Registered::Ctr(kernel) = registered else { continue };
        let (run, aes) = match (kernel.prove(cpu), cpu.aes()) {
            (Ok(run), Some(aes)) => (run, aes),
            (missing, _) => {
                println!("{}: not run, {}", kernel.name(), missing.map_or_else(|m| m.to_string(), |_| String::new()));
                continue;
            }
        };
        let keys = AesKeys::new(&vec![7; kernel.function().key_len()], aes).expect("a key of the kernel's length");
        let mut group = criterion.benchmark_group(kernel.name());
        for bytes in [16, 64, 256, 1024, 1472, 8192, 65536] {
            group.throughput(Throughput::Bytes(bytes));
            group.bench_function(BenchmarkId::from_parameter(bytes), |bencher| {
                let mut data = vec![0; bytes as usize];
                let mut counter = 0_u128;
                bencher.iter(|| {
                    counter = counter.wrapping_add(1 << 64);
                    run.run(&keys, counter, data.as_mut_slice().into()).expect("keys of the kernel's size");
                });
            });
        }
        group.finish();
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn ctr(_: &mut Criterion) {
    println!("there are no kernels on this architecture");
}

criterion_group!(benches, ctr);
criterion_main!(benches);
