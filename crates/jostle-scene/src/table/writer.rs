//! Rows on their way out: formatted by all threads, written in order.

use std::io::{self, Write};
use std::marker::PhantomData;

use jostle_tasks as tasks;

use super::cells::{Csv, JsonLines, TextCells, TextStyle, keys};
use super::layout::{TableFormat, TableLayout, TableRow};
use crate::arrow::TableSink;
use crate::write::{PIECE_BYTES, pass_on};

/// Writes a result table, row by row or many rows at a time, in any format.
///
/// ```
/// use jostle::{D3, Proximity};
/// use jostle_scene::{ArrowForm, TableFormat, TableLayout, TableWriter, read_table};
///
/// let row = Proximity::<D3, f32> { b: 1, distance: 0.1, ..Proximity::default() };
/// let mut writer = TableWriter::new(Vec::new(), TableLayout::default())?;
/// writer.write(&row)?;
/// let text = writer.finish()?;
/// assert_eq!(text, b"a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz\n0,1,0.1,0,0,0,0,0,0,0,0,0\n");
///
/// # #[cfg(feature = "arrow")] {
/// let layout = TableLayout { format: TableFormat::Arrow(ArrowForm::File), ..TableLayout::default() };
/// let mut writer = TableWriter::new(Vec::new(), layout)?;
/// writer.write(&row)?;
/// assert_eq!(read_table("rows.arrow", &writer.finish()?)?, read_table("rows.csv", &text)?);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "rows are only sure to be written by `finish`"]
pub struct TableWriter<W: Write, R: TableRow> {
    layout: TableLayout,
    sink: Sink<W>,
    rows: PhantomData<fn(&R)>,
}

#[derive(Debug)]
enum Sink<W: Write> {
    Text { out: W, keys: Vec<Box<[u8]>>, text: Vec<u8> },
    Arrow(Box<TableSink<W>>),
}

/// How many rows a thread formats at a time.
const ROWS: usize = 4096;
/// How many of these texts are in memory at a time.
const PIECES: usize = 64;

impl<W: Write, R: TableRow> TableWriter<W, R> {
    /// A table without rows.
    ///
    /// # Errors
    /// If writing what stands before the first row fails, or this build is without the format.
    pub fn new(out: W, layout: TableLayout) -> io::Result<Self> {
        let columns = R::columns(layout);
        let mut text = Vec::with_capacity(PIECE_BYTES + 1024);
        let sink = match layout.format {
            TableFormat::Csv => {
                let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
                text.extend_from_slice(names.join(",").as_bytes());
                text.push(b'\n');
                Sink::Text { out, keys: keys(&columns), text }
            }
            TableFormat::JsonLines => Sink::Text { out, keys: keys(&columns), text },
            TableFormat::Arrow(form) => Sink::Arrow(Box::new(TableSink::new(out, form, &columns)?)),
        };
        Ok(Self { layout, sink, rows: PhantomData })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// If writing fails.
    #[inline]
    pub fn write(&mut self, row: &R) -> io::Result<()> {
        match &mut self.sink {
            Sink::Text { out, keys, text } => {
                push_row(row, self.layout, keys, text);
                pass_on(text, PIECE_BYTES, out)
            }
            Sink::Arrow(sink) => sink.write(row, self.layout),
        }
    }

    /// Writes rows, formatted by the threads of rayon's pool.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_all(&mut self, rows: &[R]) -> io::Result<()> {
        match &mut self.sink {
            Sink::Text { out, keys, text } => {
                pass_on(text, 0, out)?;
                let mut texts = vec![Vec::new(); rows.len().div_ceil(ROWS).min(PIECES)];
                for block in rows.chunks(ROWS * PIECES) {
                    let texts = &mut texts[..block.len().div_ceil(ROWS)];
                    tasks::for_each(texts, |piece, text| {
                        let rows = &block[piece * ROWS..];
                        let rows = &rows[..rows.len().min(ROWS)];
                        text.clear();
                        text.reserve(rows.len() * 128);
                        for row in rows {
                            push_row(row, self.layout, keys, text);
                        }
                    });
                    texts.iter().try_for_each(|text| out.write_all(text))?;
                }
                Ok(())
            }
            Sink::Arrow(sink) => sink.write_all(rows, self.layout),
        }
    }

    /// Writes what is left, and gives back what was written to.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(self) -> io::Result<W> {
        match self.sink {
            Sink::Text { mut out, mut text, .. } => {
                pass_on(&mut text, 0, &mut out)?;
                out.flush()?;
                Ok(out)
            }
            Sink::Arrow(sink) => sink.finish(),
        }
    }
}

#[inline]
fn push_row<R: TableRow>(row: &R, layout: TableLayout, keys: &[Box<[u8]>], text: &mut Vec<u8>) {
    fn push<Y: TextStyle>(row: &impl TableRow, layout: TableLayout, keys: &[Box<[u8]>], text: &mut Vec<u8>) {
        let mut cells = TextCells::<Y>::begin(keys, text);
        row.cells(layout, &mut cells);
        cells.end();
    }
    if layout.format == TableFormat::Csv {
        push::<Csv>(row, layout, keys, text);
    } else {
        push::<JsonLines>(row, layout, keys, text);
    }
}
