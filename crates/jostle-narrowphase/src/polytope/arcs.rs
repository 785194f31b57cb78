//! The depth where an arc of A's Gauss map crosses one of B's, turned around: edge against edge.
//!
//! Most arcs die early: one known point of the other that shows both ends of an arc to be no better than the best depth
//! shows it for all that lies between. Where nodes are few, those that a point rules out are a set of bits, and so are the two ends of
//! an arc: a block of faces is read once in place of one copy for each arc. Of what survives every pair is held against every other, a register at a time,
//! and each crossing that would be better is asked for its true support: only that value counts, so a crossing that
//! rounding made up costs time and nothing else. Of two nearly parallel edges the crossing is mostly rounding; where one
//! might win in `f32`, the caller is told and asks a wider type, which takes care that what is left of rounding turns the
//! direction about the edges and not along them.
//!
//! Mostly one arc of each survives, and fills no register. So the few of several pairs of bodies are listed and held against each other
//! together, each lane with bodies of its own: by themselves they took three tenths of a search (hulls of 16 points).

use jostle_lanes::{D2, D3, Lanes, Mask, Rotation, Scalar, Space, Vec3, Vector};
use jostle_shape::MAX_WIDTH;

use super::crossing::{Arcs, Candidates, cross, lifted};
use super::nodes::{Half, KEPT};
use super::search::{GROUP, Search};
use super::side::{Planes, splat};
use crate::noise::{CONVERGED, FORWARD, noise};

/// Memory for the arcs that survive.
#[derive(Debug, Default)]
pub struct Room<T: Scalar> {
    alive: [Vec<u16>; 2],
    /// B's survivors in A's frame: see [`COLUMNS`].
    columns: Vec<T>,
    few: Few<T>,
}

impl<T: Scalar> Room<T> {
    /// Makes room for so many arcs.
    pub fn reserve(&mut self, arcs: usize) {
        let padded = arcs.next_multiple_of(MAX_WIDTH);
        for alive in &mut self.alive {
            // Blocks are listed behind the arcs.
            alive.reserve_exact((padded + padded / MAX_WIDTH).saturating_sub(alive.len()));
        }
        self.columns.reserve_exact((COLUMNS * padded).saturating_sub(self.columns.len()));
    }

    /// Makes room for the few of a group.
    pub fn open(&mut self) {
        self.few.open();
    }
}

impl<T: Scalar> Room<T> {
    /// Room for a list of arcs.
    #[inline(always)]
    pub fn alive(&mut self) -> &mut Vec<u16> {
        &mut self.alive[0]
    }
}

/// Both ends of the arc, the edge and its first point: three coordinates each; and what the edge is to be multiplied with.
const COLUMNS: usize = 13;

/// A space with its crossings.
pub trait ArcSpace: Space {
    /// Looks for crossings of less depth than the best node, in all pairs of a group.
    fn cross_all<L: Lanes>(group: &mut [Option<Search<'_, '_, Self, L::Scalar>>], room: &mut Room<L::Scalar>);
}

impl ArcSpace for D2 {
    #[inline(always)]
    fn cross_all<L: Lanes>(_: &mut [Option<Search<'_, '_, D2, L::Scalar>>], _: &mut Room<L::Scalar>) {}
}

/// The arcs of a half that no known point rules out, and how many they are.
#[inline(always)]
fn survivors<L: Lanes>(half: &Half<'_, '_, D3, L::Scalar>, best: L::Scalar, alive: &mut Vec<u16>) -> usize {
    let (best, scale) = (L::splat(best), L::splat(half.side.scale));
    if !half.side.joins.is_empty() {
        return half.side.open_arcs::<L, KEPT>(
            alive,
            half.count(),
            #[inline(always)]
            |i| half.known(i),
            best,
        );
    }
    half.side.arcs_where::<L>(
        alive,
        #[inline(always)]
        |caps| {
            let mut ruled_out = L::Mask::splat(false);
            for i in (0..half.count()).rev() {
                let point = half.known(i);
                let far = L::splat(point.length_squared().sqrt());
                ruled_out = ruled_out | caps.behind::<D3>(splat::<D3, L>(point), far).ge(best);
            }
            ruled_out
        },
        #[inline(always)]
        |from, to, start| {
            let (from, to) = (Planes::<D3, L>::new(from, start, scale), Planes::<D3, L>::new(to, start, scale));
            let mut open = L::Mask::splat(true);
            // Two at a time: mostly one is not enough, and whether it was nobody can guess.
            let mut left = half.count();
            while left > 0 {
                let mut ruled_out = L::Mask::splat(false);
                for i in [left.max(2) - 2, left - 1] {
                    let point = splat::<D3, L>(half.known(i));
                    ruled_out = ruled_out | from.behind(point).ge(best) & to.behind(point).ge(best);
                }
                left = left.max(2) - 2;
                open = open & !ruled_out;
                if !open.any() {
                    break;
                }
            }
            open
        },
    )
}

