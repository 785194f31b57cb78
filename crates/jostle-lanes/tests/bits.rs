//! Every operation of lanes, masks, vectors and rotations, under every instruction set that this machine has, bit for
//! bit against width 1: all pairs of nasty numbers, then ordinary numbers and random bits.
//!
//! An operation is written once over lanes; `Rows` runs it over columns of numbers. NaN equals NaN, whatever its
//! payload; -0.0 and 0.0 differ.

mod random;

use std::panic::{AssertUnwindSafe, catch_unwind};

use jostle_lanes::{
    Aligned, D2, D3, EachLanes, Isa, Kernel, Lanes, Least, MakeEach, Mask, PerLanes, Rot2, Rot3, Rotation, Scalar,
    Space, Vec2, Vec3, Vector, dispatch_on,
};
use random::Random;

/// The instruction sets of this machine. Those named in `JOSTLE_TEST_WITHOUT` (separated by commas) are left out, for
/// memory checkers that do not know them.
fn instruction_sets() -> Vec<Isa> {
    let without = std::env::var("JOSTLE_TEST_WITHOUT").unwrap_or_default();
    let wanted = |isa: &Isa| isa.available() && !without.split(',').any(|name| name == isa.name());
    let found: Vec<Isa> = Isa::ALL.into_iter().filter(wanted).collect();
    println!("instruction sets under test: {found:?}");
    found
}

/// What the tests need to know of `f32` and `f64` beyond [`Scalar`].
trait Number: Scalar {
    fn from_random_bits(bits: u64) -> Self;
    fn nasty() -> Vec<Self>;
    /// The bits, with one NaN for all.
    fn key(self) -> u64;
}

macro_rules! number {
    ($t:ident) => {
        impl Number for $t {
            fn from_random_bits(bits: u64) -> Self {
                $t::from_bits(bits as _)
            }
            fn nasty() -> Vec<Self> {
                let positive = [
                    0.0,
                    $t::from_bits(1),
                    $t::MIN_POSITIVE.next_down(),
                    $t::MIN_POSITIVE,
                    $t::EPSILON,
                    1.0 - $t::EPSILON,
                    1.0,
                    1.0 + $t::EPSILON,
                    1.0 / 3.0,
                    2.0,
                    1e5,
                    $t::MAX.sqrt(),
                    $t::MAX / 2.0,
                    $t::MAX,
                    $t::INFINITY,
                    $t::NAN,
                ];
                positive.into_iter().flat_map(|x| [x, -x]).collect()
            }
            fn key(self) -> u64 {
                if self.is_nan() { u64::MAX } else { u64::from(self.to_bits()) }
            }
        }
    };
}

number!(f32);
number!(f64);

/// Columns of `rows` numbers: in the first two all pairs of nasty numbers come first; then one half nasty, a quarter
/// ordinary, a quarter random bits, mixed within each row.
fn columns<T: Number>(count: usize, rows: usize) -> Vec<Vec<T>> {
    let (nasty, mut random) = (T::nasty(), Random(7));
    let n = nasty.len();
    assert!(rows >= n * n && rows.is_multiple_of(16));
    let mut number = |column: usize, row: usize| match (column, random.below(4)) {
        (0, _) if row < n * n => nasty[row / n],
        (1, _) if row < n * n => nasty[row % n],
        // Later rows of wide operations are all ordinary: among nasty numbers nearly every sum is NaN.
        (_, 0 | 1) if row < rows / 2 => nasty[random.below(n)],
        (_, 2) if row < rows / 2 => T::from_random_bits(random.next()),
        _ => T::from_f64(random.unit() * [1e-3, 1.0, 50.0][random.below(3)]),
    };
    (0..count).map(|column| (0..rows).map(|row| number(column, row)).collect()).collect()
}

/// What operations put their results into.
struct Sink<L: Lanes> {
    numbers: Vec<L>,
    masks: Vec<L::Mask>,
}

impl<L: Lanes> Sink<L> {
    #[inline(always)]
    fn number(&mut self, number: L) {
        self.numbers.push(number);
    }
    #[inline(always)]
    fn numbers<V: Vector<L>>(&mut self, vector: V) {
        for k in 0..V::DIMENSION {
            self.number(vector.get(k));
        }
    }
    #[inline(always)]
    fn rotation<V: Vector<L>, R: Rotation<L, V>>(&mut self, rotation: R) {
        for k in 0..R::ENTRIES {
            self.number(rotation.entry(k));
        }
        for k in 0..V::DIMENSION {
            self.numbers(rotation.column(k));
        }
    }
    #[inline(always)]
    fn mask(&mut self, mask: L::Mask) {
        self.masks.push(mask);
    }
}

