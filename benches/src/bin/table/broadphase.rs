//! `table broadphase`: nanoseconds a body for all pairs of overlapping boxes, as a list, from nothing.

use std::hint::black_box;

use jostle_benches::boxes::{BoxSpace, Boxes, Scene};
use jostle_benches::ceiling::Spin;
use jostle_benches::cells::{Home, Spread};
use jostle_benches::clock::{Clock, Times, race};
use jostle_benches::pool;
use jostle_benches::random::Random;
use jostle_benches::trees::{Bvh, TreeSpace, rstar};
use jostle_broadphase::{Bounds, ColumnSweep};
use jostle_lanes::{D2, D3};

use crate::Options;

/// Above this many bodies the trees are left out: they would take minutes.
const MOST_FOR_TREES: usize = 3_000_000;
/// Frames over which boxes move for the refitted tree.
const FRAMES: usize = 60;

/// Prints all scenes for each number of bodies.
pub fn run(counts: &[usize], options: &Options) {
    println!(
        "ns a body, {FRAMES} moving frames for the refitted tree; behind a rival: how many times jostle's time it takes"
    );
    println!(
        "{:<10} {:>8} {:>7} {:>7} {:>6} {:>15} {:>15} {:>15} {:>15} {:>15}",
        "scene",
        "bodies",
        "pairs/n",
        "jostle",
        "build",
        "cell list",
        "parry rebuilt",
        "parry refitted",
        "rstar",
        "broccoli"
    );
    for &count in counts {
        print::<3, D3>("uniform", Scene::Uniform, count, options);
        print::<2, D2>("flat 2D", Scene::Uniform, count, options);
        print::<3, D3>("clustered", Scene::Clustered, count, options);
        print::<3, D3>("mixed", Scene::Mixed, count, options);
        print::<3, D3>("scattered", Scene::Scattered, count, options);
    }
}

/// Prints what two threads gain in wall time, beside the most that they can gain on this machine.
pub fn threads(counts: &[usize], options: &Options) {
    println!(
        "{:<10} {:>8} {:>12} {:>12} {:>6} {:>14} {:>16}",
        "scene", "bodies", "1 thread ms", "2 threads ms", "times", "sorted, times", "machine's, times"
    );
    for &count in counts {
        scaling::<3, D3>("uniform", Scene::Uniform, count, options);
        scaling::<2, D2>("flat 2D", Scene::Uniform, count, options);
        scaling::<3, D3>("clustered", Scene::Clustered, count, options);
        scaling::<3, D3>("mixed", Scene::Mixed, count, options);
    }
}

fn scaling<const N: usize, S: BoxSpace<N>>(name: &str, scene: Scene, count: usize, options: &Options) {
    let bounds = Boxes::<N>::new(scene, count, 1).bounds::<S>();
    let pools = [1, 2].map(pool);
    let [mut one, mut two, mut first, mut second] = core::array::from_fn(|_| ColumnSweep::<S>::new());
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let sorted = |columns: &mut ColumnSweep<S>| {
        columns.build(&bounds).map(|()| black_box(columns.sorted_pairs(&|_, _| true, None)))
    };
    let alone = &mut || pools[0].install(|| sweep(&mut one, black_box(&bounds), &mut a));
    let ceiling = Spin::lasting(race(Clock::Wall, 3, &mut [&mut *alone])[0].median());
    let times = race(
        Clock::Wall,
        options.repeat,
        &mut [
            alone,
            &mut || pools[1].install(|| sweep(&mut two, black_box(&bounds), &mut b)),
            &mut || drop(pools[0].install(|| sorted(&mut first))),
            &mut || drop(pools[1].install(|| sorted(&mut second))),
            &mut || pools[0].install(|| ceiling.whole()),
            &mut || pools[1].install(|| ceiling.halves()),
        ],
    );
    println!(
        "{name:<10} {count:>8} {:>12.2} {:>12.2} {:>6.2} {:>14.2} {:>16.2}",
        times[0].median() / 1e6,
        times[1].median() / 1e6,
        times[0].over(&times[1]),
        times[2].over(&times[3]),
        times[4].over(&times[5]),
    );
}

fn sweep<const N: usize, S: BoxSpace<N>>(sweep: &mut ColumnSweep<S>, bounds: &Bounds<S>, out: &mut Vec<[u32; 2]>) {
    if let Err(error) = sweep.build(bounds) {
        unreachable!("{error}");
    }
    if let Err(error) = sweep.pairs_into(&|_, _| true, None, out) {
        unreachable!("{error}");
    }
}