/// W vectors from columns of `stride` numbers.
#[inline(always)]
pub fn load3<L: Lanes>(columns: &[L::Scalar], stride: usize, first: usize, start: usize) -> Vec3<L> {
    Vec3 {
        x: L::load(&columns[first * stride + start..]),
        y: L::load(&columns[(first + 1) * stride + start..]),
        z: L::load(&columns[(first + 2) * stride + start..]),
    }
}

impl ArcSpace for D3 {
    #[inline(always)]
    fn cross_all<L: Lanes>(group: &mut [Option<Search<'_, '_, D3, L::Scalar>>], room: &mut Room<L::Scalar>) {
        let Room { alive: [alive_a, alive_b], columns, few } = room;
        few.count = 0;
        for (place, search) in group.iter_mut().enumerate() {
            let Some(search) = search else { continue };
            let Some(node) = &search.node else { continue };
            let best = node.depth;
            let count_a = survivors::<L>(&search.halves[0], best, alive_a);
            if count_a == 0 {
                continue;
            }
            let count_b = survivors::<L>(&search.halves[1], best, alive_b);
            if count_b == 0 {
                continue;
            }
            let alive = [&alive_a[..count_a], &alive_b[..count_b]];
            if count_a * count_b <= FEW {
                few.list(place, search, alive);
            } else {
                meet::<L>(search, alive, columns);
            }
        }
        few.meet::<L>(group);
    }
}

/// So many crossings of two bodies are listed with those of others: what each of them takes to be laid out is more than a register of
/// them, where there are as many as that.
const FEW: usize = 6;

/// Eight numbers, to be transposed with those of other lanes.
type Eight<T> = [T; 8];

/// Crossings of arcs of several pairs of bodies.
#[derive(Debug)]
struct Few<T> {
    /// Two edges, each with its points and the nodes at its arc's ends: eight vectors, one behind the other.
    rows: Vec<[Eight<T>; 3]>,
    /// Whose they are.
    places: Vec<usize>,
    count: usize,
    /// Of each pair of bodies turn, offset, magnitude and best depth.
    bodies: [[Eight<T>; 2]; GROUP],
}

impl<T: Scalar> Default for Few<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), places: Vec::new(), count: 0, bodies: [[[T::ZERO; 8]; 2]; GROUP] }
    }
}

impl<T: Scalar> Few<T> {
    /// Makes room.
    fn open(&mut self) {
        self.rows.resize(FEW * GROUP, [[T::ZERO; 8]; 3]);
        self.places.resize(FEW * GROUP, 0);
    }

    /// Puts crossings on the list.
    #[inline(always)]
    fn list(&mut self, place: usize, search: &Search<'_, '_, D3, T>, [alive_a, alive_b]: [&[u16]; 2]) {
        let [a, b] = &search.halves;
        let bodies = &mut self.bodies[place];
        for k in 0..9 {
            bodies[k / 8][k % 8] = a.turn.entry(k);
        }
        for k in 0..3 {
            bodies[1][1 + k] = a.offset.get(k);
        }
        (bodies[1][4], bodies[1][5]) = (search.magnitude, search.least());
        for &one in alive_a {
            let mut first = [[T::ZERO; 8]; 3];
            lay_out(&mut first, 0, a, one);
            for &other in alive_b {
                let mut rows = first;
                lay_out(&mut rows, 12, b, other);
                (self.rows[self.count], self.places[self.count]) = (rows, place);
                self.count += 1;
            }
        }
    }

    /// Looks at all of them.
    #[inline(always)]
    fn meet<L: Lanes<Scalar = T>>(&self, group: &mut [Option<Search<'_, '_, D3, T>>]) {
        let mut first = 0;
        while first < self.count {
            // Lanes beyond the last repeat it.
            let last = self.count - 1;
            let mut numbers = [L::zero(); 24];
            for group in 0..3 {
                let columns = L::gather_rows(
                    #[inline(always)]
                    |lane| &self.rows[(first + lane).min(last)][group],
                );
                numbers[8 * group..8 * group + 8].copy_from_slice(&columns);
            }
            let mut bodies = [L::zero(); 16];
            for group in 0..2 {
                let columns = L::gather_rows(
                    #[inline(always)]
                    |lane| &self.bodies[self.places[(first + lane).min(last)]][group],
                );
                bodies[8 * group..8 * group + 8].copy_from_slice(&columns);
            }
            let turn = <D3 as Space>::Rotation::<L>::from_entries(
                #[inline(always)]
                |k| bodies[k],
            );
            let offset = Vec3 { x: bodies[9], y: bodies[10], z: bodies[11] };
            let (magnitude, best) = (bodies[12], bodies[13]);
            let (edge, length) = lifted(at(&numbers, 3) - at(&numbers, 0));
            let a = Arcs { ends: [at(&numbers, 6), at(&numbers, 9)], edge, length, from: at(&numbers, 0) };
            let (edge, length) = lifted(at(&numbers, 15) - at(&numbers, 12));
            let b = Arcs {
                ends: [-turn.rotate(at(&numbers, 18)), -turn.rotate(at(&numbers, 21))],
                edge: turn.rotate(edge),
                length,
                from: turn.rotate(at(&numbers, 12)) + offset,
            };
            let here = first;
            first += L::WIDTH;
            let Some(found) = cross(&a, &b, noise(FORWARD, magnitude)) else { continue };
            let there = u32::MAX >> (32 - L::WIDTH.min(self.count - here));
            let mut bits = (found.met & !found.strong).to_bits() & there;
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(search) = &mut group[self.places[here + lane]] {
                    search.weakest = Lanes::min(found.guess.lane(lane), search.weakest);
                }
            }
            let better = found.value.lt(best - noise(CONVERGED / 2.0, magnitude));
            let mut bits = (found.met & found.strong & better).to_bits() & there;
            if bits == 0 {
                continue;
            }
            let candidates = Candidates::new(&found, &a, &b);
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(search) = &mut group[self.places[here + lane]] {
                    candidates.verify::<L>(lane, search);
                }
            }
        }
    }
}

