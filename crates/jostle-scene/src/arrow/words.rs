//! Columns of text, of whichever type.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;

/// A column of text; what is null there is not asked for.
pub(super) fn text(array: &ArrayRef) -> Vec<&str> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(Option::unwrap_or_default).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(Option::unwrap_or_default).collect(),
        _ => array.as_string_view().iter().map(Option::unwrap_or_default).collect(),
    }
}
