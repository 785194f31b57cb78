//! Result rows as record batches: turned into columns by all threads, written in order.

use std::fmt::{Debug, Formatter, Result as Shown};
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array, RecordBatch, StringArray,
    UInt32Array, UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use jostle::Scalar;
use jostle_tasks as tasks;

use super::write::{BATCH, BatchWriter, writing};
use crate::form::ArrowForm;
use crate::table::cells::{CellType, Cells, TableColumn};
use crate::table::layout::{TableLayout, TableRow};

/// How many batches are in memory at a time.
const BATCHES: usize = 16;

/// Where rows go. Batches are cut after the same rows however the rows come.
pub(crate) struct TableSink<W: Write> {
    writer: BatchWriter<W>,
    description: TableDescription,
    /// Rows that do not fill a batch yet.
    pending: Pending,
}

impl<W: Write> Debug for TableSink<W> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Shown {
        f.debug_struct("TableSink").field("description", &self.description).finish_non_exhaustive()
    }
}

impl<W: Write> TableSink<W> {
    pub(crate) fn new(out: W, form: ArrowForm, columns: &[TableColumn]) -> io::Result<Self> {
        let description = TableDescription::new(columns);
        let writer = BatchWriter::new(out, form, &description.schema)?;
        let pending = description.pending();
        Ok(Self { writer, description, pending })
    }

    pub(crate) fn write<R: TableRow>(&mut self, row: &R, layout: TableLayout) -> io::Result<()> {
        self.pending.push(row, layout);
        if self.pending.rows == BATCH { self.flush() } else { Ok(()) }
    }

    pub(crate) fn write_all<R: TableRow>(&mut self, rows: &[R], layout: TableLayout) -> io::Result<()> {
        let missing = if self.pending.rows == 0 { 0 } else { (BATCH - self.pending.rows).min(rows.len()) };
        let (first, rest) = rows.split_at(missing);
        first.iter().try_for_each(|row| self.write(row, layout))?;
        let (whole, last) = rest.split_at(rest.len() / BATCH * BATCH);
        for group in whole.chunks(BATCH * BATCHES) {
            let mut batches: Vec<Option<io::Result<RecordBatch>>> = Vec::new();
            batches.resize_with(group.len() / BATCH, || None);
            tasks::for_each(&mut batches, |piece, batch| {
                let mut pending = self.description.pending();
                for row in &group[piece * BATCH..][..BATCH] {
                    pending.push(row, layout);
                }
                *batch = Some(self.description.batch(pending));
            });
            batches.into_iter().flatten().try_for_each(|batch| self.writer.write(&batch?))?;
        }
        last.iter().try_for_each(|row| self.write(row, layout))
    }

    pub(crate) fn finish(mut self) -> io::Result<W> {
        if self.pending.rows > 0 {
            self.flush()?;
        }
        let mut out = self.writer.finish()?;
        out.flush()?;
        Ok(out)
    }

    fn flush(&mut self) -> io::Result<()> {
        let full = std::mem::replace(&mut self.pending, self.description.pending());
        self.writer.write(&self.description.batch(full)?)
    }
}

/// What the columns are.
#[derive(Debug)]
struct TableDescription {
    columns: Vec<TableColumn>,
    schema: SchemaRef,
    /// The words of each column that has some: one array for all batches, which the writer then writes once.
    words: Vec<Option<ArrayRef>>,
}

impl TableDescription {
    fn new(columns: &[TableColumn]) -> Self {
        let kind = |cell| match cell {
            CellType::U32 => DataType::UInt32,
            CellType::U64 => DataType::UInt64,
            CellType::I64 => DataType::Int64,
            CellType::F32 => DataType::Float32,
            CellType::F64 => DataType::Float64,
            CellType::Word(_) => DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)),
        };
        let fields: Vec<Field> =
            columns.iter().map(|column| Field::new(column.name, kind(column.cell), column.nullable)).collect();
        let words = columns.iter().map(|column| match column.cell {
            CellType::Word(words) => Some(Arc::new(StringArray::from(words.to_vec())) as ArrayRef),
            _ => None,
        });
        Self { columns: columns.to_vec(), schema: Arc::new(Schema::new(fields)), words: words.collect() }
    }

    fn pending(&self) -> Pending {
        Pending { rows: 0, columns: self.columns.iter().map(PendingColumn::new).collect() }
    }

    fn batch(&self, pending: Pending) -> io::Result<RecordBatch> {
        let arrays = pending.columns.into_iter().zip(&self.words).map(|(column, words)| column.array(words.as_ref()));
        let arrays: Result<Vec<ArrayRef>, _> = arrays.collect();
        arrays.and_then(|arrays| RecordBatch::try_new(Arc::clone(&self.schema), arrays)).map_err(writing)
    }
}

