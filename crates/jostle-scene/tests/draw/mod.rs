//! Scenes drawn at random: every shape, body and pair that the format allows.

use jostle::Body;
use jostle_scene::{AnyScene, Scene, SceneSpace, ShapeSpec};
use proptest::collection::vec;
use proptest::prelude::*;

fn length() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.0..10.0f64, (-300..14i32, 0.1..1.0f64).prop_map(|(e, x)| x * 10f64.powi(e))]
}
fn coordinate() -> impl Strategy<Value = f64> {
    (length(), any::<bool>()).prop_map(|(x, minus)| if minus { -x } else { x })
}
fn array<S: SceneSpace>(number: impl Strategy<Value = f64>) -> impl Strategy<Value = S::Array<f64>> {
    vec(number, S::DIMENSION).prop_map(|values| S::array(|k| values[k]))
}

pub fn spec<S: SceneSpace>() -> impl Strategy<Value = ShapeSpec<S>> {
    let round = prop_oneof![
        (length(), length(), length()).prop_map(|(half_height, radius, rounding)| ShapeSpec::Cylinder {
            half_height,
            radius,
            rounding
        }),
        (length(), length(), length()).prop_map(|(half_height, radius, rounding)| ShapeSpec::Cone {
            half_height,
            radius,
            rounding
        }),
    ];
    prop_oneof![
        length().prop_map(|radius| ShapeSpec::Ball { radius }),
        (length(), length()).prop_map(|(half_length, radius)| ShapeSpec::Capsule { half_length, radius }),
        (array::<S>(length()), length()).prop_map(|(half_extents, rounding)| ShapeSpec::Box { half_extents, rounding }),
        (vec(array::<S>(coordinate()), 1..20), length())
            .prop_map(|(points, rounding)| ShapeSpec::Convex { points, rounding }),
        round.prop_map(|shape| if S::DIMENSION == 3 { shape } else { ShapeSpec::Ball { radius: 1.0 } }),
    ]
}

fn rotation<S: SceneSpace>() -> impl Strategy<Value = S::Rotation<f64>> {
    vec(-1.0..1.0f64, S::ROTATION_LEN).prop_map(|mut values| {
        if let [x, y, z, w] = &mut values[..] {
            let norm = (*x * *x + *y * *y + *z * *z + *w * *w).sqrt();
            if norm < 1e-3 {
                return S::identity_rotation();
            }
            for value in &mut values {
                *value /= norm;
            }
        }
        let mut rotation = S::identity_rotation();
        rotation.as_mut().copy_from_slice(&values);
        rotation
    })
}

fn body<S: SceneSpace>() -> impl Strategy<Value = Body<S>> {
    let bits = || prop_oneof![Just(u32::MAX), any::<u32>()];
    (
        any::<u32>(),
        array::<S>(coordinate()),
        prop::option::of(rotation::<S>()),
        prop::option::of(array::<S>(coordinate())),
        (bits(), bits(), any::<bool>(), prop::option::of(any::<u32>())),
    )
        .prop_map(|(shape, position, rotation, velocity, (group, mask, fixed, parent))| Body {
            rotation: rotation.unwrap_or(S::identity_rotation()),
            velocity: velocity.unwrap_or(S::array(|_| 0.0)),
            group,
            mask,
            fixed,
            parent,
            ..Body::new(shape, position)
        })
}

pub fn scene<S: SceneSpace>() -> impl Strategy<Value = AnyScene> {
    (
        vec(spec::<S>(), 1..6),
        vec(body::<S>(), 0..20),
        prop::option::of(vec(any::<(u32, u32)>(), 0..20)),
        prop::option::of(array::<S>(length())),
    )
        .prop_map(|(shapes, bodies, pairs, periodic)| {
            let mut scene = Scene::<S> { periodic, ..Scene::new() };
            let kinds = shapes.len() as u32;
            for shape in shapes {
                scene.add_shape(shape).unwrap();
            }
            let count = bodies.len() as u32;
            for body in bodies {
                scene.bodies.push(Body { shape: body.shape % kinds, ..body }).unwrap();
            }
            let pair = |(a, b): (u32, u32)| (count > 1).then(|| [a % count, (a % count + 1 + b % (count - 1)) % count]);
            scene.pairs = pairs.map(|pairs| pairs.into_iter().filter_map(pair).collect());
            scene.into()
        })
}