/// Something to compute, lane by lane, from a row of numbers.
trait Operation {
    const INPUTS: usize;
    fn apply<L: Lanes>(inputs: &[L], sink: &mut Sink<L>);
}

/// Runs an operation over columns: the keys of all results, row by row.
struct Rows<'a, T, O> {
    columns: &'a [Vec<T>],
    operation: std::marker::PhantomData<O>,
}

impl<T: Number, O: Operation> Kernel<T> for Rows<'_, T, O> {
    type Output = Vec<Vec<u64>>;
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> Vec<Vec<u64>> {
        let rows = self.columns[0].len();
        let mut keys = vec![Vec::new(); rows];
        for first in (0..rows).step_by(L::WIDTH) {
            let inputs: Vec<L> = self.columns.iter().map(|column| L::load(&column[first..])).collect();
            let mut sink = Sink { numbers: Vec::new(), masks: Vec::new() };
            O::apply(&inputs, &mut sink);
            for result in sink.numbers {
                // Exactly as long as the lanes are wide, so that memory checkers see one number too many.
                let mut numbers = vec![T::ZERO; L::WIDTH];
                result.store(&mut numbers);
                for (lane, number) in numbers.into_iter().enumerate() {
                    assert_eq!(number.key(), result.lane(lane).key());
                    keys[first + lane].push(number.key());
                }
            }
            for mask in sink.masks {
                let bits = mask.to_bits();
                assert_eq!(bits >> (L::WIDTH - 1) >> 1, 0, "bits above the width");
                assert_eq!(mask.any(), bits != 0);
                assert_eq!(mask.all(), bits.count_ones() as usize == L::WIDTH);
                assert_eq!(L::Mask::from_bits(bits).to_bits(), bits);
                (0..L::WIDTH).for_each(|lane| keys[first + lane].push(u64::from(bits >> lane & 1)));
            }
        }
        keys
    }
}

fn same_at_every_width<T: Number, O: Operation>() {
    let columns = columns::<T>(O::INPUTS.max(2), 2048);
    let rows = || Rows::<T, O> { columns: &columns, operation: std::marker::PhantomData };
    let reference = rows().run::<T>();
    assert!(!reference[0].is_empty());
    for isa in instruction_sets() {
        let found = dispatch_on(isa, rows());
        for (row, (found, expected)) in found.iter().zip(&reference).enumerate() {
            let inputs: Vec<T> = columns.iter().map(|column| column[row]).collect();
            let differing: Vec<usize> = (0..expected.len()).filter(|&k| found[k] != expected[k]).collect();
            assert!(
                differing.is_empty(),
                "{isa}: results {differing:?} of {inputs:?}: {found:x?} instead of {expected:x?}"
            );
        }
    }
}

