//! A pipeline to which happens what bytes say, frame by frame.

use jostle::{D2, D3, Lattice, Precision};

use crate::{Frames, Ground, Random};

/// Frames at most.
const MOST: usize = 60;

/// Bytes as what happens between frames: contacts are those found without a memory, and events, phases, data and faults
/// are what follows from them.
///
/// # Panics
/// If something is wrong.
pub fn frames(bytes: &[u8]) {
    let Some((&how, bytes)) = bytes.split_first() else { return };
    match how % 4 {
        0 => run::<D2, f32>(how / 4, bytes),
        1 => run::<D3, f32>(how / 4, bytes),
        2 => run::<D2, f64>(how / 4, bytes),
        _ => run::<D3, f64>(how / 4, bytes),
    }
}

fn run<S: Ground, T: Precision>(how: u8, bytes: &[u8]) {
    let mut random = Random::of_bytes(bytes);
    let (shapes, bodies) = (1 + random.below(4), 2 + random.below(10));
    let mut world = Frames::<S, T>::new(random, shapes, bodies, 1.5);
    world.pipeline.set_margin([0.0, 0.1][usize::from(how & 1)]).expect("good");
    let axes = how >> 1 & 7;
    if axes > 0 {
        let lattice = Lattice::orthogonal(S::array(|k| if axes >> k & 1 > 0 { 3.0 } else { 0.0 })).expect("good");
        world.pipeline.set_lattice(if how & 16 > 0 { lattice.with_self_images() } else { lattice });
    }
    world.pipeline.set_warm_start(how & 32 > 0);
    for _ in 0..MOST {
        if world.random.is_spent() {
            break;
        }
        world.change();
        world.frame();
    }
}
