//! The user's own shapes behind a call, so that no kernel is compiled for them in the user's crate.
//!
//! Kernels know a custom core as a `dyn` [`Customs`] of their own lanes. Behind it, in a function compiled for the
//! instruction set ([`Lanes::enter`]), is the support map that the shape packed; a packet's W supports are one call.
//! Compiled into kernels, as it was before, custom shapes took their user's build more than a minute. What the calls
//! cost is in docs/steps.md (*Kernels for all kinds*).

use core::cell::RefCell;

use jostle_lanes::{EachLanes, Lanes, MakeEach, PerLanes, Space};
use jostle_shape::{CustomShape, Guarded, MAX_WIDTH, SupportMap};

use super::{AnyFamily, Family, of_picks};

/// Custom shapes, one per pick, for kernels of these lanes.
pub trait Customs<S: Space, L: Lanes> {
    /// Packs those of W picks, each multiplied by its lane of `scale`, in place of those that were packed before.
    fn pack(&self, scale: L, picks: &[usize; MAX_WIDTH]);
    /// Their furthest points (see [`SupportMap::support`]).
    ///
    /// # Panics
    /// If none were packed.
    fn support(&self, direction: S::Vector<L>, active: L::Mask) -> S::Vector<L>;
}

/// [`Customs`] of all lanes.
pub struct AnyCustoms<'s, S>(core::marker::PhantomData<&'s S>);

impl<'s, S: Space> PerLanes for AnyCustoms<'s, S> {
    type For<L: Lanes> = &'s dyn Customs<S, L>;
}

/// W shapes of one type, packed.
type GuardedPack<'s, S, L, U> = Guarded<S, L, <U as CustomShape<S>>::Packed<'s, L>>;

/// Shapes of one type, and what was packed of them last.
struct Shapes<'s, S: Space, L: Lanes, U: CustomShape<S>> {
    shapes: &'s [&'s U],
    packed: RefCell<Option<GuardedPack<'s, S, L, U>>>,
}

impl<S: Space, L: Lanes, U: CustomShape<S>> Customs<S, L> for Shapes<'_, S, L, U> {
    fn pack(&self, scale: L, picks: &[usize; MAX_WIDTH]) {
        let mut packed = self.packed.borrow_mut();
        L::enter(
            #[inline(always)]
            || *packed = Some(Guarded::pack(of_picks::<L, _>(self.shapes, picks), scale)),
        );
    }
    fn support(&self, direction: S::Vector<L>, active: L::Mask) -> S::Vector<L> {
        let packed = self.packed.borrow();
        let packed = packed.as_ref().expect("cores are packed before they are asked");
        L::enter(
            #[inline(always)]
            || packed.support(direction, active),
        )
    }
}

/// [`Shapes`] for all lanes.
struct AnyShapes<'s, S, U>(core::marker::PhantomData<&'s (S, U)>);

impl<'s, S: Space, U: CustomShape<S>> PerLanes for AnyShapes<'s, S, U> {
    type For<L: Lanes> = Shapes<'s, S, L, U>;
}

/// Makes [`Shapes`].
struct Unpacked<'s, U>(&'s [&'s U]);

impl<'s, S: Space, U: CustomShape<S>> MakeEach<AnyShapes<'s, S, U>> for Unpacked<'s, U> {
    fn make<L: Lanes>(&self) -> Shapes<'s, S, L, U> {
        Shapes { shapes: self.0, packed: RefCell::new(None) }
    }
}

/// Makes what kernels know of them.
struct Erase<'p, 's, S: Space, U: CustomShape<S>>(&'p EachLanes<AnyShapes<'s, S, U>>);

impl<'p, S: Space, U: CustomShape<S>> MakeEach<AnyCustoms<'p, S>> for Erase<'p, '_, S, U> {
    fn make<L: Lanes>(&self) -> &'p dyn Customs<S, L> {
        L::of_each(self.0)
    }
}

/// Shapes whose type kernels need not know.
trait Erased<S: Space> {
    /// What they know.
    fn customs(&self) -> EachLanes<AnyCustoms<'_, S>>;
}

impl<S: Space, U: CustomShape<S>> Erased<S> for EachLanes<AnyShapes<'_, S, U>> {
    fn customs(&self) -> EachLanes<AnyCustoms<'_, S>> {
        EachLanes::new(&Erase(self))
    }
}

/// Hands on the shapes of some picks as kernels know them.
pub fn with_customs<S: Space, U: CustomShape<S>>(shapes: &[&U], then: impl FnOnce(CustomFamily<'_, S>)) {
    then(CustomFamily(&EachLanes::new(&Unpacked(shapes))));
}

/// The user's own shapes: one per pick.
#[derive(Clone, Copy)]
pub struct CustomFamily<'s, S: Space>(&'s dyn Erased<S>);

/// W of them, those that were packed last.
pub struct CustomCore<'f, S, L>(&'f dyn Customs<S, L>);

impl<S: Space, L: Lanes> SupportMap<S, L> for CustomCore<'_, S, L> {
    #[inline(always)]
    fn support(&self, direction: S::Vector<L>, active: L::Mask) -> S::Vector<L> {
        self.0.support(direction, active)
    }
}

impl<'s, S: Space> CustomFamily<'s, S> {
    /// Packs those of W picks.
    #[inline(always)]
    pub fn core<L: Lanes>(&self, scale: L, picks: &[usize; MAX_WIDTH]) -> CustomCore<'s, S, L> {
        let customs = *L::of_each(&self.0.customs());
        customs.pack(scale, picks);
        CustomCore(customs)
    }
}

impl<S: Space> Family<S> for CustomFamily<'_, S> {
    type Packed<'f, L: Lanes>
        = CustomCore<'f, S, L>
    where
        Self: 'f;
    fn any(&self) -> AnyFamily<'_, S> {
        AnyFamily::Custom(*self)
    }
    #[inline(always)]
    fn pack<'p, 'f, L: Lanes>(
        &'f self,
        packed: &'p mut Option<CustomCore<'f, S, L>>,
        _: [L; 3],
        scale: L,
        picks: &[usize; MAX_WIDTH],
    ) -> &'p CustomCore<'f, S, L> {
        packed.insert(self.core(scale, picks))
    }
}
