//! Two boxes in closed form and in lanes: how far [`apart`], and how deep ([`depth`]). In the plane one look at their
//! [sides](crate::sides) tells both.

pub mod apart;
pub mod axes;
pub mod depth;
pub mod edges;
pub mod pair;
