//! From a file or a stream to record batches, one at a time: what was read of earlier ones is let go.
//!
//! Both forms are made of the same messages: a length, a flatbuffer that describes the memory, the memory. A stream has
//! them one after the other; a file has a table of contents at its end, which alone says what belongs to it.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, SeekFrom};
use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray, RecordBatch, StringArray, StringViewArray};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{RecordBatchDecoder, read_footer_length};
use arrow_ipc::{
    Block, Message, MessageHeader, MetadataVersion, Schema as SchemaMessage, root_as_footer, root_as_message,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::guard;
use super::words::text;
use crate::error::SceneError;
use crate::input::{ReadSeek, unreadable};

/// The record batches of a file or a stream.
pub(super) struct Batches<'s> {
    pub(super) name: String,
    schema: SchemaRef,
    messages: Messages<'s>,
    dictionaries: HashMap<i64, ArrayRef>,
    /// How many batches have been read.
    count: usize,
}

enum Messages<'s> {
    File { file: &'s mut dyn ReadSeek, length: u64, blocks: std::vec::IntoIter<Block> },
    Stream { stream: &'s mut dyn Read, ended: bool },
}

/// The last bytes of a file: the length of its table of contents, and the word that it begins with too.
const TRAILER: u64 = 10;
/// Stands before the length of a message, but in the oldest streams.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// How much memory a stream gets before its bytes are there.
const UNSEEN: usize = 1 << 22;

const CUT_OFF: &str = "the Arrow data ends too early";

impl<'s> Batches<'s> {
    /// Reads the table of contents of a file.
    pub(super) fn of_file(name: &str, file: &'s mut dyn ReadSeek) -> Result<Self, SceneError> {
        let wrong = |reason: &str| SceneError::unreadable(name, reason);
        let failed = |error: io::Error| reading(name, &error);
        let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
        let Some(end) = length.checked_sub(TRAILER) else { return Err(wrong(CUT_OFF)) };
        let mut trailer = [0; TRAILER as usize];
        file.seek(SeekFrom::Start(end)).and_then(|_| file.read_exact(&mut trailer)).map_err(failed)?;
        let no_contents = "the Arrow file ends without its table of contents: it may have been cut off";
        let contents = read_footer_length(trailer).map_err(|_| wrong(no_contents))?;
        let Some(start) = end.checked_sub(contents as u64) else { return Err(wrong(no_contents)) };
        let bytes =
            file.seek(SeekFrom::Start(start)).and_then(|_| read(file, contents, Length::Known)).map_err(failed)?;
        let footer = root_as_footer(&bytes).map_err(|_| wrong("the Arrow file's table of contents is damaged"))?;
        check_version(footer.version()).map_err(|reason| wrong(&reason))?;
        let schema = read_schema(footer.schema()).map_err(|reason| wrong(&reason))?;
        let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
        let blocks: Vec<Block> = blocks.copied().collect();
        Ok(Self::new(name, schema, Messages::File { file, length, blocks: blocks.into_iter() }))
    }

    /// Reads the schema of a stream.
    pub(super) fn of_stream(name: &str, stream: &'s mut dyn Read) -> Result<Self, SceneError> {
        let wrong = |reason: &str| SceneError::unreadable(name, reason);
        let mut messages = Messages::Stream { stream, ended: false };
        let Some((meta, _)) = messages.next().map_err(|problem| problem.at(name, ""))? else {
            return Err(wrong("the Arrow stream has no schema"));
        };
        let message = root_as_message(&meta).map_err(|_| wrong("the Arrow stream's schema is damaged"))?;
        check_version(message.version()).map_err(|reason| wrong(&reason))?;
        let schema = read_schema(message.header_as_schema()).map_err(|reason| wrong(&reason))?;
        Ok(Self::new(name, schema, messages))
    }

    fn new(name: &str, schema: Schema, messages: Messages<'s>) -> Self {
        let (name, schema) = (name.to_owned(), Arc::new(schema));
        Self { name, schema, messages, dictionaries: HashMap::new(), count: 0 }
    }

    /// The columns and the metadata. Before the first batch is read, columns of types that are not expected must have
    /// been refused: that keeps the rest of Arrow's types from being decoded.
    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The next batch; none after the last.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, SceneError> {
        let place = format!("batch {}", self.count);
        loop {
            let message = self.messages.next().map_err(|problem| problem.at(&self.name, &place))?;
            let Some((meta, body)) = message else { return Ok(None) };
            let decoded = self.decode(&meta, &body).map_err(|reason| SceneError::value(&self.name, &place, reason))?;
            if decoded.is_some() {
                self.count += 1;
                return Ok(decoded);
            }
        }
    }

    /// A record batch, or none where the message was a dictionary.
    fn decode(&mut self, meta: &[u8], body: &Buffer) -> Result<Option<RecordBatch>, String> {
        let message = parse(meta)?;
        let version = message.version();
        check_version(version)?;
        match message.header_type() {
            MessageHeader::RecordBatch => {
                let batch = message.header_as_record_batch().ok_or(DAMAGED)?;
                guard::check(&batch, self.schema.fields().iter().map(|field| field.data_type()), body)?;
                let schema = Arc::clone(&self.schema);
                let batch = RecordBatchDecoder::try_new(body, batch, schema, &self.dictionaries, &version)
                    .and_then(RecordBatchDecoder::read_record_batch);
                batch.map(Some).map_err(|error| format!("is damaged: {error}"))
            }
            MessageHeader::DictionaryBatch => {
                let dictionary = message.header_as_dictionary_batch().ok_or(DAMAGED)?;
                let words = self.words(dictionary.id()).ok_or("has a dictionary for no column")?;
                let batch = dictionary.data().ok_or(DAMAGED)?;
                guard::check(&batch, [words], body)?;
                let schema = Arc::new(Schema::new(vec![Field::new("words", words.clone(), true)]));
                let more = RecordBatchDecoder::try_new(body, batch, schema, &self.dictionaries, &version)
                    .and_then(RecordBatchDecoder::read_record_batch)
                    .map_err(|error| format!("has a damaged dictionary: {error}"))?;
                let mut words = Arc::clone(more.column(0));
                if dictionary.isDelta() {
                    let before =
                        self.dictionaries.get(&dictionary.id()).ok_or("adds to a dictionary that is not there")?;
                    words = joined(before, &words);
                }
                self.dictionaries.insert(dictionary.id(), words);
                Ok(None)
            }
            other => Err(format!("is neither rows nor a dictionary ({})", other.variant_name().unwrap_or("unknown"))),
        }
    }

    /// The type of a dictionary's values.
    fn words(&self, id: i64) -> Option<&DataType> {
        #[allow(deprecated, reason = "the number has no other place yet")]
        self.schema.fields().iter().find_map(|field| match field.data_type() {
            DataType::Dictionary(_, words) if field.dict_id() == Some(id) => Some(&**words),
            _ => None,
        })
    }
}

const DAMAGED: &str = "is damaged";

/// The words of two dictionaries. The library could do it, and would bring along all the code that joins other types.
fn joined(before: &ArrayRef, more: &ArrayRef) -> ArrayRef {
    let words = text(before).into_iter().chain(text(more)).map(Some);
    match before.data_type() {
        DataType::Utf8 => Arc::new(words.collect::<StringArray>()),
        DataType::LargeUtf8 => Arc::new(words.collect::<LargeStringArray>()),
        _ => Arc::new(words.collect::<StringViewArray>()),
    }
}

fn parse(meta: &[u8]) -> Result<Message<'_>, String> {
    root_as_message(meta).map_err(|_| DAMAGED.to_owned())
}

