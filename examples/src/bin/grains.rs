//! `grains`: grains run out of a hopper and make a heap. See `jostle_examples::grains` for the model.

use std::time::{Duration, Instant};

use clap::Parser;
use jostle_examples::grains::picture::{Course, frame, still};
use jostle_examples::grains::{OPENS, STEP, Silo};
use jostle_examples::show::{Failure, Show, bar, line};
use jostle_picture::grouped;

/// Balls, boxes and stones run out of a hopper and make a heap
#[derive(Debug, Parser)]
#[command(name = "grains", version)]
struct Args {
    /// How many; the silo's size follows from that
    #[arg(long, default_value_t = 20_000)]
    grains: usize,
    /// How long it lasts; the gate opens after 2.6
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    #[command(flatten)]
    show: Show,
}

fn main() -> Result<(), Failure> {
    let args = Args::parse();
    args.show.run(|show| run(&args, show))
}

fn run(args: &Args, show: &Show) -> Result<(), Failure> {
    let mut silo = Silo::new(args.grains, show.seed)?;
    let steps = (args.seconds / STEP).round() as usize;
    let (mut course, mut film) = (Course::default(), Vec::new());
    let (mut all, mut pipeline) = (Duration::ZERO, Duration::ZERO);
    let (mut most, mut middle, first) = (0, None, silo.energy()[1]);
    let bar = bar(steps);
    for step in 1..=steps {
        let start = Instant::now();
        let report = silo.step()?;
        all += start.elapsed();
        pipeline += report.total();
        most = most.max(report.contacts);
        if step % 5 == 0 {
            course.note(&silo);
        }
        if middle.is_none() && silo.time() > OPENS + 1.8 {
            middle = Some(still(&silo, &course, args.seconds)?);
        }
        if show.is_due(step, steps) {
            film.push(frame(&silo)?);
        }
        bar.set_message(format!("{:.2} s, {} through", silo.time(), silo.passed()));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let per_step = |time: Duration| format!("{:.1} ms", 1e3 * time.as_secs_f64() / steps.max(1) as f64);
    let percent = |part: f64| format!("{:.4} %", 100.0 * part / first);

    let [motion, height] = silo.energy();
    line("grains", &grouped(args.grains));
    line("simulated", &format!("{:.1} s in {} steps", silo.time(), grouped(steps)));
    line("through the slit", &grouped(silo.passed()));
    line("leaked", &silo.leaked().to_string());
    line("slope of the heap", &format!("{:.1} degrees, by {:.2} in the last second", silo.slope(), course.unrest()));
    line("energy at first", &format!("{:.1} kJ of height", 1e-3 * first));
    line("energy at last", &format!("{:.1} kJ of height, {motion:.2} J of motion", 1e-3 * height));
    line("it ever grew by", &format!("{} of the first", percent(silo.gained())));
    line("contacts", &format!("at most {}", grouped(most)));
    line("threads", &rayon::current_num_threads().to_string());
    line("a step", &format!("{}, of which the pipeline {}", per_step(all), per_step(pipeline)));
    line("state", &format!("{:016x}", silo.checksum()));
    if let Some(canvas) = middle {
        show.still("grains-middle", &canvas)?;
    }
    show.still("grains", &still(&silo, &course, args.seconds)?)?;
    show.animation("grains.gif", &film, 8, 48)
}
