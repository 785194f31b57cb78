//! How long pairs of the list may wait: a pair found apart cannot be near before its two bodies have moved that far.
//!
//! Most pairs of the list are apart by some of the skin, or by more than their balls can show. What is known of a pair
//! when it is looked at, the gap between its balls or the lower bound of its distance, says how far its bodies may move
//! before it has to be looked at again (like the heap of lower bounds on times of impact in Mirtich and Canny 1995, but
//! in metres: no bound on any body's speed is needed). All pairs are compared with one clock, the path length of the
//! fastest body: one number per pair, a register of them at a time, and no ball has to be fetched. Rows are the same,
//! as no pair waits that could give one.

use jostle_lanes::{Kernel, Lanes, Mask, Scalar, dispatch, prefetch_far_at, set_bits};
use jostle_narrowphase::PAIRS_PER_BATCH;
use jostle_shape::MAX_WIDTH;

/// When the clock shows this many skins, it is set to zero and every pair is looked at once: differences of `f32` have
/// to resolve fractions of a skin.
const LONGEST: f64 = 4096.0;
/// Room for lanes that are written beyond the last place: no register has more lanes.
const BEYOND: usize = MAX_WIDTH;

/// How far any point of the fastest body has moved, in total since the clock was set, metres.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock(f64);

impl Clock {
    /// Advances by `way` metres. False if the clock has to be set anew.
    pub fn advance(&mut self, way: f64, skin: f64) -> bool {
        self.0 += way;
        // Written so that NaN sets it anew.
        matches!(self.0.partial_cmp(&(LONGEST * skin)), Some(order) if order.is_le())
    }
    /// The reading, metres, rounded up.
    pub fn now(self) -> f32 {
        f32::round_up(self.0)
    }
    /// The reading up to which a pair cannot be near whose gap is `apart` metres wider than that of a near pair: the
    /// two bodies have to move that far first, each by at most its [pace](super::pace::PacedRadius::pace) times the
    /// clock's advance. Rounded down.
    #[inline(always)]
    pub fn until(self, apart: f32, paces: [f32; 2]) -> f32 {
        // Rounded three times, each time by at most half of 2^-23 of the sum (the sum of two paces is exact). No
        // branch: it would be mispredicted.
        (self.0 as f32 + apart / (paces[0] + paces[1])) * (1.0 - 2.0 * f32::EPSILON)
    }
}

/// The reading until which a pair waits that has not been looked at: below any reading.
pub const DUE: f32 = -1.0;
/// The value for a pair that is near as far as its balls show: it is solved in each frame, until its distance shows
/// more.
pub const NEAR: f32 = f32::NEG_INFINITY;

/// The pairs of a chunk that can wait no longer. Keeps its memory.
#[derive(Debug, Default)]
pub struct Due {
    /// One bit per pair, set if it is near: after [`Due::list`] those that were [`NEAR`], then also those that are
    /// told.
    pub near: [u64; PAIRS_PER_BATCH / 64],
    /// The places of the other due pairs, and their number. Entries beyond `count` mean nothing.
    places: Vec<u32>,
    count: usize,
}

impl Due {
    /// Lists the due ones among up to [`PAIRS_PER_BATCH`] pairs, given the clock's reading `now`.
    pub fn list(&mut self, until: &[f32], now: f32) {
        self.near = [0; PAIRS_PER_BATCH / 64];
        self.places.resize(PAIRS_PER_BATCH + BEYOND, 0);
        self.count = dispatch(WaitList { until, now, near: &mut self.near, places: &mut self.places });
    }
    /// The place of a due pair of which it is not known whether it is near.
    #[inline(always)]
    pub fn get(&self, number: usize) -> Option<usize> {
        self.places[..self.count].get(number).map(|&place| place as usize)
    }
    /// Records whether the pair at a place is near.
    #[inline(always)]
    pub fn tell(&mut self, place: usize, near: bool) {
        self.near[place / 64] |= u64::from(near) << (place % 64);
    }
}

/// Visits the places of the set bits of some words, in ascending order.
#[inline(always)]
pub fn each_place(words: impl IntoIterator<Item = u64>, mut visit: impl FnMut(usize)) {
    for (number, word) in words.into_iter().enumerate() {
        for bit in set_bits::<64>(word) {
            visit(64 * number + bit);
        }
    }
}

struct WaitList<'k> {
    until: &'k [f32],
    now: f32,
    near: &'k mut [u64; PAIRS_PER_BATCH / 64],
    places: &'k mut [u32],
}

impl Kernel<f32> for WaitList<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> usize {
        let Self { until, now, near, places } = self;
        let whole = until.len() / L::WIDTH * L::WIDTH;
        let (level, least, mut count, mut at) = (L::splat(now), L::splat(NEAR), 0, 0);
        while at < whole {
            // The next chunk's values.
            prefetch_far_at(until, at + PAIRS_PER_BATCH);
            let until = L::load(&until[at..]);
            let sure = until.le(least);
            near[at / 64] |= u64::from(sure.to_bits()) << (at % 64);
            // NaN counts as due.
            count += L::left_pack(!(until.gt(level) | sure), &PLACES[at..], &mut places[count..]);
            at += L::WIDTH;
        }
        while at < until.len() {
            let sure = until[at] <= NEAR;
            near[at / 64] |= u64::from(sure) << (at % 64);
            places[count] = at as u32;
            count += usize::from(!(until[at] > now || sure));
            at += 1;
        }
        count
    }
}

/// The places of a chunk's pairs: 0, 1, 2 and so on.
static PLACES: [u32; PAIRS_PER_BATCH] = {
    let mut places = [0; PAIRS_PER_BATCH];
    let mut i = 0;
    while i < PAIRS_PER_BATCH {
        places[i] = i as u32;
        i += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_left_out_and_nobody_else() {
        let mut due = Due::default();
        for len in [PAIRS_PER_BATCH, 0, 1, 15, 16, 17, 100, 1000] {
            let until: Vec<f32> = (0..len)
                .map(|i| match i % 6 {
                    0 => DUE,
                    1 => f32::NAN,
                    2 => 2.0,
                    3 => 2.0_f32.next_up(),
                    4 => NEAR,
                    _ => f32::INFINITY,
                })
                .collect();
            due.list(&until, 2.0);
            let places: Vec<usize> = (0..).map_while(|number| due.get(number)).collect();
            assert_eq!(places, (0..len).filter(|i| i % 6 < 3).collect::<Vec<_>>());
            let near = |place: usize| due.near[place / 64] >> (place % 64) & 1 == 1;
            assert!((0..PAIRS_PER_BATCH).all(|place| near(place) == (place < len && place % 6 == 4)));
        }
    }

    #[test]
    fn nobody_waits_beyond_the_half_of_what_is_between() {
        let mut clock = Clock::default();
        for step in [0.1, 1e-9, 3.0, 0.7, 1e-20] {
            assert!(clock.advance(step, 1.0));
            let (from, apart) = (clock, 0.3_f32);
            let until = from.until(apart, [1.0; 2]);
            let mut later = from;
            let mut moved = 0.0;
            while until > later.now() {
                later.advance(0.01, 1.0);
                moved += 0.01;
            }
            // The first frame that looks at the pair is no later than the first in which its bodies may have met.
            assert!(2.0 * (moved - 0.01) < f64::from(apart), "{moved}");
            // Nor much earlier.
            assert!(2.0 * moved > 0.9 * f64::from(apart), "{moved}");
        }
        assert!(!clock.advance(1e4, 1.0));
        assert!(!Clock::default().advance(f64::NAN, 1.0));
        assert!(!Clock::default().advance(1.0, 0.0));
    }
}
