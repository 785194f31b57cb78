//! Who of a scene is looked at: those who meet anybody. The others, free slots of a pipeline above all, may stand
//! anywhere, all of them at one point or at the end of the world, and cost nothing.

use jostle_shape::Filters;

/// Some bodies of a scene, in order.
#[derive(Clone, Debug, Default)]
pub struct Members {
    /// How many bodies the scene has.
    bodies: usize,
    /// Nobody is left out: then they are not listed.
    everybody: bool,
    list: Vec<u32>,
}

impl Members {
    /// Of so many bodies those who meet anybody.
    pub fn choose(&mut self, filters: &Filters<'_>, count: usize) {
        let meets_nobody = |body: usize| filters.meets_nobody(body as u32);
        if !filters.may_leave_out() || !(0..count).any(meets_nobody) {
            self.set_all(count);
        } else {
            self.set((0..count).filter(|&body| !meets_nobody(body)), count);
        }
    }
    /// Of so many bodies these, in order.
    pub fn set(&mut self, members: impl Iterator<Item = usize>, count: usize) {
        self.list.clear();
        self.list.extend(members.map(|body| body as u32));
        (self.bodies, self.everybody) = (count, self.list.len() == count);
    }
    /// All of so many bodies.
    pub fn set_all(&mut self, count: usize) {
        self.list.clear();
        (self.bodies, self.everybody) = (count, true);
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        if self.everybody { self.bodies } else { self.list.len() }
    }
    /// True if nobody is left out.
    pub fn are_all(&self) -> bool {
        self.everybody
    }

    /// Their list, unless they are everybody.
    pub fn some(&self) -> Option<&[u32]> {
        (!self.everybody).then_some(&self.list)
    }

    /// Which body the member of a number is.
    pub fn body(&self, member: usize) -> usize {
        if self.everybody { member } else { self.list[member] as usize }
    }

    /// What says of two members what `of_bodies` says of the bodies.
    pub fn filter(&self, of_bodies: impl Fn(u32, u32) -> bool + Sync) -> impl Fn(u32, u32) -> bool + Sync {
        let body = |member: u32| if self.everybody { member } else { self.list[member as usize] };
        move |a, b| of_bodies(body(a), body(b))
    }

    /// Makes pairs of members pairs of bodies.
    pub fn name(&self, pairs: &mut [[u32; 2]]) {
        if !self.everybody {
            for pair in pairs {
                *pair = pair.map(|member| self.list[member as usize]);
            }
        }
    }
}
