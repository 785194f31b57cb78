//! rapier's broadphase, as its physics pipeline drives it at the end of a step: boxes are given to a tree with fattened
//! leaves, which is refitted where boxes leave these, and events say which pairs begin and end.
//!
//! The pairs that have begun and not ended are kept in lists by their lower collider. Only boxes are updated, not the
//! colliders themselves. Both are less than what rapier itself has to do.

use jostle::{D2, D3};

use crate::parry::{Parry2, Parry3, RivalSpace};

/// A space in which rapier has a broadphase.
pub trait RapierSpace: RivalSpace {
    /// rapier's colliders and broadphase.
    type Rapier: Rapier<Self>;
}

/// rapier's colliders and broadphase, frame after frame.
pub trait Rapier<S: RivalSpace> {
    /// The same bodies as parry's; pairs up to `margin` apart will be wanted.
    fn new(bodies: &S::Rival, margin: f64) -> Self;
    /// Updates the boxes to where parry's bodies are, and lists all pairs whose boxes meet, and some of which only the
    /// fattened boxes do.
    fn pairs(&mut self, bodies: &S::Rival, out: &mut Vec<[u32; 2]>);
}

macro_rules! rapier {
    ($name:ident, $rapier:ident, $parry:ident, $space:ty) => {
        #[doc = concat!("`", stringify!($rapier), "`.")]
        pub struct $name {
            parameters: $rapier::dynamics::IntegrationParameters,
            handles: Vec<$rapier::geometry::ColliderHandle>,
            bodies: $rapier::dynamics::RigidBodySet,
            colliders: $rapier::geometry::ColliderSet,
            tree: $rapier::geometry::BroadPhaseBvh,
            events: Vec<$rapier::geometry::BroadPhasePairEvent>,
            /// The partners of each collider that have a higher index.
            partners: Vec<Vec<u32>>,
            /// By how much boxes grow to every side: half of the margin.
            grown: f32,
        }

        impl Rapier<$space> for $name {
            fn new(bodies: &$parry, margin: f64) -> Self {
                use $rapier::prelude::{ActiveCollisionTypes, ColliderBuilder, ColliderSet};
                let mut colliders = ColliderSet::new();
                let collider = |(shape, _): (&$rapier::prelude::SharedShape, _)| {
                    ColliderBuilder::new(shape.clone()).active_collision_types(ActiveCollisionTypes::all())
                };
                let handles: Vec<_> = bodies.placed().map(|body| colliders.insert(collider(body))).collect();
                let partners = vec![Vec::new(); colliders.len()];
                let (parameters, bodies, tree, events) = Default::default();
                Self { parameters, handles, bodies, colliders, tree, events, partners, grown: 0.5 * margin as f32 }
            }

            fn pairs(&mut self, bodies: &$parry, out: &mut Vec<[u32; 2]>) {
                use $rapier::geometry::BroadPhasePairEvent;
                use $rapier::parry::bounding_volume::BoundingVolume;
                self.events.clear();
                let Self { parameters, handles, bodies: none, colliders, tree, events, partners, grown } = self;
                for (&handle, (shape, pose)) in handles.iter().zip(bodies.placed()) {
                    tree.set_aabb(parameters, handle, shape.compute_aabb(pose).loosened(*grown));
                }
                tree.update(parameters, colliders, none, &[], &[], events);
                for event in events.drain(..) {
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
                        // rapier may report an event twice.
                        (true, Some(_)) | (false, None) => {}
                    }
                }
                out.clear();
                for (a, partners) in partners.iter().enumerate() {
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
        let mut crowd = Crowd::<S>::new(kind, 400, margin, 0.01, 7);
        let mut bodies = S::Rival::new(&crowd.bodies);
        let mut rapier = S::Rapier::new(&bodies, margin);
        let (mut pairs, mut boxes) = (Vec::new(), Boxes::<N>::default());
        let (mut ended, mut listed, mut met) = (0, 0, 0);
        for _ in 0..80 {
            let before = pairs.clone();
            crowd.advance();
            bodies.place(&crowd.bodies.position, &crowd.bodies.rotation);
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
            listed += pairs.len();
            met += pairs.iter().filter(|&&[a, b]| meet(a as usize, b as usize)).count();
            ended += before.iter().filter(|pair| pairs.binary_search(pair).is_err()).count();
        }
        assert!(ended > 0, "pairs end as well");
        // More pairs are listed than meet, as leaves are fattened. Leaves that were removed and inserted anew each
        // frame would be as large as their boxes.
        assert!(listed > met, "{listed} and {met}");
    }

    #[test]
    fn no_pair_is_missed() {
        finds_all::<2, D2>(Kind::Capsule);
        finds_all::<3, D3>(Kind::Hull(16));
    }
}
