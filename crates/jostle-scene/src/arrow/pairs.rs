//! The pairs that a result table names: its columns `a` and `b`, whatever else it has.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};

use super::batches::Batches;
use super::place::{NULL, PlacedReason, first_null, place, type_name};
use super::rows::is_text;
use crate::error::{SceneError, quoted};
use crate::read::text::check_pair;
use crate::table::names::{A, B};

/// Reads pairs of `bodies` bodies.
pub(super) fn read(mut batches: Batches<'_>, bodies: usize) -> Result<Vec<[u32; 2]>, SceneError> {
    let name = batches.name.clone();
    check_columns(&batches.schema()).map_err(|(place, reason)| SceneError::value(&name, place, reason))?;
    let (mut pairs, mut count) = (Vec::new(), 0);
    while let Some(batch) = batches.next()? {
        add(&mut pairs, &batch, count, bodies).map_err(|(place, reason)| SceneError::value(&name, place, reason))?;
        count += 1;
    }
    Ok(pairs)
}

fn check_columns(schema: &Schema) -> Result<(), PlacedReason> {
    for column in [A, B] {
        match schema.fields().iter().filter(|field| field.name() == column).count() {
            0 => return Err((String::new(), format!("the column `{column}` is missing"))),
            1 => {}
            _ => return Err((format!("column `{column}`"), "stands twice".to_owned())),
        }
    }
    for field in schema.fields() {
        let found = field.data_type();
        let at = || format!("column {}", quoted(field.name()));
        if [A, B].contains(&field.name().as_str()) {
            if found != &DataType::UInt32 {
                return Err((at(), format!("is of type {} instead of u32", type_name(found))));
            }
        } else if !is_of_results(found) {
            // The batches are decoded as a whole, and other types are none that `guard.rs` knows.
            return Err((at(), format!("is of type {}, as no column of results is", type_name(found))));
        }
    }
    Ok(())
}

/// True for the types that columns of some result table may have.
fn is_of_results(found: &DataType) -> bool {
    matches!(found, DataType::UInt32 | DataType::UInt64 | DataType::Int64 | DataType::Float32 | DataType::Float64)
        || is_text(found)
}

fn add(pairs: &mut Vec<[u32; 2]>, batch: &RecordBatch, number: usize, bodies: usize) -> Result<(), PlacedReason> {
    let column = |name: &str| {
        let Some(array) = batch.column_by_name(name) else {
            return Err((format!("column {name}"), "is missing".to_owned()));
        };
        match first_null(array.nulls()) {
            None => Ok(array.as_primitive::<UInt32Type>().values()),
            Some(row) => Err((place(number, row, name, None), NULL.to_owned())),
        }
    };
    let (a, b) = (column(A)?, column(B)?);
    pairs.reserve(a.len());
    for (row, (&a, &b)) in a.iter().zip(b).enumerate() {
        check_pair([a, b], bodies).map_err(|reason| (format!("batch {number}, row {row}"), reason))?;
        pairs.push([a, b]);
    }
    Ok(())
}