macro_rules! operations {
    ($($(#[$documentation:meta])* $test:ident $name:ident $inputs:literal ($i:ident, $sink:ident) $body:block)*) => {$(
        $(#[$documentation])*
        struct $name;
        impl Operation for $name {
            const INPUTS: usize = $inputs;
            #[inline(always)]
            fn apply<L: Lanes>($i: &[L], $sink: &mut Sink<L>) $body
        }
        #[test]
        fn $test() {
            same_at_every_width::<f32, $name>();
            same_at_every_width::<f64, $name>();
        }
    )*};
}

operations! {
    arithmetic Arithmetic 4 (i, sink) {
        let (a, b, c, d) = (i[0], i[1], i[2], i[3]);
        let unary = [-a, a.sqrt(), a.abs(), b.abs(), a.power_of_two()];
        for number in unary.into_iter().chain([a + b, a - b, a * b, a / b, a.copysign(b), a.min(b), a.max(b)]) {
            sink.number(number);
        }
        // Fused, these would round once.
        for number in [a * b + c, a * b - c, c - a * b, a * b + c * d] {
            sink.number(number);
        }
        for number in [L::zero(), L::one(), L::constant(0.1), L::splat(L::Scalar::UNIT_ROUNDOFF)] {
            sink.number(number);
        }
    }
    comparisons Comparisons 4 (i, sink) {
        let (a, b, c, d) = (i[0], i[1], i[2], i[3]);
        for mask in [a.lt(b), a.le(b), a.gt(b), a.ge(b), a.eq(b)] {
            sink.mask(mask);
            sink.mask(!mask);
            sink.number(L::select(mask, a, b));
            sink.number(L::select(!mask, c, d));
            sink.number(L::select(mask, L::zero(), -a));
        }
    }
    masks Masks 4 (i, sink) {
        let (p, q, r) = (i[0].lt(i[1]), i[2].lt(i[3]), i[0].ge(i[2]));
        for mask in [p & q, p | q, p ^ q, !(p & q) | r, (p ^ r) & !q, L::Mask::splat(true), L::Mask::splat(false)] {
            sink.mask(mask);
            sink.number(L::select(mask, i[0], i[3]));
        }
        sink.mask(p & L::Mask::splat(true));
        sink.mask(p | L::Mask::splat(false));
    }
    plane Plane 5 (i, sink) {
        let (u, v, s) = (Vec2 { x: i[0], y: i[1] }, Vec2 { x: i[2], y: i[3] }, i[4]);
        vectors(u, v, s, sink);
        sink.number(u.cross(v));
        sink.numbers(u.perpendicular());
    }
    space Space3 7 (i, sink) {
        let (u, v, s) = (Vec3 { x: i[0], y: i[1], z: i[2] }, Vec3 { x: i[3], y: i[4], z: i[5] }, i[6]);
        vectors(u, v, s, sink);
        sink.numbers(u.cross(v));
    }
    plane_rotations PlaneRotations 6 (i, sink) {
        rotations::<L, Vec2<L>, Rot2<L>>(i, sink);
    }
    space_rotations SpaceRotations 21 (i, sink) {
        rotations::<L, Vec3<L>, Rot3<L>>(i, sink);
        sink.rotation(Rot3::from_quaternion(i[0], i[1], i[2], i[3]));
    }
}

#[inline(always)]
fn vectors<L: Lanes, V: Vector<L>>(u: V, v: V, s: L, sink: &mut Sink<L>) {
    for vector in [u + v, u - v, -u, u * s, u.abs(), V::zero(), V::unit(1), u.map(L::sqrt), u.zip(v, L::max)] {
        sink.numbers(vector);
    }
    sink.numbers(V::select(s.gt(u.get(0)), u, v));
    for number in [u.dot(v), u.length_squared(), u.max_component(), u.sum()] {
        sink.number(number);
    }
}

#[inline(always)]
fn rotations<L: Lanes, V: Vector<L>, R: Rotation<L, V>>(i: &[L], sink: &mut Sink<L>) {
    let (first, second) = (R::from_entries(|k| i[k]), R::from_entries(|k| i[R::ENTRIES + k]));
    let vector = V::from_fn(|k| i[2 * R::ENTRIES + k]);
    sink.rotation(R::identity());
    sink.rotation(first);
    sink.rotation(first.inverse_times(second));
    sink.numbers(first.rotate(vector));
    sink.numbers(first.unrotate(vector));
}

/// The extremes of each group of `WIDTH` numbers, against a fold over its lanes.
struct Extremes<'a, T>(&'a [T]);

impl<T: Number> Kernel<T> for Extremes<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        for first in 0..self.0.len() - L::WIDTH {
            let (lanes, numbers) = (L::load(&self.0[first..]), &self.0[first..first + L::WIDTH]);
            let least = numbers.iter().fold(T::INFINITY, |a, &b| if b < a { b } else { a });
            let greatest = numbers.iter().fold(-T::INFINITY, |a, &b| if b > a { b } else { a });
            assert!(lanes.reduce_min() == least, "{least} is the least of {numbers:?}");
            assert!(lanes.reduce_max() == greatest, "{greatest} is the greatest of {numbers:?}");
            let shifted = L::from_fn(|lane| numbers[L::WIDTH - 1 - lane]);
            for (lane, &number) in numbers.iter().rev().enumerate() {
                assert_eq!(shifted.lane(lane).key(), number.key());
            }
        }
    }
}

#[test]
fn extremes_over_the_lanes() {
    fn check<T: Number>() {
        let numbers: Vec<T> = columns::<T>(2, 1024).concat().into_iter().filter(|x| x.finite()).collect();
        Extremes(&numbers).run::<T>();
        for isa in instruction_sets() {
            dispatch_on(isa, Extremes(&numbers));
        }
    }
    check::<f32>();
    check::<f64>();
}

/// The least of whole rows of lanes.
struct LeastOf<'a, T>(&'a [T]);

