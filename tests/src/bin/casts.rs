//! Draws moving pairs, kind by kind, and checks `jostle::cast` against bisection on the distance in `f64`.
//!
//! ```text
//! cargo run --release --bin casts -- --moves 100000
//! ```

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use jostle::{D2, D3};
use jostle_tests::{Ground, Kind, Random, Verdicts, draw_moves};

/// Draws moving pairs, kind by kind, and checks their casts against bisection.
#[derive(Parser, Debug)]
struct Args {
    /// How many moves of each kind.
    #[arg(long, default_value_t = 10_000)]
    moves: usize,
    /// Equal seeds draw equal moves.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// 2 or 3; both by default.
    #[arg(long)]
    dimension: Option<usize>,
    /// Only these kinds (names as in the table), comma-separated; `ray-KIND` is points and that
    /// kind, `mixed` is all against all.
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<String>,
    /// How many failures are shown for each kind.
    #[arg(long, default_value_t = 3)]
    show: usize,
}

/// Moves in one batch: they share their shapes, duration and target.
const BATCH: usize = 500;

fn main() -> ExitCode {
    let args = Args::parse();
    println!(
        "{:<12} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7} {:>11} {:>11} {:>9}",
        "kind", "moves", "miss", "hit", "start", "unconv", "failed", "distance", "bisection", "seconds"
    );
    let mut failed = 0;
    if args.dimension != Some(3) {
        failed += run::<D2>(&args, "2D ");
    }
    if args.dimension != Some(2) {
        failed += run::<D3>(&args, "");
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run<S: Ground>(args: &Args, prefix: &str) -> usize {
    let mut rows: Vec<(String, Vec<Kind>)> =
        S::KINDS.iter().map(|&kind| (kind.name().to_owned(), vec![kind])).collect();
    // Rays, half of them.
    let others = S::KINDS.iter().filter(|&&kind| kind != Kind::Point);
    rows.extend(others.map(|&kind| (format!("ray-{}", kind.name()), vec![Kind::Point, kind])));
    rows.push(("mixed".to_owned(), S::KINDS.to_vec()));
    let mut failed = 0;
    for (name, kinds) in rows {
        if args.kinds.is_empty() || args.kinds.contains(&name) {
            failed += one::<S>(args, &format!("{prefix}{name}"), &kinds);
        }
    }
    failed
}

fn one<S: Ground>(args: &Args, name: &str, kinds: &[Kind]) -> usize {
    let start = Instant::now();
    let (mut total, mut shown, mut casting) = (Verdicts::default(), Vec::new(), 0.0);
    let mut failed = 0;
    for batch in 0..args.moves.div_ceil(BATCH) {
        let mut random = Random::new(args.seed.wrapping_mul(1_000_003).wrapping_add(batch as u64));
        let moves = draw_moves::<S>(kinds, BATCH.min(args.moves - batch * BATCH), &mut random);
        let begin = Instant::now();
        let rows = moves.cast();
        casting += begin.elapsed().as_secs_f64();
        let verdicts = moves.hold(&rows);
        for k in 0..4 {
            total.count[k] += verdicts.count[k];
        }
        total.worst = total.worst.max(verdicts.worst);
        total.astray = total.astray.max(verdicts.astray);
        failed += verdicts.failures.len();
        for (place, text) in verdicts.failures {
            if shown.len() < args.show {
                shown.push(format!("    batch {batch}, move {place} ({:?}): {text}", moves.kinds[place]));
            }
        }
    }
    let [miss, hit, begun, unconverged] = total.count;
    println!(
        "{name:<12} {:>8} {miss:>8} {hit:>8} {begun:>8} {unconverged:>7} {failed:>7} {:>11.1e} {:>11.1e} {:>9.1}",
        args.moves,
        total.worst,
        total.astray,
        start.elapsed().as_secs_f64()
    );
    println!("    {:.0} ns a move", 1e9 * casting / args.moves as f64);
    for text in shown {
        println!("{text}");
    }
    failed
}
