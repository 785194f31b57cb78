//! `jostle bench frames`: what a frame costs while everything moves a little.
//!
//! The motion is the same on every machine. Bodies that have velocities move by them and turn back at the ends of the
//! scene; if no body has one, all but the static take a step in a random direction. Where the scene repeats, a
//! body that leaves the cell is brought back into it.

use std::time::Duration;

use jostle::{Frame, Handle, Lattice, MAX_LENGTH, Pipeline, PipelineError, Precision, Skin, is_length};
use jostle_scene::{Checksum, Scene, SceneSpace};
use serde_json::{Value, json};

use crate::args::{Bench, Common, isa};
use crate::commands::lattice;
use crate::failure::{Failure, Outcome};
use crate::idle::note_velocities;
use crate::progress::Progress;

/// Frames before the clock runs.
const WARM_UP: u32 = 10;
const FRAMES: u16 = 120;
const MOTION: f64 = 0.02;
/// Seconds a frame, where bodies have velocities.
const STEP: f64 = 1.0 / 60.0;

/// What came out.
pub struct Times {
    /// One entry per frame.
    frames: Vec<Frame>,
    settings: Settings,
    /// How far bodies move in a frame, in parts of their size; none where they move by their velocities.
    motion: Option<f64>,
    checksum: String,
}

/// What was asked for.
#[derive(Clone, Copy, Debug)]
struct Settings {
    frames: u16,
    motion: f64,
    skin: Skin,
    warm_start: bool,
    churn: f64,
}

/// A share on the command line.
fn share(option: &str, value: Option<f64>, default: f64, most: f64) -> Outcome<f64> {
    let value = value.unwrap_or(default);
    // Written so that NaN is refused.
    if (0.0..=most).contains(&value) {
        return Ok(value);
    }
    Err(Failure::Input(format!("{option} is {value}, which is not a number from 0 to {most}")))
}

fn settings(args: &Bench) -> Outcome<Settings> {
    if args.warm {
        return Err(Failure::Input("--warm is not for bench frames: frames always keep their buffers".to_owned()));
    }
    let skin = match args.motion.skin.as_deref() {
        None | Some("auto") => Skin::Auto,
        Some(text) => {
            let skin = text.parse().ok().filter(|&skin| is_length(skin));
            Skin::Fixed(skin.ok_or_else(|| {
                let wanted = format!("neither auto nor a number of metres from 0 to {MAX_LENGTH:e}");
                Failure::Input(format!("--skin is {text}, which is {wanted}"))
            })?)
        }
    };
    Ok(Settings {
        frames: args.motion.frames.unwrap_or(FRAMES),
        motion: share("--motion", args.motion.motion, MOTION, 1e6)?,
        skin,
        warm_start: args.motion.warm_start,
        churn: share("--churn", args.motion.churn, 0.0, 1.0)?,
    })
}

/// Random numbers of a frame: `SplitMix64` (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
    /// Uniform from -1 to below 1.
    fn both(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (2.0 / (1_u64 << 53) as f64) - 1.0
    }
    /// A vector of length 1.
    fn direction<S: SceneSpace>(&mut self) -> S::Array<f64> {
        loop {
            let v = S::array(|_| self.both());
            let squared: f64 = v.as_ref().iter().map(|x| x * x).sum();
            if squared > 1e-3 && squared <= 1.0 {
                let length = squared.sqrt();
                return S::array(|k| v[k] / length);
            }
        }
    }
}

/// A scene that moves.
struct World<S: jostle::Dimension, T: Precision> {
    pipeline: Pipeline<S, T>,
    /// The bodies that move, and how far in a frame where they have no velocities.
    movers: Vec<(Handle, f64)>,
    /// Whether bodies move by their velocities.
    driven: bool,
    /// The ends of the scene.
    lower: S::Array<f64>,
    upper: S::Array<f64>,
    /// After what length the scene repeats along each axis; 0 where it does not.
    period: S::Array<f64>,
    random: Random,
    leaving: usize,
}

