//! The least depth of two polytopes from within: a polytope that grows inside of A - B until its nearest face is one of
//! A - B's own.
//!
//! This is the expanding polytope (van den Bergen 2001): it begins with GJK's last simplex, which holds the origin; the
//! face nearest to the origin is asked for the support along its normal, and if that is beyond it, the faces that the
//! new point sees are taken away and those between the point and their rim are put in. Hulls that overlap a little need
//! two to six points until it ends, and no more of them is read than their points: no faces, no edges. Pairs that would
//! need more room than there is, or whose numbers make no sense, are for others to decide ([`crate::resolve`]).
//!
//! # Why the depth is proved
//!
//! Faces are triangles (in the plane: edges) that make a closed surface, whatever rounding does: what is put in has the
//! rim of what is taken away, edge by edge and counted with its direction. Where the origin is behind the planes of all
//! faces, each covers a part of all directions, once and the same way round; a closed surface covers all of them a
//! whole number of times, so at least once. And no point of a triangle is nearer to the origin than the least of n.p
//! over its three corners, for any unit n. So the least of these over all faces bounds the depth from below, whether or
//! not the surface is convex and however thin its triangles are: rounding can make the search longer, or the bound
//! smaller, and nothing else. From above it is bounded by the support along the nearest face's normal, which is what is
//! called the depth. The search ends where both are the same but for rounding.
//!
//! Where the origin is on a face, or beside it but for rounding, as it is where bodies touch or where symmetrical ones
//! have the same centre, that face is the nearest, and the first to go. If it is one of A - B's the depth found is zero
//! but for rounding, which proves nothing and is not taken for more
//! ([`Answer::searched`](crate::answer::Answer::searched)).
//!
//! # What it is made of
//!
//! All pairs of a packet grow side by side, each phase of a step for all of them before the next: one pair after the
//! other, each step was a chain of some three hundred cycles with unpredictable branches at its end. What there
//! are many of in a pair goes across the lanes pair by pair: the faces of a surface ([`surface`]) and the points of a
//! body. What there is one of goes across the pairs, one in each lane: the simplices they begin with ([`simplices`]),
//! the turning of what is asked and told ([`asked`]), the witness points ([`foot`]). What differs between plane and
//! space is what [`GrowSpace`] says.
//!
//! Tried, no gain: balls about blocks of points where the nearest face's corners say how far a support has to be (hulls
//! of 256 points 3 % less). Tried, and kept for some time: a pruned search over the faces and edges of both (the
//! separating axes of Gottschalk 1996, crossings of arcs as in Gregorius 2013) for what this left: docs/steps.md,
//! *Nothing else*.

mod asked;
mod edges;
pub mod faces;
mod foot;
mod plane;
mod simplices;
mod space;
pub mod surface;
#[cfg(test)]
mod tests;

use jostle_lanes::{Lanes, Mask, Scalar, Space, Vector, set_bits};
use jostle_shape::{MAX_WIDTH, PackedPoints, Points};

use self::asked::AskedSupports;
use self::faces::GrowSpace;
use self::foot::Feet;
use self::simplices::Simplices;
use self::surface::{ENOUGH, Surface};
use crate::gjk::FinalSimplex;
use crate::noise::{AGREE, noise};
use crate::penetration::Penetrations;

pub use self::asked::Places;

/// Memory for the pairs of a packet.
#[derive(Debug)]
pub struct GrowingRoom<S: Space, T: Scalar> {
    /// One for each pair: 9 KB each, 18 in `f64`.
    surfaces: Vec<Surface<S, T>>,
    /// Elsewhere, as most of what has room for searches never needs any.
    rows: Option<Box<PacketRows<T>>>,
}

/// What there is one of in each pair of a packet.
#[derive(Debug)]
struct PacketRows<T> {
    first: Simplices<T>,
    asked: AskedSupports<T>,
    feet: Feet<T>,
}

impl<S: Space, T: Scalar> Default for GrowingRoom<S, T> {
    fn default() -> Self {
        Self { surfaces: Vec::new(), rows: None }
    }
}

impl<S: GrowSpace, T: Scalar> GrowingRoom<S, T> {
    /// Makes room for packets of so many pairs.
    pub fn open(&mut self, pairs: usize) {
        if self.surfaces.len() < pairs {
            self.surfaces.resize_with(pairs, Surface::default);
        }
        self.rows.get_or_insert_with(|| {
            Box::new(PacketRows { first: Simplices::default(), asked: AskedSupports::default(), feet: Feet::default() })
        });
    }

    /// Grows the polytopes of those pairs of a packet that have a bit: `simplex` says where GJK ended on each, `bodies`
    /// what it is.
    ///
    /// # Panics
    /// If the room was not [opened](Self::open) for as many.
    #[inline(always)]
    pub fn grow<'s, L: Lanes<Scalar = T>>(
        &mut self,
        pairs: u32,
        places: &Places<S, L>,
        simplex: impl Fn(usize) -> &'s FinalSimplex<S, T>,
        mut bodies: impl FnMut(usize) -> [Points<'s, T>; 2],
    ) -> Penetrations<S, L> {
        let Self { surfaces, rows } = self;
        let Some(rows) = rows.as_deref_mut() else { panic!("no room for a packet") };
        let mut corners = [PackedPoints::none(); 2];
        for i in set_bits::<MAX_WIDTH>(pairs) {
            let bodies = bodies(i);
            for side in 0..2 {
                corners[side].set(i, bodies[side]);
            }
        }
        let rounding = noise(ENOUGH, places.magnitude);
        let mut packet = GrowingPacket { surfaces: &mut surfaces[..], rows, corners, places, rounding };
        let solid = packet.begin(pairs, simplex);
        let found = packet.expand(solid);
        packet.stand(found)
    }
}

