//! Which of two sets of bodies gets the lists when rows between the sets are gathered.

/// The set whose bodies get lists, when rows between two sets of bodies are gathered, as from
/// [`between`](crate::between()), [`periodic_between`](crate::periodic_between) or
/// [`SceneIndex::contacts`](crate::SceneIndex::contacts). `a` of a row is an index into the first set, `b` into the
/// second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Whose {
    /// Each body of the first set gets a list of bodies of the second.
    First,
    /// Each body of the second set gets a list of bodies of the first.
    Second,
}

impl Whose {
    /// Whether a row goes into the list of its first body, and whether into that of its second.
    pub(crate) fn entered(self) -> [bool; 2] {
        [self == Self::First, self == Self::Second]
    }
}
