//! The corners of two placed cores, as integers over one denominator.

use jostle::Body;
use jostle_scene::ShapeSpec;
use num_traits::{One, Zero};

use super::{P, Q, Z};
use crate::place::{Ground, corners};

/// Bits after the point of sine and cosine.
const BITS: usize = 256;

fn exactly(x: f64) -> Q {
    Q::from_float(x).expect("scenes hold finite numbers")
}

/// Sine and cosine of an angle by their series, each term truncated to `BITS` bits after the point.
fn sine_and_cosine(angle: f64) -> [Q; 2] {
    let one: Z = Z::one() << BITS;
    let x = (exactly(angle) * Q::from(one.clone())).to_integer();
    let (mut term, mut sums) = (one.clone(), [Z::zero(), one.clone()]);
    for n in 1_u32.. {
        term = &term * &x / (&one * n);
        if term.is_zero() {
            break;
        }
        // Signs go + + - - over the powers from 0; cosine takes the even ones, sine the odd.
        let sum = &mut sums[usize::from(n % 2 == 0)];
        if n % 4 < 2 { *sum += &term } else { *sum -= &term }
    }
    sums.map(|sum| Q::new(sum, one.clone()))
}

/// The rotation matrix, by rows.
fn matrix(rotation: &[f64]) -> [[Q; 3]; 3] {
    let (zero, one) = (Q::zero, Q::one);
    if let [angle] = *rotation {
        let [s, c] = sine_and_cosine(angle);
        return [[c.clone(), -s.clone(), zero()], [s, c, zero()], [zero(), zero(), one()]];
    }
    let [x, y, z, w] = [0, 1, 2, 3].map(|i| exactly(rotation[i]));
    // Divided by its squared norm, exactly: only quaternions of unit length are rotations.
    let two_over = (one() + one()) / (&x * &x + &y * &y + &z * &z + &w * &w);
    let times = |p: &Q, q: &Q| p * q * &two_over;
    [
        [one() - times(&y, &y) - times(&z, &z), times(&x, &y) - times(&z, &w), times(&x, &z) + times(&y, &w)],
        [times(&x, &y) + times(&z, &w), one() - times(&x, &x) - times(&z, &z), times(&y, &z) - times(&x, &w)],
        [times(&x, &z) - times(&y, &w), times(&y, &z) + times(&x, &w), one() - times(&x, &x) - times(&y, &y)],
    ]
}

/// The corners of both cores in the world as integers, and the factor that makes them so; none where a core is curved.
pub(super) fn placed<S: Ground>(bodies: [(&ShapeSpec<S>, &Body<S>); 2]) -> Option<(Vec<P>, Vec<P>, Q)> {
    let mut fractions: [Vec<[Q; 3]>; 2] = Default::default();
    for ((spec, body), out) in bodies.into_iter().zip(&mut fractions) {
        let (m, at) = (matrix(body.rotation.as_ref()), S::wide(body.position).map(exactly));
        for corner in corners(spec)? {
            let p = corner.map(exactly);
            let turned = |k: usize| &m[k][0] * &p[0] + &m[k][1] * &p[1] + &m[k][2] * &p[2] + &at[k];
            let placed = [0, 1, 2].map(turned);
            if !out.contains(&placed) {
                out.push(placed);
            }
        }
    }
    let common = |all: Z, x: &Q| num_integer::lcm(all, x.denom().clone());
    let whole = fractions.iter().flatten().flatten().fold(Z::one(), common);
    let [a, b] = fractions.map(|points| {
        points.iter().map(|p| p.each_ref().map(|x| x.numer() * (&whole / x.denom()))).collect::<Vec<P>>()
    });
    Some((a, b, Q::from(whole)))
}

#[cfg(test)]
mod tests {
    use num_traits::ToPrimitive;

    use super::*;

    #[test]
    fn series_agree_with_libm() {
        for angle in [0.0, 1e-300, 0.5, -1.5, core::f64::consts::FRAC_PI_2, 3.0, -40.0, 100.25] {
            let [s, c] = sine_and_cosine(angle).map(|x| x.to_f64().expect("small"));
            let (sine, cosine) = libm::sincos(angle);
            assert!((s - sine).abs() < 2e-16 && (c - cosine).abs() < 2e-16, "{angle}: {s} {sine} {c} {cosine}");
        }
    }
}
