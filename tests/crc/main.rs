//! CRCs as users call them: every model, width and integer, on every tier, against crate `crc`.

#[path = "../cases/crc.rs"]
mod cases;
mod catalogue;
mod combine;
mod copy;
mod drop_in;
#[path = "../cases/json.rs"]
mod json;
mod models;
#[cfg(unix)]
mod pages;
#[cfg(feature = "parallel")]
mod parallel;
mod subject;
mod vectors;
