//! For tests: a reader that makes it hard.

use std::io::{self, ErrorKind, Read};

/// Gives a few bytes at a time, and is interrupted between them.
pub(crate) struct Drip<'a> {
    left: &'a [u8],
    interrupted: bool,
}

impl<'a> Drip<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Drip { left: data, interrupted: false }
    }
}

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let bytes = (self.left.len() % 7 + 1).min(self.left.len());
        self.left.read(&mut buffer[..bytes])
    }
}
