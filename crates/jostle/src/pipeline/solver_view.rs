//! What a contact solver reads and writes, borrowed at once as separate fields, so that the borrow checker allows it.

use jostle_narrowphase::{Dimension, Precision, Proximity};

#[cfg(doc)]
use super::Pipeline;
use super::events::Phase;
use super::statics::Statics;

/// The columns of what moves, one entry per slot each: `position` in metres, `rotation` as quaternions `[x, y, z, w]`
/// or `[radians]`, `velocity` in metres per second. Entries of free slots mean nothing.
pub type ColumnsMut<'a, S> = jostle_shape::MotionMut<'a, S>;

/// The contacts of the last frame, the data beside each, and the columns of all bodies. Destructure it as needed.
///
/// ```
/// use jostle::{Body, D2, Phase, Pipeline, Shape, Solving};
///
/// let mut billiards = Pipeline::<D2, f32, u32>::new();
/// let ball = billiards.add_shape(Shape::ball(0.5)?)?;
/// billiards.insert(Body::new(ball, [0.0, 0.0]).fixed())?;
/// billiards.insert(Body::new(ball, [0.75, 0.0]).with_velocity([-1.0, 0.0]))?;
/// billiards.update()?;
/// let Solving { contacts, phases, data, world, statics, .. } = billiards.solver_mut();
/// for ((c, phase), bounces) in contacts.iter().zip(phases).zip(data) {
///     let hit = [c.a, c.b].into_iter().filter(|&slot| *phase == Phase::Began && !statics.contains(slot));
///     for slot in hit {
///         world.velocity[slot as usize][0] *= -1.0;
///         *bounces += 1;
///     }
/// }
/// assert_eq!((billiards.velocities(), billiards.data()), (&[[0.0, 0.0], [1.0, 0.0]][..], &[1][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Solving<'p, S: Dimension, T: Precision, D> {
    /// The rows, ordered by `a`, then by `b`; both are slots.
    pub contacts: &'p [Proximity<S, T>],
    /// The phase of each contact.
    pub phases: &'p [Phase],
    /// The data that you keep beside each contact.
    pub data: &'p mut [D],
    /// The image of `b` that each contact is about ([`Pipeline::images`]); empty in open space.
    pub images: &'p [[i32; 3]],
    /// Positions, rotations and velocities of the bodies, by slot.
    pub world: ColumnsMut<'p, S>,
    /// The set of slots that hold static bodies.
    pub statics: Statics<'p>,
}
