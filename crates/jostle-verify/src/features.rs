//! The least depth of two polytopes, exactly: every direction that can be a minimum is evaluated by a support search.
//!
//! On a cell of the overlaid normal maps of A and -B the reach is `h(n) = p . n` with one vertex `p`, and that has no
//! minimum inside a cell while the origin is inside the set. So the minima stand at corners: normals of A's faces,
//! normals of -B's, and crossings of an edge of A with one of B. All of them are looked at. A direction is skipped only
//! where a point `p` of the set is known with `p . n >= best`, which bounds `h(n)` from below, or where its two edges
//! cannot be the set's support (then the origin would be outside).

use jostle_lanes::Space;
use jostle_shape::CustomShape;

use crate::pair::Pair;
use crate::polytope::Features;
use crate::vector::{AXES, V, cross, dot, neg, normal_of, sub};

/// The search so far.
pub(crate) struct Best {
    /// The smallest reach found.
    pub height: f64,
    /// The unit direction it was found in.
    pub normal: V,
    /// Points of the set; those that ruled out directions recently are near the front.
    known: Vec<V>,
}

/// How many points are kept to rule out directions.
const KNOWN: usize = 24;

impl Best {
    pub(crate) fn new() -> Self {
        Self { height: f64::INFINITY, normal: AXES[0], known: Vec::with_capacity(KNOWN + 1) }
    }
    /// True if a known point of the set reaches `height` along `n`.
    fn ruled_out(&mut self, n: V, height: f64) -> bool {
        let Some(i) = self.known.iter().position(|&p| dot(p, n) >= height) else { return false };
        self.known.swap(i, i / 2);
        true
    }
    /// Evaluates one direction.
    pub(crate) fn consider<S: Space, U: CustomShape<S>>(&mut self, pair: &Pair<'_, S, U>, n: V) {
        if self.ruled_out(n, self.height) {
            return;
        }
        let p = pair.support(n);
        let height = dot(p, n);
        if height < self.height {
            (self.height, self.normal) = (height, n);
        }
        self.known.insert(0, p);
        self.known.truncate(KNOWN);
    }
}

/// Evaluates every direction that can be a minimum.
pub(crate) fn enumerate<S: Space, U: CustomShape<S>>(
    pair: &Pair<'_, S, U>,
    a: &Features,
    b: &Features,
    best: &mut Best,
) {
    for e in &AXES[..S::DIMENSION] {
        best.consider(pair, *e);
        best.consider(pair, neg(*e));
    }
    for &n in &a.normals {
        best.consider(pair, n);
    }
    for &n in &b.normals {
        best.consider(pair, neg(n));
    }
    if S::DIMENSION == 2 {
        return;
    }
    // The face normals of a needle that is no thicker than rounding may lean along it. Directions at a right angle to
    // it take their place, and the cross product for two needles. The same goes for a set that is only a segment.
    let longest = || a.long.iter().chain(&b.long);
    for (&one, other) in longest().flat_map(|one| longest().copied().chain(AXES).map(move |other| (one, other))) {
        if let Some(n) = normal_of(one, other) {
            best.consider(pair, n);
            best.consider(pair, neg(n));
        }
    }
    let flat = 1e-9 * pair.size;
    for &(pa, ea) in &a.edges {
        for &(pb, eb) in &b.edges {
            let c = cross(ea, eb);
            let square = dot(c, c);
            let point = sub(pa, pb);
            let along = dot(point, c);
            let plain = square > 1e-12 && best.height > flat;
            // `point` is in the set, so h(c) >= along; and the edges are touched at c only if h(c) = along > 0.
            if plain && along * along > best.height * best.height * square {
                continue;
            }
            let length = square.sqrt();
            if plain && along.abs() > flat * length {
                let c = if along > 0.0 { c } else { neg(c) };
                if best.ruled_out(c, (best.height + flat) * length) {
                    continue;
                }
            }
            let Some(n) = normal_of(ea, eb) else { continue };
            let along = dot(point, n);
            if along > -flat || !plain {
                best.consider(pair, n);
            }
            if along < flat || !plain {
                best.consider(pair, neg(n));
            }
        }
    }
}
