//! Operations that access memory or another function: slices and rows in and out of lanes, aligned lists, calls through
//! a pointer. Under every instruction set of this machine; blocks are no larger than necessary, so that memory checkers
//! notice one number too many.

mod common;
mod random;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{Number, columns, instruction_sets};
use jostle_lanes::{Aligned, EachLanes, Isa, Kernel, Lanes, MakeEach, Mask, PerLanes, Scalar, dispatch_on};
use random::Random;

/// Masks from and to bits, packing and common bits, for every mask of a group.
struct Words;

impl<T: Scalar> Kernel<T> for Words {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let (width, mut random) = (L::WIDTH, Random::new(3));
        for bits in 0..1_u32 << width {
            let (noise, full) = (random.next() as u32, (1 << width) - 1);
            let mask = L::Mask::from_bits(bits | noise & !full);
            assert_eq!(mask.to_bits(), bits, "bits above the width are ignored");
            assert_eq!((!mask).to_bits(), full & !bits);
            assert_eq!((mask.any(), mask.all()), (bits != 0, bits == full));

            // Slices on the heap, no longer than necessary, and longer ones whose rest stays as it is.
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
        let mut random = Random::new(5);
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
            let rows_of_lanes = L::to_rows(&columns);
            for (i, &place) in places.iter().enumerate() {
                assert_eq!((back[i], rows_of_lanes[i]), (rows[place], rows[place]));
            }
        }
    }
}

/// Numbers looked up in tables, short and long.
struct Tables;
impl<T: Scalar> Kernel<T> for Tables {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let mut random = Random::new(7);
        // On the heap, no longer than necessary.
        let row = |row: usize| core::array::from_fn::<_, 256, _>(|i| T::from_f64((300 * row + i) as f64));
        let tables = Box::new([row(0), row(1), row(2)]);
        for length in [1, 3, 8, 9, 15, 16, 17, 24, 31, 32, 33, 100, 255, 256] {
            for _ in 0..20 {
                for shift in [0, 8, 16, 24] {
                    // The bytes around the one that counts are arbitrary.
                    let names = Box::new(core::array::from_fn::<_, 16, _>(|_| {
                        (random.next() as u32 & !(0xff << shift)) | (random.below(length) as u32) << shift
                    }));
                    let rows = L::look_up(&tables, length, &names, shift);
                    for lane in 0..L::WIDTH {
                        let place = (names[lane] >> shift & 0xff) as usize;
                        assert_eq!(rows.map(|row| row.lane(lane)), [0, 1, 2].map(|k: usize| tables[k][place]));
                    }
                }
            }
        }
        // Beyond the length the result is meaningless, but read from nowhere outside.
        for length in [1, 16, 17, 32, 33] {
            let rows = L::look_up(&tables, length, &[u32::MAX; 16], 0);
            assert!(rows[0].lane(0).finite());
        }
    }
}

#[test]
fn numbers_from_tables() {
    Kernel::<f32>::run::<f32>(Tables);
    Kernel::<f64>::run::<f64>(Tables);
    for isa in instruction_sets() {
        dispatch_on::<f32, _>(isa, Tables);
        dispatch_on::<f64, _>(isa, Tables);
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

/// A function of numbers that is reached through a pointer.
trait Behind<L: Lanes> {
    fn of(&self, numbers: [L; 2]) -> L;
}

/// A value for each type of lanes, which says how wide it was made for.
struct Widths;

impl PerLanes for Widths {
    type For<L: Lanes> = Box<dyn Behind<L>>;
}

struct Scaled(usize);

impl<L: Lanes> Behind<L> for Scaled {
    fn of(&self, numbers: [L; 2]) -> L {
        L::enter(
            #[inline(always)]
            || (numbers[0] * numbers[0] + numbers[1].abs()).sqrt() * L::constant(self.0 as f64),
        )
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
fn each_width_finds_its_own_behind_a_pointer() {
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
fn an_instruction_set_that_is_not_there_is_refused() {
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.available()) {
        assert!(catch_unwind(|| dispatch_on::<f32, _>(isa, Words)).is_err());
    }
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
