//! Scenes in open or repeating space, and the answers to all questions, computed for one pair and one image at a time.

use core::cmp::Ordering;
use std::collections::BTreeSet;

use jostle::{
    Bodies, Cast, CastStatus, Lattice, LatticeError, Motion, Neighbour, Neighbours, Precision, Proximity, Shifted,
    cast, distance,
};
use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::Ground;

/// A pair, and the image of its second body.
pub type Asked = ([u32; 2], [i32; 3]);

/// Bodies in a lattice with known vectors.
#[derive(Clone, Debug)]
pub struct Repeating<S: Ground> {
    /// The bodies.
    pub bodies: Bodies<S>,
    /// The lattice.
    pub lattice: Lattice<S>,
    /// The vectors of the lattice.
    vectors: Vec<S::Array<f64>>,
}

/// Pairs in a scene that does not repeat, each relative to an origin.
struct Open<S: Ground> {
    scene: Bodies<S>,
    pairs: Vec<[u32; 2]>,
    origins: Vec<S::Array<f64>>,
}

impl<S: Ground> Repeating<S> {
    /// Bodies and the vectors by which they repeat, zero along axes that do not; with images of themselves or without.
    ///
    /// # Errors
    /// If these are no vectors of a lattice.
    pub fn new(bodies: Bodies<S>, vectors: Vec<S::Array<f64>>, self_images: bool) -> Result<Self, LatticeError> {
        let lattice = Lattice::triclinic(&vectors)?;
        Ok(Self { bodies, lattice: if self_images { lattice.with_self_images() } else { lattice }, vectors })
    }