impl<T: Scalar> Kernel<T> for LeastOf<'_, T> {
    type Output = (f64, usize);
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> (f64, usize) {
        let mut least = Least::<L>::new();
        for row in self.0.chunks_exact(L::WIDTH) {
            least.see(L::load(row));
        }
        let (value, place) = least.found();
        (value.to_f64(), place)
    }
}

#[test]
fn the_first_of_the_least() {
    let mut random = Random(19);
    for isa in instruction_sets() {
        for round in 0..200 {
            // Few different numbers, so that there are equals in several rows and lanes; some are no numbers.
            let mut number = || match random.below(9) {
                8 => f64::NAN,
                k => k as f64 - 3.0,
            };
            let numbers: Vec<f64> = (0..64).map(|_| if round == 0 { f64::NAN } else { number() }).collect();
            let (mut value, mut place) = (f64::INFINITY, 0);
            for (at, &number) in numbers.iter().enumerate() {
                if number < value {
                    (value, place) = (number, at);
                }
            }
            let single: Vec<f32> = numbers.iter().map(|&x| x as f32).collect();
            assert_eq!(dispatch_on(isa, LeastOf(&numbers)), (value, place), "{isa}");
            assert_eq!(dispatch_on(isa, LeastOf(&single)), (value, place), "{isa}");
        }
    }
}

/// Masks from and to bits, packing and common bits, for every mask of a group.
struct Words;

impl<T: Scalar> Kernel<T> for Words {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let (width, mut random) = (L::WIDTH, Random(3));
        for bits in 0..1_u32 << width {
            let (noise, full) = (random.next() as u32, (1 << width) - 1);
            let mask = L::Mask::from_bits(bits | noise & !full);
            assert_eq!(mask.to_bits(), bits, "bits above the width are ignored");
            assert_eq!((!mask).to_bits(), full & !bits);
            assert_eq!((mask.any(), mask.all()), (bits != 0, bits == full));

            // Slices on the heap, no longer than they must be, and longer ones whose rest stays as it is.
            let words: Vec<u32> = (0..width).map(|_| random.next() as u32).collect();
            let expected: Vec<u32> = (0..width).filter(|i| bits >> i & 1 == 1).map(|i| words[i]).collect();
            let mut target = vec![0; width];
            let count = L::left_pack(mask, &words, &mut target);
            assert_eq!(target[..count], expected);
            let mut target = vec![77; width + 3];
            let longer = [words.as_slice(), &[1, 2, 3]].concat();
            assert_eq!(L::left_pack(mask, &longer, &mut target), count);
            assert_eq!((&target[..count], &target[width..]), (expected.as_slice(), [77; 3].as_slice()));

            // Words that avoid the probe exactly where the mask is true.
            let probe = 1 << (noise % 32) | noise;
            let words: Vec<u32> = (0..width)
                .map(|i| if bits >> i & 1 == 1 { words[i] & !probe } else { words[i] | 1 << (noise % 32) })
                .collect();
            assert_eq!(L::bits_disjoint(&words, probe).to_bits(), bits);
            assert!(L::bits_disjoint(&words, 0).all());
        }
    }
}

/// Rows fetched from anywhere.
struct Eights;
impl<T: Scalar> Kernel<T> for Eights {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let mut random = Random(5);
        let rows: Vec<[T; 8]> =
            (0..100).map(|row| core::array::from_fn(|k| T::from_f64(f64::from(row * 8 + k as u32)))).collect();
        for _ in 0..100 {
            let places: Vec<usize> = (0..L::WIDTH).map(|_| random.below(100)).collect();
            let columns = L::gather_rows(
                #[inline(always)]
                |lane| &rows[places[lane]],
            );
            for (i, &place) in places.iter().enumerate() {
                let row = rows[place];
                for k in 0..8 {
                    assert_eq!(columns[k].lane(i), row[k]);
                }
            }
            let mut back = vec![[T::ZERO; 8]; L::WIDTH + 1];
            L::scatter_rows(&columns, &mut back);
            assert_eq!(back[L::WIDTH], [T::ZERO; 8]);
            for (i, &place) in places.iter().enumerate() {
                assert_eq!(back[i], rows[place]);
            }
        }
    }
}

#[test]
fn rows_as_columns() {
    Kernel::<f32>::run::<f32>(Eights);
    Kernel::<f64>::run::<f64>(Eights);
    for isa in instruction_sets() {
        dispatch_on::<f32, _>(isa, Eights);
        dispatch_on::<f64, _>(isa, Eights);
    }
}

