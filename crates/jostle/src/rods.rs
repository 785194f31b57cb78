//! Capsules about long bodies, by which pairs are ruled out whose boxes overlap.
//!
//! A rod along a diagonal fills next to nothing of its box: of many such rods nearly all boxes overlap, and hardly any
//! two are near. So where long bodies fill little of their boxes, each body has a capsule about it, a segment and a
//! radius (bodies that are not long have a ball), 32 bytes in `f32`; and of the candidates of the broadphase those are
//! left out, in lanes, whose capsules are apart.
//!
//! Two capsules are apart if their segments are, along the line between the nearest points of these (Ericson,
//! *Real-Time Collision Detection*, 2005, 5.1.9), by more than both radii. Along any other line that would be as true:
//! that `f32` finds the nearest points of nearly parallel segments badly may keep a pair, but never leaves one out.

use core::convert::identity;
use core::marker::PhantomData;

use jostle_broadphase::Bounds;
use jostle_lanes::{Kernel, Lanes, Mask, Rot, Vector, dispatch};
use jostle_narrowphase::Dimension;
use jostle_shape::{Columns, Core, CustomShape, Extents, Shape};
use jostle_tasks as tasks;

use crate::bounds::{BoxFrame, Placed, ROUNDING, Row};

/// A shape is long if it is so many times as long as thick.
const LONG: f64 = 4.0;
/// A long body fills little of its box if the box is so many times as large as one along it, in the plane and in space.
/// (In the plane the distance of two boxes takes little longer than that of two capsules.)
const WASTE: [f64; 2] = [6.0, 3.0];
/// So many boxes are looked at, and capsules made if of their sizes together one of [`WASTED_ONE_IN`] belongs to long
/// bodies that fill little of theirs.
const SAMPLE: usize = 256;
const WASTED_ONE_IN: f64 = 4.0;
/// What rounding to `f32` and in lanes may do to the distance of two capsules that are near, as a share of the numbers
/// of each.
const LANE_ROUNDING: f64 = 16.0 * f32::EPSILON as f64;
/// Bodies that one task makes capsules of, and those that are made at once.
const BODIES_PER_TASK: usize = 2048;
const BLOCK: usize = 16;
/// Up to this many shapes have their capsules made beforehand.
const FEW_SHAPES: usize = 256;
/// See [`Rods::keep`].
pub const AT_ONCE: usize = 512;

/// What contains a shape: all points no farther from a segment than `radius`.
#[derive(Clone, Copy, Debug)]
struct Capsule {
    /// From the middle of the segment to one end, along one of the shape's own axes; zero for a ball.
    half: [f64; 3],
    /// The middle, which is the core's centre.
    middle: [f64; 3],
    radius: f64,
    /// No point is farther from the middle than this.
    reach: f64,
}

impl Capsule {
    fn about<S: Dimension, U: CustomShape<S>>(shape: &Shape<S, U>) -> Self {
        let Extents { half, disc, reach, radius } = shape.extents();
        let mut middle = [0.0; 3];
        middle[..S::DIMENSION].copy_from_slice(shape.core_centre().as_ref());
        let longest = (1..S::DIMENSION).fold(0, |longest, j| if half[j] > half[longest] { j } else { longest });
        let others = (0..S::DIMENSION).filter(|&j| j != longest);
        let across = others.fold(disc * disc, |sum, j| sum + half[j] * half[j]).sqrt();
        let mut capsule = Self { half: [0.0; 3], middle, radius: reach + radius, reach: reach + radius };
        if matches!(shape.core(), Core::Custom(_)) {
            // What is the user's own may reach farther than it says.
            capsule.radius = f64::INFINITY;
        } else if half[longest] > 0.0 && half[longest] >= LONG * (across + radius) {
            capsule.half[longest] = half[longest];
            capsule.radius = across + radius;
        }
        capsule
    }

    /// Half the length of the segment.
    fn length(&self) -> f64 {
        self.half[0] + self.half[1] + self.half[2]
    }

    /// As lanes read it.
    fn row(&self) -> Row {
        let Self { half: [x, y, z], middle: [p, q, r], radius, reach } = *self;
        [x, y, z, p, q, r, radius, reach]
    }
}

/// Numbers of a capsule in the world, from the origin of boxes: three of its middle, three from there to one end of the
/// segment, the radius with all room, and one without meaning, as lanes read eight. What the plane lacks is zero.
type Rod = [f32; 8];
const HALF: usize = 3;
const RADIUS: usize = 6;
/// That of a body of which nothing is known.
const UNKNOWN: Rod = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, f32::INFINITY, 0.0];

/// The capsules of the bodies of some boxes, or none where that does not pay. Keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Rods {
    list: Vec<Rod>,
    /// The capsules of all shapes, if these are few.
    shapes: Vec<Row>,
}

