//! Searches the points of a hull for the furthest one along a direction.
//!
//! A register of points at a time; of many points only those blocks that may hold the furthest (`cells.rs`).

use jostle_lanes::{Kernel, Lanes, Least, Mask, Scalar, Space, Vector, prefetch_at, set_bits};

use crate::cell_table::{BLOCKS_PER_WORD, Blocks, blocks_against};
use crate::counts::MAX_WIDTH;

/// The points of a hull, relative to its centre.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, T> {
    /// In [blocks](crate::place_in_blocks) of rows of two or three coordinates, filled up with copies of point 0.
    pub blocks: &'a [T],
    /// Which blocks are searched for which directions, as [`Hull`](crate::Hull) keeps it. Empty for few points, which
    /// are all searched.
    pub cells: &'a [u8],
}

impl<T: Scalar> Points<'_, T> {
    /// The lowest index among points that are furthest along `direction` (equal in all lanes).
    ///
    /// ```
    /// use jostle_shape::{Core, D2, Shape};
    /// use jostle_lanes::Vec2;
    ///
    /// let shape = Shape::<D2>::convex(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 3.0]])?;
    /// let Core::Hull(hull) = shape.core() else { unreachable!() };
    /// // The scalars are lanes of width 1; kernels ask with wider ones.
    /// let furthest = |x, y| hull.points::<f64>().furthest::<D2, f64>(Vec2 { x, y });
    /// assert_eq!(furthest(1.0, 0.0), 1);
    /// assert_eq!(furthest(0.0, 1.0), 3);
    /// # Ok::<(), jostle_shape::ShapeError>(())
    /// ```
    #[inline(always)]
    pub fn furthest<S: Space, L: Lanes<Scalar = T>>(self, direction: S::Vector<L>) -> usize {
        self.furthest_against::<S, L>(-direction)
    }

    /// Point `index`.
    ///
    /// ```
    /// use jostle_lanes::{D2, Vec2};
    /// use jostle_shape::{Core, Shape};
    ///
    /// // Relative to the middle of their box.
    /// let shape = Shape::<D2>::convex(&[[0.0, 0.0], [4.0, 0.0], [0.0, 2.0]])?;
    /// let Core::Hull(hull) = shape.core() else { unreachable!() };
    /// assert_eq!(hull.points::<f64>().point::<D2>(1), Vec2 { x: 2.0, y: -1.0 });
    /// # Ok::<(), jostle_shape::ShapeError>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such block.
    #[inline(always)]
    pub fn point<S: Space>(self, index: usize) -> S::Vector<T> {
        let first = index / MAX_WIDTH * (S::DIMENSION * MAX_WIDTH);
        // Of a length known to the compiler, so that nothing is checked twice.
        let (block, row) = (&self.blocks[first..first + S::DIMENSION * MAX_WIDTH], index % MAX_WIDTH);
        S::Vector::from_fn(
            #[inline(always)]
            |k| block[k * MAX_WIDTH + row],
        )
    }

    /// As [`furthest`](Self::furthest), along the opposite direction.
    #[inline(always)]
    pub(crate) fn furthest_against<S: Space, L: Lanes<Scalar = T>>(self, against: S::Vector<L>) -> usize {
        let single = S::Vector::from_fn(
            #[inline(always)]
            |k| against.get(k).lane(0),
        );
        self.furthest_among::<S, L>(blocks_against::<S, T>(self.cells, single), against)
    }

    /// The same, given which blocks may hold it.
    #[inline(always)]
    pub(crate) fn furthest_among<S: Space, L: Lanes<Scalar = T>>(
        self,
        blocks: Blocks<'_>,
        against: S::Vector<L>,
    ) -> usize {
        match self.blocks.len() / (S::DIMENSION * MAX_WIDTH) {
            1 => return furthest_of_few::<S, L, 1>(self.blocks, against),
            2 if const { fits::<L>(2) } => return furthest_of_few::<S, L, 2>(self.blocks, against),
            3 if const { fits::<L>(3) } => return furthest_of_few::<S, L, 3>(self.blocks, against),
            4 if const { fits::<L>(4) } => return furthest_of_few::<S, L, 4>(self.blocks, against),
            _ => {}
        }
        if blocks.unknown() {
            return furthest_of_all::<S, L>(self.blocks, against);
        }
        furthest_of_some::<S, L>(self.blocks, blocks, against)
    }

    /// Prefetches the first and the last of some blocks, if one word holds them all.
    #[inline(always)]
    pub(crate) fn prefetch_some<S: Space>(self, blocks: Blocks<'_>) {
        if let Some(word) = blocks.single() {
            let (first, last) = (word.trailing_zeros(), word.ilog2());
            for k in 0..S::DIMENSION {
                prefetch_at(self.blocks, (first as usize * S::DIMENSION + k) * MAX_WIDTH);
                prefetch_at(self.blocks, (last as usize * S::DIMENSION + k) * MAX_WIDTH);
            }
        }
    }
}