    /// How far a body reaches from its position.
    pub fn far(&self, body: usize) -> f64 {
        let columns = self.bodies.columns();
        let shape = columns.shape(body);
        let centre = shape.core_centre();
        shape.reach() + centre.as_ref().iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// Every image of `b` whose ball may be within `distance` of that of `a`, in order; `None` if more than `most` have
    /// to be looked at.
    pub fn images(&self, a: usize, b: usize, distance: f64, most: usize) -> Option<Vec<[i32; 3]>> {
        let positions = self.bodies.positions();
        let apart: S::Array<f64> = S::array(|k| positions[b][k] - positions[a][k]);
        let across = (0..S::DIMENSION).map(|k| apart[k].abs()).sum::<f64>();
        let reach = (self.far(a) + self.far(b) + distance) * (1.0 + 1e-9) + 1e-12 * across;
        // No vector leans towards an axis behind its own: the last one's multiple is known first.
        let count = |axis: usize, image: [i32; 3]| match self.vectors.get(axis).map(|vector| vector[axis]) {
            Some(length) if length > 0.0 => {
                let at = apart[axis] + self.lattice.shift(image)[axis];
                ((-reach - at) / length).floor() as i32..=((reach - at) / length).ceil() as i32
            }
            _ => 0..=0,
        };
        let (mut images, mut looks) = (Vec::new(), 0);
        for z in count(2, [0; 3]) {
            for y in count(1, [0, 0, z]) {
                for x in count(0, [0, y, z]) {
                    looks += 1;
                    if looks > most {
                        return None;
                    }
                    let shift = self.lattice.shift([x, y, z]);
                    let square: f64 = (0..S::DIMENSION).map(|k| (apart[k] + shift[k]).powi(2)).sum();
                    if square <= reach * reach {
                        images.push([x, y, z]);
                    }
                }
            }
        }
        images.sort_unstable();
        Some(images)
    }

    /// All bodies, then the two of each pair with its image. Along an axis with a shift they are relative to the first
    /// body, with the position of the second computed in fractions and rounded once.
    fn open(&self, asked: &[Asked]) -> Open<S> {
        let (mut scene, mut pairs, mut origins) = (self.bodies.clone(), Vec::new(), Vec::new());
        for &([a, b], image) in asked {
            let ([mut a, mut b], shift) = ([a, b].map(|body| scene.get(body as usize)), self.lattice.shift(image));
            let fraction = |x: f64| BigRational::from_float(x).expect("a finite number");
            let apart = |k: usize| fraction(b.position[k]) + fraction(shift[k]) - fraction(a.position[k]);
            let seen_b = |k| if shift[k] == 0.0 { b.position[k] } else { apart(k).to_f64().expect("a fraction") };
            let (seen_b, own) = (S::array(seen_b), a.position);
            a.position = S::array(|k| if shift[k] == 0.0 { own[k] } else { 0.0 });
            b.position = seen_b;
            origins.push(S::array(|k| own[k] - a.position[k]));
            pairs.push([0, 1].map(|k| scene.len() as u32 + k));
            for body in [a, b] {
                scene.push(body).expect("a good place");
            }
        }
        Open { scene, pairs, origins }
    }

    /// The distance of each pair with its image.
    ///
    /// # Panics
    /// If a position is not valid.
    pub fn distances<T: Precision>(&self, asked: &[Asked]) -> Vec<Shifted<S, T>> {
        let Open { scene, pairs, origins } = self.open(asked);
        let rows = distance::<T, _, _>(&scene.columns(), &pairs).expect("all are there");
        let named = |(at, row): (usize, Proximity<S, T>)| {
            let (([a, b], image), origin) = (asked[at], origins[at]);
            let [witness_a, witness_b] = [row.witness_a, row.witness_b].map(|point| S::array(|k| origin[k] + point[k]));
            let row = Proximity { a, b, witness_a, witness_b, ..row };
            Shifted { row, image, shift: self.lattice.shift(image) }
        };
        rows.into_iter().enumerate().map(named).collect()
    }

    /// Every pair that filters let meet, with each image whose ball is within the margin; `None` if there are more than
    /// `most`, or more have to be looked at for a pair.
    pub fn candidates(&self, margin: f64, most: usize) -> Option<Vec<Asked>> {
        let (count, mut asked) = (self.bodies.len(), Vec::new());
        let columns = self.bodies.columns();
        let filters = columns.filters();
        for [a, b] in (0..count).flat_map(|a| (a..count).map(move |b| [a, b])) {
            let pair = [a as u32, b as u32];
            let meet = if a == b {
                self.lattice.has_self_images() && filters.meets_itself(pair[0])
            } else {
                filters.meet(pair[0], pair[1])
            };
            if meet {
                let images = self.images(a, b, margin, most)?.into_iter().filter(|&image| a != b || image > [0; 3]);
                asked.extend(images.map(|image| (pair, image)));
            }
            if asked.len() > most {
                return None;
            }
        }
        Some(asked)
    }

    /// Those of the candidates that are within the margin.
    ///
    /// # Panics
    /// If a position is not valid.
    pub fn contacts<T: Precision>(&self, candidates: &[Asked], margin: f64) -> Vec<Shifted<S, T>> {
        let mut rows = self.distances::<T>(candidates);
        // As the number in a table.
        let shown = |row: &Shifted<S, T>| row.row.distance.to_string().parse::<f64>().expect("a number");
        rows.retain(|row| shown(row) <= margin);
        rows
    }

    /// The cast of each pair with its image.
    ///
    /// # Panics
    /// If it is refused.
    pub fn casts(&self, asked: &[Asked], motion: Motion) -> Vec<Cast<S>> {
        let Open { scene, pairs, origins } = self.open(asked);
        let mut rows = cast(&scene.columns(), &pairs, motion).expect("good motion");
        for ((row, ([a, b], _)), origin) in rows.iter_mut().zip(asked).zip(&origins) {
            [row.a, row.b] = [*a, *b];
            if matches!(row.status, CastStatus::Hit | CastStatus::Start) {
                row.point = S::array(|k| origin[k] + row.point[k]);
            }
        }
        rows
    }

    /// The first impact among all images that can be met on the way: its cast and the image; `None` if more than `most`
    /// have to be looked at.
    pub fn first_cast(&self, [a, b]: [u32; 2], motion: Motion, most: usize) -> Option<(Cast<S>, [i32; 3])> {
        let columns = self.bodies.columns();
        let [va, vb] = [a, b].map(|body| columns.velocity(body as usize));
        let way: f64 = (0..S::DIMENSION).map(|k| (vb[k] - va[k]).powi(2)).sum::<f64>().sqrt() * motion.duration;
        let images = self.images(a as usize, b as usize, way * (1.0 + 1e-9) + motion.target, most)?;
        let asked: Vec<Asked> = images.into_iter().map(|image| ([a, b], image)).collect();
        let each = self.casts(&asked, motion);
        let first = (0..asked.len()).min_by(|&i, &j| sooner(&each[i], &each[j]).then(asked[i].1.cmp(&asked[j].1)));
        let none = Cast { a, b, time: motion.duration, ..Cast::default() };
        Some(match first {
            Some(first) if each[first].status != CastStatus::Miss => (each[first], asked[first].1),
            _ => (none, [0; 3]),
        })
    }

    /// Checks the nearest few of the first `agents` against those of all pairs; bodies of the answer count from
    /// `sought`. Returns how many were checked; `None` if that takes more than `most` pairs.
    ///
    /// # Errors
    /// What is wrong.
    pub fn hold_nearest<T: Precision>(
        &self,
        found: &Neighbours<S, T>,
        agents: usize,
        sought: u32,
        few: usize,
        most: usize,
    ) -> Result<Option<usize>, String> {
        let mut held = 0;
        let columns = self.bodies.columns();
        let farthest = (0..agents).filter_map(|agent| Some(found.of(agent).last()?.distance.to_f64()));
        let farthest = farthest.fold(f64::NEG_INFINITY, f64::max);
        let sizes = (0..columns.len()).map(|body| self.far(body)).fold(0.0, f64::max);
        let room = |distance: f64| {
            // Depths of curved shapes are searched for.
            let share = if size_of::<T>() == 4 { 1e-5 } else { 1e-6 };
            share * (distance.abs() + sizes)
        };
        let margin = if farthest.is_finite() { farthest + room(farthest) } else { 0.0 };
        let Some(candidates) = self.candidates(margin, most) else { return Ok(None) };
        let mut all: Vec<Vec<(f64, u32)>> = vec![Vec::new(); columns.len()];
        for row in self.distances::<T>(&candidates) {
            let (a, b, distance) = (row.row.a, row.row.b, row.row.distance.to_f64());
            for [agent, other] in [[a, b], [b, a]] {
                if (agent as usize) < agents && other >= sought {
                    all[agent as usize].push((distance, other - sought));
                }
            }
        }
        for (agent, expected) in all.into_iter().take(agents).enumerate() {
            let near = found.of(agent);
            let checked = self.check_nearest(agent as u32, near, expected, sought, few, &room);
            checked.map_err(|text| format!("of the nearest to {agent}: {text}: {near:?}"))?;
            held += near.len();
        }
        Ok(Some(held))
    }

    /// Checks the nearest few of one body against the distances and indices of all others; `room` is by how much a
    /// distance may be wrong.
    fn check_nearest<T: Precision>(
        &self,
        agent: u32,
        near: &[Neighbour<S, T>],
        mut expected: Vec<(f64, u32)>,
        sought: u32,
        few: usize,
        room: &dyn Fn(f64) -> f64,
    ) -> Result<(), String> {
        let columns = self.bodies.columns();
        let selves = self.lattice.has_self_images() && sought == 0;
        let others = (sought..columns.len() as u32).filter(|&b| b != agent && columns.filters().meet(agent, b)).count();
        let endless = others > 0 || selves && columns.filters().meets_itself(agent);
        let count = if self.lattice.repeats() && endless { few } else { others.min(few) };
        if near.len() != count {
            return Err(format!("{} of {count}", near.len()));
        }
        // Each image is where its row says.
        let named = |near: &Neighbour<S, T>| ([agent, near.body + sought], near.image);
        let asked: Vec<Asked> = near.iter().map(named).collect();
        let met = |&([a, b], image): &Asked| a != b || selves && image != [0; 3];
        if !asked.iter().all(met) || asked.iter().collect::<BTreeSet<_>>().len() < asked.len() {
            return Err("an image twice, or the body itself".to_owned());
        }
        let alone = self.distances::<T>(&asked);
        let as_told = |(near, alone): (&Neighbour<S, T>, &Shifted<S, T>)| {
            let (told, alone) = (near.distance.to_f64(), alone.row.distance.to_f64());
            (told - alone).abs() <= room(told)
        };
        if !near.iter().zip(&alone).all(as_told) {
            return Err(format!("images where their rows say: {alone:?}"));
        }
        if !near.is_sorted_by(|x, y| x.distance.to_f64() <= y.distance.to_f64()) {
            return Err("not in order".to_owned());
        }
        expected.sort_by(|x, y| (x.0 + 0.0).total_cmp(&(y.0 + 0.0)).then(x.1.cmp(&y.1)));
        for (place, near) in near.iter().enumerate() {
            let told = near.distance.to_f64();
            let Some(&(distance, body)) = expected.get(place) else {
                return Err(format!("number {place} is not there"));
            };
            let agrees = if self.lattice.repeats() {
                // The query wraps bodies into the cell, which rounds.
                let same = |other: f64| (told - other).abs() <= room(distance);
                same(distance) && expected.iter().any(|&(other, body)| body == near.body && same(other))
            } else {
                (told, near.body) == (distance, body)
            };
            if !agrees {
                return Err(format!("number {place} is {body}, {distance:e} away"));
            }
            // The two points are as far apart as the distance.
            let apart = (0..S::DIMENSION).map(|k| (near.point[k] - near.own_point[k]).powi(2)).sum::<f64>().sqrt();
            if (apart - told.abs()).abs() > 20.0 * room(distance) {
                return Err(format!("number {place}: points {apart:e} apart"));
            }
        }
        Ok(())
    }
}

/// Which of two casts of images ends first.
fn sooner<S: Ground>(a: &Cast<S>, b: &Cast<S>) -> Ordering {
    let key = |cast: &Cast<S>| match cast.status {
        CastStatus::Start => (0, cast.distance, 0),
        CastStatus::Hit => (1, cast.time, 0),
        CastStatus::Unconverged => (1, cast.time, 1),
        CastStatus::Miss => (2, cast.time, 0),
    };
    let (a, b) = (key(a), key(b));
    a.0.cmp(&b.0).then((a.1 + 0.0).total_cmp(&(b.1 + 0.0))).then(a.2.cmp(&b.2))
}
