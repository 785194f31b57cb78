//! The furthest of the points of a hull.
//!
//! A register of points at a time. Of a thousand points and more neighbours lie together, and a ball about each block says how far
//! its points can be: most blocks are not looked at. The middle of the ball is the mean of its points, and no further along any
//! direction than the furthest of them: so the furthest middle is what every block has to reach.
//!
//! Fewer points are all looked at: to ask the balls first is a chain of its own, and nobody can guess which blocks are left. Points
//! of a sphere in ns a question, AVX2: all 52, 81, 141, 263, 530 of 256, 512, 1,024, 2,048, 4,096 points, with balls 68, 94, 114, 160,
//! 242; rows of `table stages hull256` took 10 % longer. A walk from neighbour to neighbour looks at fewer points still, one after the
//! other.

use jostle_lanes::{Lanes, Least, Mask, Scalar, Space, Vector};

use crate::MAX_WIDTH;

/// Room for rounding, `f32` included: relative to the reach of the points.
const ROUNDING: f64 = 4e-6;

/// The points of a hull, relative to its centre.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, T> {
    /// In [blocks](crate::place_in_blocks) of rows of two or three coordinates, filled up with copies of point 0.
    pub blocks: &'a [T],
    /// A ball about each block: its middle and its radius, in blocks of rows of three or four numbers, filled up with copies of the
    /// first. None where there are few points.
    pub balls: &'a [T],
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

    /// The same, and all points are looked at, whatever balls there are: for callers that have none. (What looks at balls is compiled into
    /// every place that may have some.)
    ///
    /// ```
    /// use jostle_shape::{Core, D2, Shape};
    /// use jostle_lanes::Vec2;
    ///
    /// let shape = Shape::<D2>::convex(&[[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]])?;
    /// let Core::Hull(hull) = shape.core() else { unreachable!() };
    /// assert_eq!(hull.points::<f64>().furthest_of_all::<D2, f64>(Vec2 { x: 0.0, y: 1.0 }), 2);
    /// # Ok::<(), jostle_shape::ShapeError>(())
    /// ```
    #[inline(always)]
    pub fn furthest_of_all<S: Space, L: Lanes<Scalar = T>>(self, direction: S::Vector<L>) -> usize {
        self.all_against::<S, L>(-direction)
    }

    /// As [`furthest`](Self::furthest), along the opposite direction.
    #[inline(always)]
    pub(crate) fn furthest_against<S: Space, L: Lanes<Scalar = T>>(self, against: S::Vector<L>) -> usize {
        if self.balls.is_empty() { self.all_against::<S, L>(against) } else { self.furthest_in_balls::<S, L>(against) }
    }

    #[inline(always)]
    fn all_against<S: Space, L: Lanes<Scalar = T>>(self, against: S::Vector<L>) -> usize {
        let numbers = S::DIMENSION * MAX_WIDTH;
        if self.blocks.len() == numbers {
            return furthest_of_block::<S, L>(self.blocks, against);
        }
        let (mut least, mut blocks) = (Least::<L>::new(), self.blocks);
        // Not `chunks_exact`, which divides. Of a constant size: the compiler then knows that no load leaves a block.
        while blocks.len() >= numbers {
            let (block, rest) = blocks.split_at(numbers);
            see_block::<S, L>(&mut least, block, against);
            blocks = rest;
        }
        least.found().1
    }

    #[inline(always)]
    fn furthest_in_balls<S: Space, L: Lanes<Scalar = T>>(self, against: S::Vector<L>) -> usize {
        let (numbers, row) = ((S::DIMENSION + 1) * MAX_WIDTH, MAX_WIDTH);
        let blocks = self.blocks.len() / (S::DIMENSION * MAX_WIDTH);
        // Of what is so short that its square has lost digits the length is not known: all blocks are looked at.
        let squared = against.length_squared();
        let length = L::select(squared.gt(L::constant(tiny::<T>())), squared.sqrt(), L::splat(T::INFINITY));
        let mut reach = L::splat(T::INFINITY);
        let mut first = 0;
        while first < blocks {
            let ball = &self.balls[first / row * numbers..][..numbers];
            // Beyond the last there are copies of the first.
            reach = products::<S, L>(ball, first % row, against).min(reach);
            first += L::WIDTH;
        }
        let reach = L::splat(reach.reduce_min());
        let mut least = Least::<L>::new();
        let mut first = 0;
        while first < blocks {
            let ball = &self.balls[first / row * numbers..][..numbers];
            let radius = L::load(&ball[S::DIMENSION * row + first % row..]);
            let nearest = products::<S, L>(ball, first % row, against) - radius * length;
            let mut bits = nearest.le(reach).to_bits() & u32::MAX >> (32 - L::WIDTH.min(blocks - first));
            while bits != 0 {
                let number = first + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                least.go_to(number * MAX_WIDTH);
                let block = &self.blocks[number * (S::DIMENSION * MAX_WIDTH)..][..S::DIMENSION * MAX_WIDTH];
                see_block::<S, L>(&mut least, block, against);
            }
            first += L::WIDTH;
        }
        least.found().1
    }
}