/// The furthest of the points of all blocks.
#[inline(always)]
fn furthest_of_all<S: Space, L: Lanes>(mut blocks: &[L::Scalar], against: S::Vector<L>) -> usize {
    let (numbers, mut least) = (S::DIMENSION * MAX_WIDTH, Least::<L>::new());
    // Not `chunks_exact`, which divides. The block has a constant size, so the compiler knows that no load leaves it.
    while blocks.len() >= numbers {
        let (block, rest) = blocks.split_at(numbers);
        see_block::<S, L>(&mut least, block, against);
        blocks = rest;
    }
    least.found().1
}

/// The furthest of the points of some blocks.
#[inline(always)]
fn furthest_of_some<S: Space, L: Lanes>(points: &[L::Scalar], blocks: Blocks<'_>, against: S::Vector<L>) -> usize {
    if const { L::WIDTH == MAX_WIDTH } {
        return furthest_of_pairs::<S, L>(points, blocks, against);
    }
    let (mut least, mut words, mut first) = (Least::<L>::new(), Some(blocks), 0);
    while let Some(blocks) = words {
        for bit in set_bits::<BLOCKS_PER_WORD>(blocks.word) {
            let number = first + bit;
            least.go_to(number * MAX_WIDTH);
            let block = &points[number * (S::DIMENSION * MAX_WIDTH)..][..S::DIMENSION * MAX_WIDTH];
            see_block::<S, L>(&mut least, block, against);
        }
        (words, first) = (blocks.after(), first + BLOCKS_PER_WORD);
    }
    least.found().1
}

/// The same if a block is one register: two blocks at a time, with the last one twice if their number is odd. (The
/// number cannot be predicted: hulls of 256 points, GJK, 562 ns one by one, 521 by twos. Four at a time, and two blocks
/// of more registers, gained nothing, and were up to 7 % slower when all hulls are distinct.)
#[inline(always)]
fn furthest_of_pairs<S: Space, L: Lanes>(points: &[L::Scalar], blocks: Blocks<'_>, against: S::Vector<L>) -> usize {
    let (mut least, mut place) = (L::Scalar::INFINITY, 0);
    let (mut words, mut first) = (Some(blocks), 0);
    while let Some(blocks) = words {
        let mut left = blocks.word;
        while left != 0 {
            let one = left.trailing_zeros() as usize;
            left &= left - 1;
            let other = if left == 0 { one } else { left.trailing_zeros() as usize };
            left &= left.wrapping_sub(1);
            let places = [first + one, first + other];
            let (found, at) = least_of::<S, L, 2>(points, places, against);
            // An array look-up, not an `if`, which the compiler turns into a branch that is mispredicted.
            let at = places[at / MAX_WIDTH] * MAX_WIDTH + at % MAX_WIDTH;
            (least, place) = if found < least { (found, at) } else { (least, place) };
        }
        (words, first) = (blocks.after(), first + BLOCKS_PER_WORD);
    }
    place
}

/// Finds the index of the furthest point along one direction.
pub(crate) struct Furthest<'a, S: Space, T: Scalar> {
    pub(crate) points: Points<'a, T>,
    pub(crate) direction: S::Vector<T>,
}

impl<S: Space, T: Scalar> Kernel<T> for Furthest<'_, S, T> {
    type Output = usize;
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> usize {
        let along = S::Vector::from_fn(
            #[inline(always)]
            |k| L::splat(self.direction.get(k)),
        );
        self.points.furthest::<S, L>(along)
    }
}

/// Shows the points of a block to `least`.
#[inline(always)]
fn see_block<S: Space, L: Lanes>(least: &mut Least<L>, block: &[L::Scalar], against: S::Vector<L>) {
    let mut start = 0;
    while start < MAX_WIDTH {
        least.see(products::<S, L>(block, start, against));
        start += L::WIDTH;
    }
}

