//! Casts through scenes in which some bodies move otherwise than most: none is missed, however fast it is.

use jostle::{D2, D3, Motion, SceneIndex};
use jostle_tests::{Ground, Layout, Random, hit_bits};

use super::{by_force, moving};

/// How the bodies of a scene move.
#[derive(Clone, Copy, Debug)]
enum Traffic {
    /// All with the same velocity.
    Stream,
    /// Two streams that meet.
    Streams,
    /// Most slow, some fast, a few very fast.
    Runners,
    /// Most at rest.
    Resting,
    /// With differences smaller than a step of an `f32`.
    Slow,
}

impl Traffic {
    const ALL: [Self; 5] = [Self::Stream, Self::Streams, Self::Runners, Self::Resting, Self::Slow];

    fn velocity<S: Ground>(self, random: &mut Random) -> S::Array<f64> {
        let way = S::array(|_| random.range(-1.0, 1.0));
        let along = |speed: f64| S::array(|k| if k == 0 { speed } else { 0.0 });
        match self {
            Self::Stream => along(7.0),
            Self::Streams => along(if random.chance(0.5) { 4.0 } else { -4.0 }),
            Self::Runners => {
                let factor =
                    if random.chance(0.01) { 1e5 } else { 1.0 + 30.0 * f64::from(u8::from(random.chance(0.05))) };
                S::array(|k| factor * way[k])
            }
            Self::Resting => S::array(|k| if random.chance(0.1) { 9.0 * way[k] } else { 0.0 }),
            Self::Slow => S::array(|k| 1.0 + 1e-9 * way[k]),
        }
    }
}

fn no_hit_is_missed<S: Ground>(seed: u64) {
    let mut random = Random::new(seed);
    let mut met = 0;
    for layout in Layout::ALL {
        for (asking, scene) in [(40, 12), (60, 300), (25, 5000)] {
            let asking = layout.draw::<S>(asking, &mut random);
            let still = layout.draw::<S>(scene, &mut random);
            let mut index = SceneIndex::<S>::new(&still.columns()).expect("good");
            for traffic in Traffic::ALL {
                let scene = moving(&still, || traffic.velocity::<S>(&mut random));
                index.update(&scene.columns()).expect("good");
                // The bodies that are cast are at rest, move with the others or across their way.
                for speed in [0.0, 1.0, 40.0] {
                    let asking = moving(&asking, || {
                        let with = traffic.velocity::<S>(&mut random);
                        S::array(|k| speed * random.range(-1.0, 1.0) + if speed == 1.0 { with[k] } else { 0.0 })
                    });
                    let motion = Motion::lasting(random.pick(&[0.0, 1e-3, 0.5, 3.0, 1e7]));
                    let mut hits = Vec::new();
                    index.cast(&asking.columns(), motion, &mut hits).expect("good");
                    let expected = by_force(&asking, &scene, motion);
                    assert!(hit_bits(&hits) == hit_bits(&expected), "{layout:?} {traffic:?} {motion:?}");
                    met += hits.iter().flatten().filter(|hit| hit.time > 0.0).count();
                }
            }
        }
    }
    assert!(met > 400, "{met}");
}

#[test]
fn no_hit_is_missed_in_any_traffic() {
    no_hit_is_missed::<D2>(31);
    no_hit_is_missed::<D3>(32);
}
