//! Properties that hold for any two convex bodies, tested on pairs of every kind in every condition. Seeds are fixed,
//! so that a run is the same everywhere; the soak program draws any number.

use jostle::{Bodies, D2, D3, Precision, Proximity, Status};
use jostle_scene::ShapeSpec;
use jostle_tests::{
    Condition, Drawn, Ground, Kind, Posed, Random, V, allowed, bits, draw_pair, draw_pool, full, length, scaled,
    tolerance,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Two placed shapes, and the condition they were drawn for.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "the condition is printed in failures")]
struct Two<S: Ground> {
    condition: Condition,
    specs: [ShapeSpec<S>; 2],
    rotations: [S::Rotation<f64>; 2],
    positions: [V; 2],
}

/// A pair of every kind, condition, proportion, size (1e-6 to 1e6) and ratio (to 1e4).
fn draw<S: Ground>(seed: u64, far: f64) -> Two<S> {
    let mut random = Random::new(seed);
    let size = random.log(1e-4, 1e4);
    let kinds: [Kind; 2] = [random.pick(S::KINDS), random.pick(S::KINDS)];
    let pool = draw_pool::<S>(&kinds, 2, size, &mut random);
    let condition = random.pick(&Condition::ALL);
    let Drawn { shapes, rotations, positions, .. } = draw_pair(&pool, condition, far, &mut random);
    Two { condition, specs: shapes.map(|i| pool[i].2.clone()), rotations, positions }
}

impl<S: Ground> Two<S> {
    fn bodies(&self) -> Bodies<S> {
        let mut bodies = Bodies::new();
        for i in 0..2 {
            let shape = self.specs[i].shape().expect("drawn shapes are valid");
            let shape = bodies.add_shape(shape).expect("two shapes");
            let posed = Posed { spec: &self.specs[i], rotation: self.rotations[i], position: self.positions[i] };
            bodies.push(posed.body(shape)).expect("drawn bodies are valid");
        }
        bodies
    }
    fn ask<T: Precision>(&self) -> Proximity<S, T> {
        self.pair([0, 1])
    }
    fn pair<T: Precision>(&self, pair: [u32; 2]) -> Proximity<S, T> {
        let rows = jostle::distance(&self.bodies().columns(), &[pair]).expect("both bodies exist");
        rows[0]
    }
    fn allowed<T: Precision>(&self, row: &Proximity<S, T>) -> f64 {
        allowed(&self.bodies().columns(), row)
    }
}

type Checked = Result<(), TestCaseError>;

/// Checks that two answers to the same question differ by no more than their tolerances.
fn agree<S: Ground, T: Precision>(two: &Two<S>, x: &Proximity<S, T>, y: &Proximity<S, T>, more: f64) -> Checked {
    let (d, e) = (x.distance.to_f64(), y.distance.to_f64());
    // A depth may be a hundredth more than the least.
    let room = two.allowed(x) + two.allowed(y) + more + 0.01 * (-d.min(e)).max(0.0);
    prop_assert!((d - e).abs() <= room, "{d} and {e} differ by more than {room:e}: {two:?}");
    Ok(())
}

/// The same pair in the other order.
fn swap<S: Ground, T: Precision>(two: &Two<S>, _: u64) -> Checked {
    let (there, back) = (two.ask::<T>(), two.pair::<T>([1, 0]));
    agree(two, &there, &back, 0.0)?;
    prop_assert_eq!([back.a, back.b], [1, 0]);
    // Between bodies that are apart the normal is unique: it is as exact as the distances allow.
    let distance = there.distance.to_f64();
    if distance > 0.0 {
        let off = V::from(core::array::from_fn(|k| {
            let n = |row: &Proximity<S, T>| row.normal.as_ref().get(k).map_or(0.0, |x| x.to_f64());
            n(&there) + n(&back)
        }));
        let room = (16.0 * (two.allowed(&there) + two.allowed(&back)) / distance).sqrt();
        prop_assert!(length(off) <= room.max(1e-5), "normals {:?} and {:?}: {two:?}", there.normal, back.normal);
    }
    // For deep overlaps the other order may find another normal, which must be right as well.
    let held = full(&two.bodies().columns(), &back, &tolerance(&back));
    prop_assert!(held.is_ok(), "{held:?}: {two:?}");
    Ok(())
}

/// Both bodies turned and moved together.
fn rigid<S: Ground, T: Precision>(two: &Two<S>, seed: u64) -> Checked {
    let mut random = Random::new(seed ^ 0xabcd);
    let by = S::any_rotation(&mut random);
    let before = two.ask::<T>();
    let size = length(two.positions[1]) + two.allowed(&before) / 1e-10;
    let shift = S::direction(&mut random).map(|x| x * size.min(1e6));
    let mut moved = two.clone();
    for i in 0..2 {
        moved.rotations[i] = S::turned(two.rotations[i], by);
        let turned = S::rotate(by, two.positions[i]);
        moved.positions[i] = core::array::from_fn(|k| turned[k] + shift[k]);
    }
    // The rounding of turning and moving the positions.
    let rounded = 1e-14 * (size.min(1e6) + length(two.positions[0]) + length(two.positions[1]));
    agree(two, &before, &moved.ask::<T>(), rounded)
}

