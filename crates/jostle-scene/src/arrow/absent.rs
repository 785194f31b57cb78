//! What stands in for Arrow IPC in a build without the feature `arrow`: types, traits and functions of the same names
//! as in `arrow.rs` and below, so that the rest of the crate is the same in both builds. Functions answer with a
//! sentence; [`SceneSink`] and [`TableSink`] are never made, so their other methods cannot be called.

use std::convert::Infallible;
use std::fmt::Debug;
use std::io::{self, ErrorKind, Write};
use std::marker::PhantomData;
use std::ops::BitOrAssign;

use jostle::Bodies;

use crate::error::SceneError;
use crate::form::ArrowForm;
use crate::input::Source;
use crate::scene::{AnyScene, SceneSpace};
use crate::spec::ShapeSpec;
use crate::table::cells::TableColumn;
use crate::table::layout::{TableLayout, TableRow};
use crate::table::result::ResultTable;

const ABSENT: &str = "this build is without Arrow IPC (feature `arrow`)";

fn refused<T>() -> io::Result<T> {
    Err(io::Error::new(ErrorKind::Unsupported, ABSENT))
}

pub(crate) fn read_scene(name: &str, _: ArrowForm, _: Source<'_>) -> Result<AnyScene, SceneError> {
    Err(SceneError::unreadable(name, format!("is Arrow IPC, and {ABSENT}")))
}

pub(crate) fn read_table(name: &str, _: ArrowForm, _: Source<'_>) -> Result<ResultTable, SceneError> {
    Err(SceneError::unreadable(name, format!("is Arrow IPC, and {ABSENT}")))
}

pub(crate) fn read_pairs(name: &str, _: ArrowForm, _: Source<'_>, _: usize) -> Result<Vec<[u32; 2]>, SceneError> {
    Err(SceneError::unreadable(name, format!("is Arrow IPC, and {ABSENT}")))
}

pub(crate) fn write_scene<W: Write>(_: &AnyScene, _: ArrowForm, _: W) -> io::Result<()> {
    refused()
}

pub(crate) trait FlatSpace: SceneSpace {}
impl<S: SceneSpace> FlatSpace for S {}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NeededColumns(());

impl NeededColumns {
    pub(crate) fn of<S: FlatSpace>(_: &Bodies<S>) -> Self {
        Self(())
    }
}

impl BitOrAssign for NeededColumns {
    fn bitor_assign(&mut self, _: Self) {}
}

/// Never made: its `new` refuses.
pub(crate) struct SceneSink<W: Write>(Infallible, PhantomData<W>);

impl<W: Write> SceneSink<W> {
    pub(crate) fn new<S: FlatSpace>(
        _: W,
        _: ArrowForm,
        _: &[ShapeSpec<S>],
        _: Option<&S::Array<f64>>,
        _: NeededColumns,
    ) -> io::Result<Self> {
        refused()
    }
    pub(crate) fn add<S: FlatSpace>(&mut self, _: &Bodies<S>) -> io::Result<()> {
        match self.0 {}
    }
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.0 {}
    }
}

/// Never made: its `new` refuses.
#[derive(Debug)]
pub(crate) struct TableSink<W: Write>(Infallible, PhantomData<W>);

impl<W: Write> TableSink<W> {
    pub(crate) fn new(_: W, _: ArrowForm, _: &[TableColumn]) -> io::Result<Self> {
        refused()
    }
    pub(crate) fn write<R: TableRow>(&mut self, _: &R, _: TableLayout) -> io::Result<()> {
        match self.0 {}
    }
    pub(crate) fn write_all<R: TableRow>(&mut self, _: &[R], _: TableLayout) -> io::Result<()> {
        match self.0 {}
    }
    pub(crate) fn finish(self) -> io::Result<W> {
        match self.0 {}
    }
}
