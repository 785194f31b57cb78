//! Which distances are within the margin.

use jostle_narrowphase::Precision;

/// Which distances are within the margin *as printed*: `0.1` in `f32` lies above the 0.1 that the user means, but it
/// is what `0.1` says there.
#[derive(Clone, Copy, Debug)]
pub struct Near<T> {
    margin: T,
    inclusive: bool,
}

impl<T: Precision> Near<T> {
    /// For a margin in metres. (Prints a number: not to be made anew for every frame.)
    pub fn new(margin: f64) -> Self {
        let nearest = T::from_f64(margin);
        let printed: f64 = nearest.to_string().parse().unwrap_or(f64::NAN);
        Self { margin: nearest, inclusive: printed <= margin }
    }
    /// Whether a distance is within it. What is not a number (a custom shape without a support map) is told, not lost.
    #[inline]
    pub fn holds(self, distance: T) -> bool {
        distance < self.margin || self.inclusive && distance == self.margin || distance.to_f64().is_nan()
    }
}
