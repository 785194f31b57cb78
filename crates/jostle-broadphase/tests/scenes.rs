//! Seeded scenes, each made to break something, against brute force, in the plane and in space.

mod support;

use jostle_broadphase::{Bounds, ColumnSweep};
use jostle_lanes::{D2, D3, Space};
use support::{Random, around, boxes, check, put_into_layers};

/// The same number along every axis.
fn all<S: Space>(value: f32) -> S::Array<f32> {
    S::array(|_| value)
}

/// A point in a cube that starts at the origin.
fn within<S: Space>(r: &mut Random, edge: f32) -> S::Array<f32> {
    S::array(|_| r.unit() * edge)
}

/// Unit boxes with about `partners` neighbours each.
fn uniform<S: Space>(r: &mut Random, len: usize, partners: f32) -> Bounds<S> {
    let volume = len as f32 * 2_f32.powi(S::DIMENSION as i32) / partners;
    let edge = volume.powf(1.0 / S::DIMENSION as f32);
    around(len, |_| (within::<S>(r, edge), all::<S>(0.5)))
}

fn uniforms<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    // Up to 127 are one cell.
    let mut scenes: Vec<_> = (0..70).chain(126..130).map(|len| uniform(r, len, 3.0)).collect();
    for len in [100, 500, 1000, 3000] {
        scenes.extend([0.01, 1.0, 6.0, 60.0].map(|partners| uniform(r, len, partners)));
    }
    scenes
}

fn one_place<S: Space>(_: &mut Random) -> Vec<Bounds<S>> {
    let mut scenes: Vec<_> =
        [1, 2, 17, 47, 48, 49, 2000].map(|len| boxes(len, |_| (all::<S>(0.0), all::<S>(0.0)))).into();
    scenes.push(boxes(1000, |_| (all::<S>(-1.0), all::<S>(1.0))));
    scenes
}

fn points<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    vec![
        around(2000, |_| (S::array(|_| (r.unit() * 12.0).floor()), all::<S>(0.0))),
        around(2000, |_| (within::<S>(r, 12.0), all::<S>(0.0))),
    ]
}

fn lattices<S: Space>(_: &mut Random) -> Vec<Bounds<S>> {
    let side: usize = if S::DIMENSION == 3 { 13 } else { 45 };
    [(0.0, 1.0), (-7.5, 0.5), (1e6, 1.0), (0.0, 1e-30), (-3.0, 1e-42)]
        .map(|(low, edge)| {
            boxes(side.pow(S::DIMENSION as u32), |i| {
                let cell = |k: usize| (i / side.pow(k as u32) % side) as f32;
                (S::array(|k| low + edge * cell(k)), S::array(|k| low + edge * (cell(k) + 1.0)))
            })
        })
        .into()
}

fn outliers<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let mut bounds = uniform::<S>(r, 2000, 6.0);
    bounds.set(77, all::<S>(1e9), all::<S>(1.1e9));
    bounds.set(78, all::<S>(-1e38), all::<S>(-1e38));
    bounds.set(79, all::<S>(f32::MAX), all::<S>(f32::MAX));
    bounds.set(80, all::<S>(f32::MIN), all::<S>(f32::MIN));
    vec![bounds]
}

fn infinite<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let (below, above) = (all::<S>(f32::NEG_INFINITY), all::<S>(f32::INFINITY));
    let mut bounds = uniform::<S>(r, 1500, 6.0);
    bounds.set(3, below, above);
    bounds.set(900, below, above);
    bounds.set(901, below, all::<S>(3.0));
    bounds.set(902, all::<S>(3.0), above);
    bounds.set(903, above, above);
    bounds.set(904, below, below);
    bounds.set(905, all::<S>(f32::MIN), all::<S>(f32::MAX));
    let slabs = boxes(600, |i| {
        let (mut lower, mut upper) = (below, above);
        let axis = i % S::DIMENSION;
        (lower[axis], upper[axis]) = (i as f32 * 0.3, i as f32 * 0.3 + 1.0);
        (lower, upper)
    });
    vec![bounds, slabs, boxes(300, |_| (below, above)), boxes(300, |_| (above, above)), boxes(300, |_| (below, below))]
}

