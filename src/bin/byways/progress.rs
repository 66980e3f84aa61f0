//! How far long work has come: on the standard error, and only if that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that is gone when the work is done.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// For work of so many steps.
    pub(crate) fn new(what: &'static str, steps: usize) -> Self {
        let style = ProgressStyle::with_template("{prefix} [{bar:30}] {percent}% {msg}").expect("a template");
        Progress(ProgressBar::new(steps as u64).with_style(style.progress_chars("=> ")).with_prefix(what))
    }

    /// For so many bytes; of an unknown number nothing is shown.
    pub(crate) fn of_bytes(what: &'static str, bytes: Option<u64>) -> Self {
        let Some(bytes) = bytes else { return Progress(ProgressBar::hidden()) };
        let style = ProgressStyle::with_template("{prefix} [{bar:30}] {bytes} of {total_bytes}, {bytes_per_sec}");
        let style = style.expect("a template").progress_chars("=> ");
        Progress(ProgressBar::new(bytes).with_style(style).with_prefix(what))
    }

    /// So many bytes more are done.
    pub(crate) fn bytes(&self, bytes: usize) {
        self.0.inc(bytes as u64);
    }

    /// What is being done now.
    pub(crate) fn now(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
    }

    /// A step more is done.
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }

    /// Writes what would else meet the bar on the terminal.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
