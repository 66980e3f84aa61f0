//! The sum of what a file holds.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use byways::crc::{Crc, Width};
use same_file::Handle;

use crate::progress::Progress;

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;

/// Bytes that a thread sums before it takes others.
const CHUNK: u64 = 8 << 20;

/// Bytes that take so long that one wants to see how far it is.
const LONG: u64 = 128 << 20;

/// Whether a path means the standard input.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens what can be read.
pub(super) fn open(path: &Path) -> Result<File, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err("it is a folder".to_owned());
    }
    Ok(file)
}

/// The sum of a file, or of the standard input from where it stands, by at most so many threads.
pub(super) fn sum<W: Width>(crc: &Crc<W>, path: &Path, threads: usize) -> Result<W, String> {
    let sum = if is_standard(path) {
        match Handle::stdin().ok().filter(|stdin| length(stdin.as_file()).is_some()) {
            Some(stdin) => of_file(crc, stdin.as_file(), threads),
            None => Summer::new(crc, &Progress::of_bytes("sum", None)).stream(io::stdin()).map(|piece| piece.sum),
        }
    } else {
        of_file(crc, &open(path)?, threads)
    };
    sum.map_err(|error| error.to_string())
}

/// How long an ordinary file is.
fn length(file: &File) -> Option<u64> {
    file.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len())
}

/// The sum from where the file stands, which stands at its end then.
fn of_file<W: Width>(crc: &Crc<W>, mut file: &File, threads: usize) -> io::Result<W> {
    let all = match length(file) {
        Some(length) => file.stream_position()?..length,
        None => 0..0,
    };
    let left = all.end.saturating_sub(all.start);
    let progress = Progress::of_bytes("sum", Some(left).filter(|&left| left >= LONG));
    if threads > 1 && left >= 2 * CHUNK {
        let piece = by_several(crc, file, &all, threads, &progress)?;
        file.seek(SeekFrom::Start(all.start + piece.bytes))?;
        return Ok(piece.sum);
    }
    let piece = Summer::new(crc, &progress).stream(file)?;
    // some files are said to be longer than what can be read, but they stay so
    if piece.bytes < left && length(file).is_some_and(|length| length < all.end) {
        return Err(shortened());
    }
    Ok(piece.sum)
}

fn shortened() -> io::Error {
    io::Error::other("it became shorter while it was read")
}

/// The sum of what is at these places, and of what has come behind them since.
fn by_several<W: Width>(
    crc: &Crc<W>,
    file: &File,
    all: &Range<u64>,
    threads: usize,
    progress: &Progress,
) -> io::Result<Piece<W>> {
    let chunks = (all.end - all.start) / CHUNK;
    let next = AtomicU64::new(0);
    let work = || {
        let mut summer = Summer::new(crc, progress);
        let mut done = Vec::new();
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return Ok(done);
            }
            let start = all.start + chunk * CHUNK;
            let last = chunk == chunks - 1;
            let (least, end) = if last { (all.end - start, u64::MAX) } else { (CHUNK, start + CHUNK) };
            match summer.range(start..end, |block, at| read_at(file, block, at)) {
                Ok(piece) if piece.bytes >= least => done.push((chunk, piece)),
                failed => {
                    // the others need not go on
                    next.store(chunks, Ordering::Relaxed);
                    return Err(failed.err().unwrap_or_else(shortened));
                }
            }
        }
    };
    let mut pieces = thread::scope(|scope| {
        // with fewer threads than wanted it only takes longer
        let others =
            (1..chunks.min(threads as u64)).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok());
        let others: Vec<_> = others.collect();
        let mut pieces = work()?;
        for other in others {
            pieces.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        io::Result::Ok(pieces)
    })?;
    pieces.sort_by_key(|&(chunk, _)| chunk);
    let joined = pieces
        .into_iter()
        .map(|(_, piece)| piece)
        .reduce(|a, b| Piece { sum: crc.combine(a.sum, b.sum, b.bytes), bytes: a.bytes + b.bytes });
    Ok(joined.expect("a chunk at least"))
}

