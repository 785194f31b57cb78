//! Every piece is done once, is told its place, and is merged in order, however many threads there are.

use std::sync::atomic::{AtomicUsize, Ordering};

use jostle_tasks::{Divide, Few, Pool, each, enough, fold, for_each, for_each_few, join, on_threads, share, shares};

const THREADS: [usize; 3] = [1, 2, 5];

#[test]
fn pieces_are_those_of_chunks() {
    for threads in THREADS {
        on_threads(threads, || {
            for len in 0..40 {
                for few in 1..8 {
                    let list: Vec<usize> = (0..len).collect();
                    let mut seen = vec![(usize::MAX, 0); len];
                    for_each_few(&mut seen, few, |number, seen| {
                        let size = seen.len();
                        seen.fill((number, size));
                    });
                    let expected: Vec<_> = list
                        .chunks(few)
                        .enumerate()
                        .flat_map(|(number, chunk)| chunk.iter().map(move |_| (number, chunk.len())))
                        .collect();
                    assert_eq!(seen, expected, "{len} by {few}");
                    // In order, though nothing about adding text commutes.
                    let text = fold(
                        Few::of(&list[..], few),
                        |number, few| format!("{number}:{:?} ", few.list),
                        |front, back| front + &back,
                    );
                    let chunks = list.chunks(few).enumerate();
                    let expected: Vec<String> = chunks.map(|(number, chunk)| format!("{number}:{chunk:?} ")).collect();
                    assert_eq!(text.unwrap_or_default(), expected.concat());
                }
            }
        });
    }
}

#[test]
fn columns_are_divided_at_the_same_places() {
    for threads in THREADS {
        on_threads(threads, || {
            for len in 0..40 {
                let (from, mut to): (Vec<usize>, Vec<usize>) = ((0..len).collect(), vec![0; len]);
                let (mut pieces, mut none): (Vec<usize>, [u8; 0]) = (vec![0; len.div_ceil(6)], []);
                let columns =
                    (&mut pieces[..], (Few::of(&from[..], 6), (Few::of(&mut to[..], 6), Few::of(&mut none[..], 6))));
                each(columns, |number, (piece, (from, (to, none)))| {
                    assert_eq!((piece.len(), none.list.len()), (1, 0));
                    piece[0] = from.list.len();
                    for (from, to) in from.list.iter().zip(to.list) {
                        *to = from + 1000 * number;
                    }
                });
                let expected: Vec<usize> = (0..len).map(|i| i + 1000 * (i / 6)).collect();
                assert_eq!(to, expected);
                assert_eq!(pieces.iter().sum::<usize>(), len);
            }
        });
    }
}

#[test]
fn the_first_of_several_errors_is_told() {
    on_threads(2, || {
        let refuse = |_: usize, number: std::ops::Range<usize>| {
            if number.start % 7 == 3 { Err(number.start) } else { Ok(()) }
        };
        assert_eq!(fold(0..100, refuse, Result::and), Some(Err(3)));
        assert_eq!(fold(0..3, refuse, Result::and), Some(Ok(())));
        assert_eq!(fold(0..0, refuse, Result::and), None);
    });
}

#[test]
fn loops_may_stand_in_loops() {
    on_threads(2, || {
        let (pool, count) = (Pool::<Vec<usize>>::default(), AtomicUsize::new(0));
        let mut sums = [0; 20];
        for_each(&mut sums, |i, sum| {
            *sum = pool.with(|room| {
                room.clear();
                room.resize(30, 0);
                // Whoever waits here may begin another of the outer ones, with room of its own.
                for_each(room, |j, entry| {
                    count.fetch_add(1, Ordering::Relaxed);
                    *entry = i * j;
                });
                room.iter().sum()
            });
        });
        assert_eq!(sums, core::array::from_fn(|i| i * 435));
        assert_eq!(count.into_inner(), 600);
    });
}

#[test]
fn lists_are_dealt_out_in_grains() {
    for threads in THREADS {
        on_threads(threads, || {
            for len in 0..50 {
                for targets in 1..6 {
                    let list: Vec<usize> = (0..len).collect();
                    let mut got = vec![Vec::new(); targets];
                    share(&list, 4, &mut got, |few, target| target.extend_from_slice(few));
                    assert_eq!(got.concat(), list);
                    let full = got.iter().position(|few| few.is_empty()).unwrap_or(targets);
                    assert!(got[full..].iter().all(Vec::is_empty), "{got:?}");
                    assert!(got[..full.saturating_sub(1)].iter().all(|few| few.len() % 4 == 0), "{got:?}");
                }
            }
            let few = if threads == 1 { 1 } else { enough() };
            assert_eq!((shares(1), shares(enough())), (few, 1));
        });
    }
}

#[test]
fn a_panic_comes_out() {
    for threads in THREADS {
        on_threads(threads, || {
            let caught = std::panic::catch_unwind(|| each(0..10, |number, _| assert!(number < 7)));
            assert!(caught.is_err());
            let (mut one, mut two) = (0, 0);
            join(|| one = 1, || two = 2);
            assert_eq!(one + two, 3);
        });
    }
    assert_eq!(Few::of(&[1, 2, 3][..], 0).tasks(), 3);
}
