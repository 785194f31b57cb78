//! Records of many bodies: where a chunk of pairs has them from, and the kernel that makes several at once.
//!
//! A record is little work but a long chain of it (the sine of an angle, the centre of a hull), begun by a wait for memory.
//! So memory is asked for some forty bodies ahead, and turns are worked out in lanes, a body each: one by one they took half
//! the time of two capsules in the plane.

use jostle_lanes::{Kernel, Lanes, dispatch, prefetch};
use jostle_shape::{Columns, CustomShape, MAX_WIDTH};
use rayon::prelude::*;

use crate::class::{Dimension, Precision};
use crate::record::{Record, TURN, Template, given_turn};

/// How many bodies ahead memory is asked for.
pub(crate) const AHEAD: usize = 40;

/// How many shapes ahead that of their hulls is: of hulls of which no two are alike records took 95 to 112 ns a pair without it, and
/// take 66 to 92 (three runs in turns).
const SHAPES_AHEAD: usize = 16;

/// Bodies whose records one thread makes at once.
const SHARE: usize = 1024;

/// Where a chunk's records come from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'r, S: Dimension, T: Precision> {
    /// One for each body, made beforehand.
    All(&'r [Record<S, T>]),
    /// Made for the bodies of each pair, from the templates of all shapes.
    Templates(&'r [Template<S, T>]),
    /// Made for the bodies of each pair: for few pairs among many shapes.
    OnDemand,
}

/// The records of all bodies and the templates they are made from: made once a query, in parallel, and kept for the
/// memory.
#[derive(Debug)]
pub struct Records<S: Dimension, T: Precision> {
    templates: Vec<Template<S, T>>,
    records: Vec<Record<S, T>>,
}

impl<S: Dimension, T: Precision> Default for Records<S, T> {
    fn default() -> Self {
        Self { templates: Vec::new(), records: Vec::new() }
    }
}

impl<S: Dimension, T: Precision> Records<S, T> {
    /// Makes the templates of the shapes alone: chunks then make the records of the bodies that they meet.
    pub fn make_templates<U: CustomShape<S>>(&mut self, bodies: &Columns<'_, S, U>) {
        let shapes = bodies.shapes();
        let make = |index: usize| {
            if let Some(ahead) = shapes.get(index + SHAPES_AHEAD) {
                ahead.prefetch_size();
            }
            Template::new(&shapes[index], index as u32)
        };
        self.templates.clear();
        if shapes.len() < SHARE {
            self.templates.extend((0..shapes.len()).map(make));
        } else {
            (0..shapes.len()).into_par_iter().map(make).collect_into_vec(&mut self.templates);
        }
    }

    /// Makes the records of `bodies`.
    pub fn make<U: CustomShape<S>>(&mut self, bodies: &Columns<'_, S, U>) {
        self.make_templates(bodies);
        let Self { templates, records } = self;
        records.resize(bodies.len(), Record::default());
        records.par_chunks_mut(SHARE).enumerate().for_each(|(share, records)| {
            let first = (share * SHARE) as u32;
            let mut numbers = [0; SHARE];
            for (place, number) in numbers.iter_mut().enumerate() {
                *number = first + place as u32;
            }
            make_records(templates, bodies, &numbers[..records.len()], records);
        });
    }

    /// The records: for chunks that meet most bodies, or bodies more than once.
    pub fn source(&self) -> Source<'_, S, T> {
        Source::All(&self.records)
    }

    /// The templates: for chunks that meet each body about once, whose records would only travel through memory.
    pub fn template_source(&self) -> Source<'_, S, T> {
        Source::Templates(&self.templates)
    }
}

/// Makes the records of the bodies `numbers` of `bodies`, in their order. `records` must be as many.
pub fn make_records<S: Dimension, T: Precision, U: CustomShape<S>>(
    templates: &[Template<S, T>],
    bodies: &Columns<'_, S, U>,
    numbers: &[u32],
    records: &mut [Record<S, T>],
) {
    dispatch(Make { templates, bodies, numbers, records });
}

#[inline(always)]
fn template_of<'t, S: Dimension, T: Precision, U: CustomShape<S>>(
    templates: &'t [Template<S, T>],
    bodies: &Columns<'_, S, U>,
    body: u32,
) -> &'t Template<S, T> {
    &templates[bodies.shape_indices()[body as usize] as usize]
}

/// The next `count` from place `from` on, as far as they are there.
#[inline(always)]
fn soon(numbers: &[u32], from: usize, count: usize) -> &[u32] {
    let end = numbers.len();
    &numbers[from.min(end)..(from + count).min(end)]
}

struct Make<'m, S: Dimension, T: Precision, U> {
    templates: &'m [Template<S, T>],
    bodies: &'m Columns<'m, S, U>,
    numbers: &'m [u32],
    records: &'m mut [Record<S, T>],
}

impl<S: Dimension, T: Precision, U: CustomShape<S>> Kernel<f64> for Make<'_, S, T, U> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let Self { templates, bodies, numbers, records } = self;
        let positions = bodies.positions();
        // Whether the last few had a turn that matters. Balls have none: where there is nothing else, to ask for turns is to wait
        // for twice the memory (of two balls at random places 35 ns were this loop, and 15 of them the turns).
        let mut turned = true;
        // Of the last who were turned: whoever is not has no use for it.
        let mut stored = [[0.0; TURN]; MAX_WIDTH];
        for &body in &numbers[..numbers.len().min(AHEAD)] {
            bodies.prefetch(body as usize, turned);
        }
        for first in (0..numbers.len()).step_by(L::WIDTH) {
            let end = numbers.len().min(first + L::WIDTH);
            for &ahead in soon(numbers, first + AHEAD, L::WIDTH) {
                bodies.prefetch(ahead as usize, turned);
            }
            // By now their shapes are known.
            for &ahead in soon(numbers, first + AHEAD / 2, L::WIDTH) {
                prefetch(template_of(templates, bodies, ahead));
            }
            let bodies_now = &numbers[first..end];
            turned = false;
            if !S::TURNS_AS_GIVEN && bodies_now.iter().any(|&body| !template_of(templates, bodies, body).is_point()) {
                for (stored, &body) in stored.iter_mut().zip(bodies_now) {
                    *stored = given_turn(bodies, body as usize);
                }
                S::store_turns::<L>(&mut stored);
            }
            for ((record, &body), &turn) in records[first..end].iter_mut().zip(bodies_now).zip(&stored) {
                let (template, body) = (template_of(templates, bodies, body), body as usize);
                turned |= !template.is_point();
                let turn = if S::TURNS_AS_GIVEN && !template.is_point() { given_turn(bodies, body) } else { turn };
                *record = Record::assembled(template, positions[body], turn);
            }
        }
    }
}