#[test]
fn packing_and_common_bits() {
    Kernel::<f32>::run::<f32>(Words);
    Kernel::<f64>::run::<f64>(Words);
    for isa in instruction_sets() {
        dispatch_on::<f32, _>(isa, Words);
        dispatch_on::<f64, _>(isa, Words);
    }
}

/// One access that is too short by one.
#[derive(Clone, Copy, Debug)]
enum Short {
    Load,
    Store,
    Lane,
    PackFrom,
    PackInto,
    Disjoint,
    Rows,
}

impl<T: Scalar> Kernel<T> for Short {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        // Blocks of their own size on the heap, so that a memory checker sees one word too many.
        let (all, none) = (L::Mask::splat(true), L::Mask::splat(false));
        let (full, short) = (vec![0; L::WIDTH], vec![0; L::WIDTH - 1]);
        let mut numbers = vec![T::ZERO; L::WIDTH - 1];
        match self {
            Short::Load => assert!(L::load(&numbers).eq(L::zero()).any()),
            Short::Store => L::one().store(&mut numbers),
            Short::Lane => assert_eq!(L::zero().lane(L::WIDTH), T::ZERO),
            Short::PackFrom => assert_eq!(L::left_pack(all, &short, &mut full.clone()), L::WIDTH),
            // Even if nothing would be written.
            Short::PackInto => assert_eq!(L::left_pack(none, &full, &mut short.clone()), 0),
            Short::Disjoint => assert!(L::bits_disjoint(&short, 1).any()),
            Short::Rows => L::scatter_rows(&[L::one(); 8], &mut vec![[T::ZERO; 8]; L::WIDTH - 1]),
        }
    }
}

/// A function of numbers that is reached through a pointer.
trait Behind<L: Lanes> {
    fn of(&self, numbers: [L; 2]) -> L;
}

/// One for each type of lanes, which says how wide it was made for.
struct Widths;

impl PerLanes for Widths {
    type For<L: Lanes> = Box<dyn Behind<L>>;
}

struct Scaled(usize);

impl<L: Lanes> Behind<L> for Scaled {
    fn of(&self, numbers: [L; 2]) -> L {
        let mut entered = 0;
        let result = L::enter(
            #[inline(always)]
            || {
                entered += 1;
                (numbers[0] * numbers[0] + numbers[1].abs()).sqrt() * L::constant(self.0 as f64)
            },
        );
        assert_eq!(entered, 1);
        result
    }
}

impl MakeEach<Widths> for Widths {
    fn make<L: Lanes>(&self) -> Box<dyn Behind<L>> {
        Box::new(Scaled(L::WIDTH))
    }
}

struct Call<'a, T>(&'a EachLanes<Widths>, [&'a [T]; 2]);

impl<T: Number> Kernel<T> for Call<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let behind = L::of_each(self.0);
        for first in (0..self.1[0].len()).step_by(L::WIDTH) {
            let found = behind.of(self.1.map(|column| L::load(&column[first..])));
            for lane in 0..L::WIDTH {
                let [x, y] = self.1.map(|column| column[first + lane]);
                let expected = (x * x + y.abs()).sqrt() * T::from_f64(L::WIDTH as f64);
                assert_eq!(found.lane(lane).key(), expected.key());
            }
        }
    }
}

#[test]
fn what_is_behind_a_pointer_is_compiled_for_its_lanes() {
    fn check<T: Number>(each: &EachLanes<Widths>) {
        let columns = columns::<T>(2, 1024);
        let call = || Call(each, [&columns[0], &columns[1]]);
        call().run::<T>();
        for isa in instruction_sets() {
            dispatch_on(isa, call());
        }
    }
    let each = EachLanes::new(&Widths);
    check::<f32>(&each);
    check::<f64>(&each);
}

#[test]
fn slices_that_are_too_short_panic() {
    let panics = |work: &dyn Fn()| catch_unwind(AssertUnwindSafe(work)).is_err();
    for short in
        [Short::Load, Short::Store, Short::Lane, Short::PackFrom, Short::PackInto, Short::Disjoint, Short::Rows]
    {
        assert!(panics(&|| Kernel::<f32>::run::<f32>(short)), "f32, width 1: {short:?}");
        for isa in instruction_sets() {
            assert!(panics(&|| dispatch_on::<f32, _>(isa, short)), "f32, {isa}: {short:?}");
            assert!(panics(&|| dispatch_on::<f64, _>(isa, short)), "f64, {isa}: {short:?}");
        }
    }
}