/// All lengths times a power of two: the same bits.
fn scale<S: Ground, T: Precision>(two: &Two<S>, seed: u64) -> Checked {
    let exponent = Random::new(seed ^ 0x5a).below(41) as i32 - 20;
    let factor = libm::ldexp(1.0, exponent);
    let mut large = two.clone();
    large.specs = core::array::from_fn(|i| scaled(&two.specs[i], factor));
    large.positions = two.positions.map(|p| p.map(|x| x * factor));
    let (before, mut after) = (two.ask::<T>(), large.ask::<T>());
    let back = |x: T| T::from_f64(x.to_f64() / factor);
    (after.distance, after.lower, after.upper) = (back(after.distance), back(after.lower), back(after.upper));
    after.witness_a = S::array(|k| after.witness_a[k] / factor);
    after.witness_b = S::array(|k| after.witness_b[k] / factor);
    prop_assert_eq!(bits(&before), bits(&after), "{:?} and {:?}: {:?}", before, after, two);
    Ok(())
}

/// Both bodies moved far away.
fn translate<S: Ground, T: Precision>(two: &Two<S>, seed: u64) -> Checked {
    let mut random = Random::new(seed ^ 0x1234);
    let shift = S::direction(&mut random).map(|x| x * 1e7);
    let mut moved = two.clone();
    moved.positions = two.positions.map(|p| core::array::from_fn(|k| p[k] + shift[k]));
    // How far rounding moves the bodies relative to each other, exactly.
    let between = |two: &Two<S>| V::from(core::array::from_fn(|k| two.positions[1][k] - two.positions[0][k]));
    let (before, after) = (between(two), between(&moved));
    let rounded = length(core::array::from_fn(|k| after[k] - before[k]));
    // The centre of a hull that is not at its own origin is rounded too.
    agree(two, &two.ask::<T>(), &moved.ask::<T>(), rounded + 1e-15 * 1e7)
}

/// Moving `b` by x changes the distance by at most |x|.
fn step<S: Ground, T: Precision>(two: &Two<S>, seed: u64) -> Checked {
    let mut random = Random::new(seed ^ 0x77);
    let before = two.ask::<T>();
    let size = two.allowed(&before) / tolerance(&before).size;
    let far = size * random.log(1e-6, 1.0);
    let step = S::direction(&mut random).map(|x| x * far);
    let mut moved = two.clone();
    moved.positions[1] = core::array::from_fn(|k| two.positions[1][k] + step[k]);
    let gone = length(core::array::from_fn(|k| moved.positions[1][k] - two.positions[1][k]));
    let after = moved.ask::<T>();
    agree(two, &before, &after, gone)?;
    // The same for the bounds, which need no tolerance besides the rounding of the step.
    let room = gone + 1e-14 * (size + length(two.positions[0]));
    for (x, y) in [(&before, &after), (&after, &before)] {
        let (lower, upper) = (x.lower.to_f64(), y.upper.to_f64());
        prop_assert!(lower <= upper + room, "at least {lower}, then at most {upper}, {gone:e} further: {two:?}");
    }
    Ok(())
}

/// The distance is within its bounds, the status follows from them, and `jostle-verify` accepts the answer.
fn certified<S: Ground, T: Precision>(two: &Two<S>, _: u64) -> Checked {
    let row = two.ask::<T>();
    prop_assert!(row.lower <= row.distance && row.distance <= row.upper, "{row:?}: {two:?}");
    match row.status {
        Status::Separated => prop_assert!(row.lower.to_f64() > 0.0, "{row:?}"),
        Status::Overlapping => prop_assert!(row.upper.to_f64() < 0.0, "{row:?}"),
        Status::Touching => prop_assert!(row.lower.to_f64() <= 0.0 && row.upper.to_f64() >= 0.0, "{row:?}"),
        Status::Unconverged => {}
    }
    let held = full(&two.bodies().columns(), &row, &tolerance(&row));
    prop_assert!(held.is_ok(), "{held:?}\n{row:?}\n{two:?}");
    Ok(())
}

fn fixed(cases: u32, seed: u64) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_iters: 0,
        ..ProptestConfig::default()
    }
}

/// Four tests of one property: plane and space, single and double.
macro_rules! property {
    ($name:ident, $check:ident, $cases:expr) => {
        mod $name {
            use super::*;
            proptest! {
                #![proptest_config(fixed($cases, 7))]
                #[test]
                fn plane_single(seed in any::<u64>()) {
                    $check::<D2, f32>(&draw(seed, 1e3), seed)?;
                }
                #[test]
                fn plane_double(seed in any::<u64>()) {
                    $check::<D2, f64>(&draw(seed, 1e3), seed)?;
                }
                #[test]
                fn space_single(seed in any::<u64>()) {
                    $check::<D3, f32>(&draw(seed, 1e3), seed)?;
                }
                #[test]
                fn space_double(seed in any::<u64>()) {
                    $check::<D3, f64>(&draw(seed, 1e3), seed)?;
                }
            }
        }
    };
}

property!(swapping_bodies_turns_the_answer_round, swap, 400);
property!(moving_both_bodies_changes_nothing, rigid, 1000);
property!(scaling_by_a_power_of_two_scales_every_bit, scale, 1000);
property!(far_from_the_origin_nothing_is_lost, translate, 1000);
property!(moving_one_body_by_x_changes_the_distance_by_at_most_x, step, 1000);
property!(answers_carry_their_proof, certified, 600);
