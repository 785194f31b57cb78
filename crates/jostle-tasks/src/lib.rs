//! Tasks: how jostle shares work out among threads, and the memory that tasks keep.
//!
//! Everything runs on the rayon pool that it is called from, or on the calling thread alone where that pool has one
//! thread or the work is [little](run). A list is [divided](Divide) until each piece is one task, by [`rayon::join`]
//! all the way down; which thread does a piece, and when, must not matter to the result.
//!
//! Rayon's iterators are not used because they are compiled anew for every loop body, with all that divides, joins and
//! steals: 1.4 of the 16 MB of jostle's command, and as much of any program that calls the library. Here the loop body
//! is called through a pointer, once a task, and what divides is compiled once for each type of list.

mod divide;
mod pool;
mod run;

pub use divide::{Divide, Few, Joined, Length};
pub use pool::{Pool, make_room, reserve};
pub use run::{alone, on_threads, run};

/// The number of tasks that keeps all threads busy to the end, if the tasks are about equally long.
///
/// ```
/// let tasks = jostle_tasks::enough();
/// assert!(tasks >= 4);
/// ```
pub fn enough() -> usize {
    if alone() { 4 } else { 4 * rayon::current_num_threads() }
}

/// Runs both closures, in parallel where there is more than one thread.
///
/// ```
/// let (mut front, mut back) = (0, 0);
/// jostle_tasks::join(|| front = 1, || back = 2);
/// assert_eq!((front, back), (1, 2));
/// ```
pub fn join(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if alone() {
        a();
        b();
        return;
    }
    let (mut a, mut b) = (Some(a), Some(b));
    join_both(&mut || a.take().map_or((), |a| a()), &mut || b.take().map_or((), |b| b()));
}

/// Rayon's join, compiled once for all closures: each type of closure would bring a dozen functions of its own into any
/// program that calls it (see above).
fn join_both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

/// Calls `work` for each piece of `list`, in parallel, with the piece's number, from zero, and the piece.
///
/// ```
/// use jostle_tasks::{Few, each};
///
/// // Two columns, three rows a task; the second is written.
/// let (from, mut to) = ([1, 2, 3, 4, 5, 6, 7], [0; 7]);
/// each((Few::of(&from[..], 3), Few::of(&mut to[..], 3)), |number, (from, to)| {
///     for (from, to) in from.list.iter().zip(to.list) {
///         *to = 10 * from + number;
///     }
/// });
/// assert_eq!(to, [10, 20, 30, 41, 51, 61, 72]);
/// ```
pub fn each<P: Divide>(list: P, work: impl Fn(usize, P) + Sync) {
    let tasks = list.tasks();
    if tasks > 0 {
        share_out(list, 0, tasks > 1 && !alone(), &work, &|(), ()| ());
    }
}

/// The same with results: those of neighbouring pieces are merged, in their order; `None` if there are no pieces.
///
/// ```
/// use jostle_tasks::{Few, fold};
///
/// let numbers: Vec<u64> = (1..=100).collect();
/// let sum = fold(Few::of(&numbers[..], 7), |_, few| few.list.iter().sum::<u64>(), |a, b| a + b);
/// assert_eq!(sum, Some(5050));
/// ```
pub fn fold<P: Divide, R: Send>(
    list: P,
    work: impl Fn(usize, P) -> R + Sync,
    merge: impl Fn(R, R) -> R + Sync,
) -> Option<R> {
    let tasks = list.tasks();
    (tasks > 0).then(|| share_out(list, 0, tasks > 1 && !alone(), &work, &merge))
}

/// Compiled once for each type of list and result, whatever the work.
fn share_out<P: Divide, R: Send>(
    list: P,
    first: usize,
    parallel: bool,
    work: &(dyn Fn(usize, P) -> R + Sync),
    merge: &(dyn Fn(R, R) -> R + Sync),
) -> R {
    let tasks = list.tasks();
    if tasks <= 1 {
        return work(first, list);
    }
    let half = tasks / 2;
    let (front, back) = list.divide(half);
    let (front, back) = if parallel {
        let (mut front, mut back, mut results) = (Some(front), Some(back), (None, None));
        let (of_front, of_back) = (&mut results.0, &mut results.1);
        let part = |list: Option<P>, first| list.map(|list| share_out(list, first, true, work, merge));
        join_both(&mut || *of_front = part(front.take(), first), &mut || *of_back = part(back.take(), first + half));
        let (Some(front), Some(back)) = results else { unreachable!("both were done") };
        (front, back)
    } else {
        // One after the other, so that what the first leaves in the cache is there for the second.
        let front = share_out(front, first, false, work, merge);
        (front, share_out(back, first + half, false, work, merge))
    };
    merge(front, back)
}

/// Calls `work` for each entry of `targets`, which it may write, in parallel where there is anything to share.
///
/// ```
/// let mut squares = [0; 5];
/// jostle_tasks::for_each(&mut squares, |i, square| *square = i * i);
/// assert_eq!(squares, [0, 1, 4, 9, 16]);
/// ```
pub fn for_each<X: Send>(targets: &mut [X], work: impl Fn(usize, &mut X) + Sync) {
    for_each_few(targets, 1, |index, target| work(index, &mut target[0]));
}

/// The same for `few` entries at a time, at least one.
///
/// ```
/// let mut numbers = [0; 5];
/// jostle_tasks::for_each_few(&mut numbers, 2, |index, few| few.fill(index));
/// assert_eq!(numbers, [0, 0, 1, 1, 2]);
/// ```
pub fn for_each_few<X: Send>(targets: &mut [X], few: usize, work: impl Fn(usize, &mut [X]) + Sync) {
    each(Few::of(targets, few), |index, few| work(index, few.list));
}

/// The number of shares into which each of `tasks` tasks is best cut: one where there are [enough] tasks. (A chunk of
/// the broadphase is some thousands of bodies and up to 30,000, and the distances of their pairs are most of the work.)
///
/// ```
/// assert_eq!(jostle_tasks::shares(1_000_000), 1);
/// ```
pub fn shares(tasks: usize) -> usize {
    if alone() || tasks >= enough() { 1 } else { enough().div_ceil(tasks.max(1)) }
}

/// Deals a list out to `targets`, in order and in multiples of `grain` entries, and calls `work` for each target that
/// gets any.
///
/// ```
/// let mut sums = [0; 3];
/// jostle_tasks::share(&[1, 2, 3, 4, 5], 2, &mut sums, |few, sum| *sum = few.iter().sum());
/// assert_eq!(sums, [3, 7, 5]);
/// ```
pub fn share<X: Send, Y: Sync>(list: &[Y], grain: usize, targets: &mut [X], work: impl Fn(&[Y], &mut X) + Sync) {
    let share = list.len().div_ceil(targets.len().max(1)).next_multiple_of(grain).max(grain);
    let busy = list.len().div_ceil(share);
    each((&mut targets[..busy], Few::of(list, share)), |_, (target, few)| work(few.list, &mut target[0]));
}
