//! T10 protection information as users call it: every type and sector size, interleaved and in a buffer of its own.

mod checks;
mod generate;
mod lengths;
mod model;
mod subject;
mod values;
mod verify;
