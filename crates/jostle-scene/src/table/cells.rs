//! The cells of a row, and what each format makes of them.

use std::marker::PhantomData;

use jostle::Scalar;

use crate::number::{push, push_whole};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellType {
    /// Indices of bodies.
    U32,
    /// Numbers of things.
    U64,
    /// Whole numbers, also below zero.
    I64,
    /// Numbers in single precision.
    F32,
    /// Numbers in double precision.
    F64,
    /// One of these words; in Arrow IPC a dictionary that has them all, in this order, with keys of 8 bits.
    Word(&'static [&'static str]),
}

impl CellType {
    /// The type of numbers of this precision.
    pub fn of<T: Scalar>() -> Self {
        if size_of::<T>() == size_of::<f32>() { CellType::F32 } else { CellType::F64 }
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name: the cell of the header, the key in JSON Lines.
    pub name: &'static str,
    /// What it holds.
    pub cell: CellType,
    /// Whether cells may be empty.
    pub nullable: bool,
}

impl TableColumn {
    /// A column without empty cells.
    pub const fn new(name: &'static str, cell: CellType) -> Self {
        Self { name, cell, nullable: false }
    }
    /// The same column, where cells may be empty.
    pub const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }
}

/// What takes the cells of a row, one after the other. Each call is a cell of the next column, whose type it must fit.
pub trait Cells {
    /// A cell of a column of [`CellType::U32`].
    fn index(&mut self, value: u32);
    /// A cell of a column of [`CellType::U64`].
    fn count(&mut self, value: u64);
    /// A cell of a column of [`CellType::I64`].
    fn whole(&mut self, value: i64);
    /// A cell of a column of [`CellType::F32`] or [`CellType::F64`].
    fn number<T: Scalar>(&mut self, value: T);
    /// A cell of a column of [`CellType::Word`]; the word must be one of the column's.
    fn word(&mut self, word: &'static str);
    /// An empty cell of a column that may have such.
    fn none(&mut self);

    /// A cell for each number.
    #[inline]
    fn numbers<T: Scalar>(&mut self, values: &[T]) {
        for &value in values {
            self.number(value);
        }
    }
}

/// One of the two ways of text, known to the compiler: a row is some fifteen cells.
pub(super) trait TextStyle {
    /// What comes before the cell of column `index`.
    fn before(out: &mut Vec<u8>, keys: &[Box<[u8]>], index: usize);
    /// What comes after the last cell.
    const AFTER: &'static [u8];
    /// An empty cell.
    const NONE: &'static [u8];
    /// Around what is no number.
    const QUOTE: &'static [u8];
}

/// Cells with commas between them.
pub(super) struct Csv;

impl TextStyle for Csv {
    #[inline]
    fn before(out: &mut Vec<u8>, _: &[Box<[u8]>], index: usize) {
        if index > 0 {
            out.push(b',');
        }
    }
    const AFTER: &'static [u8] = b"\n";
    const NONE: &'static [u8] = b"";
    const QUOTE: &'static [u8] = b"";
}

/// An object.
pub(super) struct JsonLines;

impl TextStyle for JsonLines {
    #[inline]
    fn before(out: &mut Vec<u8>, keys: &[Box<[u8]>], index: usize) {
        out.extend_from_slice(&keys[index]);
    }
    const AFTER: &'static [u8] = b"}\n";
    const NONE: &'static [u8] = b"null";
    const QUOTE: &'static [u8] = b"\"";
}

/// What comes before each value of an object.
pub(super) fn keys(columns: &[TableColumn]) -> Vec<Box<[u8]>> {
    let key = |(index, column): (usize, &TableColumn)| {
        let open = if index == 0 { '{' } else { ',' };
        format!("{open}\"{}\":", column.name).into_bytes().into()
    };
    columns.iter().enumerate().map(key).collect()
}

/// The cells of one row as text.
pub(super) struct TextCells<'t, Y> {
    out: &'t mut Vec<u8>,
    keys: &'t [Box<[u8]>],
    next: usize,
    style: PhantomData<Y>,
}

impl<'t, Y: TextStyle> TextCells<'t, Y> {
    #[inline]
    pub(super) fn begin(keys: &'t [Box<[u8]>], out: &'t mut Vec<u8>) -> Self {
        Self { out, keys, next: 0, style: PhantomData }
    }
    #[inline]
    pub(super) fn end(self) {
        debug_assert_eq!(self.next, self.keys.len(), "a cell for each column");
        self.out.extend_from_slice(Y::AFTER);
    }
    #[inline]
    fn open(&mut self) {
        Y::before(self.out, self.keys, self.next);
        self.next += 1;
    }
}

impl<Y: TextStyle> Cells for TextCells<'_, Y> {
    #[inline]
    fn index(&mut self, value: u32) {
        self.open();
        push_whole(self.out, value);
    }
    #[inline]
    fn count(&mut self, value: u64) {
        self.open();
        push_whole(self.out, value);
    }
    #[inline]
    fn whole(&mut self, value: i64) {
        self.open();
        push_whole(self.out, value);
    }
    #[inline]
    fn number<T: Scalar>(&mut self, value: T) {
        self.open();
        if value.finite() {
            push(self.out, value);
        } else {
            self.out.extend_from_slice(Y::QUOTE);
            push(self.out, value);
            self.out.extend_from_slice(Y::QUOTE);
        }
    }
    #[inline]
    fn word(&mut self, word: &'static str) {
        self.open();
        self.out.extend_from_slice(Y::QUOTE);
        self.out.extend_from_slice(word.as_bytes());
        self.out.extend_from_slice(Y::QUOTE);
    }
    #[inline]
    fn none(&mut self) {
        self.open();
        self.out.extend_from_slice(Y::NONE);
    }
}
