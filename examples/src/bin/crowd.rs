//! `crowd`: people leave a station hall. See `jostle_examples::crowd` for the model.

use std::time::{Duration, Instant};

use clap::Parser;
use jostle_examples::crowd::picture::{Course, frame, still};
use jostle_examples::crowd::{STEP, Station};
use jostle_examples::show::{Failure, Show, bar, line};
use jostle_picture::grouped;

/// People leave a station hall, by the social-force model between true outlines
#[derive(Debug, Parser)]
#[command(name = "crowd", version)]
struct Args {
    /// How many are in the hall at first; its size follows from that
    #[arg(long, default_value_t = 20_000)]
    walkers: usize,
    /// How long it lasts
    #[arg(long, default_value_t = 45.0)]
    seconds: f64,
    #[command(flatten)]
    show: Show,
}

fn main() -> Result<(), Failure> {
    let args = Args::parse();
    args.show.run(|show| run(&args, show))
}

fn run(args: &Args, show: &Show) -> Result<(), Failure> {
    let mut station = Station::new(args.walkers, show.seed)?;
    let steps = (args.seconds / STEP).round() as usize;
    let a_second = (1.0 / STEP).round() as usize;
    let (mut course, mut film) = (Course::default(), Vec::new());
    let (mut near, mut most, mut middle) = (0, 0, None);
    let (mut all, mut pipeline) = (Duration::ZERO, Duration::ZERO);
    let bar = bar(steps);
    for step in 1..=steps {
        let start = Instant::now();
        let report = station.step()?;
        all += start.elapsed();
        near += report.contacts;
        most = most.max(report.contacts);
        pipeline += report.total();
        if step % a_second == 0 {
            course.note(&station);
        }
        if step == steps / 2 {
            middle = Some(still(&station, &course, args.seconds)?);
        }
        if show.is_due(step, steps) {
            film.push(frame(&station)?);
        }
        bar.set_message(format!("{:.1} s, {} inside", station.time(), station.inside()));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let per_step = |time: Duration| format!("{:.2} ms", 1e3 * time.as_secs_f64() / steps.max(1) as f64);

    let width: f64 = station.plan().doors.iter().map(|door| door.width).sum();
    line("walkers", &grouped(args.walkers));
    line("simulated", &format!("{:.1} s in {} steps", station.time(), grouped(steps)));
    line("left", &format!("{} by {} doors", grouped(args.walkers - station.inside()), station.left_by().len()));
    line("by the busiest door", &grouped(station.left_by().iter().max().copied().unwrap_or(0)));
    line(
        "highest flow over 10 s",
        &format!("{:.2} people per second and metre of door ({width} m)", course.highest_flow()),
    );
    let fullest = course.fullest.iter().map(|point| point[1]).fold(0.0, f64::max);
    line("densest before a door", &format!("{fullest:.1} people per square metre"));
    line("deepest squeeze", &format!("{:.0} mm", 1e3 * station.deepest()));
    line("outside the walls", &station.strays().to_string());
    line("pairs felt a step", &format!("{} on average, at most {}", grouped(near / steps.max(1)), grouped(most)));
    line("threads", &rayon::current_num_threads().to_string());
    line("a step", &format!("{}, of which the pipeline {}", per_step(all), per_step(pipeline)));
    line("state", &format!("{:016x}", station.checksum()));
    if let Some(canvas) = middle {
        show.still("crowd-middle", &canvas)?;
    }
    show.still("crowd", &still(&station, &course, args.seconds)?)?;
    show.animation("crowd.gif", &film, 8, 48)
}
