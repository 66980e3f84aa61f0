//! The first call of a process, by many threads at once.

use std::process::Command;
use std::sync::Barrier;

use byways::cipher::{KeyIvInit, StreamCipher};
use byways::ctr::{Ctr64BE, Field};
use byways::verify::ctr::oracle;
use byways::{Aes128, Aes256};

const CHILD: &str = "BYWAYS_TEST_FIRST_CALL";
const THREADS: usize = 64;

/// Runs itself again, so that nothing was called before.
#[test]
fn by_many_threads_at_once() {
    if std::env::var_os(CHILD).is_some() {
        return all_at_once();
    }
    for round in 0..8 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "first_call::by_many_threads_at_once", "--nocapture"]).env(CHILD, "");
        let output = child.output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && stdout.contains("1 passed"), "round {round}: {output:?}");
    }
}

fn all_at_once() {
    let (key, iv) = ([0x42; 32], [0xfe; 16]);
    let barrier = Barrier::new(THREADS);
    let message = vec![0; 20_000];
    let results: Vec<_> = std::thread::scope(|scope| {
        let thread = |i: usize| {
            let (barrier, message) = (&barrier, &message);
            scope.spawn(move || {
                let mut data = message.clone();
                barrier.wait();
                if i.is_multiple_of(2) {
                    Ctr64BE::<Aes256>::new(&key.into(), &iv.into()).apply_keystream(&mut data);
                    (32, data)
                } else {
                    let key = key.first_chunk::<16>().expect("16 of 32 bytes");
                    Ctr64BE::<Aes128>::new(key.into(), &iv.into()).apply_keystream(&mut data);
                    (16, data)
                }
            })
        };
        let threads: Vec<_> = (0..THREADS).map(thread).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    let wanted = |key: &[u8]| {
        let mut data = message.clone();
        oracle(key, u128::from_be_bytes(iv), Field::Bits64, &mut data);
        data
    };
    let (wide, narrow) = (wanted(&key), wanted(&key[..16]));
    for (size, data) in results {
        assert!(data == if size == 32 { &*wide } else { &*narrow }, "AES-{}", size * 8);
    }
}