fn check_version(version: MetadataVersion) -> Result<(), String> {
    if version == MetadataVersion::V4 || version == MetadataVersion::V5 {
        return Ok(());
    }
    let shown = version.variant_name().map_or_else(|| version.0.to_string(), str::to_owned);
    Err(format!("Arrow metadata of version {shown} is not known (this reads V4 and V5)"))
}

fn read_schema(described: Option<SchemaMessage<'_>>) -> Result<Schema, String> {
    let Some(described) = described else { return Err("the Arrow data has no schema".to_owned()) };
    if !described.endianness().equals_to_target_endianness() {
        return Err("the Arrow data has its bytes in the other order (big-endian)".to_owned());
    }
    try_fb_to_schema(described).map_err(|error| format!("the Arrow schema is damaged: {error}"))
}

/// Why there is no next message.
enum Problem {
    Reading(io::Error),
    Wrong(String),
}

impl Problem {
    fn wrong(reason: impl Into<String>) -> Self {
        Self::Wrong(reason.into())
    }
    fn at(self, name: &str, place: &str) -> SceneError {
        match self {
            Self::Reading(error) => reading(name, &error),
            Self::Wrong(reason) => SceneError::value(name, place, reason),
        }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Reading(error)
    }
}

fn reading(name: &str, error: &io::Error) -> SceneError {
    if error.kind() == ErrorKind::UnexpectedEof {
        return SceneError::unreadable(name, CUT_OFF);
    }
    unreadable(name, error)
}