fn negative_zeros<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    vec![boxes(600, |i| {
        let zero = S::array(|_| if r.unit() < 0.5 { -0.0 } else { 0.0 });
        let far = 1.0 + (i % 40) as f32;
        if i % 2 == 0 { (all::<S>(-far), zero) } else { (zero, all::<S>(far)) }
    })]
}

fn floors<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let mut bounds = uniform::<S>(r, 2500, 6.0);
    let (mut lower, mut upper) = (all::<S>(-1e3), all::<S>(1e3));
    (lower[1], upper[1]) = (-1.0, 0.2);
    bounds.set(5, lower, upper);
    (0..40).for_each(|i| bounds.set(100 + i, all::<S>(1.0), all::<S>(4.0 + i as f32)));
    vec![bounds]
}

fn sizes<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let mut scenes = Vec::new();
    for sigma in [0.5, 1.0, 2.0] {
        let edge = if S::DIMENSION == 3 { 16.0 } else { 60.0 };
        scenes.push(around(2000, |_| {
            let half = 0.3 * (sigma * r.normal()).exp();
            (within::<S>(r, edge), all::<S>(half))
        }));
    }
    scenes.push(around(2000, |_| {
        let half = 10_f32.powf(r.between(-3.0, 2.0));
        (within::<S>(r, 600.0), all::<S>(half))
    }));
    scenes
}

fn rods<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let mut scenes = Vec::new();
    for way in 0..4 {
        scenes.push(around(1500, |_| {
            let mut half = all::<S>(0.5);
            let axis = if way < 3 { way } else { r.word() as usize };
            half[axis % S::DIMENSION] = 25.0;
            (within::<S>(r, 60.0), half)
        }));
    }
    scenes.push(around(1500, |_| (within::<S>(r, 60.0), S::array(|_| 0.5 + 12.0 * r.unit()))));
    scenes
}

fn lines_and_planes<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let mut scenes = Vec::new();
    for axis in 0..S::DIMENSION {
        scenes.push(around(2000, |_| {
            let mut centre = within::<S>(r, 0.2);
            centre[axis] = r.unit() * 700.0;
            (centre, all::<S>(0.5))
        }));
        scenes.push(around(2000, |_| {
            let mut centre = within::<S>(r, 60.0);
            centre[axis] = 0.0;
            (centre, all::<S>(0.5))
        }));
    }
    scenes
}

fn clusters<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let centres: Vec<S::Array<f32>> = (0..8).map(|_| S::array(|_| r.between(-1e3, 1e3))).collect();
    vec![around(2500, |i| (S::array(|k| centres[i % 8][k] + 2.5 * r.normal()), all::<S>(0.25)))]
}

/// Enough bodies to be built by several tasks, or to be dealt out to several regions, with what straddles or covers
/// them.
fn regions<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let mut mixed = uniform::<S>(r, 40_000, 0.7);
    for i in 0..40 {
        let (lower, _) = mixed.get(900 * i);
        mixed.set(900 * i, lower, S::array(|k| lower[k] + 3.0 * i as f32));
    }
    mixed.set(7, all::<S>(f32::NEG_INFINITY), all::<S>(f32::INFINITY));
    let line = around(40_000, |i| {
        let mut centre = within::<S>(r, 0.2);
        centre[S::DIMENSION - 1] = i as f32 * 0.7;
        (centre, all::<S>(0.5))
    });
    let side: usize = if S::DIMENSION == 3 { 29 } else { 150 };
    let lattice = boxes(side.pow(S::DIMENSION as u32), |i| {
        let cell = |k: usize| (i / side.pow(k as u32) % side) as f32;
        (S::array(cell), S::array(|k| cell(k) + 1.0))
    });
    vec![mixed, line, lattice]
}