impl Rods {
    /// Forgets all capsules.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Makes the capsules of the bodies whose boxes are in `bounds`, if that pays, as
    /// [`fill_some`](crate::bounds::fill_some) made the boxes.
    pub fn make<S: Dimension, U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        boxes: BoxFrame<S>,
        who: &(impl Fn(usize) -> Option<Placed<S>> + Sync),
        bounds: &Bounds<S>,
    ) {
        self.list.clear();
        if pay(bodies, boxes, who, bounds) {
            self.list.resize(bounds.len(), UNKNOWN);
            self.fill(bodies, boxes, who);
        }
    }

    /// Makes the capsules of some bodies anew, if there are any; all others stay as they are. `count`: the number of
    /// boxes now. A body's own room is that of its box, along each axis: as far it may move, in any direction.
    pub fn renew<S: Dimension, U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        boxes: BoxFrame<S>,
        who: &(impl Fn(usize) -> Option<Placed<S>> + Sync),
        count: usize,
    ) {
        if !self.list.is_empty() {
            self.list.resize(count, UNKNOWN);
            self.fill(bodies, boxes, who);
        }
    }

    /// Makes the capsules of the boxes for which `who` names a body.
    fn fill<S: Dimension, U: CustomShape<S>>(
        &mut self,
        bodies: &Columns<'_, S, U>,
        boxes: BoxFrame<S>,
        who: &(impl Fn(usize) -> Option<Placed<S>> + Sync),
    ) {
        let Self { list, shapes } = self;
        // From corner to corner of a cube of that room.
        let straight = (S::DIMENSION as f64).sqrt();
        shapes.clear();
        if bodies.shapes().len() <= FEW_SHAPES {
            shapes.extend(bodies.shapes().iter().map(|shape| Capsule::about(shape).row()));
        }
        tasks::for_each_few(list, BODIES_PER_TASK, |number, rods| {
            let (mut block, mut places) = (Block::<S>::new(boxes.room), [0; BLOCK]);
            for at in 0..rods.len() {
                if let Some(Placed { body, position, room }) = who(number * BODIES_PER_TASK + at) {
                    let shape = bodies.shape_indices()[body] as usize;
                    let capsule = shapes.get(shape).copied();
                    block.capsules[block.count] = capsule.unwrap_or_else(|| Capsule::about(bodies.shape(body)).row());
                    let rotation = bodies.rotations().get(body);
                    block.placed[block.count] = boxes.placed(position, rotation, straight * room);
                    places[block.count] = at;
                    block.count += 1;
                }
                if block.count == BLOCK || at + 1 == rods.len() {
                    dispatch(Maker(&mut block));
                    places[..block.count].iter().zip(&block.rods).for_each(|(&at, rod)| rods[at] = *rod);
                    block.count = 0;
                }
            }
        });
    }

    /// Adds the capsules of images of these bodies: copies of a box's capsule, each shifted by so many metres.
    pub fn add_images<S: Dimension>(&mut self, images: impl ExactSizeIterator<Item = (usize, S::Array<f64>)>) {
        if self.list.is_empty() {
            return;
        }
        // With as much room as the boxes have.
        let total = self.list.len() + images.len();
        self.list.reserve(images.len() + total / 8);
        for (at, shift) in images {
            let mut rod = self.list[at];
            let mut far = 0.0;
            for k in 0..S::DIMENSION {
                let middle = f64::from(rod[k]) + shift[k];
                rod[k] = middle as f32;
                far += middle.abs();
            }
            rod[RADIUS] = (f64::from(rod[RADIUS]) * (1.0 + LANE_ROUNDING) + LANE_ROUNDING * far) as f32;
            self.list.push(rod);
        }
    }

    /// Leaves out those of some pairs of boxes whose capsules are apart.
    pub fn rule_out<S: Dimension>(&self, pairs: &mut Vec<[u32; 2]>) {
        if !self.list.is_empty() {
            let kept = dispatch(KeepNear::<S> { rods: &self.list, pairs, space: PhantomData });
            pairs.truncate(kept);
        }
    }

    /// The others of up to [`AT_ONCE`] pairs of boxes, in `room` where any may be left out.
    pub fn keep<'p, S: Dimension>(&self, pairs: &'p [[u32; 2]], room: &'p mut [[u32; 2]; AT_ONCE]) -> &'p [[u32; 2]] {
        if self.list.is_empty() {
            return pairs;
        }
        room[..pairs.len()].copy_from_slice(pairs);
        let kept = dispatch(KeepNear::<S> { rods: &self.list, pairs: &mut room[..pairs.len()], space: PhantomData });
        &room[..kept]
    }
}