/// The pairs of a packet while they grow, each bit of a word one of them.
struct GrowingPacket<'r, 's, S: GrowSpace, L: Lanes> {
    surfaces: &'r mut [Surface<S, L::Scalar>],
    rows: &'r mut PacketRows<L::Scalar>,
    corners: [PackedPoints<'s, L::Scalar>; 2],
    places: &'r Places<S, L>,
    rounding: L,
}

impl<'s, S: GrowSpace, L: Lanes> GrowingPacket<'_, 's, S, L> {
    /// Makes the first surfaces, and says which of the pairs have one.
    #[inline(always)]
    fn begin(&mut self, pairs: u32, simplex: impl Fn(usize) -> &'s FinalSimplex<S, L::Scalar>) -> u32 {
        let Self { surfaces, rows: PacketRows { first, asked, .. }, corners, places, rounding } = self;
        asked.begin(*rounding);
        for i in set_bits::<MAX_WIDTH>(pairs) {
            surfaces[i].start(simplex(i), asked.rounding(i));
            first.put::<S>(i, surfaces[i].points());
        }
        let (mut solid, mut mirrored) = first.close::<S, L>();
        if pairs & !solid != 0 {
            // Symmetrical bodies with the same centre: the first two points or three that GJK asked for told it all
            // that it asked.
            for i in set_bits::<MAX_WIDTH>(pairs & !solid) {
                if surfaces[i].fill_up([corners[0].lane(i), corners[1].lane(i)], &places.lane(i)) {
                    first.put::<S>(i, surfaces[i].points());
                }
            }
            (solid, mirrored) = first.close::<S, L>();
        }
        let solid = pairs & solid;
        for i in set_bits::<MAX_WIDTH>(solid) {
            surfaces[i].begin::<L>((first, i, mirrored >> i & 1 == 1));
        }
        solid
    }

    /// Lets surfaces grow until the nearest face of each is one of A - B's, and says of which pairs it is. Each phase
    /// is done for all pairs before the next: what a branch depends on is then computed long before the branch.
    #[inline(always)]
    fn expand(&mut self, solid: u32) -> u32 {
        let Self { surfaces, rows: PacketRows { asked, .. }, corners, places, rounding } = self;
        let (mut growing, mut found, mut lost) = (solid, 0, 0);
        while growing != 0 {
            for i in set_bits::<MAX_WIDTH>(growing) {
                asked.along::<S>(i, surfaces[i].find_nearest::<L>());
            }
            asked.ask(*places, growing, corners);
            let (reached, beyond) = asked.tell(*places, *rounding);
            found |= growing & reached & !lost;
            growing &= beyond & !lost;
            // Lost pairs are only noted here: the next phase does not have to wait for a branch on it.
            for i in set_bits::<MAX_WIDTH>(growing) {
                lost |= u32::from(!surfaces[i].take_in::<L>(asked.told(i))) << i;
            }
            for i in set_bits::<MAX_WIDTH>(growing) {
                surfaces[i].pass_edges();
            }
            for i in set_bits::<MAX_WIDTH>(growing) {
                lost |= u32::from(!surfaces[i].list_rim::<L>()) << i;
            }
            for i in set_bits::<MAX_WIDTH>(growing) {
                lost |= u32::from(!surfaces[i].raise::<L>()) << i;
            }
        }
        found
    }

    /// What was found, with the points where the nearest faces are nearest.
    #[inline(always)]
    fn stand(&mut self, found: u32) -> Penetrations<S, L> {
        let Self { surfaces, rows: PacketRows { asked, feet, .. }, places, .. } = self;
        for i in set_bits::<MAX_WIDTH>(found) {
            feet.put::<S>(i, surfaces[i].nearest_corners());
        }
        let (normal, depth) = (asked.normal::<S, L>(), asked.depth::<L>());
        let (mut a, mut off) = feet.stand::<S, L>(normal, depth);
        let tolerance = noise(AGREE / 2.0, places.magnitude);
        let aside = found & off.gt(tolerance).to_bits();
        if aside != 0 {
            // Where faces of A - B have more than three corners the foot may be in another triangle of the same plane.
            let (mut points, mut offs) = ([[L::Scalar::ZERO; MAX_WIDTH]; 3], [L::Scalar::ZERO; MAX_WIDTH]);
            for k in 0..S::DIMENSION {
                a.get(k).store(&mut points[k]);
            }
            off.store(&mut offs);
            for i in set_bits::<MAX_WIDTH>(aside) {
                let (point, other) = surfaces[i].foot_beside::<L>(asked.normal_of::<S>(i), asked.depth_of(i));
                if other < offs[i] {
                    offs[i] = other;
                    for k in 0..S::DIMENSION {
                        points[k][i] = point.get(k);
                    }
                }
            }
            a = S::Vector::from_fn(
                #[inline(always)]
                |k| L::load(&points[k]),
            );
            off = L::load(&offs);
        }
        let (found, fits) = (L::Mask::from_bits(found), off.le(tolerance));
        Penetrations { found, normal, depth, a, fits, off: L::splat(L::Scalar::INFINITY) }
    }
}