/// The boxes of rods in random directions; and thousands of static walls about a few bodies.
fn rods_and_walls<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let ways = around(2500, |_| {
        let way: S::Array<f32> = S::array(|_| r.normal());
        let length = (0..S::DIMENSION).map(|k| way[k] * way[k]).sum::<f32>().sqrt().max(1e-3);
        (within::<S>(r, 80.0), S::array(|k| 0.5 + 25.0 * (way[k] / length).abs()))
    });
    let walls = boxes(3000, |i| {
        let (mut lower, mut upper) = (all::<S>(0.0), all::<S>(100.0));
        if i % 100 == 0 {
            lower = within::<S>(r, 99.0);
            upper = S::array(|k| lower[k] + 1.0);
        } else {
            let axis = i % S::DIMENSION;
            (lower[axis], upper[axis]) = (i as f32 * 0.03, i as f32 * 0.03 + 0.01);
        }
        (lower, upper)
    });
    vec![ways, walls]
}

/// Crowds among regions that are not crowded, and crowded regions alone.
fn crowds<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let mut spots = uniform::<S>(r, 36_000, 0.5);
    for i in 0..4000 {
        let (spot, reach) = if i % 2 == 0 { (20.0, 0.001) } else { (5.0, 0.3) };
        let centre = S::array(|_| spot + reach * r.unit());
        spots.set(9 * i, centre, S::array(|k| centre[k] + reach * r.unit()));
    }
    vec![spots, around(3500, |_| (within::<S>(r, 0.5), all::<S>(0.3)))]
}

/// Boxes that no grid of equal cells fits, with what straddles or covers the cuts between them: heaps far apart, a few
/// boxes around a crowd, a line across space.
fn uneven<S: Space>(r: &mut Random) -> Vec<Bounds<S>> {
    let mut scenes: Vec<Bounds<S>> = Vec::new();
    for len in [4000, 40_000] {
        let edge = (len as f32 / 3.0).powf(1.0 / S::DIMENSION as f32);
        let heaps: Bounds<S> = around(len, |i| {
            let heap = 1e6 * (i % 3) as f32;
            (S::array(|k| r.unit() * edge + if k == i % 2 { heap } else { 0.0 }), all::<S>(0.5))
        });
        let crowd: Bounds<S> = around(len, |i| {
            let width = if i % 10 == 0 { 1e3 * edge } else { edge };
            (S::array(|_| width * (r.unit() - 0.5)), all::<S>(0.5))
        });
        let line: Bounds<S> = around(len, |i| {
            let along = 0.4 * i as f32;
            (S::array(|_| along + r.unit()), all::<S>(0.5))
        });
        for mut bounds in [heaps, crowd, line] {
            for i in 0..30 {
                let (lower, upper) = bounds.get(70 * i);
                bounds.set(70 * i, lower, S::array(|k| upper[k] + 10_f32.powi(i as i32 / 5)));
            }
            bounds.set(9, all::<S>(f32::NEG_INFINITY), all::<S>(f32::INFINITY));
            scenes.push(bounds);
        }
    }
    scenes
}

macro_rules! in_both_spaces {
    ($($scene:ident)+) => {
        mod plane {
            $(#[test] fn $scene() {
                super::run::<super::D2>(stringify!($scene), super::$scene);
            })+
        }
        mod space {
            $(#[test] fn $scene() {
                super::run::<super::D3>(stringify!($scene), super::$scene);
            })+
        }
    };
}

fn run<S: Space>(name: &str, scene: fn(&mut Random) -> Vec<Bounds<S>>) {
    for (k, bounds) in scene(&mut Random::new(7)).iter().enumerate() {
        check(&format!("{name} {k}"), bounds);
    }
}

in_both_spaces!(uniforms one_place points lattices outliers infinite negative_zeros floors sizes rods lines_and_planes
    clusters regions rods_and_walls crowds uneven);

#[test]
fn buffers_survive_changes_of_scene() {
    let mut sweep = ColumnSweep::<D3>::new();
    let mut r = Random::new(3);
    for len in [3000, 10, 0, 40_000, 1, 1500] {
        let mut bounds = uniform::<D3>(&mut r, len, 2.0);
        for layered in [false, true, false] {
            if layered {
                let _ = put_into_layers(&mut bounds, len as u64);
            } else {
                bounds.layers_mut().clear();
            }
            sweep.build(&bounds).expect("sound bounds");
            let mut fresh = ColumnSweep::new();
            fresh.build(&bounds).expect("sound bounds");
            assert_eq!(sweep.pairs(&|_, _| true, None), fresh.pairs(&|_, _| true, None), "{len} boxes");
        }
    }
}