/// Rows turned into columns.
struct Pending {
    rows: usize,
    columns: Vec<PendingColumn>,
}

impl Pending {
    #[inline]
    fn push<R: TableRow>(&mut self, row: &R, layout: TableLayout) {
        let mut cells = ColumnCells { columns: self.columns.iter_mut() };
        row.cells(layout, &mut cells);
        assert!(cells.columns.next().is_none(), "a cell for each column");
        self.rows += 1;
    }
}

struct PendingColumn {
    values: Values,
    /// Which cells are not empty, where some might be.
    filled: Option<Vec<bool>>,
}

enum Values {
    U32(Vec<u32>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Word(Vec<i8>, &'static [&'static str]),
}

impl PendingColumn {
    fn new(column: &TableColumn) -> Self {
        let values = match column.cell {
            CellType::U32 => Values::U32(Vec::new()),
            CellType::U64 => Values::U64(Vec::new()),
            CellType::I64 => Values::I64(Vec::new()),
            CellType::F32 => Values::F32(Vec::new()),
            CellType::F64 => Values::F64(Vec::new()),
            CellType::Word(words) => Values::Word(Vec::new(), words),
        };
        Self { values, filled: column.nullable.then(Vec::new) }
    }

    fn array(self, words: Option<&ArrayRef>) -> Result<ArrayRef, arrow_schema::ArrowError> {
        let nulls = self.filled.map(NullBuffer::from);
        Ok(match self.values {
            Values::U32(values) => Arc::new(UInt32Array::new(values.into(), nulls)),
            Values::U64(values) => Arc::new(UInt64Array::new(values.into(), nulls)),
            Values::I64(values) => Arc::new(Int64Array::new(values.into(), nulls)),
            Values::F32(values) => Arc::new(Float32Array::new(values.into(), nulls)),
            Values::F64(values) => Arc::new(Float64Array::new(values.into(), nulls)),
            Values::Word(keys, _) => {
                let words = words.expect("a column of words has an array of them");
                let keys = Int8Array::new(keys.into(), nulls);
                Arc::new(DictionaryArray::<Int8Type>::try_new(keys, Arc::clone(words))?)
            }
        })
    }
}

/// The cells of one row.
struct ColumnCells<'p> {
    columns: std::slice::IterMut<'p, PendingColumn>,
}

impl ColumnCells<'_> {
    #[inline]
    fn fill(&mut self) -> &mut Values {
        let column = self.columns.next().expect("a column for each cell");
        if let Some(filled) = &mut column.filled {
            filled.push(true);
        }
        &mut column.values
    }
}

const MISFIT: &str = "a cell that its column cannot hold";

impl Cells for ColumnCells<'_> {
    #[inline]
    fn index(&mut self, value: u32) {
        let Values::U32(values) = self.fill() else { panic!("{MISFIT}") };
        values.push(value);
    }
    #[inline]
    fn count(&mut self, value: u64) {
        let Values::U64(values) = self.fill() else { panic!("{MISFIT}") };
        values.push(value);
    }
    #[inline]
    fn whole(&mut self, value: i64) {
        let Values::I64(values) = self.fill() else { panic!("{MISFIT}") };
        values.push(value);
    }
    #[inline]
    fn number<T: Scalar>(&mut self, value: T) {
        match self.fill() {
            // Exact: the column's type is that of its cells.
            Values::F32(values) => values.push(value.to_f64() as f32),
            Values::F64(values) => values.push(value.to_f64()),
            _ => panic!("{MISFIT}"),
        }
    }
    #[inline]
    fn word(&mut self, word: &'static str) {
        let Values::Word(values, words) = self.fill() else { panic!("{MISFIT}") };
        let key = words.iter().position(|known| *known == word).expect(MISFIT);
        values.push(key as i8);
    }
    #[inline]
    fn none(&mut self) {
        let column = self.columns.next().expect("a column for each cell");
        column.filled.as_mut().expect(MISFIT).push(false);
        match &mut column.values {
            Values::U32(values) => values.push(0),
            Values::U64(values) => values.push(0),
            Values::I64(values) => values.push(0),
            Values::F32(values) => values.push(0.0),
            Values::F64(values) => values.push(0.0),
            Values::Word(values, _) => values.push(0),
        }
    }
}
