//! rapier's broadphase, as its physics pipeline drives it: colliders that move, a tree with fattened leaves that is refitted
//! where they left them, and events for pairs that begin and end.
//!
//! The pairs that its events leave standing are kept by the lower collider, in the colliders' order, so that whoever
//! goes through them finds bodies near each other in memory; rapier's own contact graph costs more than that.

use jostle::{D2, D3};

use crate::parry::{Parry2, Parry3, RivalSpace};

/// A space in which rapier has a broadphase.
pub trait RapierSpace: RivalSpace {
    /// rapier's colliders and broadphase.
    type Rapier: Rapier<Self>;
}

/// rapier's colliders and broadphase, frame after frame.
pub trait Rapier<S: RivalSpace> {
    /// The same bodies as parry's; pairs up to `margin` apart will be asked for.
    fn new(bodies: &S::Rival, margin: f64) -> Self;
    /// Moves the colliders to where parry's bodies are, and lists all pairs whose boxes meet (rapier grows them a little, so
    /// there are more).
    fn pairs(&mut self, bodies: &S::Rival, out: &mut Vec<[u32; 2]>);
}

macro_rules! rapier {
    ($name:ident, $rapier:ident, $parry:ident, $space:ty) => {
        #[doc = concat!("`", stringify!($rapier), "`.")]
        pub struct $name {
            parameters: $rapier::dynamics::IntegrationParameters,
            bodies: $rapier::dynamics::RigidBodySet,
            colliders: $rapier::geometry::ColliderSet,
            tree: $rapier::geometry::BroadPhaseBvh,
            events: Vec<$rapier::geometry::BroadPhasePairEvent>,
            /// The partners of each collider that have a higher index.
            partners: Vec<Vec<u32>>,
        }

        impl Rapier<$space> for $name {
            fn new(bodies: &$parry, margin: f64) -> Self {
                use $rapier::prelude::{ActiveCollisionTypes, ColliderBuilder, ColliderSet, IntegrationParameters};
                // Boxes grow by half of the prediction: the same margin as jostle's.
                let parameters =
                    IntegrationParameters { normalized_prediction_distance: margin as f32, ..Default::default() };
                let mut colliders = ColliderSet::new();
                for (shape, pose) in bodies.placed() {
                    let collider = ColliderBuilder::new(shape.clone())
                        .position(*pose)
                        .active_collision_types(ActiveCollisionTypes::all());
                    colliders.insert(collider);
                }
                let partners = vec![Vec::new(); colliders.len()];
                let (bodies, tree, events) = Default::default();
                Self { parameters, bodies, colliders, tree, events, partners }
            }

            fn pairs(&mut self, bodies: &$parry, out: &mut Vec<[u32; 2]>) {
                use $rapier::geometry::BroadPhasePairEvent;
                for ((_, collider), (_, pose)) in self.colliders.iter_mut().zip(bodies.placed()) {
                    collider.set_position(*pose);
                }
                let moved = self.colliders.take_modified();
                self.events.clear();
                let Self { parameters, bodies, colliders, tree, events, partners } = self;
                tree.update(parameters, colliders, bodies, &moved, &[], events);
                for event in self.events.drain(..) {
                    let (begins, pair) = match event {
                        BroadPhasePairEvent::AddPair(pair) => (true, pair),
                        BroadPhasePairEvent::DeletePair(pair) => (false, pair),
                    };
                    let [a, b] = [pair.collider1, pair.collider2].map(|handle| handle.into_raw_parts().0);
                    let partners = &mut partners[a.min(b) as usize];
                    let place = partners.iter().position(|&other| other == a.max(b));
                    match (begins, place) {
                        (true, None) => partners.push(a.max(b)),
                        (false, Some(place)) => drop(partners.swap_remove(place)),
                        // Events may be told twice.
                        (true, Some(_)) | (false, None) => {}
                    }
                }
                out.clear();
                for (a, partners) in self.partners.iter().enumerate() {
                    out.extend(partners.iter().map(|&b| [a as u32, b]));
                }
            }
        }

        impl RapierSpace for $space {
            type Rapier = $name;
        }
    };
}

rapier!(Rapier3, rapier3d, Parry3, D3);
rapier!(Rapier2, rapier2d, Parry2, D2);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxes::Boxes;
    use crate::crowd::Crowd;
    use crate::kinds::Kind;
    use crate::parry::Rival;

    /// All pairs whose boxes meet are among rapier's, each once, frame after frame.
    fn finds_all<const N: usize, S: RapierSpace<Array<f64> = [f64; N], Array<f32> = [f32; N]>>(kind: Kind) {
        let margin = 0.5;
        let mut crowd = Crowd::<S>::new(kind, 400, margin, 0.05, 7);
        let mut bodies = S::Rival::new(&crowd.bodies);
        let mut rapier = S::Rapier::new(&bodies, margin);
        let (mut pairs, mut boxes) = (Vec::new(), Boxes::<N>::default());
        let mut ended = 0;
        for _ in 0..40 {
            let before = pairs.clone();
            crowd.advance();
            bodies.place(&crowd.bodies.position, &crowd.bodies.turn);
            bodies.boxes(margin, |all| boxes.replace(all));
            rapier.pairs(&bodies, &mut pairs);
            pairs.sort_unstable();
            assert!(pairs.windows(2).all(|two| two[0] < two[1]));
            let meet = |a: usize, b: usize| {
                (0..N).all(|k| boxes.lower[a][k] <= boxes.upper[b][k] && boxes.lower[b][k] <= boxes.upper[a][k])
            };
            for b in 0..400 {
                for a in (0..b).filter(|&a| meet(a, b)) {
                    assert!(pairs.binary_search(&[a as u32, b as u32]).is_ok(), "{a} and {b}");
                }
            }
            ended += before.iter().filter(|pair| pairs.binary_search(pair).is_err()).count();
        }
        assert!(ended > 0, "pairs end as well");
    }

    #[test]
    fn no_pair_is_missed() {
        finds_all::<2, D2>(Kind::Capsule);
        finds_all::<3, D3>(Kind::Hull(16));
    }
}
