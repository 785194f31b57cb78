//! The sweep without its type parameter: compiled once, here, and not again in every program that uses it.

use std::sync::{Mutex, PoisonError};

use jostle_lanes::{Isa, dispatch_on};
use rayon::prelude::*;

use crate::bounds::{BoundsError, Columns, MOST_BOXES};
use crate::cuts::Cuts;
use crate::partition::{BLOCK, Block, Deal};
use crate::region::{Build, Region, Scratch};
use crate::scan::{Scan, Sink};

/// All buffers, and what was built into them.
#[derive(Debug, Default)]
pub(crate) struct Engine {
    isa: Option<Isa>,
    dimension: usize,
    len: usize,
    cuts: Cuts,
    blocks: Vec<Block>,
    regions: Vec<Region>,
    /// Region and stretch of each chunk.
    chunks: Vec<(u32, u32)>,
    scratch: Mutex<Vec<Scratch>>,
}

impl Engine {
    pub fn on(isa: Option<Isa>) -> Self {
        Self { isa, ..Self::default() }
    }

    /// The instruction set to run; panics as `dispatch` does where `JOSTLE_ISA` asks for what cannot be had.
    fn isa(&self) -> Isa {
        self.isa.unwrap_or_else(|| Isa::choose().unwrap_or_else(|error| panic!("{error}")))
    }

    pub fn build(&mut self, columns: Columns<'_>) -> Result<(), BoundsError> {
        self.chunks.clear();
        self.dimension = columns.dimension;
        let len = columns.len();
        self.len = len;
        if len > MOST_BOXES {
            return Err(BoundsError::TooMany(len));
        }
        let isa = self.isa();
        self.cuts.plan(columns);
        let region_count = self.cuts.regions();
        let block_count = if region_count == 1 { 1 } else { len.div_ceil(BLOCK) };
        let block_len = if region_count == 1 { len } else { BLOCK };
        if self.blocks.len() < block_count {
            self.blocks.resize_with(block_count, Block::default);
        }
        if self.regions.len() < region_count {
            self.regions.resize_with(region_count, Region::default);
        }
        let cuts = &self.cuts;
        let deal = |(index, block): (usize, &mut Block)| {
            let range = index * block_len..((index + 1) * block_len).min(len);
            dispatch_on(isa, Deal { block, columns, cuts, range })
        };
        let blocks = &mut self.blocks[..block_count];
        if block_count == 1 {
            deal((0, &mut blocks[0]))?;
        } else if let Some(error) = blocks.par_iter_mut().enumerate().find_map_first(|item| deal(item).err()) {
            return Err(error);
        }

        let regions = &mut self.regions[..region_count];
        if region_count == 1 {
            let mut scratch = borrow(&self.scratch);
            core::mem::swap(&mut scratch.records, &mut blocks[0].records);
            dispatch_on(isa, Build { dimension: self.dimension, region: &mut regions[0], scratch: &mut scratch });
            core::mem::swap(&mut scratch.records, &mut blocks[0].records);
            give_back(&self.scratch, scratch);
        } else {
            let (blocks, dimension, pool) = (&*blocks, self.dimension, &self.scratch);
            regions.par_iter_mut().enumerate().for_each(|(index, region)| {
                let mut scratch = borrow(pool);
                scratch.records.clear();
                for block in blocks {
                    scratch.records.extend_from_slice(block.piece(index));
                }
                dispatch_on(isa, Build { dimension, region, scratch: &mut scratch });
                give_back(pool, scratch);
            });
        }
        for (index, region) in regions.iter().enumerate() {
            self.chunks.extend((0..region.stretches.len()).map(|stretch| (index as u32, stretch as u32)));
        }
        Ok(())
    }

    /// The number of boxes.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// Hands all pairs of one chunk to `sink`, batch by batch.
    pub fn scan(&self, chunk: usize, sink: &mut Sink<'_>) {
        let (region, stretch) = self.chunks[chunk];
        let region = &self.regions[region as usize];
        let stretch = region.stretches[stretch as usize];
        if self.dimension == 3 {
            dispatch_on(self.isa(), Scan::<3> { region, stretch, sink });
        } else {
            dispatch_on(self.isa(), Scan::<2> { region, stretch, sink });
        }
    }
}

fn borrow(pool: &Mutex<Vec<Scratch>>) -> Scratch {
    pool.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
}

fn give_back(pool: &Mutex<Vec<Scratch>>, scratch: Scratch) {
    pool.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
}
