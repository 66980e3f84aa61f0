//! Checks as the harness runs them.

use byways::cpu::Missing;
use libtest_mimic::{Completion, Trial};

/// Whether a kernel stands it, run one way or the other.
pub(crate) type Check<S, W> = fn(&S, &W) -> Result<(), String>;

/// What the kernels of a family must stand.
pub(crate) struct Checks<S: 'static, W: 'static> {
    /// Interpreted and native.
    pub(crate) both: &'static [(&'static str, Check<S, W>)],
    /// What is a matter of the machine code alone.
    pub(crate) native: &'static [(&'static str, Check<S, W>)],
}

impl<S, W> Checks<S, W> {
    /// Those of a kernel, which can be run in these ways.
    pub(crate) fn of_kernel(
        &'static self,
        name: &'static str,
        subject: impl Fn() -> S + Copy + Send + 'static,
        interpreted: impl Fn(&S) -> W + Copy + Send + 'static,
        native: impl Fn() -> Result<W, Missing> + Copy + Send + 'static,
    ) -> Vec<Trial> {
        let interpreted = self.both.iter().map(|&(what, check)| {
            let run = move || {
                let subject = subject();
                check(&subject, &interpreted(&subject)).map_err(Into::into)
            };
            Trial::test(format!("interpreted::{what}::{name}"), run)
        });
        let native = self.both.iter().chain(self.native).map(|&(what, check)| {
            let run = move || match native() {
                Ok(way) => check(&subject(), &way).map(|()| Completion::Completed).map_err(Into::into),
                Err(missing) => Ok(Completion::ignored_with(missing)),
            };
            Trial::ignorable_test(format!("native::{what}::{name}"), run)
        });
        interpreted.chain(native).collect()
    }
}
