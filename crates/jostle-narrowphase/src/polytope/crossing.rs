//! Where an arc of A's Gauss map crosses one of B's: whether it does, how deep two bodies are along it, and the true support
//! that has the last word.

use jostle_lanes::{D3, Lanes, Mask, Rotation, Scalar, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use super::search::{BestArc, Search};
use crate::boxes::weak_sines;
use crate::noise::{CONVERGED, noise};

/// W arcs with their edges, in A's frame.
#[derive(Clone, Copy, Debug)]
pub struct Arcs<W: Lanes> {
    /// The normals at the ends of each; B's turned around.
    pub ends: [Vec3<W>; 2],
    /// Along the edge: [`lifted`].
    pub edge: Vec3<W>,
    /// What that is to be multiplied with.
    pub length: W,
    /// Where the edge begins.
    pub from: Vec3<W>,
}

/// W crossings.
#[derive(Clone, Copy, Debug)]
pub struct Crossing<W: Lanes> {
    /// Across both edges, away from A, of any length.
    pub across: Vec3<W>,
    /// How deep the two bodies are along it, as far as the two edges tell.
    pub value: W,
    /// The least that this can be.
    pub guess: W,
    /// Where the arcs cross.
    pub met: W::Mask,
    /// Where the edges are not nearly parallel, so that the value is one.
    pub strong: W::Mask,
}

/// An edge of a length of about one, and what it is to be multiplied with: products of very short ones have no digits left.
#[inline(always)]
pub fn lifted<W: Lanes>(edge: Vec3<W>) -> (Vec3<W>, W) {
    // Subnormal numbers have no power of two that could be inverted.
    let (lift, drop) = if const { W::Scalar::DOUBLE } {
        (f64::from_bits((1023 + 512) << 52), f64::from_bits((1023 - 512) << 52))
    } else {
        (f64::from_bits((1023 + 64) << 52), f64::from_bits((1023 - 64) << 52))
    };
    let (zero, one) = (W::zero(), W::one());
    let largest = edge.abs().max_component();
    let short = largest.lt(W::constant(drop));
    let (lift, drop) = (W::select(short, W::constant(lift), one), W::select(short, W::constant(drop), one));
    let length = (largest * lift).power_of_two();
    let ordinary = length.gt(zero) & length.lt(W::splat(W::Scalar::INFINITY));
    let share = one / W::select(ordinary, length, one);
    (Vec3::select(ordinary, edge * lift * share, edge), W::select(ordinary, length * drop, one))
}

/// At a right angle to two edges, to the last bit of either, however small the angle between them is.
#[inline(always)]
fn across<T: Scalar>(one: Vec3<T>, other: Vec3<T>) -> Vec3<T> {
    let share = T::ONE / one.length_squared();
    let off = other - one * (other.dot(one) * share);
    one.cross(off - one * (off.dot(one) * share))
}

/// Holds W arcs of A against W of B. `rounding` is that of an edge, which is a difference of points: a few round-offs of the
/// magnitude, however short it is. None if none of them cross.
#[inline(always)]
pub fn cross<W: Lanes>(a: &Arcs<W>, b: &Arcs<W>, rounding: W) -> Option<Crossing<W>> {
    let (least_sine, weak_sine) = weak_sines::<W::Scalar>();
    let (least_sine, weak_sine) = (W::constant(least_sine * least_sine), W::constant(weak_sine * weak_sine));
    // Each arc has its ends on different sides of the other's great circle, or within rounding of it.
    let (p, q) = (b.ends[0].dot(a.edge) * a.length, b.ends[1].dot(a.edge) * a.length);
    let (r, s) = (a.ends[0].dot(b.edge) * b.length, a.ends[1].dot(b.edge) * b.length);
    let met = p.min(q).le(rounding) & p.max(q).ge(-rounding) & r.min(s).le(rounding) & r.max(s).ge(-rounding);
    if !met.any() {
        return None;
    }
    let across = a.edge.cross(b.edge);
    let across = across * W::one().copysign(across.dot(a.ends[0] + a.ends[1]));
    let squared = across.length_squared();
    let product = a.edge.length_squared() * b.edge.length_squared();
    let mut ahead = across.dot(b.ends[0] + b.ends[1]).gt(W::zero());
    // The type that has the last word: nothing is weak there.
    if const { W::Scalar::DOUBLE } {
        // Which way a sharp angle's product points is rounding.
        ahead = ahead | squared.lt(W::constant(1e-6) * product);
    }
    let met = met & squared.gt(least_sine * product) & ahead;
    if !met.any() {
        return None;
    }
    let length = W::select(met, squared, W::one()).sqrt();
    let value = (a.from - b.from).dot(across) / length;
    let guess = value - rounding * (W::select(met, product, W::one()).sqrt() / length);
    let value = if const { W::Scalar::DOUBLE } {
        W::select(squared.lt(W::constant(0.01) * product), guess, value)
    } else {
        value
    };
    Some(Crossing { across, value, guess, met, strong: squared.gt(weak_sine * product) })
}

/// W crossings where one of them can be read: what a value that may win is verified with.
pub struct Candidates<T> {
    value: [T; MAX_WIDTH],
    across: Columns<T>,
    /// The sum of the ends of A's arcs.
    middle: Columns<T>,
    edge: Columns<T>,
    from: Columns<T>,
    other_edge: Columns<T>,
    other_from: Columns<T>,
}

type Columns<T> = [[T; MAX_WIDTH]; 3];

#[inline(always)]
fn store<W: Lanes>(vector: Vec3<W>) -> Columns<W::Scalar> {
    let mut columns = [[W::Scalar::ZERO; MAX_WIDTH]; 3];
    for k in 0..3 {
        vector.get(k).store(&mut columns[k]);
    }
    columns
}

#[inline(always)]
fn read<T: Scalar>(columns: &Columns<T>, lane: usize) -> Vec3<T> {
    Vec3 { x: columns[0][lane], y: columns[1][lane], z: columns[2][lane] }
}

impl<T: Scalar> Candidates<T> {
    /// The crossings of `a` and `b`.
    #[inline(always)]
    pub fn new<W: Lanes<Scalar = T>>(found: &Crossing<W>, a: &Arcs<W>, b: &Arcs<W>) -> Self {
        let mut value = [T::ZERO; MAX_WIDTH];
        found.value.store(&mut value);
        Self {
            value,
            across: store(found.across),
            middle: store(a.ends[0] + a.ends[1]),
            edge: store(a.edge),
            from: store(a.from),
            other_edge: store(b.edge),
            other_from: store(b.from),
        }
    }

    /// Asks one of them for its true support, if it may still be better than what is known: supports are found `L` points at a time.
    #[inline(always)]
    pub fn verify<L: Lanes<Scalar = T>>(&self, lane: usize, search: &mut Search<'_, '_, D3, T>) {
        let best = search.least();
        // Only what is better by more than its value's own rounding is asked.
        if self.value[lane] >= best - noise(CONVERGED / 2.0, search.magnitude) {
            return;
        }
        let (edge, other_edge) = (read(&self.edge, lane), read(&self.other_edge, lane));
        let mut across = read(&self.across, lane);
        if const { T::DOUBLE } {
            across = self::across(edge, other_edge);
            across = across * T::ONE.copysign(across.dot(read(&self.middle, lane)));
        }
        let share = T::ONE / across.length_squared().sqrt();
        let normal = across * share;
        let [a, b] = &search.halves;
        let (turn, offset) = (a.turn, a.offset);
        let furthest = a.side.support::<D3, L>(normal);
        let against = turn.rotate(b.side.support::<D3, L>(turn.unrotate(-normal))) + offset;
        let depth = (furthest - against).dot(normal);
        if depth < best {
            let from = read(&self.from, lane);
            let gap = read(&self.other_from, lane) - from + normal * depth;
            // Whichever way they point: both products with them change sign.
            let along = gap.cross(other_edge).dot(across) / edge.cross(other_edge).dot(across);
            search.better = Some(BestArc { depth, normal, a: from + edge * along });
        }
    }
}