/// True if the products of this many blocks fit in four registers: with eight, hulls of 64 points took longer, in `f64`
/// by a fifth.
const fn fits<L: Lanes>(blocks: usize) -> bool {
    blocks * MAX_WIDTH / L::WIDTH <= 4
}

/// The furthest of the points of a few blocks: the case of small hulls.
#[inline(always)]
fn furthest_of_few<S: Space, L: Lanes, const B: usize>(blocks: &[L::Scalar], against: S::Vector<L>) -> usize {
    let mut places = [0; B];
    for (place, number) in places.iter_mut().enumerate() {
        *number = place;
    }
    least_of::<S, L, B>(&blocks[..B * S::DIMENSION * MAX_WIDTH], places, against).1
}

/// The least product of the points of some blocks with a direction, and the place in them of the first point that has
/// it. Products stay in registers, where the least is then found among them.
#[inline(always)]
fn least_of<S: Space, L: Lanes, const B: usize>(
    blocks: &[L::Scalar],
    places: [usize; B],
    against: S::Vector<L>,
) -> (L::Scalar, usize) {
    let numbers = S::DIMENSION * MAX_WIDTH;
    let mut along = [[L::zero(); MAX_WIDTH]; B];
    let mut least = L::splat(L::Scalar::INFINITY);
    for b in 0..B {
        let block = &blocks[places[b] * numbers..][..numbers];
        for i in 0..MAX_WIDTH / L::WIDTH {
            along[b][i] = products::<S, L>(block, i * L::WIDTH, against);
            least = along[b][i].min(least);
        }
    }
    let least = least.reduce_min();
    let (everywhere, mut halves) = (L::splat(least), [0_u32; 2]);
    for b in 0..B {
        for i in 0..MAX_WIDTH / L::WIDTH {
            halves[b / 2] |= along[b][i].eq(everywhere).to_bits() << (b % 2 * MAX_WIDTH + i * L::WIDTH);
        }
    }
    let bits = u64::from(halves[0]) | u64::from(halves[1]) << 32;
    // NaN equals nothing; any point will do.
    let bit = bits.trailing_zeros() as usize % (B * MAX_WIDTH);
    (least, bit)
}

/// The scalar products of W points of a block with a direction.
#[inline(always)]
fn products<S: Space, L: Lanes>(block: &[L::Scalar], start: usize, direction: S::Vector<L>) -> L {
    let point = S::Vector::from_fn(
        #[inline(always)]
        |k| L::load(&block[k * MAX_WIDTH + start..(k + 1) * MAX_WIDTH]),
    );
    point.dot(direction)
}

#[cfg(test)]
mod tests {
    use jostle_lanes::{D2, D3, Isa, Kernel, Lanes, Scalar, Space, Vec3, Vector, dispatch_on};

    use super::{Furthest, Points, blocks_against, products};
    use crate::cell_table::HALF_EDGE;
    use crate::{Core, Hull, MAX_WIDTH, PackedPoints, Shape};

