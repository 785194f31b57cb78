//! Which bodies of a pipeline are static, looked up slot by slot.

use jostle_shape::Filters;

/// The set of slots whose bodies are static.
#[derive(Clone, Copy, Debug)]
pub struct Statics<'p>(pub(super) &'p [bool]);

impl Statics<'_> {
    /// Whether the body in a taken slot (`a` or `b` of a contact) is static: see also
    /// [`Pipeline::is_fixed`](crate::Pipeline::is_fixed).
    #[inline]
    pub fn contains(&self, slot: u32) -> bool {
        Filters { fixed: self.0, ..Filters::default() }.is_fixed(slot)
    }
}
