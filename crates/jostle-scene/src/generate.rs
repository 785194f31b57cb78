//! Scenes made up: seeded, and byte for byte the same on every machine.
//!
//! Random numbers come from a published algorithm with everything around it written out here, sines and logarithms from
//! `libm`, and lengths are rounded to the micrometre, so a kind, a number of bodies, a dimension and a seed name a
//! scene for good. Golden hashes of the written files stand in the tests.
//!
//! Bodies that move have velocities; walls, floors and pillars are `static`; a suitcase has its owner's `parent`.

mod crowd;
mod draft;
mod form;
mod piles;
mod random;
mod sizes;
#[cfg(test)]
mod tests;
mod volume;

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use jostle::{D2, D3};

use crate::arrow::{FlatSpace, NeededColumns, SceneSink};
use crate::form::ArrowForm;
use crate::scene::{AnyScene, Scene};
use draft::{Draft, Pass, Refusal};
use random::Random;

/// The most bodies that a generator makes: they take some ten gigabytes, in memory or in a file.
pub const MAX_BODIES: usize = 100_000_000;

/// What a scene shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Mixed shapes of like size, about six partners a body.
    Uniform,
    /// A crowd on the ground.
    Flat,
    /// Clusters far apart.
    Clustered,
    /// Log-normal sizes and ten huge bodies.
    Mixed,
    /// Towers of boxes.
    Stacks,
    /// Convex stones that overlap lightly.
    Rubble,
    /// Two streams of people between walls.
    Corridor,
    /// Drifting boxes.
    Brownian,
    /// Falling boxes above a floor.
    Freefall,
    /// Equal balls.
    Gas,
    /// Touching cubes.
    Lattice,
    /// Long thin rods.
    Rods,
}

/// How many bodies, which random numbers, and the plane or space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of bodies, fixed ones included.
    pub bodies: usize,
    /// Any number; each gives another scene.
    pub seed: u64,
    /// 2 or 3.
    pub dimension: usize,
}

/// Why a scene cannot be generated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// Neither 2 nor 3.
    #[error("a scene has 2 or 3 dimensions, not {0}")]
    Dimension(usize),
    /// More than [`MAX_BODIES`].
    #[error("{0} bodies are too many for a generated scene (100,000,000 at most)")]
    TooMany(usize),
    /// A word that names no kind.
    #[error("'{0}' names no kind of scene; the kinds are {names}", names = Kind::names())]
    Unknown(String),
    /// The scene would break a rule of its format.
    #[error("{0}")]
    Refused(String),
}

/// Why a generated scene could not be written: one of two, whose causes are far apart.
#[derive(Debug, thiserror::Error)]
pub enum GenerateArrowError {
    /// There is no such scene.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// Writing failed.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl From<Refusal> for GenerateError {
    fn from(refusal: Refusal) -> Self {
        GenerateError::Refused(refusal.to_string())
    }
}

impl Kind {
    /// All kinds: there may be more in later versions.
    pub const ALL: &'static [Kind] = &[
        Kind::Uniform,
        Kind::Flat,
        Kind::Clustered,
        Kind::Mixed,
        Kind::Stacks,
        Kind::Rubble,
        Kind::Corridor,
        Kind::Brownian,
        Kind::Freefall,
        Kind::Gas,
        Kind::Lattice,
        Kind::Rods,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }

    /// What it shows, in a line.
    pub const fn description(self) -> &'static str {
        self.words()[1]
    }

    const fn words(self) -> [&'static str; 2] {
        match self {
            Kind::Uniform => ["uniform", "mixed shapes of like size strewn over a volume, about six partners a body"],
            Kind::Flat => {
                ["flat", "a crowd in a hall with pillars: discs and capsules (3D: standing), some with a suitcase"]
            }
            Kind::Clustered => ["clustered", "mixed shapes in dense clusters far apart"],
            Kind::Mixed => ["mixed", "mixed shapes of log-normal size and ten huge ones"],
            Kind::Stacks => ["stacks", "towers of ten boxes on a floor, touching exactly"],
            Kind::Rubble => ["rubble", "convex stones of 8 to 64 points (2D: 5 to 16) that overlap lightly"],
            Kind::Corridor => ["corridor", "two streams of people in corridors, with static walls"],
            Kind::Brownian => ["brownian", "equal boxes drifting at random (as in Broadmark)"],
            Kind::Freefall => ["freefall", "equal boxes falling onto a floor (as in Broadmark)"],
            Kind::Gas => ["gas", "equal balls with the velocities of a gas"],
            Kind::Lattice => ["lattice", "unit cubes on a lattice: faces, edges and corners touch exactly"],
            Kind::Rods => ["rods", "rods a hundred times as long as thick, in random directions"],
        }
    }

    /// The dimension it has unless another is asked for: people walk in the plane, everything else is in space.
    pub const fn usual_dimension(self) -> usize {
        match self {
            Kind::Flat | Kind::Corridor => 2,
            _ => 3,
        }
    }

    fn names() -> String {
        Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = GenerateError;
    fn from_str(word: &str) -> Result<Self, GenerateError> {
        Kind::ALL
            .iter()
            .copied()
            .find(|kind| kind.name() == word)
            .ok_or_else(|| GenerateError::Unknown(word.to_owned()))
    }
}