#[cfg(unix)]
fn read_at(file: &File, block: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, block, at)
}

#[cfg(windows)]
fn read_at(file: &File, block: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, block, at)
}

/// A part of a file.
#[derive(Clone, Copy)]
struct Piece<W> {
    sum: W,
    bytes: u64,
}

/// Sums one piece after the other.
struct Summer<'a, W: Width> {
    crc: &'a Crc<W>,
    progress: &'a Progress,
    block: Vec<u8>,
}

impl<'a, W: Width> Summer<'a, W> {
    fn new(crc: &'a Crc<W>, progress: &'a Progress) -> Self {
        Summer { crc, progress, block: vec![0; BLOCK] }
    }

    /// All that is still to come.
    fn stream(&mut self, mut from: impl Read) -> io::Result<Piece<W>> {
        self.range(0..u64::MAX, |block, _| from.read(block))
    }

    /// What is at these places, as far as there is something. `read` is told the place.
    fn range(
        &mut self,
        range: Range<u64>,
        mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
    ) -> io::Result<Piece<W>> {
        let mut digest = self.crc.digest();
        let mut at = range.start;
        while at < range.end {
            let wanted = self.block.len().min(usize::try_from(range.end - at).unwrap_or(usize::MAX));
            match read(&mut self.block[..wanted], at) {
                Ok(0) => break,
                Ok(bytes) => {
                    digest.update(&self.block[..bytes]);
                    self.progress.bytes(bytes);
                    at += bytes as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(Piece { sum: digest.finalize(), bytes: at - range.start })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use byways::crc::CRC_64_NVME;

    use super::*;
    use crate::drip::Drip;

    static CRC: Crc<u64> = Crc::<u64>::new(&CRC_64_NVME);

    /// Chunks that do not fill the last one.
    const LENGTH: u64 = 3 * CHUNK + 12345;

    fn file() -> (File, Vec<u8>) {
        let data: Vec<u8> = (0..LENGTH as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&data).unwrap();
        (file, data)
    }

    fn by_several(file: &File, range: Range<u64>, threads: usize) -> io::Result<(u64, u64)> {
        let piece = super::by_several(&CRC, file, &range, threads, &Progress::of_bytes("sum", None))?;
        Ok((piece.sum, piece.bytes))
    }

    #[test]
    fn any_number_of_threads_makes_the_same_sum() {
        let (mut file, data) = file();
        for (start, threads) in [(0, 1), (0, 2), (1, 3), (CHUNK, 100)] {
            let wanted = CRC.checksum(&data[start as usize..]);
            assert_eq!(by_several(&file, start..LENGTH, threads).unwrap(), (wanted, LENGTH - start));
            file.seek(SeekFrom::Start(start)).unwrap();
            assert_eq!(of_file(&CRC, &file, threads).unwrap(), wanted);
            assert_eq!(file.stream_position().unwrap(), LENGTH);
        }
    }

    #[test]
    fn a_file_that_grew_is_read_to_its_end() {
        let (file, data) = file();
        assert_eq!(by_several(&file, 0..2 * CHUNK, 2).unwrap(), (CRC.checksum(&data), LENGTH));
    }

    #[test]
    fn a_file_that_shrank_has_no_sum() {
        let (file, _) = file();
        for end in [LENGTH + 1, LENGTH + CHUNK, 100 * CHUNK] {
            let error = by_several(&file, 0..end, 2).unwrap_err();
            assert_eq!(error.to_string(), "it became shorter while it was read");
        }
    }

    #[test]
    fn what_comes_in_drips_is_one_sum() {
        let data = [7; 1000];
        let piece = Summer::new(&CRC, &Progress::of_bytes("sum", None)).stream(Drip::new(&data)).unwrap();
        assert_eq!((piece.sum, piece.bytes), (CRC.checksum(&data), 1000));
    }
}
