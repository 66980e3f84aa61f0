//! ARIA as users call it: every key size and tier, blocks in both directions and counter mode, through the traits of
//! crate `cipher`.
//!
//! A tier that cannot run here is listed on standard error.

mod api;
mod blocks;
#[path = "../ctr/carries.rs"]
mod carries;
#[path = "../cases/aria.rs"]
mod cases_of_all_modes;
mod compose;
mod counters;
#[path = "../ctr/drop_in.rs"]
mod ctr_drop_in;
mod drop_in;
#[path = "../ctr/exhaustion.rs"]
mod exhaustion;
mod family;
#[path = "../cases/json.rs"]
mod json;
#[path = "../ctr/play.rs"]
mod play;
#[path = "../ctr/seek.rs"]
mod seek;
#[path = "../ctr/subject.rs"]
mod subject;
mod vectors;

// where the checks of counter mode look for their lines
use cases_of_all_modes::ctr as cases;