impl<S: jostle::Dimension + SceneSpace, T: Precision> World<S, T> {
    fn new(scene: &Scene<S>, lattice: Lattice<S>, args: &Bench, settings: Settings) -> Result<Self, PipelineError> {
        let bodies = &scene.bodies;
        let mut pipeline = Pipeline::new();
        pipeline.set_lattice(lattice);
        pipeline.set_margin(args.margin())?;
        pipeline.set_skin(settings.skin)?;
        pipeline.set_warm_start(settings.warm_start);
        pipeline.set_limit(args.limit());
        for shape in bodies.shapes() {
            pipeline.add_shape(shape.clone())?;
        }
        let mut movers = Vec::new();
        let (mut lower, mut upper) = (S::array(|_| f64::INFINITY), S::array(|_| f64::NEG_INFINITY));
        let mut driven = false;
        for index in 0..bodies.len() {
            let body = bodies.get(index);
            let handle = pipeline.insert(body)?;
            lower = S::array(|k| body.position[k].min(lower[k]));
            upper = S::array(|k| body.position[k].max(upper[k]));
            if !body.fixed {
                driven |= body.velocity != S::array(|_| 0.0);
                movers.push((handle, settings.motion * 2.0 * bodies.shapes()[body.shape as usize].reach()));
            }
        }
        let leaving = (settings.churn * movers.len() as f64) as usize;
        let period = scene.periodic.unwrap_or(S::array(|_| 0.0));
        Ok(Self { pipeline, movers, driven, lower, upper, period, random: Random(1), leaving })
    }

    fn advance(&mut self) -> Result<(), PipelineError> {
        let Self { pipeline, movers, driven, lower, upper, period, random, leaving } = self;
        let brought_back = |place: S::Array<f64>| -> S::Array<f64> {
            S::array(|k| if period[k] > 0.0 { place[k] - period[k] * (place[k] / period[k]).floor() } else { place[k] })
        };
        for _ in 0..*leaving {
            let index = ((u128::from(random.bits()) * movers.len() as u128) >> 64) as usize;
            let mut body = pipeline.remove(movers[index].0)?;
            body.position = S::array(|k| 0.5 * (lower[k] + upper[k]) + 0.5 * (upper[k] - lower[k]) * random.both());
            movers[index].0 = pipeline.insert(body)?;
        }
        for (handle, step) in movers {
            let slot = handle.index();
            if *driven {
                let velocity = pipeline.velocities()[slot];
                let moved = S::array(|k| pipeline.positions()[slot][k] + STEP * velocity[k]);
                // Back at the ends of the scene, where it has any.
                pipeline.velocities_mut()[slot] = S::array(|k| {
                    let out = (moved[k] > upper[k] && velocity[k] > 0.0) || (moved[k] < lower[k] && velocity[k] < 0.0);
                    if out && period[k] == 0.0 { -velocity[k] } else { velocity[k] }
                });
                pipeline.positions_mut()[slot] = brought_back(moved);
            } else {
                let direction = random.direction::<S>();
                let position = &mut pipeline.positions_mut()[slot];
                *position = brought_back(S::array(|k| position[k] + *step * direction[k]));
            }
        }
        Ok(())
    }
}

/// What a refusal of the pipeline means for the scene called `name`.
fn refused(name: &str, error: &PipelineError) -> Failure {
    match error {
        PipelineError::TooManyPairs(too_many) => Failure::Other(format!(
            "{name}: there are more than {} pairs to hold in memory; raise --limit",
            too_many.limit
        )),
        _ => Failure::Input(format!("{name}: {error}")),
    }
}

/// Runs the frames.
pub fn measure<S: jostle::Dimension + SceneSpace, T: Precision>(
    scene: &Scene<S>,
    name: &str,
    args: &Bench,
    common: &Common,
) -> Outcome<Times> {
    let settings = settings(args)?;
    let refused = |error: PipelineError| refused(name, &error);
    let lattice = lattice(scene, name)?.unwrap_or_default();
    let mut world = World::<S, T>::new(scene, lattice, args, settings).map_err(refused)?;
    if world.driven && args.motion.motion.is_some() {
        note_velocities(name, common);
    }
    let progress = Progress::begin("frames", Some(u64::from(settings.frames) + u64::from(WARM_UP)), common.quiet);
    let mut frames = Vec::with_capacity(usize::from(settings.frames));
    for number in 0..WARM_UP + u32::from(settings.frames) {
        if number > 0 {
            world.advance().map_err(refused)?;
        }
        let frame = world.pipeline.update().map_err(refused)?;
        if number >= WARM_UP {
            frames.push(frame);
        }
        progress.advance(1);
    }
    let motion = (!world.driven).then_some(settings.motion);
    Ok(Times { frames, settings, motion, checksum: Checksum::of_rows(world.pipeline.contacts()).to_string() })
}

