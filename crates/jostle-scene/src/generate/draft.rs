//! A scene in the making: what every generator adds its shapes and bodies to.

use jostle::{Body, BodyError, ShapeError};

use super::random::micro;
use crate::{Scene, SceneSpace, ShapeSpec, SpecError};

/// A number that the scene's rules refuse: only absurd sizes could bring that about.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Form(#[from] SpecError),
    #[error(transparent)]
    Body(#[from] BodyError),
}

/// Shapes and bodies so far.
pub(super) struct Draft<S: SceneSpace>(Scene<S>);

impl<S: SceneSpace> Draft<S> {
    /// Nothing yet, with room for so many bodies.
    pub(super) fn new(count: usize) -> Self {
        let mut scene = Scene::new();
        scene.bodies.reserve(count);
        Self(scene)
    }
    /// Adds forms and gives the index of the first.
    pub(super) fn forms(&mut self, forms: Vec<ShapeSpec<S>>) -> Result<u32, Refusal> {
        let first = self.0.shapes.len() as u32;
        for form in forms {
            self.0.add_shape(form)?;
        }
        Ok(first)
    }
    /// Adds a body, its position and velocity rounded to the micrometre.
    pub(super) fn push(&mut self, body: Body<S>) -> Result<(), Refusal> {
        let position = S::array(|k| micro(body.position[k]));
        let velocity = S::array(|k| micro(body.velocity[k]));
        self.0.bodies.push(Body { position, velocity, ..body })?;
        Ok(())
    }
    /// How many bodies there are.
    pub(super) fn len(&self) -> usize {
        self.0.bodies.len()
    }
    /// The scene.
    pub(super) fn into_scene(self) -> Scene<S> {
        self.0
    }
}
