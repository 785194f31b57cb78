//! Rows one after the other, in memory that is not cleared before it is written: to clear a row takes a third of what
//! it takes to solve two discs.

use core::ops::Deref;
use std::collections::TryReserveError;

use jostle_tasks::Length;

/// A list whose memory keeps what it held.
#[derive(Debug)]
pub struct RowBuffer<R> {
    /// May be longer than the list: what is behind its end is left over and means nothing.
    all: Vec<R>,
    len: usize,
}

impl<R> Default for RowBuffer<R> {
    fn default() -> Self {
        Self { all: Vec::new(), len: 0 }
    }
}

impl<R> RowBuffer<R> {
    /// An empty list in the memory of `rows`.
    pub fn over(rows: Vec<R>) -> Self {
        Self { all: rows, len: 0 }
    }
    /// The rows, without what is behind them.
    pub fn into_vec(mut self) -> Vec<R> {
        self.all.truncate(self.len);
        self.all
    }
    /// Makes room for `next` more rows and, where memory has to grow, also for `later` more after these, if there is
    /// enough memory.
    ///
    /// # Errors
    /// If there is no memory for the `next` rows.
    pub fn try_reserve(&mut self, next: usize, later: usize) -> Result<(), TryReserveError> {
        let Self { all, len } = self;
        if all.capacity() - *len >= next {
            return Ok(());
        }
        // What is behind the last row need not be moved.
        all.truncate(*len);
        all.try_reserve_exact(next + later).or_else(|_| all.try_reserve(next))
    }
    /// Removes all rows.
    pub fn clear(&mut self) {
        self.len = 0;
    }
    /// The rows.
    pub fn as_mut_slice(&mut self) -> &mut [R] {
        &mut self.all[..self.len]
    }
}

impl<R: Copy + Default> RowBuffer<R> {
    /// Lets `write` write up to `most` rows behind those that are there; it returns how many it wrote.
    pub fn put(&mut self, most: usize, write: impl FnOnce(&mut [R]) -> usize) {
        let Self { all, len } = self;
        let end = *len + most;
        if all.len() < end {
            all.resize(end, R::default());
        }
        *len += write(&mut all[*len..end]);
    }
}

impl<R> Deref for RowBuffer<R> {
    type Target = [R];

    fn deref(&self) -> &[R] {
        &self.all[..self.len]
    }
}

impl<R> Length for RowBuffer<R> {
    fn length(&self) -> usize {
        self.len
    }
}