/// A scene of this kind.
///
/// ```
/// use jostle_scene::generate::{Kind, Options, generate};
///
/// let crowd = generate(Kind::Flat, Options { bodies: 1000, seed: 1, dimension: 2 })?;
/// # Ok::<(), jostle_scene::generate::GenerateError>(())
/// ```
///
/// # Errors
/// If the dimension is neither 2 nor 3, there would be more than [`MAX_BODIES`], or a shape or body breaks a rule of
/// scenes ([`GenerateError::Refused`]: no kind is known to do that at any size that is allowed).
pub fn generate(kind: Kind, options: Options) -> Result<AnyScene, GenerateError> {
    fn of<S: crowd::Ground>(kind: Kind, options: Options) -> Result<AnyScene, GenerateError> {
        let mut draft = Draft::<S>::new(options.bodies);
        draw(kind, options, &mut draft)?;
        Ok(draft.into_scene().into())
    }
    match check(options)? {
        2 => of::<D2>(kind, options),
        _ => of::<D3>(kind, options),
    }
}

/// Writes a scene of this kind as Arrow IPC, without ever holding it: the same bytes as
/// [`write_scene_arrow`](crate::write_scene_arrow) of [`generate`], in a few dozen megabytes whatever the number of
/// bodies.
///
/// The scene is drawn twice: the head of the file says which columns there are, and only the last body may show that
/// one is needed.
///
/// ```
/// use jostle_scene::generate::{Kind, Options, generate_arrow};
/// use jostle_scene::{ArrowForm, read_scene};
///
/// let mut bytes: Vec<u8> = Vec::new();
/// # #[cfg(feature = "arrow")] {
/// generate_arrow(Kind::Gas, Options { bodies: 1000, seed: 1, dimension: 3 }, ArrowForm::Stream, &mut bytes)?;
/// assert_eq!(read_scene("gas.arrows", &bytes)?.body_count(), 1000);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`generate`]; or if writing fails, or this build is without Arrow IPC.
pub fn generate_arrow(
    kind: Kind,
    options: Options,
    form: ArrowForm,
    out: &mut impl Write,
) -> Result<(), GenerateArrowError> {
    match check(options)? {
        2 => write_in_pieces::<D2>(kind, options, form, out),
        _ => write_in_pieces::<D3>(kind, options, form, out),
    }
}

fn write_in_pieces<S: crowd::Ground + FlatSpace>(
    kind: Kind,
    options: Options,
    form: ArrowForm,
    out: &mut impl Write,
) -> Result<(), GenerateArrowError> {
    let (mut shapes, mut needs) = (Vec::new(), NeededColumns::default());
    in_pieces(kind, options, &mut |piece: &Scene<S>| {
        shapes.clone_from(&piece.shapes);
        needs |= NeededColumns::of(&piece.bodies);
        Ok(())
    })?;
    let mut file = SceneSink::new(out, form, &shapes, None, needs)?;
    in_pieces(kind, options, &mut |piece: &Scene<S>| file.add(&piece.bodies))?;
    Ok(file.finish()?)
}

/// Draws a scene, and passes it on piece by piece: at least one, which may be empty.
fn in_pieces<S: crowd::Ground>(kind: Kind, options: Options, pass: Pass<'_, S>) -> Result<(), GenerateArrowError> {
    let mut draft = Draft::in_pieces(pass);
    match draw(kind, options, &mut draft).and_then(|()| draft.pass_on()) {
        Err(Refusal::Passing(error)) => Err(error.into()),
        Err(refusal) => Err(GenerateError::from(refusal).into()),
        Ok(()) => Ok(()),
    }
}

/// The dimension, if there can be such a scene.
fn check(options: Options) -> Result<usize, GenerateError> {
    if options.bodies > MAX_BODIES {
        return Err(GenerateError::TooMany(options.bodies));
    }
    match options.dimension {
        2 | 3 => Ok(options.dimension),
        other => Err(GenerateError::Dimension(other)),
    }
}

fn draw<S: crowd::Ground>(kind: Kind, options: Options, draft: &mut Draft<'_, S>) -> Result<(), Refusal> {
    let mut random = Random::new(options.seed, kind.name());
    let fill: fn(&mut Draft<'_, S>, usize, &mut Random) -> Result<(), Refusal> = match kind {
        Kind::Uniform => volume::uniform,
        Kind::Flat => crowd::flat,
        Kind::Clustered => sizes::clustered,
        Kind::Mixed => sizes::mixed,
        Kind::Stacks => piles::stacks,
        Kind::Rubble => piles::rubble,
        Kind::Corridor => crowd::corridor,
        Kind::Brownian => volume::brownian,
        Kind::Freefall => volume::freefall,
        Kind::Gas => volume::gas,
        Kind::Lattice => piles::lattice,
        Kind::Rods => volume::rods,
    };
    fill(draft, options.bodies, &mut random)
}
