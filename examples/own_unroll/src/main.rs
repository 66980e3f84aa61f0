//! Kernels for unroll factors of one's own, in one's own crate, without unsafe code: AES-CTR in `ctr.rs`, CRCs of one's
//! own polynomial in `crc.rs`, ARIA in `aria.rs`.
//!
//! `cargo run --release -p own-unroll` runs each that this CPU can run.

#[cfg(target_arch = "x86_64")]
mod aria;
#[cfg(target_arch = "x86_64")]
mod crc;
#[cfg(target_arch = "x86_64")]
mod ctr;

#[cfg(target_arch = "x86_64")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    ctr::run()?;
    crc::run()?;
    aria::run()
}

#[cfg(not(target_arch = "x86_64"))]
fn main() {
    println!("there are no kernels on this architecture");
}
