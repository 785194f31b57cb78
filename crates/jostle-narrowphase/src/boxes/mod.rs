//! Two boxes in closed form and in lanes: how far [`apart`], and how deep ([`depth`]). In the plane one look at their
//! [sides](crate::sides) tells both. Of a ball and a box, [`point`] tells how far they are apart.

pub mod apart;
pub mod axes;
pub mod depth;
pub mod edges;
pub mod pair;
pub mod point;
