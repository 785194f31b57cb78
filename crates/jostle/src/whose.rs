//! Into whose lists rows go: those of bodies of one set, or of two.

/// Of rows between two sets of bodies, as from [`between`](crate::between()),
/// [`periodic_between`](crate::periodic_between) or [`SceneIndex::contacts`](crate::SceneIndex::contacts): whose lists
/// are made. `a` of a row counts in the first set, `b` in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Whose {
    /// Those of the first set's bodies, of bodies of the second.
    First,
    /// Those of the second set's bodies, of bodies of the first.
    Second,
}

impl Whose {
    /// Whether a row goes into the list of its first body, and whether into that of its second.
    pub(crate) fn entered(self) -> [bool; 2] {
        [self == Self::First, self == Self::Second]
    }
}
