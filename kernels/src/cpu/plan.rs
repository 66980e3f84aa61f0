//! Kernels by the length of the data, and which of such plans is in force.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use super::{Detected, Kernel, Missing, Proven};

/// A plan: up to so many bytes of data, this kernel.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct ByLength<F, const ROWS: usize>([(usize, Kernel<F>); ROWS]);

impl<F: Copy, const ROWS: usize> ByLength<F, ROWS> {
    /// The plan with these rows, by rising length; the last row's kernel takes what is longer, too.
    pub const fn new(rows: [(usize, Kernel<F>); ROWS]) -> Self {
        const { assert!(ROWS > 0, "a plan has a row") }
        ByLength(rows)
    }

    /// The rows.
    pub const fn rows(&self) -> &[(usize, Kernel<F>); ROWS] {
        &self.0
    }

    /// The plan as one whose kernels this CPU can all run.
    ///
    /// # Errors
    /// The features that are missing.
    pub fn prove(&self, cpu: Detected) -> Result<&ProvenByLength<F, ROWS>, Missing> {
        for (_, kernel) in &self.0 {
            kernel.prove(cpu)?;
        }
        // SAFETY: `ProvenByLength` is `ByLength` with nothing but a promise, which was just seen to hold.
        Ok(unsafe { &*ptr::from_ref(self).cast() })
    }
}

/// A plan whose kernels the CPU can all run.
#[derive(Debug)]
#[repr(transparent)]
pub struct ProvenByLength<F, const ROWS: usize>(ByLength<F, ROWS>);

impl<F: Copy, const ROWS: usize> ProvenByLength<F, ROWS> {
    /// For data of so many bytes.
    #[inline]
    pub fn kernel(&self, bytes: usize) -> Proven<F> {
        let rows = &self.0.0;
        let row = rows[..ROWS - 1].iter().find(|(up_to, _)| bytes <= *up_to);
        Proven(row.unwrap_or(&rows[ROWS - 1]).1.function)
    }

    /// The plan.
    pub const fn plan(&self) -> &ByLength<F, ROWS> {
        &self.0
    }
}

/// What was chosen, or nothing: read by one atomic load.
#[derive(Debug)]
pub struct Chosen<T: 'static>(AtomicPtr<T>);

impl<T: Sync> Chosen<T> {
    /// Nothing, so far.
    pub const fn new() -> Self {
        Chosen(AtomicPtr::new(ptr::null_mut()))
    }

    /// What was chosen last.
    #[inline]
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: there is nothing in it but null and what `set` put there, which lives for ever.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Chooses, or takes a choice back.
    pub fn set(&self, choice: Option<&'static T>) {
        self.0.store(choice.map_or(ptr::null_mut(), |choice| ptr::from_ref(choice).cast_mut()), Ordering::SeqCst);
    }
}

impl<T: Sync> Default for Chosen<T> {
    fn default() -> Self {
        Chosen::new()
    }
}
