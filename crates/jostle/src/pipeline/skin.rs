//! How thick a skin pays off: the thicker it is, the longer the list of pairs lasts, and the more pairs on it are too
//! far apart to be wanted.
//!
//! A list costs some time per body and per pair to make, and each pair on it some time per frame to be passed over. If
//! the fastest few bodies take steps of `m` metres a frame, a skin of `s` lasts `s / 2m` frames; and a box of width `w`
//! meets `(1 + s / w)^d` times as many others. The cheapest of a few skins is chosen, whenever all that moves is
//! renewed anyway. Only counts and lengths are used, never a clock, so that repeated runs are the same.
//!
//! Where most bodies rest, only those that move have a skin. A list costs hardly less then: each box is looked at, and
//! the list is copied. So a single body that walks about in a scene at rest has a skin as well.

/// What a list costs per body that is renewed, per body that is not, and per pair that is found; and what each pair on
/// it costs per frame that passes it over. Nanoseconds, as measured; only their ratios matter.
const MAKING: f64 = 110.0;
const MENDING: f64 = 8.0;
const LISTING: f64 = 16.0;
const PASSING: f64 = 4.0;
/// The lifetimes that are considered, in frames. One frame needs no skin at all.
const LIVES: [f64; 12] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];
/// A new skin is chosen if its cost is below this share of the present one's.
const BETTER: f64 = 0.9;
/// Bodies sampled for their steps.
const SAMPLES: usize = 512;
/// Bodies sampled for their positions.
pub const PLACES: usize = 256;
/// The number of pairs is taken to be at least this share of what evenly spread bodies would have.
const EVEN: f64 = 0.5;
/// How many times longer than the last a list is expected to last, at most.
const LONGER: f64 = 3.0;
/// The sampled step is that which one body in this many exceeds.
const FASTEST: usize = 16;

/// How thick the skin of the Verlet list is: how much farther apart than the margin pairs may be to be kept on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Skin {
    /// Chosen from how fast the bodies move.
    #[default]
    Auto,
    /// In metres; 0 finds all pairs of moving bodies anew in every frame.
    Fixed(f64),
}

/// What is known of the bodies' motion.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// The skin that boxes are made with, metres.
    pub skin: f64,
    /// Frames since the skin was last chosen; if it is fixed, since all that moves was renewed.
    pub age: u32,
    /// Frames in which steps were sampled: each begins with another body.
    sampled: usize,
    steps: Vec<f64>,
    /// The last sampled step of the fastest few: metres a frame.
    step: f64,
}

/// The measures that a skin is chosen by.
#[derive(Clone, Copy, Debug)]
pub struct Crowd {
    /// Bodies that would be renewed.
    pub bodies: f64,
    /// Bodies that do not move.
    pub still: f64,
    /// The share of bodies whose boxes have the skin: all of them (1), or those that move.
    pub grown: f64,
    /// Pairs on the list.
    pub pairs: f64,
    /// The typical width of the boxes, metres, skin included.
    pub width: f64,
    /// 2 or 3.
    pub dimension: usize,
    /// How far the bodies are spread along each axis.
    pub spread: [Spread; 3],
}

/// How far bodies are spread along an axis.
#[derive(Clone, Copy, Debug)]
pub enum Spread {
    /// Over this length, metres.
    Over(f64),
    /// Everywhere: space repeats after this length, metres.
    Again(f64),
}

impl Spread {
    /// Twice the length that the middle half of some places is within. Sorts the places.
    pub fn of(places: &mut [f64]) -> Self {
        let (low, high) = (places.len() / 4, places.len() - places.len() / 4);
        if high <= low + 1 {
            return Self::Over(0.0);
        }
        places.sort_unstable_by(f64::total_cmp);
        Self::Over(2.0 * (places[high - 1] - places[low]))
    }
    /// The share of the other bodies that a box of this width meets along the axis (above 1 if it meets several
    /// images).
    fn share(self, width: f64) -> f64 {
        match self {
            Self::Over(length) => (2.0 * width / length).min(1.0),
            Self::Again(period) => 2.0 * width / period,
        }
    }
}

