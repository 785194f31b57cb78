//! Two boxes in closed form and in lanes: how far [`apart`], and how deep ([`depth`]).

pub mod apart;
pub mod axes;
pub mod depth;
pub mod edges;
pub mod pair;