/// Whether enough of the boxes are of long bodies that fill little of theirs, as a sample shows.
fn pay<S: Dimension, U: CustomShape<S>>(
    bodies: &Columns<'_, S, U>,
    boxes: BoxFrame<S>,
    who: &impl Fn(usize) -> Option<Placed<S>>,
    bounds: &Bounds<S>,
) -> bool {
    let (mut all, mut wasted) = (0.0, 0.0);
    for at in (0..bounds.len()).step_by(bounds.len().div_ceil(SAMPLE).max(1)) {
        let Some(Placed { body, room, .. }) = who(at) else { continue };
        let (lower, upper) = bounds.get(at);
        let size = (0..S::DIMENSION).fold(1.0, |size, k| size * (f64::from(upper[k]) - f64::from(lower[k])));
        let capsule = Capsule::about(bodies.shape(body));
        let radius = capsule.radius + boxes.room + room;
        let along = (1..S::DIMENSION).fold(2.0 * (capsule.length() + radius), |size, _| size * 2.0 * radius);
        all += size;
        wasted += if capsule.length() > 0.0 && size > WASTE[S::DIMENSION - 2] * along { size } else { 0.0 };
    }
    wasted > 0.0 && wasted * WASTED_ONE_IN >= all
}

/// Some bodies, and their capsules in the world.
struct Block<S> {
    room: f64,
    count: usize,
    placed: [Row; BLOCK],
    capsules: [Row; BLOCK],
    rods: [Rod; BLOCK],
    space: PhantomData<S>,
}

impl<S> Block<S> {
    fn new(room: f64) -> Self {
        let (rows, rods) = ([[0.0; 8]; BLOCK], [UNKNOWN; BLOCK]);
        Self { room, count: 0, placed: rows, capsules: rows, rods, space: PhantomData }
    }
}

/// Makes the capsules of a block.
struct Maker<'m, S>(&'m mut Block<S>);

impl<S: Dimension> Kernel<f64> for Maker<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let Block { room, count, placed, capsules, rods, .. } = self.0;
        for first in (0..*count).step_by(L::WIDTH) {
            let [t0, t1, t2, t3, x, y, z, more] = L::gather_rows(
                #[inline(always)]
                |lane| &placed[first + lane],
            );
            let capsule = L::gather_rows(
                #[inline(always)]
                |lane| &capsules[first + lane],
            );
            let rotation = S::rot(&[t0, t1, t2, t3]);
            let half = rotation.rotate(vector::<S, L>(&capsule, 0));
            let middle = vector::<S, L>(&[x, y, z, more, more, more, more, more], 0)
                + rotation.rotate(vector::<S, L>(&capsule, HALF));
            let [.., radius, reach] = capsule;
            let mut columns = [L::zero(); 8];
            let mut numbers = reach;
            for k in 0..S::DIMENSION {
                columns[k] = middle.get(k);
                columns[HALF + k] = half.get(k);
                numbers = numbers + middle.get(k).abs();
            }
            columns[RADIUS] = radius
                + (L::constant(*room) + more)
                + (L::constant(ROUNDING) * reach + L::constant(LANE_ROUNDING) * (numbers + radius));
            let rows = L::to_rows(&columns);
            for lane in 0..L::WIDTH {
                for (to, from) in rods[first + lane].iter_mut().zip(rows[lane]) {
                    *to = from as f32;
                }
            }
        }
    }
}

/// Three columns from one on; in the plane two.
#[inline(always)]
fn vector<S: Dimension, L: Lanes>(columns: &[L; 8], at: usize) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| columns[at + k],
    )
}

/// Moves those of some pairs whose capsules are not apart to the beginning, and counts them.
struct KeepNear<'r, S> {
    rods: &'r [Rod],
    pairs: &'r mut [[u32; 2]],
    space: PhantomData<S>,
}

impl<S: Dimension> Kernel<f32> for KeepNear<'_, S> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) -> usize {
        let Self { rods, pairs, .. } = self;
        let mut kept = 0;
        for first in (0..pairs.len()).step_by(L::WIDTH) {
            let last = pairs.len().min(first + L::WIDTH) - 1;
            // (Not by `map`, which becomes a call in which nothing is inlined.)
            let side = identity(
                #[inline(always)]
                |side: usize| {
                    L::gather_rows(
                        #[inline(always)]
                        |lane| &rods[pairs[last.min(first + lane)][side] as usize],
                    )
                },
            );
            let (a, b) = (side(0), side(1));
            let apart = are_apart::<S, L>(&a, &b).to_bits();
            // No branch, which would be mispredicted.
            for lane in 0..=last - first {
                pairs[kept] = pairs[first + lane];
                kept += (apart >> lane & 1 ^ 1) as usize;
            }
        }
        kept
    }
}

