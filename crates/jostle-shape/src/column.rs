//! A column of values: a vector, or memory owned elsewhere.
//!
//! Files and other languages provide whole columns. They are read in place, and copied when they are changed for the
//! first time.

use std::fmt::{Debug, Formatter, Result as Shown};
use std::ops::Deref;
use std::sync::Arc;

/// One value a body, owned or shared. It reads as a slice.
///
/// ```
/// use std::sync::Arc;
/// # use jostle_shape as jostle;
/// use jostle::Column;
///
/// let kept: Arc<[u32]> = Arc::from([3, 1, 2]);
/// let column = Column::shared(kept.clone());
/// assert_eq!(column[0], 3);
/// assert_eq!(column.as_ptr(), kept.as_ptr(), "nothing was copied");
/// assert_eq!(column, Column::from(vec![3, 1, 2]));
/// ```
#[derive(Clone)]
pub struct Column<T>(Memory<T>);

#[derive(Clone)]
enum Memory<T> {
    Owned(Vec<T>),
    Shared(Arc<dyn AsRef<[T]> + Send + Sync>),
}

impl<T> Column<T> {
    /// A column in memory owned by `keeper`: an Arrow buffer, an array of another language. It is never written to.
    ///
    /// `keeper` must return the same values each time: they are checked only once.
    pub fn shared(keeper: impl AsRef<[T]> + Send + Sync + 'static) -> Self {
        Self(Memory::Shared(Arc::new(keeper)))
    }
}

impl<T: Clone> Column<T> {
    /// The values as a vector that can be changed; shared ones are copied first.
    #[inline]
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Memory::Shared(_) = &self.0 {
            self.copy();
        }
        match &mut self.0 {
            Memory::Owned(values) => values,
            Memory::Shared(_) => unreachable!("was made a vector above"),
        }
    }
    // A function of its own, so that changing a single body costs no more than a check of the kind of memory.
    #[cold]
    #[inline(never)]
    fn copy(&mut self) {
        self.0 = Memory::Owned(self.to_vec());
    }
}

impl<T: Copy> Column<T> {
    /// Replaces the values, in memory of its own.
    pub(crate) fn replace(&mut self, values: &[T]) {
        match &mut self.0 {
            Memory::Owned(own) => {
                own.clear();
                own.extend_from_slice(values);
            }
            Memory::Shared(_) => *self = values.to_vec().into(),
        }
    }
}

impl<T> Deref for Column<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Memory::Owned(values) => values,
            Memory::Shared(keeper) => (**keeper).as_ref(),
        }
    }
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self(Memory::Owned(Vec::new()))
    }
}

impl<T> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Memory::Owned(values))
    }
}

impl<T: Debug> Debug for Column<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Shown {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Column<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changing_a_shared_column_copies_it() {
        let kept: Arc<[u8]> = Arc::from([1, 2, 3]);
        let mut column = Column::shared(kept.clone());
        let other = column.clone();
        column.to_mut().push(4);
        assert_eq!(*column, [1, 2, 3, 4]);
        assert_eq!((&*other, &*kept), (&[1, 2, 3][..], &[1, 2, 3][..]));
        let before = column.as_ptr();
        column.to_mut()[0] = 7;
        assert_eq!(column.as_ptr(), before, "its own memory is not copied again");
        column.replace(&[5, 6]);
        assert_eq!((column.as_ptr(), &column[..]), (before, &[5, 6][..]));
        let mut other = other;
        other.replace(&[8]);
        assert_eq!((&other[..], &kept[..]), (&[8][..], &[1, 2, 3][..]));
    }
}
