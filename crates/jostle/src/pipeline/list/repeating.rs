//! The list where space repeats: made anew as a whole whenever a body has left its box.
//!
//! The boxes of bodies are brought into the cell, and those of images are appended, as for a scene that is asked about
//! once (`crate::periodic`). In the frames between, the skin holds as it does in open space: an image moves as its body
//! does.

use jostle_broadphase::Paired;
use jostle_narrowphase::{Dimension, Precision};
use jostle_shape::{Bodies, CustomShape};
use jostle_tasks::make_room;

use super::{Buffers, List, Renewal, Terms, WaitingPairs};
use crate::bounds::Sought;
use crate::chunks::collect;
use crate::error::ContactsError;
use crate::images::{SweptPair, Which};
use crate::lattice::Lattice;
use crate::order::order_same_pairs;
use crate::pipeline::link::ImageLink;
use crate::pipeline::track::Tracks;

impl<S: Dimension, T: Precision> List<S, T, ImageLink> {
    /// Finds all pairs anew, and returns how many sound bodies there are.
    pub fn renew<U: CustomShape<S>>(
        &mut self,
        bodies: &Bodies<S, U>,
        tracks: &mut Tracks<S, T>,
        lattice: &Lattice<S>,
        terms: Terms,
    ) -> Result<usize, ContactsError> {
        self.place_origin(bodies, tracks, Terms { renewal: Renewal::FromScratch, ..terms });
        tracks.make_balls(bodies, self.origin.unwrap_or_default(), terms.look_ahead);
        tracks.mark(bodies, true);
        let Self { listed: WaitingPairs { pairs, .. }, buffers, .. } = self;
        let Buffers { sweep, images, links, order, .. } = buffers;
        tracks.make_room(bodies, terms.skin, terms.look_ahead);
        let (columns, flags) = (bodies.columns(), &tracks.flags);
        let sound = (0..flags.len()).filter(|&slot| flags[slot].is_sound());
        let room = |body: usize| tracks.room(body);
        images.members_mut().set(sound, flags.len());
        images.set_round(terms.round);
        images.fill(&columns, (lattice, Which::Half), (Sought::Near, terms.margin), &room)?;
        images.count_from(tracks.wraps());
        sweep.build(images.bounds()).map_err(|error| error.renamed(|place| images.owner(place)))?;
        let count = sweep.chunk_count();
        if links.len() < count {
            links.resize_with(count, <_>::default);
        }
        let total = collect(&mut links[..count], terms.limit, |chunk, found| {
            let link = |pair: SweptPair, image| ImageLink::new(pair.pair(), image);
            images.find(sweep, chunk, (&columns.filters(), lattice), &|_, _| true, link, found);
            make_room(found, found.len());
        })?;
        make_room(pairs, total as usize);
        order.collect(&links[..count], flags.len(), pairs);
        // A pair may be listed with several images of its second body: order these.
        order_same_pairs(pairs, |link| *link);
        self.set_clock();
        tracks.round = terms.round;
        tracks.hold(bodies);
        Ok(self.buffers.images.len())
    }
}
