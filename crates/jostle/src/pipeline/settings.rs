//! How a pipeline searches for contacts. Settings may change at any time and take effect at the next update.

use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{CustomShape, is_length};

use super::Pipeline;
use super::error::PipelineError;
use super::skin::Skin;
use crate::lattice::Lattice;
use crate::near::Near;

fn length(value: f64, refuse: fn(f64) -> PipelineError) -> Result<f64, PipelineError> {
    if is_length(value) { Ok(value) } else { Err(refuse(value)) }
}

impl<S, T, D, U> Pipeline<S, T, D, U>
where
    S: Dimension,
    T: Precision,
    D: Copy + Default + Send + Sync,
    U: CustomShape<S>,
{
    /// Sets the margin, metres: pairs farther apart are no contacts. 0 at first. With another margin than before the
    /// next frame makes the whole list of pairs anew.
    ///
    /// # Errors
    /// If it is negative, NaN, infinite or beyond 1e15.
    pub fn set_margin(&mut self, margin: f64) -> Result<(), PipelineError> {
        let margin = length(margin, PipelineError::Margin)?;
        if margin.to_bits() != self.settings.margin.to_bits() {
            (self.settings.margin, self.settings.near) = (margin, Near::new(margin));
            (self.renew_all, self.solve_all) = (true, true);
        }
        Ok(())
    }
    /// The margin, metres: pairs farther apart are no contacts.
    pub fn margin(&self) -> f64 {
        self.settings.margin
    }
    /// Sets how space repeats. Bodies then meet the images of others too, each image being a contact of its own
    /// ([`Pipeline::images`] says which). A lattice that does not repeat ([`Lattice::default`]) is open space, as at
    /// first.
    ///
    /// Positions may be anywhere. Bring bodies back into the cell whenever you like, or never: a body that is moved by
    /// whole vectors of the lattice has not moved, so its contacts persist and keep their data, and only their images
    /// change. (A body that jumps by more than half a vector counts as one that was brought back.) [`Lattice::wrap`]
    /// brings a position back; [`Lattice::nearest_image`] gives the image by which the way between two positions is the
    /// shortest. The lattice may change from frame to frame, as under a barostat, with positions that are scaled along
    /// or stay; contacts then persist.
    ///
    /// The contacts of a frame are those of [`periodic_contacts`](crate::periodic_contacts), bit for bit. Where space
    /// repeats, the list of near pairs is made anew as a whole each time that a body has used up its half of the skin,
    /// was inserted or changed: frames that keep the list cost little more than in open space, others cost more.
    ///
    /// ```
    /// use jostle::{Body, D2, Lattice, Phase, Pipeline, Shape};
    ///
    /// let mut ring = Pipeline::<D2, f32, u32>::new(); // a street whose ends meet
    /// ring.set_lattice(Lattice::orthogonal([10.0, 0.0])?);
    /// let disc = ring.add_shape(Shape::ball(0.5)?)?;
    /// let first = ring.insert(Body::new(disc, [9.75, 0.0]))?;
    /// ring.insert(Body::new(disc, [0.5, 0.0]))?;
    /// ring.update()?;
    /// assert_eq!((ring.contacts()[0].distance, ring.images()), (-0.25, &[[1, 0, 0]][..]));
    /// ring.data_mut()[0] = 7;
    /// ring.positions_mut()[first.index()][0] = 0.125; // a step to the right, and back into the cell
    /// ring.update()?;
    /// assert_eq!((ring.contacts()[0].distance, ring.images()), (-0.625, &[[0, 0, 0]][..]));
    /// assert_eq!((ring.phases(), ring.data()), (&[Phase::Persists][..], &[7][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_lattice(&mut self, lattice: Lattice<S>) {
        if lattice != self.lattice {
            self.lattice = lattice;
            (self.renew_all, self.solve_all) = (true, true);
        }
    }
    /// The lattice by which space repeats.
    pub fn lattice(&self) -> &Lattice<S> {
        &self.lattice
    }
    /// Sets the look-ahead, seconds: pairs that may get within the margin in this time are contacts too (speculative
    /// margins), so that fast bodies do not pass through each other between frames. 0 (none) at first.
    ///
    /// A pair is also a contact if its distance, less the length by which the two velocities bring the bodies closer
    /// along the normal in that time, is at most the margin. As the plane across the normal separates the two, no body
    /// that moves straight and does not turn gets within the margin of another unreported. Boxes grow by how far their
    /// bodies get, in all directions. With another look-ahead than before the next frame makes the whole list of pairs
    /// anew: where time steps vary, it is better to keep the longest.
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, Shape};
    ///
    /// let mut range = Pipeline::<D2>::new();
    /// let (bullet, wall) = (range.add_shape(Shape::ball(0.01)?)?, range.add_shape(Shape::cuboid([0.05, 5.0])?)?);
    /// range.insert(Body::new(wall, [10.0, 0.0]).fixed())?;
    /// let fired = range.insert(Body::new(bullet, [9.0, 0.0]).with_velocity([300.0, 0.0]))?;
    /// range.update()?;
    /// assert!(range.contacts().is_empty()); // 0.94 m apart now, and 4 m behind the wall in a sixtieth of a second
    /// range.set_look_ahead(1.0 / 60.0)?;
    /// range.update()?;
    /// assert_eq!(range.contacts().len(), 1);
    /// range.velocities_mut()[fired.index()] = [-300.0, 0.0];
    /// range.update()?;
    /// assert!(range.contacts().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it is negative, NaN, infinite or beyond 1e15.
    pub fn set_look_ahead(&mut self, seconds: f64) -> Result<(), PipelineError> {
        let seconds = length(seconds, PipelineError::LookAhead)?;
        if seconds.to_bits() != self.settings.look_ahead.to_bits() {
            if self.settings.look_ahead == 0.0 {
                // Until now velocities meant nothing, and were not looked at.
                self.tracks.see_velocities(self.bodies.velocities());
                for (slot, _, was) in &mut self.laid_down {
                    was.velocity = self.bodies.velocities()[*slot];
                }
            }
            self.settings.look_ahead = seconds;
            (self.renew_all, self.solve_all) = (true, true);
        }
        Ok(())
    }
    /// The look-ahead, seconds: see [`Pipeline::set_look_ahead`].
    pub fn look_ahead(&self) -> f64 {
        self.settings.look_ahead
    }
    /// Sets the skin of the pipeline's Verlet list, metres. Pairs up to this much farther apart than the margin are
    /// kept on the list, and it lasts while no body moves by more than half of the skin. Bodies that are faster than
    /// most have up to sixteen times as thick a skin, unless it is fixed. The skin changes what frames cost, never
    /// their contacts.
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, Shape, Skin};
    ///
    /// let mut hall = Pipeline::<D2>::new();
    /// hall.set_skin(Skin::Fixed(0.5))?;
    /// let disc = hall.add_shape(Shape::ball(0.5)?)?;
    /// hall.insert(Body::new(disc, [0.0, 0.0]))?;
    /// let other = hall.insert(Body::new(disc, [1.25, 0.0]))?;
    /// let mut renewed = Vec::new();
    /// for _ in 0..4 {
    ///     renewed.push(hall.update()?.renewed > 0);
    ///     hall.positions_mut()[other.index()][0] -= 0.125;
    /// }
    /// // A quarter of a metre is half of the skin: the other body leaves its box in the fourth frame.
    /// assert_eq!(renewed, [true, false, false, true]);
    /// assert_eq!(hall.contacts().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it is negative, NaN, infinite or beyond 1e15.
    pub fn set_skin(&mut self, skin: Skin) -> Result<(), PipelineError> {
        if let Skin::Fixed(skin) = skin {
            length(skin, PipelineError::Skin)?;
        }
        if skin != self.settings.skin {
            (self.settings.skin, self.renew_all) = (skin, true);
            // A fixed skin is no basis for choosing one.
            self.motion.skin = 0.0;
            self.tracks.forget_doublings();
        }
        Ok(())
    }
    /// Sets whether the search for a contact's distance begins where that of the last frame ended (a warm start). By
    /// default it begins anew.
    ///
    /// It is for contacts of hulls of many points, and of custom shapes: from some 64 points on such frames take a
    /// twentieth to a quarter less. Searches for other shapes begin anew in any case, as they would gain nothing. It
    /// takes 96 bytes for each pair that may be near (32 in the plane; twice that in `f64`).
    ///
    /// Statuses stay the same; distances, normals and witness points agree within their rounding, not to the last bit:
    /// a frame's contacts then depend on the frames before. The same frames still give the same bits, whatever the
    /// number of threads, and so does a clone.
    ///
    /// ```
    /// use jostle::{Body, D3, Pipeline, Shape};
    ///
    /// let mut gravel = Pipeline::<D3>::new();
    /// gravel.set_margin(0.1)?;
    /// gravel.set_warm_start(true);
    /// let ball = |i: i32| {
    ///     let (angle, up) = (2.4 * f64::from(i), f64::from(2 * i - 199) / 200.0); // a spiral on the sphere
    ///     let away = (1.0 - up * up).sqrt();
    ///     [away * angle.cos(), up, away * angle.sin()]
    /// };
    /// let stone = gravel.add_shape(Shape::convex(&(0..200).map(ball).collect::<Vec<_>>())?)?;
    /// let stones = [0.0, 2.05].map(|x| gravel.insert(Body::new(stone, [x, 0.0, 0.0])).unwrap());
    /// for frame in 0..10 {
    ///     gravel.positions_mut()[stones[1].index()][1] = 0.01 * f64::from(frame);
    ///     gravel.update()?;
    ///     assert!((0.05..0.1).contains(&gravel.contacts()[0].distance));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_warm_start(&mut self, warm_start: bool) {
        if warm_start != self.settings.warm_start {
            // Contacts of resting bodies were found in the other way.
            (self.settings.warm_start, self.solve_all) = (warm_start, true);
        }
    }
    /// Whether searches begin where those of the last frame ended: see [`Pipeline::set_warm_start`].
    pub fn warm_start(&self) -> bool {
        self.settings.warm_start
    }
    /// The skin as it was set: see [`Pipeline::set_skin`].
    pub fn skin(&self) -> Skin {
        self.settings.skin
    }
    /// Sets the largest number of pairs that may be on the list, which holds all pairs within margin and skin, more
    /// than there are contacts (4,294,967,295 at first and at most): for scenes that might fill the memory. An update
    /// that makes or mends a longer list fails.
    ///
    /// ```
    /// use jostle::{Body, D2, Pipeline, Shape};
    ///
    /// let mut heap = Pipeline::<D2>::new();
    /// let disc = heap.add_shape(Shape::ball(0.5)?)?;
    /// heap.insert_many(&[Body::new(disc, [0.0, 0.0]); 10])?; // 45 pairs
    /// heap.set_limit(40);
    /// assert!(heap.update().is_err());
    /// heap.set_limit(50);
    /// assert_eq!((heap.update()?.contacts, heap.limit()), (45, 50));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_limit(&mut self, pairs: u64) {
        self.settings.limit = pairs.min(u64::from(u32::MAX));
    }
    /// The largest number of pairs that may be on the list: see [`Pipeline::set_limit`].
    pub fn limit(&self) -> u64 {
        self.settings.limit
    }
}
