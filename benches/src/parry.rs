//! parry with the same questions: `contact` with a prediction that covers every pair, in `f32`.

use jostle::{Core, D2, D3, Dimension, Shape};

use crate::kinds::DrawSpace;
use crate::pairs::Pairs;

/// A space with the rival for it.
pub trait RivalSpace: DrawSpace {
    /// parry's bodies and answers.
    type Rival: Rival<Self>;
}

/// A rival's bodies, ready for queries.
pub trait Rival<S: Dimension> {
    /// A tree of the bodies' boxes.
    type Tree;
    /// Working memory for refitting.
    type Memory: Default;
    /// Builds the tree.
    fn tree(&self) -> Self::Tree;
    /// Updates a tree of as many bodies to where these are: leaves are moved, boxes refitted, and the tree is improved
    /// a little.
    fn refit(&self, tree: &mut Self::Tree, memory: &mut Self::Memory);
    /// The body that each ray, from a place along a way, meets first, and after which share of the way.
    fn rays(&self, tree: &Self::Tree, rays: &[[S::Array<f64>; 2]], out: &mut Vec<Option<(u32, f32)>>);
    /// The number of pairs of a body and one of `probes` within `margin`, by boxes from the tree and `contact`.
    fn near(&self, tree: &Self::Tree, probes: &Self, margin: f64) -> usize;
    /// The same bodies.
    fn new(scene: &Pairs<S>) -> Self;
    /// Moves the bodies.
    fn place(&mut self, position: &[S::Array<f64>], rotation: &[S::Rotation<f64>]);
    /// Passes `take` the bodies' boxes, each enlarged by half of `margin`: a lower and an upper corner per body.
    fn boxes(&self, margin: f64, take: impl FnOnce(&mut dyn Iterator<Item = [S::Array<f32>; 2]>));
    /// All pairs, by `contact` with its dispatch on shapes.
    fn contacts(&mut self, pairs: &[[u32; 2]]);
    /// All pairs, by the typed call for balls.
    fn balls(&mut self, pairs: &[[u32; 2]]);
    /// For each body the nearest other and their distance (0 where they overlap): builds a tree of boxes and searches
    /// it for each body for the least `distance`.
    fn nearest(&self, out: &mut Vec<Option<(u32, f32)>>);
    /// The same for each of `probes`, in a tree that was built before.
    fn nearest_to(&self, tree: &Self::Tree, probes: &Self, out: &mut Vec<Option<(u32, f32)>>);
    /// The first time at which the bodies of each pair touch, if they do, when they move at `velocities` (one per body)
    /// for `duration` seconds.
    fn casts(&self, pairs: &[[u32; 2]], velocities: &[S::Array<f64>], duration: f64, out: &mut Vec<Option<f32>>);
    /// The signed distances that the last call found, one per pair.
    fn distances(&self) -> Vec<Option<f32>>;
}

