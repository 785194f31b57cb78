//! The most that anything can gain by a second thread on this machine.
//!
//! Virtual cores may be two halves of one core, or wake late: on some hosts two threads that have slept for ten
//! milliseconds do not share the next one. So arithmetic that needs no memory, divided exactly in two, is timed in the
//! same rounds as the contestants.

use std::hint::black_box;

use crate::clock::Clock;

/// Arithmetic of some length.
#[derive(Clone, Copy, Debug)]
pub struct Spin(u64);

impl Spin {
    /// Arithmetic that takes one thread so many nanoseconds, by the least of some tries: other programs may disturb
    /// them.
    pub fn lasting(nanoseconds: f64) -> Self {
        const TRY: u64 = 1 << 20;
        let least = (0..9).map(|_| Clock::Wall.time(&mut || spin(TRY))).fold(f64::INFINITY, f64::min);
        Self((TRY as f64 * (nanoseconds / least)) as u64)
    }
    /// All of it, on one thread.
    pub fn whole(self) {
        spin(self.0);
    }
    /// A half each on two threads of the current pool.
    pub fn halves(self) {
        rayon::join(|| spin(self.0 / 2), || spin(self.0 / 2));
    }
}

/// A chain of steps that each depend on the one before.
fn spin(steps: u64) {
    let mut number = black_box(1_u64);
    for _ in 0..steps {
        number = number.wrapping_mul(3).wrapping_add(1);
        number ^= number >> 3;
    }
    black_box(number);
}

#[cfg(test)]
mod tests {
    use super::Spin;

    #[test]
    fn lasts_the_longer_the_more_is_asked() {
        let (Spin(short), Spin(long)) = (Spin::lasting(1e4), Spin::lasting(1e7));
        assert!(0 < short && 100 * short < long);
        Spin(short).whole();
        crate::pool(2).install(|| Spin(short).halves());
    }
}