    /// The furthest point along each direction, and the same by looking at all of them: counts how often the two
    /// differ.
    struct Asked<'h, S: Space> {
        hull: &'h Hull<S>,
        directions: &'h [[f64; 3]],
    }

    impl<S: Space, T: Scalar> Kernel<T> for Asked<'_, S> {
        type Output = usize;
        #[inline(always)]
        fn run<L: Lanes<Scalar = T>>(self) -> usize {
            let (points, numbers) = (self.hull.points::<T>(), S::DIMENSION * MAX_WIDTH);
            let mut wrong = 0;
            for direction in self.directions {
                let single = S::Vector::from_fn(|k| T::from_f64(-direction[k]));
                let (mut least, mut index) = (T::INFINITY, 0);
                for i in 0..points.blocks.len() / S::DIMENSION {
                    let (block, row) = (i / MAX_WIDTH * numbers, i % MAX_WIDTH);
                    let along = products::<S, T>(&points.blocks[block..block + numbers], row, single);
                    if along < least {
                        (least, index) = (along, i);
                    }
                }
                let direction = S::Vector::from_fn(|k| L::constant(direction[k]));
                wrong += usize::from(points.furthest::<S, L>(direction) != index);
            }
            wrong
        }
    }

    /// Numbers from -1 to 1.
    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 7_u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    /// Compares the furthest of these points with that of a search of all, along directions of all lengths, and along
    /// `special` ones.
    fn none_is_hidden<S: Space>(points: &[[f64; 3]], special: &[[f64; 3]]) {
        let (count, mut number) = (points.len(), numbers());
        let points: Vec<S::Array<f64>> = points.iter().map(|p| S::array(|k| p[k])).collect();
        let shape = Shape::<S>::convex(&points).unwrap();
        let Core::Hull(hull) = shape.core() else { unreachable!() };
        let kept = hull.points::<f64>();
        assert_eq!(kept.cells.is_empty(), count < 128, "{count}");
        let mut directions = special.to_vec();
        for scale in [1.0, 1e-12, 1e-16, 2e-23, 4e-23, 8e-23, 1e-26, 1e12, 1e20] {
            directions.extend((0..200).map(|_| [0; 3].map(|_| scale * number())));
        }
        for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
            let asked = || Asked { hull, directions: &directions };
            assert_eq!(dispatch_on::<f32, _>(isa, asked()), 0, "{isa} f32 {count}");
            assert_eq!(dispatch_on::<f64, _>(isa, asked()), 0, "{isa} f64 {count}");
        }
    }

    #[test]
    fn few_points_are_all_looked_at() {
        let mut number = numbers();
        for count in [4, 15, 16, 17, 32, 33, 48, 49, 64, 65, 100] {
            let points: Vec<[f64; 3]> = (0..count).map(|_| [0; 3].map(|_| number())).collect();
            none_is_hidden::<D3>(&points, &[]);
            none_is_hidden::<D2>(&points, &[]);
            // On a grid, so that several are as far: the first of them counts.
            let grid: Vec<[f64; 3]> = points.iter().map(|p| p.map(|x| (2.0 * x).round())).collect();
            let ways = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 1.0]];
            none_is_hidden::<D3>(&grid, &ways);
            none_is_hidden::<D2>(&grid, &ways);
        }
    }

    #[test]
    fn cells_hide_no_point() {
        let mut number = numbers();
        let axes = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]];
        // A cloud, a sphere, a plate and a needle, as few points as have cells; in the plane without their last
        // numbers.
        for (count, size) in [(3000, [1.0; 3]), (1256, [1.0; 3]), (1500, [1.0, 1e-9, 1.0]), (128, [1.0, 1e-6, 1e-6])] {
            let mut points: Vec<[f64; 3]> = (0..count).map(|_| size.map(|size| size * number())).collect();
            if count == 1256 {
                for p in &mut points {
                    let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
                    *p = p.map(|x| x / length);
                }
            }
            none_is_hidden::<D3>(&points, &axes);
            none_is_hidden::<D2>(&points, &axes);
        }
    }

    /// Two heaps that are equally far along a direction on the border between cells, on one face or two: which is
    /// furthest changes there, and so do the blocks.
    #[test]
    fn cells_hide_no_point_where_they_meet() {
        let mut number = numbers();
        let borders = [1.0 / f64::from(HALF_EDGE), 3.0 / f64::from(HALF_EDGE), 1.0];
        for (heap, border) in [100, 600].into_iter().flat_map(|heap| borders.map(|border| (heap, border))) {
            // Along (1, border), with points that make the hull as wide as it is high, so that cells see it unscaled.
            let (far, beside) = (0.5 * border - 1.0, 0.5);
            let middles = [[-1.0, far * border + beside], [far + beside * border, far * border - beside]];
            let mut points = vec![[1.0, 1.0, 1.0], [0.0, -1.0, -1.0]];
            for middle in middles {
                points.extend((0..heap).map(|_| {
                    let [x, y] = middle.map(|at| at + 2e-5 * number().abs());
                    [x, y, number()]
                }));
            }
            let directions: Vec<[f64; 3]> = (0..2000).map(|_| [-1.0, -border - 1e-5 * number(), 0.0]).collect();
            none_is_hidden::<D2>(&points, &directions);
            none_is_hidden::<D3>(&points, &directions);
        }
    }

    /// The number of blocks that are searched.
    fn looked_at(hull: &Hull<D3>, against: Vec3<f64>) -> u32 {
        let blocks = blocks_against::<D3, f64>(hull.points::<f64>().cells, against);
        std::iter::successors(Some(blocks), |blocks| blocks.after()).map(|blocks| blocks.word.count_ones()).sum()
    }

    /// Few blocks of a round hull are searched, however it is stretched.
    #[test]
    fn few_blocks_are_looked_at() {
        let mut number = numbers();
        for (count, most) in [(128, 2.0), (256, 2.4), (512, 2.8), (1024, 3.5), (4096, 7.5)] {
            let direction = |number: &mut dyn FnMut() -> f64| {
                let p = [0; 3].map(|_| number());
                let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
                p.map(|x| x / length)
            };
            let round: Vec<[f64; 3]> = (0..count).map(|_| direction(&mut number)).collect();
            for size in [[1.0; 3], [1e-3, 2.0, 1e-3], [1e3, 1.0, 1e3]] {
                let points: Vec<[f64; 3]> = round.iter().map(|p| [0, 1, 2].map(|k| p[k] * size[k])).collect();
                let shape = Shape::<D3>::convex(&points).unwrap();
                let Core::Hull(hull) = shape.core() else { unreachable!() };
                let seen = |normal: [f64; 3]| looked_at(hull, Vector::from_fn(|k| normal[k] / size[k]));
                let mean = f64::from((0..1000).map(|_| seen(direction(&mut number))).sum::<u32>()) / 1000.0;
                assert!(mean <= most, "{mean} blocks of {count} points times {size:?}");
            }
        }
    }

    /// Meaningless directions, as a search that was given up may use, still yield a point.
    #[test]
    fn no_direction_ends_at_a_point() {
        let mut number = numbers();
        let points: Vec<[f64; 3]> = (0..300).map(|_| [0; 3].map(|_| number())).collect();
        let shape = Shape::<D3>::convex(&points).unwrap();
        let Core::Hull(hull) = shape.core() else { unreachable!() };
        // The bits of a NaN, which a user's own shape may return, must not be taken for an index.
        let other = f64::from_bits(0x7ff8_ffff_ffff_ffff);
        let some = [f64::NAN, other, f64::INFINITY, f64::NEG_INFINITY, 0.0, 1.0, -1e-30, 1e38];
        for x in some {
            for (y, z) in some.into_iter().flat_map(|y| some.map(|z| (y, z))) {
                let against = Vec3 { x, y, z };
                assert!(looked_at(hull, against) > 0, "{against:?}");
                for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
                    let direction = Vec3 { x: x as f32, y: y as f32, z: z as f32 };
                    assert!(dispatch_on(isa, Furthest::<D3, f32> { points: hull.points(), direction }) < 304);
                    assert!(dispatch_on(isa, Furthest::<D3, f64> { points: hull.points(), direction: against }) < 304);
                    dispatch_on::<f32, _>(isa, FurthestOfPacked { hull, direction: [x, y, z] });
                    dispatch_on::<f64, _>(isa, FurthestOfPacked { hull, direction: [x, y, z] });
                }
            }
        }
    }

    /// All lanes search along the same direction; each finds a point of the hull.
    struct FurthestOfPacked<'h> {
        hull: &'h Hull<D3>,
        direction: [f64; 3],
    }

    impl<T: Scalar> Kernel<T> for FurthestOfPacked<'_> {
        type Output = ();
        #[inline(always)]
        fn run<L: Lanes<Scalar = T>>(self) {
            let mut packed = PackedPoints::none();
            for lane in 0..L::WIDTH {
                packed.set(lane, self.hull.points::<T>());
            }
            let directions = self.direction.map(|x| [T::from_f64(x); MAX_WIDTH]);
            let mut furthest = [[T::INFINITY; MAX_WIDTH]; 3];
            packed.furthest_against::<D3, L>(&directions, &mut furthest, u32::MAX >> (32 - L::WIDTH));
            for lane in 0..L::WIDTH {
                assert!((0..3).all(|k| furthest[k][lane].finite()));
            }
        }
    }

    /// Hulls with a table and without, small and large, side by side, then others in their lanes: each lane finds the
    /// furthest point of its own hull.
    struct SideBySide<'h> {
        hulls: &'h [Shape<D3>],
        directions: &'h [[f64; 3]],
    }

    impl<T: Scalar> Kernel<T> for SideBySide<'_> {
        type Output = ();
        #[inline(always)]
        fn run<L: Lanes<Scalar = T>>(self) {
            let mut packed = PackedPoints::none();
            for (turn, way) in self.directions.iter().enumerate() {
                let hull = |lane: usize| {
                    let Core::Hull(hull) = self.hulls[(lane + turn) % self.hulls.len()].core() else { unreachable!() };
                    hull.points::<T>()
                };
                packed.clear();
                let (mut directions, mut furthest) = ([[T::ZERO; MAX_WIDTH]; 3], [[T::ZERO; MAX_WIDTH]; 3]);
                for lane in 0..L::WIDTH {
                    packed.set(lane, hull(lane));
                    for k in 0..3 {
                        directions[k][lane] = T::from_f64(way[(k + lane) % 3]);
                    }
                }
                packed.furthest_against::<D3, L>(&directions, &mut furthest, u32::MAX >> (32 - L::WIDTH));
                for lane in 0..L::WIDTH {
                    let (points, lane_of) = (hull(lane), |rows: &[[T; MAX_WIDTH]; 3]| rows.map(|row| row[lane]));
                    let all = Points { cells: &[], ..points };
                    let [x, y, z] = lane_of(&directions);
                    let expected = all.point::<D3>(all.furthest_against::<D3, T>(Vec3 { x, y, z }));
                    assert!(lane_of(&furthest) == [expected.x, expected.y, expected.z], "lane {lane}, turn {turn}");
                }
            }
        }
    }

    #[test]
    fn lanes_are_told_of_their_own_hulls() {
        let mut number = numbers();
        // Stretched along different axes, so that hulls see the same direction in different cells.
        let shape = |count: usize| {
            let size: [f64; 3] = std::array::from_fn(|k| if k == count % 3 { 100.0 } else { 1.0 });
            let points: Vec<[f64; 3]> = (0..count).map(|_| size.map(|size| size * number())).collect();
            Shape::<D3>::convex(&points).unwrap()
        };
        // Cells of one, two, four and eight bytes; of several words.
        let hulls: Vec<Shape<D3>> = [300, 20, 128, 100, 1000, 1500, 4].map(shape).into();
        let directions: Vec<[f64; 3]> = (0..300).map(|_| [0; 3].map(|_| number())).collect();
        for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
            dispatch_on::<f32, _>(isa, SideBySide { hulls: &hulls, directions: &directions });
            dispatch_on::<f64, _>(isa, SideBySide { hulls: &hulls, directions: &directions });
        }
    }

    /// A needle along no axis: for directions across it no block can be ruled out.
    #[test]
    fn needles_are_looked_at_from_end_to_end() {
        let mut number = numbers();
        let points: Vec<[f64; 3]> = (0..30_000)
            .map(|_| {
                let along = number();
                [1.0, 0.8, -0.6].map(|x| x * along + 1e-6 * number())
            })
            .collect();
        none_is_hidden::<D3>(&points, &[]);
        let shape = Shape::<D3>::convex(&points).unwrap();
        let Core::Hull(hull) = shape.core() else { unreachable!() };
        assert_eq!(looked_at(hull, Vec3 { x: 0.6, y: 0.0, z: 1.0 }), 30_000_u32.div_ceil(16));
    }

    /// Heaps of points in one plane (in 2D: on one line): which of them is furthest along its normal depends on
    /// rounding alone.
    #[test]
    fn cells_hide_no_point_of_a_plane() {
        let mut number = numbers();
        for (normal, along) in [([0.48, 0.6, 0.64], [0.6, -0.48, 0.0]), ([0.6, 0.8, 0.0], [0.8, -0.6, 0.0])] {
            let heap = |p: [f64; 3]| {
                let off = (0..3).map(|k| p[k] * normal[k]).sum::<f64>();
                (0..16).map(move |i| [0, 1, 2].map(|k| p[k] - off * normal[k] + 1e-9 * f64::from(i) * along[k]))
            };
            let points: Vec<[f64; 3]> = (0..64).flat_map(|_| heap([0; 3].map(|_| number()))).collect();
            let special = [normal, normal.map(|x| -x), normal.map(|x| 3.0 * x)];
            none_is_hidden::<D3>(&points, &special);
            if normal[2] == 0.0 {
                none_is_hidden::<D2>(&points, &special);
            }
        }
    }
}