fn print<const N: usize, S: BoxSpace<N> + TreeSpace<N>>(name: &str, scene: Scene, count: usize, options: &Options) {
    let boxes = Boxes::<N>::new(scene, count, 1);
    let bounds = boxes.bounds::<S>();
    let (mut columns, mut built) = (ColumnSweep::<S>::new(), ColumnSweep::<S>::new());
    let (mut home, mut spread, mut tree, mut leaves) =
        (Home::default(), Spread::default(), S::Bvh::default(), Vec::new());
    let mut found: [Vec<[u32; 2]>; 6] = core::array::from_fn(|_| Vec::new());
    let [ours, by_home, by_spread, by_tree, by_rstar, by_sweeps] = &mut found;
    // A cell list by lower corners needs cells as large as the largest box.
    let huge = scene == Scene::Mixed;
    // There is no memory for all the cells that scattered boxes would need.
    let scattered = scene == Scene::Scattered;
    let trees = count <= MOST_FOR_TREES;
    let mut flat = true;
    let times = race(
        Clock::Thread,
        options.repeat,
        &mut [
            &mut || sweep(&mut columns, black_box(&bounds), black_box(ours)),
            &mut || {
                if let Err(error) = built.build(black_box(&bounds)) {
                    unreachable!("{error}");
                }
            },
            &mut || {
                if !huge && !scattered {
                    home.pairs(black_box(&boxes), black_box(by_home));
                }
            },
            &mut || {
                if !scattered {
                    spread.pairs(black_box(&boxes), black_box(by_spread));
                }
            },
            &mut || {
                if trees {
                    tree.rebuilt(black_box(&boxes), black_box(by_tree));
                }
            },
            &mut || {
                if trees {
                    rstar(black_box(&boxes), black_box(by_rstar));
                }
            },
            &mut || flat = trees && S::broccoli(black_box(&boxes), &mut leaves, black_box(by_sweeps)),
        ],
    );
    let pairs = found[0].len();
    for (index, list) in found.iter().enumerate() {
        let skipped = (index == 1 && huge)
            || (scattered && (index == 1 || index == 2))
            || (index == 5 && !flat)
            || (index > 2 && !trees);
        if list.len() != pairs && !skipped {
            eprintln!("{name}: list {index} holds {} pairs, jostle's {pairs}", list.len());
        }
    }
    let cells = if !huge && times[2].median() < times[3].median() { &times[2] } else { &times[3] };
    let moving = if trees { moving::<N, S>(boxes, tree) } else { Default::default() };
    let per_body = |times: &Times| times.median() / count as f64;
    let or_none = |known: bool, text: String| if known { text } else { "-".to_owned() };
    let rival = |ours: &Times, theirs: &Times| format!("{:.0} ({:.1}x)", per_body(theirs), theirs.over(ours));
    println!(
        "{name:<10} {count:>8} {:>7.2} {:>7.1} {:>6.1} {:>15} {:>15} {:>15} {:>15} {:>15}",
        pairs as f64 / count as f64,
        per_body(&times[0]),
        per_body(&times[1]),
        or_none(!scattered, rival(&times[0], cells)),
        or_none(trees, rival(&times[0], &times[4])),
        or_none(trees, rival(&moving[0], &moving[1])),
        or_none(trees, rival(&times[0], &times[5])),
        or_none(flat, rival(&times[0], &times[6])),
    );
}

/// Boxes that move by a fiftieth of their size a frame: jostle from nothing, parry's tree refitted.
fn moving<const N: usize, S: BoxSpace<N> + TreeSpace<N>>(mut boxes: Boxes<N>, mut tree: S::Bvh) -> [Times; 2] {
    let mut random = Random::new(2);
    let ways: Vec<[f32; N]> = (0..boxes.len()).map(|_| random.direction::<N>().map(|x| x as f32)).collect();
    let (mut columns, mut ours, mut theirs) = (ColumnSweep::<S>::new(), Vec::new(), Vec::new());
    let mut times = [Times::default(), Times::default()];
    for _ in 0..FRAMES {
        boxes.drift(&ways, 0.015);
        let bounds = boxes.bounds::<S>();
        times[0].push(Clock::Thread.time(&mut || sweep(&mut columns, &bounds, &mut ours)));
        times[1].push(Clock::Thread.time(&mut || tree.refitted(&boxes, &mut theirs)));
    }
    if ours.len() != theirs.len() {
        eprintln!("refitted: {} pairs, jostle's {}", theirs.len(), ours.len());
    }
    times
}
