//! How much rounding a pair's numbers may hold: the one place that says what "too near to tell" means.
//!
//! Everything is measured against the pair's *magnitude*: the offset between the two core centres (its largest
//! component) plus both reaches. No coordinate that a kernel forms is larger by more than a small factor, so each of
//! its roundings is at most a few times magnitude * unit round-off. What adds up: converting rotation, extents and
//! offset (the rotation's matrix: 6 round-offs an entry), turning a support point (4), the difference of two (2), a
//! scalar product with a unit vector (4), its normalisation (3). [`FORWARD`] is that sum with room to spare; the tests
//! hold it against `f64`.

use jostle_lanes::{Lanes, Scalar};

/// Round-offs of magnitude that a computed bound may be wrong by.
pub const FORWARD: f64 = 24.0;
/// Round-offs of magnitude that GJK's bounds may stay apart: closer is noise.
pub const CONVERGED: f64 = 8.0;
/// Round-offs of magnitude within which two numbers of a pair agree: the bounds of its distance, a depth and what
/// proves it, a point and the surface that it is to be on. Where bounds do not, the pair is handed to `f64`.
pub const AGREE: f64 = 24.0;
/// Round-offs of magnitude between two cores below which their normal is too uncertain, and `f64` decides. Also how
/// high a face has to be for its normal to be as certain.
pub const NORMAL: f64 = 2.4e4;
/// The same where the normal is that of a face: what is left is that their points may be beside the face, by rounding.
/// (With [`NORMAL`] six times as many pairs that are about to touch were solved twice.) The lanes of `f64` trust such a
/// normal as far as the bounds show.
pub const FACE_NORMAL: f64 = 4e3;
/// Round-offs of magnitude that witness points may be off their bodies and still show how far apart these are.
pub const OFF: f64 = 192.0;
/// Part of a distance that its bounds may be apart where the type of the answer cannot tell: the normal may be off by
/// the root of twice that.
pub const UNTOLD: f64 = 1e-6;

/// Room for rounding where balls about two bodies tell that these are too far apart, as a share of their sizes and the
/// limit: ten times what a distance may be wrong by.
///
/// ```
/// let (radii, limit, between) = (1.0 + 2.0, 0.5, 3.6);
/// assert!(between > (radii + limit) * (1.0 + jostle_narrowphase::BALL_ROUNDING));
/// ```
pub const BALL_ROUNDING: f64 = 3e-5;

/// Share of the magnitude within which bounds that leave the sign open, also in `f64`, are called touching.
pub const TOUCHING_SHARE: f64 = 1e-9;
/// Share of the magnitude below which a depth of round cores needs no proof to be called touching: what they share is
/// so small that no ball is found in it that would show it.
pub const NEARLY: f64 = 1e-11;
/// Where GJK ends undecided on points that are closer to each other than this share of the magnitude, a search for the
/// depth is tried, if it tells what its own points are worth. (The middle of GJK's last chord of something round, 1e-3
/// long, is 1e-7 inside.)
pub const NEARNESS: f64 = 1e-6;

/// True where so little is lost to rounding that bounds on both sides of zero can show that bodies touch: there is
/// nothing more to know. `f32` has to ask `f64`.
pub const fn tells_touching<T: Scalar>() -> bool {
    const { assert!(2.0 * (FORWARD + AGREE) * 0.5 * f64::EPSILON <= TOUCHING_SHARE) }
    const { assert!(2.0 * (FORWARD + AGREE) * 0.5 * f32::EPSILON as f64 > TOUCHING_SHARE) }
    T::DOUBLE
}

/// `factor` round-offs of `magnitude`.
#[inline(always)]
pub fn noise<L: Lanes>(factor: f64, magnitude: L) -> L {
    magnitude * L::constant(factor * L::Scalar::UNIT_ROUNDOFF.to_f64())
}

/// The distance of a pair whose bounds leave its sign open (`touching`): zero if it is nothing but rounding. Otherwise
/// it would be a matter of chance whether bodies that touch are within a margin of zero.
#[inline(always)]
pub fn without_rounding<L: Lanes>(distance: L, touching: L::Mask, magnitude: L) -> L {
    L::select(touching & distance.abs().le(noise(FORWARD + AGREE, magnitude)), L::zero(), distance)
}