/// The least square of a length that has all its digits.
#[inline(always)]
fn tiny<T: Scalar>() -> f64 {
    if T::DOUBLE { 1e-280 } else { 1e-30 }
}

/// So many points have no balls.
const FEW: usize = 1023;

/// True if so many points have balls.
pub(crate) fn are_many(count: usize) -> bool {
    count > FEW
}

/// Rows of [`Points::balls`]: none where there are few points. `number` gives the coordinates of the points.
pub(crate) fn balls(count: usize, dimension: usize, number: &dyn Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    if !are_many(count) {
        return Vec::new();
    }
    let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let point = |i: usize| (0..dimension).map(|k| number(i, k)).collect::<Vec<f64>>();
    let reach = (0..count).map(|i| length(&point(i))).fold(0.0, f64::max);
    let ball = |block: usize| {
        let within = || (block * MAX_WIDTH..count.min((block + 1) * MAX_WIDTH)).map(point);
        let share = 1.0 / within().count() as f64;
        let mean: Vec<f64> = (0..dimension).map(|k| within().map(|p| p[k] * share).sum()).collect();
        let away = |p: Vec<f64>| length(&p.iter().zip(&mean).map(|(p, m)| p - m).collect::<Vec<f64>>());
        let radius = within().map(away).fold(0.0, f64::max) + ROUNDING * reach;
        mean.iter().copied().chain([radius]).collect()
    };
    (0..count.div_ceil(MAX_WIDTH)).map(ball).collect()
}

/// Looks at the points of a block.
#[inline(always)]
fn see_block<S: Space, L: Lanes>(least: &mut Least<L>, block: &[L::Scalar], against: S::Vector<L>) {
    let mut start = 0;
    while start < MAX_WIDTH {
        least.see(products::<S, L>(block, start, against));
        start += L::WIDTH;
    }
}

/// The same in one block, which is what most small hulls are: its products stay in registers, and where the least is found among
/// them, its place is the index.
#[inline(always)]
fn furthest_of_block<S: Space, L: Lanes>(block: &[L::Scalar], against: S::Vector<L>) -> usize {
    let mut along = [L::zero(); MAX_WIDTH];
    let mut least = L::splat(L::Scalar::INFINITY);
    for i in 0..MAX_WIDTH / L::WIDTH {
        along[i] = products::<S, L>(block, i * L::WIDTH, against);
        least = along[i].min(least);
    }
    let (least, mut bits) = (L::splat(least.reduce_min()), 0);
    for i in 0..MAX_WIDTH / L::WIDTH {
        bits |= along[i].eq(least).to_bits() << (i * L::WIDTH);
    }
    // NaN equals nothing, and ends at zero as for several blocks.
    bits.trailing_zeros() as usize % MAX_WIDTH
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
    use jostle_lanes::{D2, D3, Isa, Kernel, Lanes, Scalar, Space, Vector, dispatch_on};

    use super::{FEW, products};
    use crate::{Core, Hull, MAX_WIDTH, Shape, place_in_blocks};

    /// The furthest point along each direction, and the same by looking at all of them: counts how often the two differ.
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

    /// Asks for the furthest of these points along directions of all lengths, and along `special` ones.
    fn none_is_hidden<S: Space>(points: &[[f64; 3]], special: &[[f64; 3]]) {
        let (count, mut number) = (points.len(), numbers());
        let points: Vec<S::Array<f64>> = points.iter().map(|p| S::array(|k| p[k])).collect();
        let shape = Shape::<S>::convex(&points).unwrap();
        let Core::Hull(hull) = shape.core() else { unreachable!() };
        let kept = hull.points::<f64>();
        assert!(!kept.balls.is_empty(), "{count}");
        for i in 0..hull.len() {
            let number = |k| kept.balls[place_in_blocks(S::DIMENSION + 1, i / MAX_WIDTH, k)];
            let away = |k| kept.blocks[place_in_blocks(S::DIMENSION, i, k)] - number(k);
            let squared: f64 = (0..S::DIMENSION).map(|k| away(k).powi(2)).sum();
            assert!(squared.sqrt() <= number(S::DIMENSION), "point {i} of {count} is outside its ball");
        }
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
    fn balls_hide_no_point() {
        let mut number = numbers();
        let axes = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]];
        // A cloud, a sphere, a plate and a needle, as few points as have balls; in the plane without their last numbers.
        for (count, size) in
            [(3000, [1.0; 3]), (1256, [1.0; 3]), (1500, [1.0, 1e-9, 1.0]), (FEW + 1, [1.0, 1e-6, 1e-6])]
        {
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

    /// Heaps of points in one plane (in the plane: on one line), so that it is by rounding alone which of them is furthest
    /// along its normal.
    #[test]
    fn balls_hide_no_point_of_a_plane() {
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
