//! A result table from record batches, whatever wrote them. Columns are found by their names.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt32Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};

use super::batches::Batches;
use super::place::{NULL, PlacedReason, first_null, place, type_name};
use super::words::text;
use crate::error::SceneError;
use crate::number::as_read;
use crate::table::cells::{CellType, TableColumn};
use crate::table::columns::wrong_columns;
use crate::table::names::{A, B, DISTANCE, LOWER, MINIMAL, NORMAL, SHIFT, STATUS, UPPER, WITNESS_A, WITNESS_B};
use crate::table::proximity::ResultColumns;
use crate::table::result::{Certificate, ResultRow, ResultTable, minimum, status};

/// Reads a result table.
pub(super) fn read(mut batches: Batches<'_>) -> Result<ResultTable, SceneError> {
    let name = batches.name.clone();
    let schema = batches.schema();
    let columns = read_columns(&schema).map_err(|reason| SceneError::unreadable(&name, reason))?;
    for column in columns.list(CellType::F64) {
        check_type(&schema, column).map_err(|(place, reason)| SceneError::value(&name, place, reason))?;
    }
    let (mut table, mut count) = (ResultTable::with_columns(columns), 0);
    while let Some(batch) = batches.next()? {
        let reader = Reader { batch: &batch, number: count, columns };
        reader.add_rows(&mut table).map_err(|(place, reason)| SceneError::value(&name, place, reason))?;
        count += 1;
    }
    Ok(table)
}

/// Which columns these are, in whatever order they stand.
fn read_columns(schema: &Schema) -> Result<ResultColumns, String> {
    let found: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut sorted = found.clone();
    sorted.sort_unstable();
    let fits = |columns: &ResultColumns| {
        let mut names = columns.names();
        names.sort_unstable();
        names == sorted
    };
    ResultColumns::all().find(fits).ok_or_else(|| wrong_columns(&found))
}

fn check_type(schema: &Schema, column: TableColumn) -> Result<(), PlacedReason> {
    let Ok(field) = schema.field_with_name(column.name) else { return Ok(()) };
    let found = field.data_type();
    let (fits, wanted) = match column.cell {
        CellType::Word(_) => (is_text(found), "utf8 or a dictionary of it"),
        CellType::U32 => (found == &DataType::UInt32, "u32"),
        _ => (matches!(found, DataType::Float32 | DataType::Float64), "f32 or f64"),
    };
    if fits {
        return Ok(());
    }
    Err((format!("column {}", column.name), format!("is of type {} instead of {wanted}", type_name(found))))
}

pub(super) fn is_text(found: &DataType) -> bool {
    match found {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, words) => matches!(**words, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
        _ => false,
    }
}

/// One batch, with the names of its places.
struct Reader<'b> {
    batch: &'b RecordBatch,
    number: usize,
    columns: ResultColumns,
}

/// Three columns of numbers, the last one empty in the plane.
type Triple = [Vec<f64>; 3];

impl Reader<'_> {
    fn add_rows(&self, table: &mut ResultTable) -> Result<(), PlacedReason> {
        let [a, b] = [self.indices(A)?, self.indices(B)?];
        let distance = self.numbers(DISTANCE)?;
        let [witness_a, witness_b, normal] = [self.triple(WITNESS_A)?, self.triple(WITNESS_B)?, self.triple(NORMAL)?];
        let shift = if self.columns.shift { self.triple(SHIFT)? } else { Triple::default() };
        let certificates = if self.columns.certificate { self.certificates()? } else { Vec::new() };
        let at = |triple: &Triple, row: usize| [0, 1, 2].map(|k| triple[k].get(row).copied().unwrap_or(0.0));
        table.rows.extend((0..self.batch.num_rows()).map(|row| ResultRow {
            a: a[row],
            b: b[row],
            distance: distance[row],
            witness_a: at(&witness_a, row),
            witness_b: at(&witness_b, row),
            normal: at(&normal, row),
            shift: at(&shift, row),
            certificate: certificates.get(row).copied(),
        }));
        Ok(())
    }

    fn certificates(&self) -> Result<Vec<Certificate>, PlacedReason> {
        let [lower, upper] = [self.numbers(LOWER)?, self.numbers(UPPER)?];
        let [states, minima] = [self.words(STATUS)?, self.words(MINIMAL)?];
        let at = |column, row| move |reason| (place(self.number, row, column, None), reason);
        (0..self.batch.num_rows())
            .map(|row| {
                Ok(Certificate {
                    lower: lower[row],
                    upper: upper[row],
                    status: status(states[row]).map_err(at(STATUS, row))?,
                    minimum: minimum(minima[row]).map_err(at(MINIMAL, row))?,
                })
            })
            .collect()
    }

    /// A column without nulls.
    fn column(&self, name: &str) -> Result<&ArrayRef, PlacedReason> {
        let Some(array) = self.batch.column_by_name(name) else {
            return Err((format!("column {name}"), "is missing".to_owned()));
        };
        match first_null(array.logical_nulls().as_ref()) {
            None => Ok(array),
            Some(row) => Err((place(self.number, row, name, None), NULL.to_owned())),
        }
    }

    fn indices(&self, name: &str) -> Result<Vec<u32>, PlacedReason> {
        Ok(self.column(name)?.as_primitive::<UInt32Type>().values().to_vec())
    }

    /// Numbers as a reader of text would see them, so that a table has one checksum whatever its format.
    fn numbers(&self, name: &str) -> Result<Vec<f64>, PlacedReason> {
        let array = self.column(name)?;
        Ok(match array.as_primitive_opt::<Float32Type>() {
            Some(single) => single.values().iter().map(|&value| as_read(value)).collect(),
            None => array.as_primitive::<Float64Type>().values().iter().map(|&value| as_read(value)).collect(),
        })
    }

    fn triple(&self, names: [&str; 3]) -> Result<Triple, PlacedReason> {
        let mut triple = Triple::default();
        for (name, to) in names.into_iter().zip(&mut triple).take(self.columns.dimension) {
            *to = self.numbers(name)?;
        }
        Ok(triple)
    }

    fn words(&self, name: &str) -> Result<Vec<&str>, PlacedReason> {
        let array = self.column(name)?;
        if array.is_empty() {
            return Ok(Vec::new());
        }
        Ok(match array.as_any_dictionary_opt() {
            Some(dictionary) => {
                let words = text(dictionary.values());
                dictionary.normalized_keys().into_iter().map(|key| words[key]).collect()
            }
            None => text(array),
        })
    }
}
