//! What messages call places and types.

use std::sync::Arc;

use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};

/// What is wrong with a null where there is no default.
pub(super) const NULL: &str = "is null, where a value is needed";

/// What is wrong: the place, as messages call it (empty where the table as a whole is meant), and the reason.
pub(super) type PlacedReason = (String, String);

/// A cell, or a component of one.
pub(super) fn place(batch: usize, row: usize, column: &str, component: Option<usize>) -> String {
    let component = component.map_or_else(String::new, |index| format!("[{index}]"));
    format!("batch {batch}, row {row}, column {column}{component}")
}

/// The first row that is null.
pub(super) fn first_null(nulls: Option<&NullBuffer>) -> Option<usize> {
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0)?;
    (0..nulls.len()).find(|&row| nulls.is_null(row))
}

/// The type of a list of so many numbers.
pub(super) fn list(element: DataType, length: usize) -> DataType {
    // The element's name, and that it might be null, are what other libraries write.
    DataType::FixedSizeList(Arc::new(Field::new("item", element, true)), length as i32)
}

/// What elements are called, and whether they might be null, does not count.
pub(super) fn same_type(one: &DataType, other: &DataType) -> bool {
    match (one, other) {
        (DataType::FixedSizeList(one, length), DataType::FixedSizeList(other, found)) => {
            length == found && one.data_type() == other.data_type()
        }
        (one, other) => one == other,
    }
}

/// A type as the scene format writes it.
pub(super) fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::UInt32 => "u32".to_owned(),
        DataType::Float32 => "f32".to_owned(),
        DataType::Float64 => "f64".to_owned(),
        DataType::Boolean => "bool".to_owned(),
        DataType::Utf8 => "utf8".to_owned(),
        DataType::FixedSizeList(field, length) => {
            format!("fixed_size_list<{}>[{length}]", type_name(field.data_type()))
        }
        DataType::List(field) => format!("list<{}>", type_name(field.data_type())),
        DataType::Dictionary(keys, values) => format!("dictionary<{}, {}>", type_name(keys), type_name(values)),
        // `Int64` and the like.
        other => other.to_string().to_lowercase(),
    }
}
