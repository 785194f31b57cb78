//! What the pairs of a packet ask, and what they are told: along the normal of the nearest face, a pair in each lane.

use jostle_lanes::{Lanes, Mask, Rot, Scalar, Space, Vector};
use jostle_shape::{MAX_WIDTH, PackedPoints, Points, Rows};

use crate::frame::PairLanes;
use crate::polytope::view::splat;

/// Where the second bodies are, a pair in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Places<S: Space, L: Lanes> {
    /// Their centres in the first bodies' frames, scaled.
    pub offset: S::Vector<L>,
    /// How they are turned.
    pub rotation: S::Rot<L>,
    /// The pairs' magnitudes.
    pub magnitude: L,
    /// What brings the points of the first bodies to the pairs' scale, and those of the second.
    pub scale: [L; 2],
}

impl<S: Space, L: Lanes> Places<S, L> {
    /// Those of a packet.
    #[inline(always)]
    pub fn of(pair: &PairLanes<S, L>, scale: [L; 2]) -> Self {
        Self { offset: pair.offset, rotation: pair.rotation, magnitude: pair.magnitude, scale }
    }

    /// That of the pair in a lane.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Places<S, L::Scalar> {
        Places {
            offset: S::Vector::from_fn(
                #[inline(always)]
                |k| self.offset.get(k).lane(lane),
            ),
            rotation: S::Rot::from_entries(
                #[inline(always)]
                |k| self.rotation.entry(k).lane(lane),
            ),
            magnitude: self.magnitude.lane(lane),
            scale: [self.scale[0].lane(lane), self.scale[1].lane(lane)],
        }
    }

    /// The points of A - B and of A that the supports of two bodies come to, which are not scaled yet.
    #[inline(always)]
    pub fn point(&self, [of_a, of_b]: [S::Vector<L>; 2]) -> (S::Vector<L>, S::Vector<L>) {
        let (of_a, of_b) = (of_a * self.scale[0], of_b * self.scale[1]);
        (of_a - (self.rotation.rotate(of_b) + self.offset), of_a)
    }
}

/// The furthest of some points along a direction, before it is scaled.
#[inline(always)]
pub fn furthest<S: Space, L: Lanes>(
    points: Points<'_, L::Scalar>,
    direction: S::Vector<L::Scalar>,
) -> S::Vector<L::Scalar> {
    points.point::<S>(points.furthest::<S, L>(splat::<S, L>(direction)))
}

#[inline(always)]
fn load<S: Space, L: Lanes>(rows: &Rows<L::Scalar>) -> S::Vector<L> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| L::load(&rows[k]),
    )
}

#[inline(always)]
fn store<S: Space, L: Lanes>(vector: S::Vector<L>, rows: &mut Rows<L::Scalar>) {
    for k in 0..S::DIMENSION {
        vector.get(k).store(&mut rows[k]);
    }
}

#[inline(always)]
fn lane<S: Space, T: Scalar>(rows: &Rows<T>, lane: usize) -> S::Vector<T> {
    S::Vector::from_fn(
        #[inline(always)]
        |k| rows[k][lane],
    )
}

/// What is asked, and what is told.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct AskedSupports<T> {
    /// Along which the first bodies are asked.
    normal: Rows<T>,
    /// The opposite of where the two bodies are asked, in their frames.
    against: [Rows<T>; 2],
    /// How far away the face is.
    least: [T; MAX_WIDTH],
    /// The points that the two have furthest along it, not scaled.
    furthest: [Rows<T>; 2],
    /// The points of A - B and of A that come of them.
    points: [Rows<T>; 2],
    depth: [T; MAX_WIDTH],
    rounding: [T; MAX_WIDTH],
}

impl<T: Scalar> Default for AskedSupports<T> {
    fn default() -> Self {
        let row = [T::ZERO; MAX_WIDTH];
        let rows = [row; 3];
        Self {
            normal: rows,
            against: [rows; 2],
            least: row,
            furthest: [rows; 2],
            points: [rows; 2],
            depth: row,
            rounding: row,
        }
    }
}

impl<T: Scalar> AskedSupports<T> {
    /// Nothing is asked yet.
    #[inline(always)]
    pub fn begin<L: Lanes<Scalar = T>>(&mut self, rounding: L) {
        rounding.store(&mut self.rounding);
    }

    /// What may be rounding.
    #[inline(always)]
    pub fn rounding(&self, lane: usize) -> T {
        self.rounding[lane]
    }

    /// The pair in a lane asks along the normal of a face that is so far away.
    #[inline(always)]
    pub fn along<S: Space>(&mut self, lane: usize, (normal, least): (S::Vector<T>, T)) {
        for k in 0..S::DIMENSION {
            self.normal[k][lane] = normal.get(k);
        }
        self.least[lane] = least;
    }

    /// Turns what is asked into the frames of the second bodies, and asks the two bodies of each pair that has a bit.
    #[inline(always)]
    pub fn ask<S: Space, L: Lanes<Scalar = T>>(
        &mut self,
        places: &Places<S, L>,
        pairs: u32,
        bodies: &[PackedPoints<'_, T>; 2],
    ) {
        let normal = load::<S, L>(&self.normal);
        store::<S, L>(-normal, &mut self.against[0]);
        store::<S, L>(places.rotation.unrotate(normal), &mut self.against[1]);
        for side in 0..2 {
            bodies[side].furthest_against::<S, L>(&self.against[side], &mut self.furthest[side], pairs);
        }
    }

    /// What they are told: which faces are A - B's own, but for rounding, and beyond which there is more. (Neither,
    /// where the numbers make no sense.)
    #[inline(always)]
    pub fn tell<S: Space, L: Lanes<Scalar = T>>(&mut self, places: &Places<S, L>, rounding: L) -> (u32, u32) {
        let furthest = [load::<S, L>(&self.furthest[0]), load::<S, L>(&self.furthest[1])];
        let (point, of_a) = places.point(furthest);
        let depth = load::<S, L>(&self.normal).dot(point);
        store::<S, L>(point, &mut self.points[0]);
        store::<S, L>(of_a, &mut self.points[1]);
        depth.store(&mut self.depth);
        let beyond = depth - L::load(&self.least);
        // In front of a face of A - B itself, the origin is outside or touches: no depth is less than rounding, and no
        // more is made of this one.
        (beyond.le(rounding).to_bits(), beyond.gt(rounding).to_bits())
    }

    /// The points of A - B and of A that the pair in a lane was told of, filled up to three numbers.
    #[inline(always)]
    pub fn told(&self, lane: usize) -> [[T; 3]; 2] {
        let [point, of_a] = &self.points;
        [[point[0][lane], point[1][lane], point[2][lane]], [of_a[0][lane], of_a[1][lane], of_a[2][lane]]]
    }

    /// What was asked last.
    #[inline(always)]
    pub fn normal<S: Space, L: Lanes<Scalar = T>>(&self) -> S::Vector<L> {
        load::<S, L>(&self.normal)
    }

    /// The same of the pair in a lane.
    #[inline(always)]
    pub fn normal_of<S: Space>(&self, pair: usize) -> S::Vector<T> {
        lane::<S, T>(&self.normal, pair)
    }

    /// The supports along it.
    #[inline(always)]
    pub fn depth<L: Lanes<Scalar = T>>(&self) -> L {
        L::load(&self.depth)
    }

    /// The same of the pair in a lane.
    #[inline(always)]
    pub fn depth_of(&self, lane: usize) -> T {
        self.depth[lane]
    }
}
