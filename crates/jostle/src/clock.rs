//! The clock by which reports measure time. In a browser there may be none (on `wasm32-unknown-unknown` std's clock
//! panics), and then all times are zero.

use core::ops::Sub;
use std::time::Duration;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

/// A moment.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    instant: Instant,
}

impl Moment {
    /// The current moment.
    pub fn now() -> Self {
        Self {
            #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
            instant: Instant::now(),
        }
    }

    /// The time since then.
    pub fn elapsed(self) -> Duration {
        Self::now() - self
    }
}

impl Sub for Moment {
    type Output = Duration;

    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    fn sub(self, earlier: Self) -> Duration {
        self.instant - earlier.instant
    }

    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    fn sub(self, _: Self) -> Duration {
        Duration::ZERO
    }
}