impl Motion {
    /// Samples how far bodies of `slots` have moved since the last frame; `step` is `None` for bodies that do not
    /// count.
    pub fn sample(&mut self, slots: usize, step: impl Fn(usize) -> Option<f64>) {
        self.steps.reserve(SAMPLES);
        let stride = slots.div_ceil(SAMPLES).max(1);
        // Not a fixed phase, or a regular order of the bodies might hide some. (Nor the list's age, which is the same
        // in each frame if no list lasts.)
        self.sampled = self.sampled.wrapping_add(1);
        self.take((self.sampled % stride..slots).step_by(stride).filter_map(step));
    }

    /// Whether the last sample was large enough to choose by.
    pub fn has_met_many(&self) -> bool {
        self.steps.len() > FASTEST
    }

    /// Takes steps, of bodies that move, as the sample: if few move, no sample of all bodies has them.
    pub fn take(&mut self, steps: impl Iterator<Item = f64>) {
        self.steps.clear();
        self.steps.extend(steps.take(SAMPLES));
        let rank = self.steps.len().saturating_sub(1).saturating_sub(self.steps.len() / FASTEST);
        // An empty sample keeps the last step: where most rest, bodies that move are in few samples.
        if !self.steps.is_empty() {
            self.step = *self.steps.select_nth_unstable_by(rank, f64::total_cmp).1;
        }
    }

