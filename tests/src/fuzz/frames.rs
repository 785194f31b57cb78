//! A pipeline with changes between frames that bytes choose.

use jostle::{D2, D3, Lattice, Precision};

use crate::{Frames, Ground, Random};

/// Frames at most.
const MOST: usize = 60;

/// Takes bytes as changes between frames: contacts are those found from scratch, and events, phases, data and faults
/// follow from them. Returns the number of contacts of all frames.
///
/// # Panics
/// If something is wrong.
pub fn frames(bytes: &[u8]) -> usize {
    let Some((&how, bytes)) = bytes.split_first() else { return 0 };
    match how % 4 {
        0 => run::<D2, f32>(how / 4, bytes),
        1 => run::<D3, f32>(how / 4, bytes),
        2 => run::<D2, f64>(how / 4, bytes),
        _ => run::<D3, f64>(how / 4, bytes),
    }
}

fn run<S: Ground, T: Precision>(how: u8, bytes: &[u8]) -> usize {
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
    let mut contacts = 0;
    for _ in 0..MOST {
        if world.random.is_spent() {
            break;
        }
        world.change();
        contacts += world.frame().contacts;
    }
    contacts
}
