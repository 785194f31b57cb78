//! Valleys of a function on an arc of a circle: bracketed by the sign of its slope, and descended by Newton's steps
//! that may not leave their bracket.

use jostle_lanes::Lanes;

/// A function of a direction in a plane.
pub trait Curve<L: Lanes> {
    /// Slope and curvature (first and second derivative by the angle) at the direction `(cosine, sine)`.
    fn slope(&self, cosine: L, sine: L) -> [L; 2];
}

/// The direction turned by an angle of up to half a radian: its length stays one to within 1e-6, and rounding does not
/// add up.
#[inline(always)]
pub fn turned<L: Lanes>([cosine, sine]: [L; 2], angle: L) -> [L; 2] {
    let half = L::constant(0.5);
    let square = angle * angle;
    let c = L::one() - half * square;
    let s = angle * (L::one() - square * L::constant(1.0 / 6.0));
    let (x, y) = (cosine * c - sine * s, sine * c + cosine * s);
    let long = L::constant(1.5) - half * (x * x + y * y);
    [x * long, y * long]
}

/// Where a valley may be.
#[derive(Clone, Copy, Debug)]
pub struct Arc<L: Lanes> {
    /// The direction that it begins with.
    pub from: [L; 2],
    /// 1 or -1: which way it goes on.
    pub way: L,
    /// How wide it is, radians.
    pub width: L,
    /// Where the search begins: an angle from its beginning.
    pub start: L,
    /// True where the slope is known to fall at its beginning (at its end it always rises). Where it is not, a place
    /// where it falls has to be found first.
    pub falls: L::Mask,
}

impl<L: Lanes> Arc<L> {
    /// `a` where `mask` is true, else `b`.
    #[inline(always)]
    pub fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        Self {
            from: [L::select(mask, a.from[0], b.from[0]), L::select(mask, a.from[1], b.from[1])],
            way: L::select(mask, a.way, b.way),
            width: L::select(mask, a.width, b.width),
            start: L::select(mask, a.start, b.start),
            falls: (mask & a.falls) | (!mask & b.falls),
        }
    }
}

/// The bottom of the valley, and whether there is one.
#[inline(always)]
pub fn descend<L: Lanes, C: Curve<L>>(curve: &C, arc: &Arc<L>, steps: u32) -> ([L; 2], L::Mask) {
    let zero = L::zero();
    let half = L::constant(0.5);
    let (mut low, mut high) = (zero, arc.width);
    let mut at = arc.start;
    let mut direction = turned(arc.from, at * arc.way);
    let mut falls = arc.falls;
    for _ in 0..steps {
        let [slope, curvature] = curve.slope(direction[0], direction[1]);
        let slope = slope * arc.way;
        let left = slope.le(zero);
        // A rise that levels off may yet turn into a fall further on.
        let lower = left | (!falls & curvature.lt(zero));
        falls = falls | left;
        low = L::select(lower, at, low);
        high = L::select(lower, high, at);
        let newton = at - slope / curvature;
        let inside = falls & newton.ge(low) & newton.le(high);
        let next = L::select(inside, newton, half * (low + high));
        direction = turned(direction, (next - at) * arc.way);
        at = next;
    }
    (direction, falls)
}
