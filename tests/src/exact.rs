//! Answers by exact arithmetic, which tables are checked against where both cores are polytopes.
//!
//! Every number of a scene is a dyadic fraction, and the entries of a rotation matrix are fractions of its quaternion's
//! components, so the corners of a placed box or hull are fractions too; over a common denominator they are integers
//! (`place`). Then nothing is rounded before the last square root. Apart: GJK over integers ends at a point `v` of A -
//! B with `v.w >= v.v` for every corner `w`, which is the proof (`nearest`). Overlapping: the least of the depths along
//! all face normals and all cross products of edges, among which the least must be (`depth`).
//!
//! In the plane sine and cosine are irrational: there the numbers are exact to about 75 digits.

mod depth;
mod nearest;
mod place;

use jostle_scene::Scene;
use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

use crate::place::{Ground, V, along, radius};
use depth::least_depth;
use nearest::nearest;
use place::placed;

/// An integer of any size.
type Z = BigInt;
/// A fraction of such.
type Q = BigRational;
/// A point or direction over the pair's common denominator.
type P = [Z; 3];

/// The exact answer for a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// Signed distance: the true one, rounded once.
    pub distance: f64,
    /// Unit vector from `a` to `b`; one of many unless [`Exact::unique`] says otherwise.
    pub normal: V,
    /// A witness point on `a`, world frame; one of many where faces or edges are parallel.
    pub witness_a: V,
    /// The one on `b`.
    pub witness_b: V,
    /// True where every other direction is worse by more than a hundredth.
    pub unique: bool,
}

fn dot(a: &P, b: &P) -> Z {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}
fn sub(a: &P, b: &P) -> P {
    core::array::from_fn(|k| &a[k] - &b[k])
}
fn cross(a: &P, b: &P) -> P {
    [&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]]
}
fn scaled(a: &P, factor: &Z) -> P {
    a.each_ref().map(|x| x * factor)
}
fn is_zero(a: &P) -> bool {
    a.iter().all(|x| x.sign() == Sign::NoSign)
}
fn float(x: &Q) -> f64 {
    x.to_f64().expect("a finite fraction")
}
/// The largest component's size.
fn largest<'p>(points: impl IntoIterator<Item = &'p P>) -> Z {
    points.into_iter().flatten().map(Signed::abs).max().unwrap_or_default()
}

/// The square root, to 600 bits of the square.
fn root(x: &Q) -> Q {
    const BITS: usize = 600;
    // Brought to between 1/4 and 1 first, so that small numbers keep their digits.
    let shift = x.denom().bits().saturating_sub(x.numer().bits()) / 2 * 2;
    let whole: Z = (x.numer() << (BITS + shift as usize)) / x.denom();
    Q::new(whole.sqrt(), Z::from(1) << (BITS / 2 + shift as usize / 2))
}

/// The length of `v / over`.
fn length(v: &P, over: &Q) -> Q {
    root(&(Q::from(dot(v, v)) / (over * over)))
}

/// The direction of `n`.
fn unit(n: &P) -> V {
    let squared = dot(n, n);
    core::array::from_fn(|k| {
        let part = float(&root(&Q::new(&n[k] * &n[k], squared.clone())));
        if n[k].sign() == Sign::Minus { -part } else { part }
    })
}

/// The answer for two bodies of a scene; none where a core is curved, or where both are straight and meet.
///
/// # Panics
/// If there is no such body.
pub fn exact<S: Ground>(scene: &Scene<S>, [a, b]: [u32; 2]) -> Option<Exact> {
    let bodies = [a, b].map(|i| scene.bodies.get(i as usize));
    let [(spec_a, body_a), (spec_b, body_b)] = bodies.each_ref().map(|b| (&scene.shapes[b.shape as usize], b));
    let (a, mut b, mut whole) = placed::<S>([(spec_a, body_a), (spec_b, body_b)])?;
    let mut a = a;
    let mut found = nearest(&a, &b);
    let radii = [radius(spec_a), radius(spec_b)];
    let mut distance = length(&found.v, &(&whole * Q::from(found.over.clone())));
    let (mut normal, mut unique) = (found.v.each_ref().map(|x| -x), true);
    if is_zero(&found.v) {
        let least = least_depth::<S>(&a, &b)?;
        let squared = dot(&least.normal, &least.normal);
        distance = -(root(&Q::new(&least.height * &least.height, squared.clone())) / &whole);
        // After being moved along the normal until they touch, and then further, the two are nearest along it.
        let further = Q::new(largest(a.iter().chain(&b)), largest([&least.normal]));
        let push = Q::new(least.height, squared) + further;
        a = a.iter().map(|p| scaled(p, push.denom())).collect();
        b = b.iter().map(|p| scaled(p, push.denom())).collect();
        for p in &mut b {
            *p = core::array::from_fn(|k| &p[k] + &least.normal[k] * push.numer());
        }
        whole *= Q::from(push.denom().clone());
        found = nearest(&a, &b);
        (normal, unique) = (least.normal, least.unique);
    }
    for radius in radii {
        distance -= Q::from_float(radius).expect("lengths are finite");
    }
    let (distance, normal) = (float(&distance), unit(&normal));
    let on_core = found.a.map(|x| float(&(Q::new(x, found.over.clone()) / &whole)));
    let witness_a = along(on_core, radii[0], normal);
    Some(Exact { distance, normal, witness_a, witness_b: along(witness_a, distance, normal), unique })
}

#[cfg(test)]
mod tests {
    use jostle_scene::AnyScene;

    use super::*;
    use crate::{Table, cases, workspace};

    /// Exact arithmetic gives what was derived by hand.
    #[test]
    fn the_tables_of_the_literature() {
        let mut found = 0;
        for case in cases(&workspace().join("data"), Table::Exact) {
            for expected in &case.expected {
                let pair = [expected.a, expected.b];
                let answer = match &case.scene {
                    AnyScene::Plane(scene) => exact(scene, pair),
                    AnyScene::Space(scene) => exact(scene, pair),
                };
                let Some(answer) = answer else { continue };
                let off = (answer.distance - expected.distance).abs();
                assert!(off <= 1e-15, "{} {pair:?}: {answer:?}, {expected:?}", case.name);
                if answer.unique {
                    let turned = crate::dot(answer.normal, expected.normal);
                    assert!(turned > 1.0 - 1e-12, "{} {pair:?}: {answer:?}, {expected:?}", case.name);
                }
                found += 1;
            }
        }
        assert!(found >= 40, "{found} rows");
    }
}