/// The vector that begins at a place.
#[inline(always)]
fn at<L: Lanes>(numbers: &[L; 24], place: usize) -> Vec3<L> {
    Vec3 { x: numbers[place], y: numbers[place + 1], z: numbers[place + 2] }
}

/// Writes an edge and its arc's ends: twelve numbers from place `at` on.
#[inline(always)]
fn lay_out<T: Scalar>(rows: &mut [Eight<T>; 3], at: usize, half: &Half<'_, '_, D3, T>, arc: u16) {
    let ([from, to], [one, other]) = (half.side.edge(arc.into()), half.side.ends(arc.into()));
    for (i, vector) in [from, to, one, other].into_iter().enumerate() {
        for k in 0..3 {
            let at = at + 3 * i + k;
            rows[at / 8][at % 8] = vector.get(k);
        }
    }
}

/// Crossings of the arcs that survived of two bodies, `L` of B's at a time.
#[inline(always)]
fn meet<L: Lanes>(
    search: &mut Search<'_, '_, D3, L::Scalar>,
    [alive_a, alive_b]: [&[u16]; 2],
    columns: &mut Vec<L::Scalar>,
) {
    let (turn, offset) = (search.halves[0].turn, search.halves[0].offset);
    let (a, b) = (search.halves[0].side, search.halves[1].side);
    let stride = alive_b.len().next_multiple_of(L::WIDTH);
    if columns.len() < COLUMNS * stride {
        columns.resize(COLUMNS * stride, L::Scalar::ZERO);
    }
    // What is NaN meets nothing.
    columns[..COLUMNS * stride].fill(L::Scalar::from_f64(f64::NAN));
    for (i, &index) in alive_b.iter().enumerate() {
        let ([from, to], ends) = (b.edge(index as usize), b.ends(index as usize));
        let (edge, length) = lifted(to - from);
        let rows = [-turn.rotate(ends[0]), -turn.rotate(ends[1]), turn.rotate(edge), turn.rotate(from) + offset];
        columns[12 * stride + i] = length;
        for (group, row) in rows.into_iter().enumerate() {
            columns[(3 * group) * stride + i] = row.x;
            columns[(3 * group + 1) * stride + i] = row.y;
            columns[(3 * group + 2) * stride + i] = row.z;
        }
    }
    let rounding = L::splat(noise(FORWARD, search.magnitude));
    let gain = noise(CONVERGED / 2.0, search.magnitude);
    let mut weakest = L::splat(L::Scalar::INFINITY);
    for &index in alive_a {
        let ([from, to], ends) = (a.edge(index as usize), a.ends(index as usize));
        let (edge, length) = lifted(to - from);
        let one = Arcs {
            ends: [splat::<D3, L>(ends[0]), splat::<D3, L>(ends[1])],
            edge: splat::<D3, L>(edge),
            length: L::splat(length),
            from: splat::<D3, L>(from),
        };
        let mut start = 0;
        while start < stride {
            let others = Arcs {
                ends: [load3::<L>(columns, stride, 0, start), load3::<L>(columns, stride, 3, start)],
                edge: load3::<L>(columns, stride, 6, start),
                length: L::load(&columns[12 * stride + start..]),
                from: load3::<L>(columns, stride, 9, start),
            };
            start += L::WIDTH;
            let Some(found) = cross(&one, &others, rounding) else { continue };
            weakest = L::select(found.met & !found.strong, found.guess.min(weakest), weakest);
            let better = found.value.lt(L::splat(search.least() - gain));
            let mut bits = (found.met & found.strong & better).to_bits();
            if bits == 0 {
                continue;
            }
            let candidates = Candidates::new(&found, &one, &others);
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                candidates.verify::<L>(lane, search);
            }
        }
    }
    search.weakest = Lanes::min(weakest.reduce_min(), search.weakest);
}
