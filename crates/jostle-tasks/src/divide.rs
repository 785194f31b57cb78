//! What can be divided among tasks: slices, ranges, several lists side by side, and a list that is assembled from
//! parts.

use core::ops::Range;

/// A list that can be divided into tasks, one for each of its entries. Several lists side by side are divided at the
/// same places; all have as many entries as the first, or none (which development builds check).
///
/// ```
/// use jostle_tasks::Divide;
///
/// let (front, back) = (0..5, &[1, 2, 3, 4, 5][..]).divide(2);
/// assert_eq!(front, (0..2, &[1, 2][..]));
/// assert_eq!(back, (2..5, &[3, 4, 5][..]));
/// assert_eq!(back.tasks(), 3);
/// ```
pub trait Divide: Sized + Send {
    /// The number of tasks in it.
    fn tasks(&self) -> usize;
    /// The first `at` tasks, and the others.
    fn divide(self, at: usize) -> (Self, Self);
}

impl<X: Sync> Divide for &[X] {
    fn tasks(&self) -> usize {
        self.len()
    }
    fn divide(self, at: usize) -> (Self, Self) {
        self.split_at(at.min(self.len()))
    }
}

impl<X: Send> Divide for &mut [X] {
    fn tasks(&self) -> usize {
        self.len()
    }
    fn divide(self, at: usize) -> (Self, Self) {
        let at = at.min(self.len());
        self.split_at_mut(at)
    }
}

impl Divide for Range<usize> {
    fn tasks(&self) -> usize {
        self.len()
    }
    fn divide(self, at: usize) -> (Self, Self) {
        let middle = self.end.min(self.start + at);
        (self.start..middle, middle..self.end)
    }
}

impl<A: Divide, B: Divide> Divide for (A, B) {
    fn tasks(&self) -> usize {
        let tasks = self.0.tasks();
        debug_assert!([0, tasks].contains(&self.1.tasks()), "{tasks} and {} tasks side by side", self.1.tasks());
        tasks
    }
    fn divide(self, at: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.divide(at), self.1.divide(at));
        ((a, b), (c, d))
    }
}

/// A list of which `few` entries at a time are one task.
///
/// ```
/// use jostle_tasks::{Divide, Few};
///
/// let few = Few::of(&[1, 2, 3, 4, 5][..], 2);
/// assert_eq!(few.tasks(), 3);
/// assert_eq!(few.divide(2).1.list, [5]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Few<P> {
    /// The entries.
    pub list: P,
    few: usize,
}

impl<P: Divide> Few<P> {
    /// Makes `few` entries (at least one) of a list one task.
    pub fn of(list: P, few: usize) -> Self {
        Self { list, few: few.max(1) }
    }
}

impl<P: Divide> Divide for Few<P> {
    fn tasks(&self) -> usize {
        self.list.tasks().div_ceil(self.few)
    }
    fn divide(self, at: usize) -> (Self, Self) {
        let (front, back) = self.list.divide(at.saturating_mul(self.few));
        (Self { list: front, few: self.few }, Self { list: back, few: self.few })
    }
}

/// Something with a length, counted in entries of a list that it is a part of.
///
/// ```
/// use jostle_tasks::Length;
///
/// assert_eq!((vec!['a', 'b'].length(), 7.length()), (2, 7)); // a number is a length itself
/// ```
pub trait Length {
    /// The number of entries.
    fn length(&self) -> usize;
}

impl<X> Length for Vec<X> {
    fn length(&self) -> usize {
        self.len()
    }
}

impl Length for usize {
    fn length(&self) -> usize {
        *self
    }
}

/// A list that is assembled from parts of any length, one after the other; each part is one task.
///
/// ```
/// use jostle_tasks::{Joined, each};
///
/// let (parts, mut whole) = ([vec![1, 2], vec![], vec![3]], [0; 3]);
/// each(Joined::of(&parts, &mut whole[..]), |_, joined| joined.whole.copy_from_slice(&joined.parts[0]));
/// assert_eq!(whole, [1, 2, 3]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Joined<'p, X, P> {
    /// The parts.
    pub parts: &'p [X],
    /// The assembled list, as long as all parts together.
    pub whole: P,
}

impl<'p, X: Length + Sync, P: Divide> Joined<'p, X, P> {
    /// A list to be assembled from these parts.
    pub fn of(parts: &'p [X], whole: P) -> Self {
        Self { parts, whole }
    }
}

impl<X: Length + Sync, P: Divide> Divide for Joined<'_, X, P> {
    fn tasks(&self) -> usize {
        self.parts.len()
    }
    fn divide(self, at: usize) -> (Self, Self) {
        let (front, back) = self.parts.split_at(at.min(self.parts.len()));
        let (whole_front, whole_back) = self.whole.divide(front.iter().map(Length::length).sum());
        (Self { parts: front, whole: whole_front }, Self { parts: back, whole: whole_back })
    }
}