impl Messages<'_> {
    /// The flatbuffer and the body of the next message.
    fn next(&mut self) -> Result<Option<(Buffer, Buffer)>, Problem> {
        match self {
            Self::File { file, length, blocks } => {
                let Some(block) = blocks.next() else { return Ok(None) };
                let start = u64::try_from(block.offset()).ok();
                let meta = usize::try_from(block.metaDataLength()).ok();
                let whole =
                    meta.zip(usize::try_from(block.bodyLength()).ok()).and_then(|(meta, body)| meta.checked_add(body));
                let end = start.zip(whole).and_then(|(start, whole)| start.checked_add(whole as u64));
                let (Some(start), Some(meta), Some(whole), Some(end)) = (start, meta, whole, end) else {
                    return Err(Problem::wrong(DAMAGED));
                };
                if end > *length {
                    return Err(Problem::wrong("lies beyond the end of the file"));
                }
                file.seek(SeekFrom::Start(start))?;
                // One piece, so that columns keep their place in it.
                let bytes = read(*file, whole, Length::Known)?;
                let skipped = if bytes.starts_with(&CONTINUATION) { 8 } else { 4 };
                if meta < skipped {
                    return Err(Problem::wrong(DAMAGED));
                }
                Ok(Some((
                    bytes.slice_with_length(skipped, meta - skipped),
                    bytes.slice_with_length(meta, whole - meta),
                )))
            }
            Self::Stream { ended: true, .. } => Ok(None),
            Self::Stream { stream, ended } => {
                let mut length = [0; 4];
                match stream.read_exact(&mut length) {
                    // A stream may legally just end, but one whose writer has died ends like this too.
                    Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                        let reason = "the Arrow stream ends without its end mark: it may have been cut off";
                        return Err(Problem::wrong(reason));
                    }
                    read => read?,
                }
                if length == CONTINUATION {
                    stream.read_exact(&mut length)?;
                }
                let Ok(length) = usize::try_from(i32::from_le_bytes(length)) else {
                    return Err(Problem::wrong(DAMAGED));
                };
                if length == 0 {
                    *ended = true;
                    // Two streams in one file, say: the second would be lost without a word.
                    return match io::copy(&mut stream.take(1), &mut io::sink())? {
                        0 => Ok(None),
                        _ => Err(Problem::wrong("something follows the end mark of the Arrow stream")),
                    };
                }
                let meta = read(*stream, length, Length::Told)?;
                let body = parse(&meta).map_err(Problem::Wrong)?.bodyLength();
                let Ok(body) = usize::try_from(body) else { return Err(Problem::wrong(DAMAGED)) };
                let body = read(*stream, body, Length::Told)?;
                Ok(Some((meta, body)))
            }
        }
    }
}

/// How far a number of bytes is to be believed.
#[derive(Clone, Copy)]
enum Length {
    /// It is no more than the file has.
    Known,
    /// A stream says it of itself: memory is asked for as bytes come.
    Told,
}

/// Reads so many bytes into aligned memory.
fn read<R: Read + ?Sized>(from: &mut R, length: usize, trust: Length) -> io::Result<Buffer> {
    let first = match trust {
        Length::Known => length,
        Length::Told => length.min(UNSEEN),
    };
    let memory = |_| io::Error::from(ErrorKind::OutOfMemory);
    let mut bytes = MutableBuffer::try_from_len_zeroed(first).map_err(memory)?;
    let mut filled = 0;
    while filled < length {
        from.read_exact(&mut bytes.as_slice_mut()[filled..])?;
        filled = bytes.len();
        if filled < length {
            bytes.try_resize(length.min(2 * filled), 0).map_err(memory)?;
        }
    }
    Ok(bytes.into())
}
