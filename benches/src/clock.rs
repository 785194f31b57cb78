//! Times that can be compared on a machine whose speed varies: contestants take turns, and medians are reported.
//!
//! On Unix the processor time of the calling thread is measured, so that other programs disturb little. Work that runs
//! on several threads has to be timed by [`Clock::Wall`].

use std::time::Instant;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Processor time of the calling thread (wall time where the system does not report it).
    Thread,
    /// Wall time.
    Wall,
}

impl Clock {
    /// Nanoseconds that `work` takes.
    pub fn time(self, work: &mut dyn FnMut()) -> f64 {
        #[cfg(unix)]
        if self == Clock::Thread {
            let start = thread_time();
            work();
            return thread_time() - start;
        }
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64
    }
}

#[cfg(unix)]
fn thread_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The times of a contestant in nanoseconds, one per round.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<f64>);

impl Times {
    /// One more round.
    pub fn push(&mut self, nanoseconds: f64) {
        self.0.push(nanoseconds);
    }

    /// The median.
    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }

    /// The factor by which `self` took longer than `other`: the median of the ratios of each round.
    pub fn over(&self, other: &Self) -> f64 {
        median(self.0.iter().zip(&other.0).map(|(a, b)| a / b).collect())
    }

    /// How many rounds there were.
    pub fn rounds(&self) -> usize {
        self.0.len()
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    match times.len() {
        0 => f64::NAN,
        count => 0.5 * (times[(count - 1) / 2] + times[count / 2]),
    }
}

/// The shortest time that is measured at once, in nanoseconds: reading the clock of a thread takes some hundred, as
/// long as ten pairs.
const LEAST: f64 = 50_000.0;

/// Runs all contestants once to warm up, then `rounds` times in turns. One that takes less than 50 microseconds runs
/// several times per turn.
pub fn race(clock: Clock, rounds: usize, contestants: &mut [&mut dyn FnMut()]) -> Vec<Times> {
    let runs: Vec<u32> = contestants.iter_mut().map(|contestant| runs(clock, contestant)).collect();
    let mut times = vec![Times::default(); contestants.len()];
    for _ in 0..rounds {
        for ((contestant, &runs), times) in contestants.iter_mut().zip(&runs).zip(&mut times) {
            let together = clock.time(&mut || (0..runs).for_each(|_| contestant()));
            times.push(together / f64::from(runs));
        }
    }
    times
}

/// The number of runs that takes long enough to be measured, after one to warm up.
fn runs(clock: Clock, contestant: &mut dyn FnMut()) -> u32 {
    contestant();
    let mut runs = 1;
    while clock.time(&mut || (0..runs).for_each(|_| contestant())) < LEAST && runs < 1 << 16 {
        runs *= 2;
    }
    runs
}
