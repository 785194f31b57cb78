//! Generated scenes are valid, complete, and the same bytes for ever.

use super::{GenerateError, Kind, MAX_BODIES, Options, generate};
use crate::{AnyScene, fnv1a, read_scene, write_scene};

fn text(kind: Kind, options: Options) -> Vec<u8> {
    let mut text = Vec::new();
    write_scene(&generate(kind, options).unwrap(), &mut text).unwrap();
    text
}

/// The hashes of the JSON of 1,100 bodies with seed 7, in 2D and in 3D. A change here breaks what people have
/// published: do not change them, add another kind.
const GOLDEN: [(Kind, u64, u64); Kind::ALL.len()] = [
    (Kind::Uniform, 0xebb1_6cd1_bbba_1e28, 0x7cd9_fba9_214a_b55f),
    (Kind::Flat, 0x3925_8fa3_0d71_6d3e, 0xe483_9851_8322_9a04),
    (Kind::Clustered, 0x6baf_c2ad_6abc_3b2a, 0x20aa_d656_4be3_64aa),
    (Kind::Mixed, 0x58d5_5870_dbda_2133, 0x0e07_37c8_73a1_bec3),
    (Kind::Stacks, 0xa123_60a5_c89b_4ec0, 0x55bb_5760_58e8_d6cc),
    (Kind::Rubble, 0xb63b_2f21_b429_3599, 0x0756_91d9_0524_2b36),
    (Kind::Corridor, 0xb4ba_9880_87e3_402c, 0x5372_1403_1634_3bdb),
    (Kind::Brownian, 0xfcbb_c16d_ac5f_eb09, 0x77a9_ee50_0662_d05d),
    (Kind::Freefall, 0xad62_caed_cf22_a772, 0x986d_b534_232d_03d4),
    (Kind::Gas, 0x07a7_579f_028d_5bcf, 0xee2e_e4fb_798c_ce18),
    (Kind::Lattice, 0xf4a7_bc15_c687_ca31, 0x6c5e_5fdd_426f_0ca8),
    (Kind::Rods, 0xb8a4_fb4d_b06b_4d35, 0x5169_2900_a7eb_9e54),
];

#[test]
fn every_kind_keeps_its_bytes() {
    let of = |kind, dimension| fnv1a(text(kind, Options { bodies: 1100, seed: 7, dimension }));
    let found = Kind::ALL.iter().map(|&kind| (kind, of(kind, 2), of(kind, 3))).collect::<Vec<_>>();
    let line = |(kind, plane, space): &(Kind, u64, u64)| format!("    (Kind::{kind:?}, {plane:#018x}, {space:#018x}),");
    let lines = found.iter().map(line).collect::<Vec<_>>().join("\n");
    assert!(
        found == GOLDEN,
        "a kind is new, or generated scenes have changed, which must not be; the hashes are now\n{lines}"
    );
}

#[test]
fn a_generated_scene_is_read_back_as_it_was() {
    for &kind in Kind::ALL {
        for dimension in [2, 3] {
            let options = Options { bodies: 300, seed: 1, dimension };
            let scene = generate(kind, options).unwrap();
            let again = read_scene("generated", &text(kind, options)).unwrap();
            assert_eq!(again.body_count(), 300, "{kind} {dimension}");
            assert_eq!(again.dimension(), dimension);
            // Quaternions are normalised on reading; everything else is kept to the bit.
            match (&scene, &again) {
                (AnyScene::Plane(made), AnyScene::Plane(read)) => assert_eq!(made, read),
                (AnyScene::Space(made), AnyScene::Space(read)) => {
                    assert_eq!(made.shapes, read.shapes);
                    for body in 0..300 {
                        let (made, read) = (made.bodies.get(body), read.bodies.get(body));
                        assert_eq!(jostle::Body { rotation: made.rotation, ..read }, made);
                        for (before, after) in made.rotation.iter().zip(read.rotation) {
                            assert!((before - after).abs() <= 2e-9);
                        }
                    }
                }
                _ => panic!("{kind} changed its dimension"),
            }
        }
    }
}

#[test]
fn there_are_as_many_bodies_as_asked_for() {
    for &kind in Kind::ALL {
        for dimension in [2, 3] {
            for bodies in (0..40).chain([99, 100, 101, 483, 999, 1000, 1001, 2500]) {
                let scene = generate(kind, Options { bodies, seed: 3, dimension }).unwrap();
                assert_eq!(scene.body_count(), bodies, "{kind} {dimension}");
            }
        }
    }
}

#[test]
fn each_seed_gives_another_scene() {
    for &kind in Kind::ALL {
        let of = |seed| text(kind, Options { bodies: 50, seed, dimension: 2 });
        assert_eq!(of(1), of(1));
        assert!(kind == Kind::Lattice || of(1) != of(2), "{kind}");
    }
}

#[test]
fn what_cannot_be_made_is_refused() {
    let options = Options { bodies: 1, seed: 0, dimension: 4 };
    assert_eq!(generate(Kind::Gas, options), Err(GenerateError::Dimension(4)));
    let options = Options { bodies: MAX_BODIES + 1, seed: 0, dimension: 2 };
    assert_eq!(generate(Kind::Gas, options), Err(GenerateError::TooMany(MAX_BODIES + 1)));
    let error = "crowds".parse::<Kind>().unwrap_err();
    assert!(error.to_string().starts_with("'crowds' names no kind of scene; the kinds are uniform, flat,"));
    for &kind in Kind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
    }
}

#[test]
fn a_crowd_has_pillars_and_luggage_and_a_corridor_has_walls() {
    let AnyScene::Plane(crowd) = generate(Kind::Flat, Options { bodies: 3000, seed: 1, dimension: 2 }).unwrap() else {
        panic!("not a plane")
    };
    let bodies = || (0..3000).map(|index| crowd.bodies.get(index));
    assert_eq!(bodies().filter(|body| body.fixed).count(), 3);
    assert_eq!(bodies().filter(|body| body.shape == 6).count(), 250);
    // Every suitcase follows its owner.
    for index in (1..3000).filter(|&index| crowd.bodies.get(index).shape == 6) {
        let (owner, case) = (crowd.bodies.get(index - 1), crowd.bodies.get(index));
        assert!(case.parent.is_some());
        assert_eq!((case.parent, case.velocity), (owner.parent, owner.velocity));
    }
    let AnyScene::Plane(hall) = generate(Kind::Corridor, Options { bodies: 1000, seed: 1, dimension: 2 }).unwrap()
    else {
        panic!("not a plane")
    };
    assert_eq!((0..1000).filter(|&index| hall.bodies.get(index).fixed).count(), 6);
}