macro_rules! rival {
    ($name:ident, $parry:ident, $space:ty, $hull:ident, $vector:expr, $rotation:expr, $solid:expr) => {
        #[doc = concat!("`", stringify!($parry), "`.")]
        pub struct $name {
            shapes: Vec<$parry::shape::SharedShape>,
            shape: Vec<u32>,
            balls: Vec<$parry::shape::Ball>,
            poses: Vec<$parry::math::Pose>,
            prediction: f32,
            rows: Vec<Option<$parry::query::Contact>>,
        }

        impl $name {
            /// The shape and the pose of each body.
            pub fn placed(&self) -> impl Iterator<Item = (&$parry::shape::SharedShape, &$parry::math::Pose)> {
                self.shape.iter().map(|&shape| &self.shapes[shape as usize]).zip(&self.poses)
            }

            /// The nearest body except `but`, and its distance (0 where they overlap).
            fn best(
                &self,
                tree: &$parry::partitioning::Bvh,
                (shape, pose): (&$parry::shape::SharedShape, &$parry::math::Pose),
                but: Option<usize>,
            ) -> Option<(u32, f32)> {
                let own = shape.compute_aabb(pose);
                let gap = |other: &$parry::bounding_volume::Aabb| {
                    let between = (other.mins - own.maxs).max(own.mins - other.maxs);
                    between.max($parry::math::Vector::ZERO).length()
                };
                let distance = |other: u32| {
                    let theirs = &*self.shapes[self.shape[other as usize] as usize].0;
                    let found = $parry::query::distance(pose, &*shape.0, &self.poses[other as usize], theirs);
                    found.ok().map(|found| found.distance)
                };
                tree.find_best(
                    f32::MAX,
                    |node, _| gap(&node.aabb()),
                    |other, _| if Some(other as usize) == but { None } else { distance(other) },
                )
            }

            fn shape(shape: &Shape<$space>) -> $parry::shape::SharedShape {
                use $parry::shape::{Ball, Capsule, Cuboid, SharedShape, $hull};
                let vector = $vector;
                match shape.core() {
                    Core::Point => SharedShape::new(Ball::new(shape.radius() as f32)),
                    Core::Segment { half_length } => {
                        SharedShape::new(Capsule::new_y(*half_length as f32, shape.radius() as f32))
                    }
                    Core::Box { half_extents } => SharedShape::new(Cuboid::new(vector(*half_extents))),
                    Core::Hull(hull) => {
                        let centre = hull.centre();
                        let points: Vec<_> = (0..hull.len())
                            .map(|i| {
                                let point = hull.point(i);
                                vector(core::array::from_fn(|k| point[k] + centre[k]))
                            })
                            .collect();
                        let hull = $hull::from_convex_hull(&points).expect("a hull of points on an ellipsoid");
                        SharedShape::new(hull)
                    }
                    core => $solid(core),
                }
            }
        }

        impl Rival<$space> for $name {
            type Tree = $parry::partitioning::Bvh;
            type Memory = $parry::partitioning::BvhWorkspace;

            fn tree(&self) -> Self::Tree {
                use $parry::partitioning::{Bvh, BvhBuildStrategy};
                let boxes = self.placed().map(|(shape, pose)| shape.compute_aabb(pose));
                Bvh::from_iter(BvhBuildStrategy::Binned, boxes.enumerate())
            }

            fn refit(&self, tree: &mut Self::Tree, memory: &mut Self::Memory) {
                for (leaf, (shape, pose)) in self.placed().enumerate() {
                    tree.insert_or_update_partially(shape.compute_aabb(pose), leaf as u32, 0.0);
                }
                tree.refit(memory);
                tree.optimize_incremental(memory);
            }

            fn rays(
                &self,
                tree: &Self::Tree,
                rays: &[[<$space as jostle::Space>::Array<f64>; 2]],
                out: &mut Vec<Option<(u32, f32)>>,
            ) {
                let vector = $vector;
                out.clear();
                out.extend(rays.iter().map(|&[from, way]| {
                    let ray = $parry::query::Ray::new(vector(from), vector(way));
                    tree.cast_ray(&ray, 1.0, |body, latest| {
                        let shape = &*self.shapes[self.shape[body as usize] as usize].0;
                        shape.cast_ray(&self.poses[body as usize], &ray, latest, true)
                    })
                }));
            }

            fn near(&self, tree: &Self::Tree, probes: &Self, margin: f64) -> usize {
                use $parry::bounding_volume::BoundingVolume;
                let margin = margin as f32;
                let of = |(probe, pose): (&$parry::shape::SharedShape, &$parry::math::Pose)| {
                    let around = probe.compute_aabb(pose).loosened(margin);
                    let near = |&body: &u32| {
                        let shape = &*self.shapes[self.shape[body as usize] as usize].0;
                        let found = $parry::query::contact(pose, &*probe.0, &self.poses[body as usize], shape, margin);
                        std::hint::black_box(found).is_ok_and(|found| found.is_some())
                    };
                    tree.intersect_aabb(&around).filter(near).count()
                };
                probes.placed().map(of).sum()
            }

            fn new(scene: &Pairs<$space>) -> Self {
                let turned = $rotation;
                let vector = $vector;
                let radius = |&shape: &u32| scene.shapes[shape as usize].radius() as f32;
                Self {
                    shapes: scene.shapes.iter().map(Self::shape).collect(),
                    shape: scene.shape.clone(),
                    balls: scene.shape.iter().map(|shape| $parry::shape::Ball::new(radius(shape))).collect(),
                    poses: scene
                        .position
                        .iter()
                        .zip(&scene.rotation)
                        .map(|(&position, &rotation)| {
                            $parry::math::Pose::from_parts(vector(position), turned(rotation))
                        })
                        .collect(),
                    prediction: (scene.furthest * 1.01) as f32,
                    rows: Vec::new(),
                }
            }

            fn place(
                &mut self,
                position: &[<$space as jostle::Space>::Array<f64>],
                rotation: &[<$space as jostle::Space>::Rotation<f64>],
            ) {
                let (vector, turned) = ($vector, $rotation);
                for ((pose, &position), &rotation) in self.poses.iter_mut().zip(position).zip(rotation) {
                    *pose = $parry::math::Pose::from_parts(vector(position), turned(rotation));
                }
            }

            fn boxes(
                &self,
                margin: f64,
                take: impl FnOnce(&mut dyn Iterator<Item = [<$space as jostle::Space>::Array<f32>; 2]>),
            ) {
                use $parry::bounding_volume::BoundingVolume;
                take(&mut self.poses.iter().zip(&self.shape).map(|(pose, &shape)| {
                    let aabb = self.shapes[shape as usize].compute_aabb(pose).loosened(0.5 * margin as f32);
                    [aabb.mins.into(), aabb.maxs.into()]
                }));
            }

            fn contacts(&mut self, pairs: &[[u32; 2]]) {
                self.rows.clear();
                self.rows.extend(pairs.iter().map(|&[a, b]| {
                    let [a, b] = [a as usize, b as usize];
                    let shape = |body: usize| &*self.shapes[self.shape[body] as usize].0;
                    $parry::query::contact(&self.poses[a], shape(a), &self.poses[b], shape(b), self.prediction)
                        .ok()
                        .flatten()
                }));
            }

            fn balls(&mut self, pairs: &[[u32; 2]]) {
                self.rows.clear();
                self.rows.extend(pairs.iter().map(|&[a, b]| {
                    let [a, b] = [a as usize, b as usize];
                    let between = self.poses[a].inv_mul(&self.poses[b]);
                    let mut found = $parry::query::details::contact_ball_ball(
                        &between,
                        &self.balls[a],
                        &self.balls[b],
                        self.prediction,
                    );
                    if let Some(contact) = &mut found {
                        contact.transform_by_mut(&self.poses[a], &self.poses[b]);
                    }
                    found
                }));
            }

            fn nearest(&self, out: &mut Vec<Option<(u32, f32)>>) {
                let tree = self.tree();
                out.clear();
                out.extend(self.placed().enumerate().map(|(body, own)| self.best(&tree, own, Some(body))));
            }

            fn nearest_to(&self, tree: &Self::Tree, probes: &Self, out: &mut Vec<Option<(u32, f32)>>) {
                out.clear();
                out.extend(probes.placed().map(|probe| self.best(tree, probe, None)));
            }

            fn casts(
                &self,
                pairs: &[[u32; 2]],
                velocities: &[<$space as jostle::Space>::Array<f64>],
                duration: f64,
                out: &mut Vec<Option<f32>>,
            ) {
                let vector = $vector;
                let options = $parry::query::ShapeCastOptions::with_max_time_of_impact(duration as f32);
                out.clear();
                out.extend(pairs.iter().map(|&[a, b]| {
                    let [a, b] = [a as usize, b as usize];
                    let shape = |body: usize| &*self.shapes[self.shape[body] as usize].0;
                    let [from, to] = [a, b].map(|body| vector(velocities[body]));
                    let (pose_a, pose_b) = (&self.poses[a], &self.poses[b]);
                    let found = $parry::query::cast_shapes(pose_a, from, shape(a), pose_b, to, shape(b), options);
                    found.ok().flatten().map(|hit| hit.time_of_impact)
                }));
            }

            fn distances(&self) -> Vec<Option<f32>> {
                self.rows.iter().map(|row| row.map(|contact| contact.dist)).collect()
            }
        }

        impl RivalSpace for $space {
            type Rival = $name;
        }
    };
}

rival!(
    Parry3,
    parry3d,
    D3,
    ConvexPolyhedron,
    |v: [f64; 3]| parry3d::math::Vector::new(v[0] as f32, v[1] as f32, v[2] as f32),
    |q: [f64; 4]| parry3d::math::Rotation::from_xyzw(q[0] as f32, q[1] as f32, q[2] as f32, q[3] as f32),
    |core: &Core<D3>| {
        use parry3d::shape::{Cone, Cylinder, SharedShape};
        match *core {
            Core::Frustum { half_height, base_radius, top_radius: 0.0 } => {
                SharedShape::new(Cone::new(half_height as f32, base_radius as f32))
            }
            Core::Frustum { half_height, base_radius, .. } => {
                SharedShape::new(Cylinder::new(half_height as f32, base_radius as f32))
            }
            _ => unreachable!("no other cores in the scenes"),
        }
    }
);

rival!(
    Parry2,
    parry2d,
    D2,
    ConvexPolygon,
    |v: [f64; 2]| parry2d::math::Vector::new(v[0] as f32, v[1] as f32),
    |angle: [f64; 1]| parry2d::math::Rotation::new(angle[0] as f32),
    |_: &Core<D2>| unreachable!("no other cores in the scenes")
);