/// The instruction set asked for is the one that runs.
#[test]
fn widths() {
    struct Width;
    impl<T: Scalar> Kernel<T> for Width {
        type Output = usize;
        #[inline(always)]
        fn run<L: Lanes<Scalar = T>>(self) -> usize {
            L::WIDTH
        }
    }
    for isa in instruction_sets() {
        let widths = match isa {
            Isa::Portable => (4, 2),
            Isa::Avx2 => (8, 4),
            Isa::Avx512 => (16, 8),
        };
        assert_eq!((dispatch_on::<f32, _>(isa, Width), dispatch_on::<f64, _>(isa, Width)), widths);
    }
}

#[test]
fn an_instruction_set_that_is_not_there_is_refused() {
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.available()) {
        assert!(catch_unwind(|| dispatch_on::<f32, _>(isa, Words)).is_err());
    }
}

/// Width 1 is the reference, so it is held against the words of the documentation.
#[test]
fn the_scalar_reference() {
    for (a, b) in [(1.0, 2.0), (2.0, 1.0), (f64::NAN, 1.0), (1.0, f64::NAN), (0.0, -0.0), (-0.0, 0.0)] {
        assert_eq!(Lanes::min(a, b).key(), (if a < b { a } else { b }).key());
        assert_eq!(Lanes::max(a, b).key(), (if a > b { a } else { b }).key());
    }
    assert_eq!(Lanes::min(f64::NAN, 1.0), 1.0);
    assert!(Lanes::min(1.0, f64::NAN).is_nan());
    assert_eq!((-f32::splat(0.0)).to_bits(), 1 << 31);
    assert_eq!(<f32 as Scalar>::UNIT_ROUNDOFF, f32::EPSILON / 2.0);
    assert_eq!(<f64 as Scalar>::UNIT_ROUNDOFF, f64::EPSILON / 2.0);
    assert_eq!(f32::column(&[1.0], &[2.0]), [1.0]);
    assert_eq!(f64::column(&[1.0], &[2.0]), [2.0]);
}

#[test]
fn rotations_turn_the_right_way() {
    use core::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
    let quarter = D2::rotation(&[FRAC_PI_2]);
    let y = quarter.rotate(Vec2 { x: 1.0, y: 0.0 });
    assert!((y - Vec2 { x: 0.0, y: 1.0 }).length_squared() < 1e-30);
    assert_eq!(D2::rotation(&D2::identity_turn()), Rot2::identity());

    // A quarter about z, once with norm 1 and once with norm 3.
    for norm in [1.0, 3.0] {
        let quarter = D3::rotation(&[0.0, 0.0, norm * FRAC_1_SQRT_2, norm * FRAC_1_SQRT_2]);
        let turned = quarter.rotate(Vec3 { x: 1.0, y: 0.0, z: 2.0 });
        assert!((turned - Vec3 { x: 0.0, y: 1.0, z: 2.0 }).length_squared() < 1e-30);
        let back = quarter.unrotate(turned);
        assert!((back - Vec3 { x: 1.0, y: 0.0, z: 2.0 }).length_squared() < 1e-30);
        assert!((quarter.inverse_times(quarter).column(1) - Vec3::unit(1)).length_squared() < 1e-30);
    }
    assert_eq!(D3::rotation(&D3::identity_turn()), Rot3::identity());
    assert_eq!(D3::array(|k| k), [0, 1, 2]);
    assert_eq!(D2::array(|k| k), [0, 1]);
}

#[test]
fn aligned_numbers_fill_lines_from_their_beginning() {
    for len in [0, 1, 15, 16, 17, 1000] {
        let (mut singles, mut doubles) = (Aligned::<f32>::zeroed(len), Aligned::<f64>::zeroed(len));
        assert_eq!(singles.as_slice(), vec![0.0; len.next_multiple_of(16)]);
        assert_eq!(doubles.as_slice(), vec![0.0; len.next_multiple_of(8)]);
        assert_eq!((singles.as_slice().as_ptr().addr() % 64, doubles.as_slice().as_ptr().addr() % 64), (0, 0));
        singles.as_mut_slice().fill(2.0);
        doubles.as_mut_slice().fill(2.0);
        let copies = (singles.clone(), doubles.clone());
        assert_eq!((&copies.0, &copies.1), (&singles, &doubles));
        assert!(copies.0.as_slice().iter().all(|&x| x == 2.0) && copies.1.as_slice().iter().all(|&x| x == 2.0));
    }
}

#[test]
#[should_panic = "a whole number"]
fn what_does_not_divide_a_line_is_refused() {
    Aligned::<[f32; 3]>::zeroed(1);
}