    /// Chooses the skin for boxes that are made now because bodies have moved.
    pub fn choose(&mut self, crowd: Crowd) {
        let lived = f64::from(self.age.max(1));
        // How long the last list lasted shows how fast the fastest bodies moved away; random walks get slower over
        // time.
        let step = if self.age > 1 { (0.5 * self.skin / lived).clamp(self.step / 8.0, self.step) } else { self.step };
        if step.partial_cmp(&0.0) != Some(core::cmp::Ordering::Greater) || crowd.width <= 0.0 {
            return;
        }
        let width = (crowd.width - crowd.grown * self.skin).max(1e-3 * crowd.width);
        // The share of pairs of which at least one body has the skin.
        let of_pairs = crowd.grown * (2.0 - crowd.grown);
        let grown = |skin: f64| core::iter::repeat_n(1.0 + skin / width, crowd.dimension).product::<f64>();
        let growth = |skin: f64| 1.0 + of_pairs * (grown(skin) - 1.0);
        let bare = crowd.pairs / growth(self.skin);
        let even = |skin: f64| {
            let share: f64 = crowd.spread[..crowd.dimension].iter().map(|axis| axis.share(width + skin)).product();
            EVEN * crowd.bodies * (0.5 * crowd.bodies + crowd.still) * share
        };
        // Pairs that are listed only because of the skin.
        let idle = |skin: f64| (bare * (growth(skin) - 1.0)).max(even(skin) - even(0.0));
        // The thicker the skin of few bodies that are swept, the more of the others are swept with them.
        let found = |skin: f64| if crowd.grown < 1.0 { grown(skin) } else { 1.0 };
        // A list that is mended keeps most of its pairs.
        let listed = |skin: f64| if crowd.grown < 1.0 { 0.0 } else { LISTING * (bare + idle(skin)) };
        let making = |skin: f64| MAKING * crowd.bodies * found(skin) + MENDING * crowd.still + listed(skin);
        let cost = |skin: f64, life: f64| making(skin) / life + PASSING * idle(skin);
        let skin_for = |life: f64| if life <= 1.0 { 0.0 } else { 2.0 * step * life };
        let present = (0.5 * self.skin / step).floor().max(1.0);
        let now = cost(self.skin, present);
        let lives = LIVES.into_iter().filter(|life| *life <= LONGER * present);
        let best = lives.map(|life| (cost(skin_for(life), life), skin_for(life)));
        let best = best.fold((f64::INFINITY, 0.0), |best, other| if other.0 < best.0 { other } else { best });
        if best.0 < BETTER * now {
            self.skin = best.1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(step: f64, crowd: impl Fn(f64) -> Crowd) -> f64 {
        let mut motion = Motion::default();
        for _ in 0..20 {
            motion.sample(100, |_| Some(step));
            motion.age = (0.5 * motion.skin / step).floor().max(1.0) as u32;
            motion.choose(crowd(motion.skin));
        }
        motion.skin
    }

    #[test]
    fn slow_bodies_get_a_skin_that_lasts_and_fast_ones_none() {
        let crowd = |skin: f64| Crowd {
            bodies: 1000.0,
            still: 0.0,
            grown: 1.0,
            pairs: 3000.0 * (1.0 + skin) * (1.0 + skin),
            width: 1.0 + skin,
            dimension: 2,
            spread: [Spread::Over(26.0); 3],
        };
        let slow = settled(0.001, crowd);
        assert!((0.02..0.5).contains(&slow), "{slow}");
        let walking = settled(0.01, crowd);
        assert!((0.05..1.0).contains(&walking), "{walking}");
        assert!(walking > slow);
        assert_eq!(settled(5.0, crowd), 0.0);
        // No body moves: there is nothing to choose by.
        assert_eq!(settled(0.0, crowd), 0.0);
    }

    #[test]
    fn who_is_alone_now_is_not_alone_in_any_skin() {
        // No pairs at all, whatever the skin: because of a filter, or by chance.
        let crowd = |spread: Spread| {
            move |skin: f64| Crowd {
                bodies: 1e4,
                still: 0.0,
                grown: 1.0,
                pairs: 0.0,
                width: 0.2 + skin,
                dimension: 3,
                spread: [spread; 3],
            }
        };
        // Ten metres apart: within a few frames each body may reach some thirty others. With steps of three metres no
        // skin pays off (as measured: 10,000 balls take 1.0 ms a frame without, 1.3 with one of twelve metres).
        for spread in [Spread::Over(200.0), Spread::Again(200.0)] {
            let skin = settled(0.5, crowd(spread));
            assert!((2.0..20.0).contains(&skin), "{skin} {spread:?}");
            assert_eq!(settled(3.0, crowd(spread)), 0.0, "{spread:?}");
        }
        // Far apart, the list lasts as long as any may; but not from the beginning.
        assert_eq!(settled(3.0, crowd(Spread::Over(1e6))), 2.0 * 3.0 * 64.0);
        let mut motion = Motion::default();
        motion.sample(100, |_| Some(3.0));
        motion.choose(crowd(Spread::Over(1e6))(0.0));
        assert_eq!(motion.skin, 2.0 * 3.0 * 3.0);
    }

    #[test]
    fn whoever_moves_among_many_at_rest_gets_a_skin() {
        let crowd = |bodies: f64| {
            move |skin: f64| Crowd {
                bodies,
                still: 1e5 - bodies,
                grown: bodies / 1e5,
                pairs: 1e5 + 4.0 * bodies * skin,
                width: 1.0,
                dimension: 2,
                spread: [Spread::Over(300.0); 3],
            }
        };
        let skins = [1.0, 100.0, 3000.0].map(|bodies| settled(0.01, crowd(bodies)));
        assert!(skins.is_sorted_by(|few, more| few >= more) && skins[2] > 0.1, "{skins:?}");
        // Few moving bodies are in no sample of all.
        let mut motion = Motion::default();
        motion.sample(100_000, |slot| (slot == 7).then_some(0.01));
        assert!(!motion.has_met_many());
        motion.take([0.01].into_iter());
        motion.choose(crowd(1.0)(0.0));
        assert!(motion.skin > 0.0);
    }

    #[test]
    fn all_are_asked_in_their_turn() {
        // All are renewed in each frame, and every second body is slow.
        let (slots, mut motion) = (2 * SAMPLES, Motion::default());
        for frame in 1..=4 {
            motion.age = 1;
            motion.sample(slots, |slot| Some(if slot % 2 == 0 { 1.0 } else { 2.0 }));
            assert_eq!(motion.step, if frame % 2 == 0 { 1.0 } else { 2.0 });
        }
    }

    #[test]
    fn spread_is_that_of_most() {
        let mut places: Vec<f64> = (0..100).map(|k| f64::from(k * 37 % 100)).collect();
        (places[5], places[70]) = (-1e9, 1e9);
        assert!(matches!(Spread::of(&mut places), Spread::Over(length) if (80.0..120.0).contains(&length)));
        assert!(matches!(Spread::of(&mut []), Spread::Over(0.0)));
        assert!(matches!(Spread::of(&mut [3.0]), Spread::Over(0.0)));
    }
}
