//! AES in counter mode as users call it: every key size, counter width and tier, through the traits of crate `cipher`.
//!
//! A tier that cannot run here is listed on standard error.
#![cfg(target_arch = "x86_64")]

mod carries;
#[path = "../cases/mod.rs"]
mod cases;
mod drop_in;
mod exhaustion;
mod family;
mod first_call;
#[path = "../cases/json.rs"]
mod json;
#[cfg(feature = "parallel")]
mod parallel;
mod plan;
mod play;
mod seek;
mod subject;
mod vectors;