/// A stage of a frame: its name and its time.
type FrameStage = (&'static str, fn(&Frame) -> Duration);

const FRAME_STAGES: [FrameStage; 5] = [
    ("motion", |frame| frame.motion),
    ("broadphase", |frame| frame.broadphase),
    ("narrowphase", |frame| frame.narrowphase),
    ("events", |frame| frame.events),
    ("frame", |frame| frame.total()),
];

impl Times {
    /// The mean, the median and the largest of something, in milliseconds.
    fn spread(&self, stage: fn(&Frame) -> Duration) -> [f64; 3] {
        let mut times: Vec<f64> = self.frames.iter().map(|frame| stage(frame).as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        let last = times.len() - 1;
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        [mean, 0.5 * (times[last / 2] + times[times.len() / 2]), times[last]]
    }

    fn last(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    /// Frames for which no pair had to be found anew, and those for which nearly all had to be.
    fn lists(&self) -> [usize; 2] {
        let count = |what: fn(&Frame) -> bool| self.frames.iter().filter(|frame| what(frame)).count();
        [count(|frame| frame.renewed == 0), count(|frame| 2 * frame.renewed > frame.bodies)]
    }

    fn mean(&self, what: fn(&Frame) -> f64) -> f64 {
        self.frames.iter().map(what).sum::<f64>() / self.frames.len() as f64
    }

    /// One JSON object.
    pub fn json(&self, name: &str, args: &Bench, common: &Common) -> Value {
        let Settings { frames, warm_start, churn, .. } = self.settings;
        let [kept, made] = self.lists();
        let mut value = json!({
            "stage": args.stage.name(),
            "scene": name,
            "bodies": self.last().bodies,
            "pairs": self.last().contacts,
            "frames": frames,
            "margin": args.margin(),
            "motion": self.motion,
            "warm_start": warm_start,
            "churn": churn,
            "skin": self.last().skin,
            "lists_kept": kept,
            "lists_made": made,
            "candidates": self.mean(|frame| frame.candidates as f64),
            "solved": self.mean(|frame| frame.solved as f64),
            "rescued": self.mean(|frame| frame.rescued as f64),
            "renewed": self.mean(|frame| frame.renewed as f64),
            "began": self.mean(|frame| frame.began as f64),
            "ended": self.mean(|frame| frame.ended as f64),
            "threads": rayon::current_num_threads(),
            "isa": isa(),
            "precision": common.precision().name(),
            "ms": {},
            "checksum": self.checksum,
        });
        for (stage, time) in FRAME_STAGES {
            let [mean, median, worst] = self.spread(time);
            value["ms"][stage] = json!({"mean": mean, "median": median, "worst": worst});
        }
        value
    }

    /// A table.
    pub fn text(&self, name: &str, common: &Common) -> String {
        let (last, [kept, made]) = (self.last(), self.lists());
        let mut text = format!(
            "frames of {name}: {} bodies, {} pairs in the last; {} threads, {}, {}\n{:<12} {:>12} {:>12} {:>12}\n",
            last.bodies,
            last.contacts,
            rayon::current_num_threads(),
            isa(),
            common.precision().name(),
            "ms",
            "mean",
            "median",
            "worst",
        );
        for (stage, time) in FRAME_STAGES {
            let [mean, median, worst] = self.spread(time);
            text.extend([format!("{stage:<12} {mean:>12.3} {median:>12.3} {worst:>12.3}\n")]);
        }
        text + &format!(
            "list kept in {kept} of {} frames, made anew in {made}; skin {:.4} m; {:.0} candidates, {:.0} solved\n",
            self.frames.len(),
            last.skin,
            self.mean(|frame| frame.candidates as f64),
            self.mean(|frame| frame.solved as f64),
        ) + &format!("checksum     {}\n", self.checksum)
    }
}
