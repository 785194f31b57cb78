//! A scene in the making: what every generator adds its shapes and bodies to.

use std::io;

use jostle::{Body, BodyError, ShapeError};

use super::random::micro;
use crate::scene::{Scene, SceneSpace};
use crate::spec::{ShapeSpec, SpecError};

/// A number that the scene's rules refuse (only absurd sizes could bring that about), or a piece that cannot be passed
/// on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Form(#[from] SpecError),
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(transparent)]
    Passing(#[from] io::Error),
}

/// What becomes of the bodies of a piece; all shapes are there when the first piece comes.
pub(super) type Pass<'p, S> = &'p mut dyn FnMut(&Scene<S>) -> io::Result<()>;

/// How many bodies a piece has, but the last: a multiple of what is written at a time.
const BODIES_PER_PIECE: usize = 1 << 18;

/// Shapes and bodies so far: all of them, or the present piece.
pub(super) struct Draft<'p, S: SceneSpace> {
    scene: Scene<S>,
    /// How many bodies have been passed on.
    passed: usize,
    pass: Option<Pass<'p, S>>,
}

impl<'p, S: SceneSpace> Draft<'p, S> {
    /// Nothing yet, with room for so many bodies.
    pub(super) fn new(count: usize) -> Self {
        let mut scene = Scene::new();
        scene.bodies.reserve(count);
        Self { scene, passed: 0, pass: None }
    }
    /// Nothing yet; bodies are passed on piece by piece, so that memory stays bounded.
    pub(super) fn in_pieces(pass: Pass<'p, S>) -> Self {
        Self { pass: Some(pass), ..Self::new(BODIES_PER_PIECE) }
    }
    /// Adds forms and gives the index of the first.
    pub(super) fn forms(&mut self, forms: Vec<ShapeSpec<S>>) -> Result<u32, Refusal> {
        assert_eq!(self.passed, 0, "shapes come before bodies: a file has them in its head");
        let first = self.scene.shapes.len() as u32;
        for form in forms {
            self.scene.add_shape(form)?;
        }
        Ok(first)
    }
    /// Adds a body, its position and velocity rounded to the micrometre.
    pub(super) fn push(&mut self, body: Body<S>) -> Result<(), Refusal> {
        let position = S::array(|k| micro(body.position[k]));
        let velocity = S::array(|k| micro(body.velocity[k]));
        self.scene.bodies.push(Body { position, velocity, ..body })?;
        if self.pass.is_some() && self.scene.bodies.len() == BODIES_PER_PIECE {
            self.pass_on()?;
        }
        Ok(())
    }
    /// How many bodies there are.
    pub(super) fn len(&self) -> usize {
        self.passed + self.scene.bodies.len()
    }
    /// The scene, or what is left of it.
    pub(super) fn into_scene(self) -> Scene<S> {
        self.scene
    }
    /// Passes on the bodies of the present piece, where a scene is made in pieces.
    pub(super) fn pass_on(&mut self) -> Result<(), Refusal> {
        let Some(pass) = &mut self.pass else { return Ok(()) };
        pass(&self.scene)?;
        self.passed += self.scene.bodies.len();
        self.scene.bodies.clear();
        Ok(())
    }
}