/// Whether capsules are apart; false where that is not certain, and for NaN.
#[inline(always)]
fn are_apart<S: Dimension, L: Lanes<Scalar = f32>>(a: &[L; 8], b: &[L; 8]) -> L::Mask {
    let (half_a, half_b) = (vector::<S, L>(a, HALF), vector::<S, L>(b, HALF));
    let offset = vector::<S, L>(b, 0) - vector::<S, L>(a, 0);
    let (square_a, square_b, both) = (half_a.length_squared(), half_b.length_squared(), half_a.dot(half_b));
    let (on_a, on_b) = (half_a.dot(offset), half_b.dot(offset));
    // Where the nearest points are: from -1 to 1 along either segment. What is zero divides nothing but zero.
    let least = L::splat(f32::MIN_POSITIVE);
    let place = identity(
        #[inline(always)]
        |dividend: L, divisor: L| (dividend / divisor.max(least)).min(L::one()).max(-L::one()),
    );
    let inner = place(on_a * square_b - both * on_b, square_a * square_b - both * both);
    let on_second = place(both * inner - on_b, square_b);
    let on_first = place(both * on_second + on_a, square_a);
    let line = offset + half_b * on_second - half_a * on_first;
    let gap = line.dot(offset) - line.dot(half_a).abs() - line.dot(half_b).abs();
    let radii = a[RADIUS] + b[RADIUS];
    gap.gt(L::zero()) & (gap * gap).gt(radii * radii * line.length_squared())
}

#[cfg(test)]
mod tests {
    use jostle_broadphase::Bounds;
    use jostle_narrowphase::Dimension;
    use jostle_shape::{Bodies, Body, D2, D3, Shape};

    use super::{AT_ONCE, Rods};
    use crate::bounds::{BoxFrame, Placed, fill_some};

    /// Rods along a diagonal, side by side: each meets its neighbours alone, though nearly all boxes overlap.
    fn side_by_side<S: Dimension>(count: usize) {
        let mut bodies = Bodies::<S>::new();
        let rod = bodies.add_shape(Shape::capsule(100.0, 0.5).expect("good")).expect("one");
        let diagonal = S::rotation_of_y(S::array(|_| 1.0));
        for number in 0..count {
            // Across the diagonal, 0.9 from each other.
            let step = 0.9 * number as f64 / 2.0_f64.sqrt();
            let place = S::array(|k| [step, -step, 0.0][k]);
            bodies.push(Body::new(rod, place).with_rotation(diagonal)).expect("good");
        }
        let (columns, frame) = (bodies.columns(), BoxFrame::<S>::for_margin(S::array(|_| 0.0), 0.0));
        let who = |body: usize| Some(Placed { body, position: columns.positions()[body], room: 0.0 });
        let (mut bounds, mut rods) = (Bounds::new(), Rods::default());
        bounds.resize(count);
        fill_some(&columns, frame, &who, &mut bounds);
        rods.make(&columns, frame, &who, &bounds);
        let all: Vec<_> = (0..count as u32).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
        let mut kept = all.clone();
        rods.rule_out::<S>(&mut kept);
        assert_eq!(kept, (1..count as u32).map(|b| [b - 1, b]).collect::<Vec<_>>());
        let few = &all[..AT_ONCE.min(all.len())];
        assert_eq!(rods.keep::<S>(few, &mut [[0; 2]; AT_ONCE]), &kept[..kept.partition_point(|[_, b]| *b < 32)]);
        // An image meets those that it lies beside.
        rods.add_images::<S>([(0, bodies.positions()[count - 1])].into_iter());
        let mut with_image: Vec<_> = (0..count as u32).map(|a| [a, count as u32]).collect();
        rods.rule_out::<S>(&mut with_image);
        assert_eq!(with_image, [[count as u32 - 2, count as u32], [count as u32 - 1, count as u32]]);
        rods.clear();
        let mut unasked = all.clone();
        rods.rule_out::<S>(&mut unasked);
        assert_eq!(unasked, all);
    }

    #[test]
    fn rods_side_by_side_meet_their_neighbours_alone() {
        side_by_side::<D2>(60);
        side_by_side::<D3>(60);
    }

    #[test]
    fn rods_along_an_axis_have_no_capsules() {
        let mut bodies = Bodies::<D3>::new();
        let rod = bodies.add_shape(Shape::capsule(100.0, 0.5).expect("good")).expect("one");
        (0..9).for_each(|x| _ = bodies.push(Body::new(rod, [f64::from(x), 0.0, 0.0])).expect("good"));
        let (columns, frame) = (bodies.columns(), BoxFrame::<D3>::for_margin([0.0; 3], 0.0));
        let who = |body: usize| Some(Placed { body, position: columns.positions()[body], room: 0.0 });
        let (mut bounds, mut rods) = (Bounds::new(), Rods::default());
        bounds.resize(9);
        fill_some(&columns, frame, &who, &mut bounds);
        rods.make(&columns, frame, &who, &bounds);
        assert!(rods.list.is_empty());
    }
}
