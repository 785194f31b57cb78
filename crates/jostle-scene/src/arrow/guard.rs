//! What a record batch says of its own memory, held against the memory that is there. The library takes these numbers
//! at their word: a wrong one would stop the program or ask the system for all the memory there is.

use arrow_ipc::{CompressionType, RecordBatch};
use arrow_schema::DataType;

/// No column of ours has more rows, and products with it do not overflow.
const MOST_ROWS: i64 = 1 << 40;
/// LZ4 makes at most 255 bytes of one.
const LZ4_GROWTH: i64 = 256;

/// What is wrong with a batch of columns of these types whose body is this, if anything.
pub(super) fn check<'t>(
    batch: &RecordBatch<'_>,
    types: impl IntoIterator<Item = &'t DataType>,
    body: &[u8],
) -> Result<(), String> {
    let rows = 0..=MOST_ROWS;
    if !rows.contains(&batch.length()) {
        return Err(format!("says that it has {} rows", batch.length()));
    }
    for node in batch.nodes().iter().flatten() {
        if !rows.contains(&node.length()) || !(0..=node.length()).contains(&node.null_count()) {
            return Err(format!("says that {} of {} values are null", node.null_count(), node.length()));
        }
    }
    let compressed = match batch.compression().map(|compression| compression.codec()) {
        None => false,
        Some(CompressionType::LZ4_FRAME) => true,
        Some(CompressionType::ZSTD) => {
            return Err("is compressed by zstd, which is not read; write it with lz4 or without compression".to_owned());
        }
        Some(codec) => return Err(format!("is compressed in a way that is not known ({})", codec.0)),
    };
    let mut views = batch.variadicBufferCounts().into_iter().flatten();
    let mut widths = Vec::new();
    for data_type in types {
        push_widths(data_type, &mut views, &mut widths)?;
    }
    for (index, buffer) in batch.buffers().iter().flatten().enumerate() {
        let (start, length) = (buffer.offset(), buffer.length());
        let memory = usize::try_from(start).ok().zip(usize::try_from(length).ok());
        let memory = memory.and_then(|(start, length)| body.get(start..start.checked_add(length)?));
        let Some(memory) = memory else {
            return Err(format!("says that {length} bytes are at {start}, of {} that are there", body.len()));
        };
        let mut size = length;
        if compressed && !memory.is_empty() {
            let Some(said) = memory.first_chunk().map(|bytes| i64::from_le_bytes(*bytes)) else {
                return Err("has a compressed buffer without its length".to_owned());
            };
            // -1 says that these bytes are not compressed.
            if !(-1..=length.saturating_mul(LZ4_GROWTH)).contains(&said) {
                return Err(format!("says that {length} bytes are {said} without compression"));
            }
            size = if said == -1 { length - 8 } else { said };
        }
        if widths.get(index).is_some_and(|width| size % width != 0) {
            return Err(format!("has {size} bytes where values have {} each", widths[index]));
        }
    }
    Ok(())
}

/// How many bytes a value has in each buffer of a column, in their order: 1 where it does not matter.
fn push_widths(
    data_type: &DataType,
    views: &mut impl Iterator<Item = i64>,
    widths: &mut Vec<i64>,
) -> Result<(), String> {
    const BITMAP: i64 = 1;
    widths.push(BITMAP);
    match data_type {
        DataType::FixedSizeList(field, _) => return push_widths(field.data_type(), views, widths),
        DataType::Dictionary(keys, _) => widths.extend(keys.primitive_width().map(|width| width as i64)),
        DataType::Utf8 => widths.extend([4, 1]),
        DataType::LargeUtf8 => widths.extend([8, 1]),
        DataType::Utf8View => {
            let count = views.next().filter(|count| (0..=1 << 20).contains(count));
            let Some(count) = count else { return Err("has text in pieces whose number is not said".to_owned()) };
            widths.push(16);
            widths.extend((0..count).map(|_| 1));
        }
        // Bits, or numbers that are taken one by one.
        _ => widths.push(1),
    }
    Ok(())
}
