//! A scene in memory: shapes, the bodies that place them, the pairs to ask about, the period of the box.

use jostle::{Bodies, D2, D3, Lattice, LatticeError, MAX_LENGTH, Shape, ShapeError, Space};

use crate::spec::{ShapeSpec, SpecError};

/// The spaces that scenes may be in: the plane and space.
pub trait SceneSpace: Space {
    /// What the file calls a ball: `circle` or `sphere`.
    const BALL: &'static str;
    /// The types of shapes that a file may name, for messages.
    const TYPES: &'static str;
    /// A conical frustum about the y axis; `None` in the plane, which has none.
    fn frustum(half_height: f64, base: f64, top: f64) -> Option<Result<Shape<Self>, ShapeError>>;
    /// The scene with its dimension forgotten.
    fn any(scene: Scene<Self>) -> AnyScene;
}

impl SceneSpace for D2 {
    const BALL: &'static str = "circle";
    const TYPES: &'static str = "circle, capsule, box, convex";
    fn frustum(_: f64, _: f64, _: f64) -> Option<Result<Shape<D2>, ShapeError>> {
        None
    }
    fn any(scene: Scene<D2>) -> AnyScene {
        AnyScene::Plane(scene)
    }
}

impl SceneSpace for D3 {
    const BALL: &'static str = "sphere";
    const TYPES: &'static str = "sphere, capsule, box, cylinder, cone, convex";
    fn frustum(half_height: f64, base: f64, top: f64) -> Option<Result<Shape<D3>, ShapeError>> {
        Some(Shape::frustum(half_height, base, top))
    }
    fn any(scene: Scene<D3>) -> AnyScene {
        AnyScene::Space(scene)
    }
}

impl<S: SceneSpace> ShapeSpec<S> {
    /// The `type` in the file.
    pub fn type_name(&self) -> &'static str {
        match self {
            ShapeSpec::Ball { .. } => S::BALL,
            ShapeSpec::Capsule { .. } => "capsule",
            ShapeSpec::Box { .. } => "box",
            ShapeSpec::Cylinder { .. } => "cylinder",
            ShapeSpec::Cone { .. } => "cone",
            ShapeSpec::Convex { .. } => "convex",
        }
    }

    /// The shape itself.
    ///
    /// # Errors
    /// If a length is negative, not finite or (with the rounding) beyond 1e15, a convex shape has no points, more than
    /// [`jostle::MAX_POINTS`] or one that is not finite or beyond 1e15, or there are no such shapes in this space.
    pub fn shape(&self) -> Result<Shape<S>, SpecError> {
        let frustum = |half_height, base: f64, top: f64, rounding| {
            // Not `max`, which would overlook a base that is NaN.
            let widest = if top > base { top } else { base };
            if widest + rounding > MAX_LENGTH {
                return Err(ShapeError::TooLarge { what: "radius + rounding", value: widest + rounding }.into());
            }
            match S::frustum(half_height, base, top) {
                Some(shape) => Ok(shape?.rounded(rounding)?),
                None => Err(SpecError::NotInPlane(self.type_name())),
            }
        };
        match self {
            ShapeSpec::Ball { radius } => Ok(Shape::ball(*radius)?),
            ShapeSpec::Capsule { half_length, radius } => Ok(Shape::capsule(*half_length, *radius)?),
            ShapeSpec::Box { half_extents, rounding } => Ok(Shape::cuboid(*half_extents)?.rounded(*rounding)?),
            ShapeSpec::Cylinder { half_height, radius, rounding } => frustum(*half_height, *radius, *radius, *rounding),
            ShapeSpec::Cone { half_height, radius, rounding } => frustum(*half_height, *radius, 0.0, *rounding),
            ShapeSpec::Convex { points, rounding } => Ok(Shape::convex(points)?.rounded(*rounding)?),
        }
    }
}

/// A scene of known dimension.
///
/// ```
/// use jostle::{Body, D3};
/// use jostle_scene::{AnyScene, Scene, ShapeSpec, read_scene, write_scene};
///
/// let mut scene = Scene::<D3>::new();
/// let ball = scene.add_shape(ShapeSpec::Ball { radius: 0.5 })?;
/// scene.bodies.push(Body::new(ball, [0.0, 0.0, 0.0]))?;
/// scene.bodies.push(Body::new(ball, [0.0, 2.0, 0.0]).with_group(2))?;
/// scene.pairs = Some(vec![[0, 1]]);
///
/// let scene = AnyScene::from(scene);
/// let mut text = Vec::new();
/// write_scene(&scene, &mut text)?;
/// assert_eq!(read_scene("two balls", &text)?, scene);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene<S: Space> {
    /// The shapes as a file describes them: one for each of `bodies.shapes()`, in the same order
    /// ([`Scene::add_shape`] keeps them together).
    pub shapes: Vec<ShapeSpec<S>>,
    /// The shapes and bodies, ready for queries.
    pub bodies: Bodies<S>,
    /// The pairs to ask about; `None` where the file says nothing of pairs.
    pub pairs: Option<Vec<[u32; 2]>>,
    /// The lengths after which the scene repeats, 0 along axes where it does not.
    pub periodic: Option<S::Array<f64>>,
}

impl<S: SceneSpace> Scene<S> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a shape and gives its index.
    ///
    /// # Errors
    /// As [`ShapeSpec::shape`], or if there are [`jostle::MAX_SHAPES`] already.
    pub fn add_shape(&mut self, spec: ShapeSpec<S>) -> Result<u32, SpecError> {
        let index = self.bodies.add_shape(spec.shape()?)?;
        self.shapes.push(spec);
        Ok(index)
    }
    /// How the scene repeats; `None` if it does not along any axis.
    ///
    /// # Errors
    /// If a length is negative, not finite or beyond 1e15: never in a scene that was read.
    pub fn lattice(&self) -> Result<Option<Lattice<S>>, LatticeError> {
        let lattice = self.periodic.map(Lattice::orthogonal).transpose()?;
        Ok(lattice.filter(Lattice::repeats))
    }
}

/// A scene of either dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyScene {
    /// A scene of the plane.
    Plane(Scene<D2>),
    /// A scene of space.
    Space(Scene<D3>),
}

impl AnyScene {
    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        match self {
            AnyScene::Plane(_) => 2,
            AnyScene::Space(_) => 3,
        }
    }
    /// How many bodies there are.
    pub fn body_count(&self) -> usize {
        match self {
            AnyScene::Plane(scene) => scene.bodies.len(),
            AnyScene::Space(scene) => scene.bodies.len(),
        }
    }
    /// The pairs to ask about; `None` where the file says nothing of pairs.
    pub fn pairs(&self) -> Option<&[[u32; 2]]> {
        match self {
            AnyScene::Plane(scene) => scene.pairs.as_deref(),
            AnyScene::Space(scene) => scene.pairs.as_deref(),
        }
    }
}

impl<S: SceneSpace> From<Scene<S>> for AnyScene {
    fn from(scene: Scene<S>) -> Self {
        S::any(scene)
    }
}
