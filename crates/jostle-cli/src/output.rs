//! Where results go: standard output, or a file that is there whole or not at all.

use std::fs;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};
use std::path::Path;

use jostle_scene::{ArrowForm, OutputFile, TableFormat, TableLayout, TableRow, TableWriter, path_name};

use crate::args::{Common, Format};
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::note::note;

/// A place to write to, with the name that messages call it.
pub struct Output {
    name: String,
    target: Target,
}

enum Target {
    Standard(BufWriter<StdoutLock<'static>>),
    File(OutputFile),
}

impl Output {
    /// The file that `-o` names, else standard output.
    pub fn open(common: &Common) -> Outcome<Self> {
        match &common.output {
            Some(path) if path.as_os_str() != "-" => Self::file(path),
            _ => Ok(Self {
                name: "standard output".to_owned(),
                target: Target::Standard(BufWriter::with_capacity(1 << 16, io::stdout().lock())),
            }),
        }
    }

    /// A file that takes this name once it is finished; what stands in the way is told in one sentence.
    pub fn file(path: &Path) -> Outcome<Self> {
        let name = path_name(path);
        match interrupt::create(path) {
            Ok(file) => Ok(Self { name, target: Target::File(file) }),
            Err(error) => {
                let sentence = match error.kind() {
                    // Some file systems (`/proc`) say so of files that cannot be made.
                    ErrorKind::NotFound if !has_folder(path) => format!("{name}: its folder does not exist"),
                    ErrorKind::IsADirectory => format!("{name}: is a directory, not a file"),
                    ErrorKind::PermissionDenied if is_closed(path) => format!("{name}: permission denied"),
                    ErrorKind::PermissionDenied => {
                        format!("{name}: no file can be made in its folder {}: permission denied", folder(path))
                    }
                    ErrorKind::ReadOnlyFilesystem => {
                        format!("{name}: no file can be made in its folder {}: it can only be read", folder(path))
                    }
                    ErrorKind::NotADirectory => format!("{name}: its folder is not a folder"),
                    _ => return Err(Failure::writing(&name, &error)),
                };
                Err(Failure::Input(sentence))
            }
        }
    }

    /// Writes bytes.
    pub fn put(&mut self, bytes: &[u8]) -> Outcome {
        self.write_all(bytes).map_err(|error| Failure::writing(&self.name, &error))
    }

    /// What an error of a writer that was lent this output means.
    pub fn failed(&self, error: &io::Error) -> Failure {
        Failure::writing(&self.name, error)
    }

    /// Writes what is left; a file is in its place from here on.
    pub fn finish(self) -> Outcome {
        let done = match self.target {
            Target::Standard(mut out) => out.flush(),
            Target::File(file) => interrupt::finish(file),
        };
        done.map_err(|error| Failure::writing(&self.name, &error))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Standard(out) => out.write(bytes),
            Target::File(out) => out.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Standard(out) => out.flush(),
            Target::File(out) => out.flush(),
        }
    }
}

/// The format of results: as asked for, else by the file's ending, else CSV, which scripts were promised in whatever
/// else a file is called.
pub fn format(common: &Common) -> Outcome<TableFormat> {
    let ending = ending(common);
    let format = match (common.format, ending.as_deref()) {
        (Some(format), _) => format,
        (None, Some("jsonl" | "ndjson")) => Format::Jsonl,
        (None, Some("arrow" | "arrows")) => Format::Arrow,
        (None, None | Some("csv" | "txt")) => Format::Csv,
        (None, Some(other)) => {
            note(
                common,
                &format!(
                    "a file that ends in .{other} is written as CSV; --format or .jsonl, .arrow, .arrows choose another"
                ),
            );
            Format::Csv
        }
    };
    match format {
        Format::Csv => Ok(TableFormat::Csv),
        Format::Jsonl => Ok(TableFormat::JsonLines),
        Format::Arrow => Ok(TableFormat::Arrow(arrow_form(common)?)),
        Format::Json => Err(Failure::Input(
            "--format json is for scenes (generate); results are written as csv, jsonl (an object a line) or arrow"
                .to_owned(),
        )),
    }
}

/// The form of Arrow IPC: a file where `-o` names one, else (or if it is called `*.arrows`) a stream.
pub fn arrow_form(common: &Common) -> Outcome<ArrowForm> {
    if ending(common).as_deref() == Some("arrows") {
        return Ok(ArrowForm::Stream);
    }
    match &common.output {
        Some(path) if path.as_os_str() != "-" => Ok(ArrowForm::File),
        _ if io::stdout().is_terminal() => {
            Err(Failure::Input("Arrow IPC is not for terminals: name a file with -o, or write to a pipe".to_owned()))
        }
        _ => Ok(ArrowForm::Stream),
    }
}

/// The ending of the file that results go to, in small letters.
pub fn ending(common: &Common) -> Option<String> {
    common.output.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase)
}

/// The format of result tables and their optional columns.
pub fn layout(common: &Common) -> Outcome<TableLayout> {
    Ok(TableLayout { format: format(common)?, certificate: common.certificate, ..TableLayout::default() })
}

/// How many pairs are answered before their rows are written.
pub const BLOCK: usize = 1 << 19;

/// A table in the making.
pub struct Table<'o, R: TableRow> {
    name: String,
    writer: TableWriter<&'o mut Output, R>,
}

impl<'o, R: TableRow> Table<'o, R> {
    /// A table without rows.
    pub fn begin(output: &'o mut Output, layout: TableLayout) -> Outcome<Self> {
        let name = output.name.clone();
        match TableWriter::new(output, layout) {
            Ok(writer) => Ok(Self { name, writer }),
            Err(error) => Err(Failure::writing(&name, &error)),
        }
    }

    /// Writes rows, formatted by all threads.
    pub fn rows(&mut self, rows: &[R]) -> Outcome {
        self.writer.write_all(rows).map_err(|error| Failure::writing(&self.name, &error))
    }

    /// Writes what belongs after the last row.
    pub fn end(self) -> Outcome {
        self.writer.finish().map(|_| ()).map_err(|error| Failure::writing(&self.name, &error))
    }
}

/// True if a file is there and may not be written to, whatever may be done in its folder.
fn is_closed(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| !there.is_file() || there.permissions().readonly())
}

/// What messages call the folder in which a file is made: that of the file itself where a link leads to it.
fn folder(path: &Path) -> String {
    let target = fs::canonicalize(path);
    match target.as_deref().unwrap_or(path).parent() {
        Some(folder) if !folder.as_os_str().is_empty() => path_name(folder),
        _ => ".".to_owned(),
    }
}

/// True if the folder of a file that is to be made exists.
fn has_folder(path: &Path) -> bool {
    path.parent().is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir())
}
