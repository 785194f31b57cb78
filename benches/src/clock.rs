//! Times that can be compared on a machine that wanders: contestants take turns, and medians are reported.
//!
//! On Unix it is the processor time of the calling thread that counts, so that other programs disturb little; a
//! question that runs on more threads than one has to be asked with [`Clock::Wall`].

use std::time::Instant;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Processor time of the calling thread (wall time where the system does not tell).
    Thread,
    /// The time on the wall.
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

/// What a contestant took, in nanoseconds, one entry per round.
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

    /// How many times as long `self` took as `other`: the median over the rounds of the ratio in one round.
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

/// The least that is measured at once, in nanoseconds: to read the clock of a thread takes some hundred, as long as ten
/// pairs.
const LEAST: f64 = 50_000.0;

/// Lets all contestants run once to warm up, then `rounds` times in turns. One that is done within 50 microseconds
/// runs several times a turn.
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

/// How many runs take as long as can be measured, after one to warm up.
fn runs(clock: Clock, contestant: &mut dyn FnMut()) -> u32 {
    contestant();
    let mut runs = 1;
    while clock.time(&mut || (0..runs).for_each(|_| contestant())) < LEAST && runs < 1 << 16 {
        runs *= 2;
    }
    runs
}
