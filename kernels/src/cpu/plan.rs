//! Kernels by the length of the data, and which of such plans is in force.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use super::{Detected, Kernel, Missing, Proven};

/// A plan: up to so many bytes of data, this kernel.
#[derive(Clone, Copy, Debug)]
pub struct ByLength<F, const ROWS: usize> {
    // what a look-up reads is in front
    ends: [usize; ROWS],
    functions: [F; ROWS],
    kernels: [Kernel<F>; ROWS],
}

impl<F: Copy, const ROWS: usize> ByLength<F, ROWS> {
    /// The plan with these rows, by rising length; the last row's kernel takes what is longer, too.
    pub const fn new(rows: [(usize, Kernel<F>); ROWS]) -> Self {
        const { assert!(ROWS > 0, "a plan has a row") }
        let first = rows[0].1;
        let mut plan = ByLength { ends: [0; ROWS], functions: [first.function; ROWS], kernels: [first; ROWS] };
        let mut i = 0;
        while i < ROWS {
            (plan.ends[i], plan.kernels[i]) = rows[i];
            plan.functions[i] = plan.kernels[i].function;
            i += 1;
        }
        plan
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = (usize, &Kernel<F>)> {
        self.ends.iter().copied().zip(&self.kernels)
    }

    /// The plan as one whose kernels this CPU can all run.
    ///
    /// # Errors
    /// The features that are missing.
    pub fn prove(&self, cpu: Detected) -> Result<&ProvenByLength<F, ROWS>, Missing> {
        for kernel in &self.kernels {
            kernel.prove(cpu)?;
        }
        // SAFETY: `ProvenByLength` is `ByLength` with nothing but a promise, which was just seen to hold.
        Ok(unsafe { &*ptr::from_ref(self).cast() })
    }
}

/// A plan whose kernels the CPU can all run.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct ProvenByLength<F, const ROWS: usize>(ByLength<F, ROWS>);

impl<F: Copy, const ROWS: usize> ProvenByLength<F, ROWS> {
    /// For data of so many bytes.
    #[inline]
    pub fn kernel(&self, bytes: usize) -> Proven<F> {
        let ByLength { ends, functions, .. } = &self.0;
        // the function of each row is that of its kernel
        let row = (0..ROWS - 1).find(|&row| bytes <= ends[row]);
        Proven(functions[row.unwrap_or(ROWS - 1)])
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
