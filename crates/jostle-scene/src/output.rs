//! A file that is there whole or not at all: written beside its place under another name, and renamed at the end.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempPath};

/// A file in the making. [`OutputFile::finish`] puts it in its place; dropped before that, it leaves nothing behind,
/// and a file that was there before stays as it was.
///
/// What is no ordinary file (a pipe, `/dev/null`) is written to directly. A symbolic link stays one: the file it names
/// is replaced.
///
/// ```
/// use std::io::Write;
///
/// use jostle_scene::OutputFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("contacts.csv");
/// let mut file = OutputFile::create(&path)?;
/// file.write_all(b"a,b,distance\n")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"a,b,distance\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "the file is only put in its place by `finish`"]
pub struct OutputFile(Target);

#[derive(Debug)]
enum Target {
    // The file itself, not one of `tempfile`, whose errors would name what no user has asked for. It is closed before
    // it is removed.
    Replaced { file: BufWriter<File>, partial: TempPath, path: PathBuf },
    Direct(BufWriter<File>),
}

/// What is gathered before the system is asked to write it.
const BUFFER_BYTES: usize = 1 << 16;

impl OutputFile {
    /// Begins a file that will stand at `path`.
    ///
    /// # Errors
    /// If `path` is a directory or a read-only file, no file can be made beside it, or what is no ordinary file cannot
    /// be opened.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let there = fs::metadata(path);
        match &there {
            Ok(metadata) if metadata.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory, not a file"));
            }
            Ok(metadata) if !metadata.is_file() => {
                let file = File::options().write(true).open(path)?;
                return Ok(Self(Target::Direct(BufWriter::with_capacity(BUFFER_BYTES, file))));
            }
            _ => {}
        }
        let path = if there.is_ok() { fs::canonicalize(path)? } else { path.to_path_buf() };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // Opened as any new file is: errors of `tempfile` would name the file in the making, which no user has asked
        // for, and its files are for the owner alone.
        let made =
            Builder::new().prefix(".jostle-").suffix(".partial").make_in(folder, |path| File::create_new(path))?;
        let (file, partial) = made.into_parts();
        if let Ok(metadata) = there {
            if metadata.permissions().readonly() {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
            }
            file.set_permissions(metadata.permissions())?;
        }
        Ok(Self(Target::Replaced { file: BufWriter::with_capacity(BUFFER_BYTES, file), partial, path }))
    }

    /// The file's name as long as it is unfinished, so that it can be removed when the program is stopped; none where
    /// it is written to directly.
    pub fn partial(&self) -> Option<&Path> {
        match &self.0 {
            Target::Replaced { partial, .. } => Some(partial),
            Target::Direct(_) => None,
        }
    }

    /// Writes what is left and puts the file in its place.
    ///
    /// # Errors
    /// If writing or renaming fails; then nothing is left behind (but what was written directly).
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Target::Replaced { file, partial, path } => {
                drop(file.into_inner().map_err(io::IntoInnerError::into_error)?);
                partial.persist(path).map_err(|error| error.error)
            }
            Target::Direct(mut file) => file.flush(),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Target::Replaced { file, .. } | Target::Direct(file) => file.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Target::Replaced { file, .. } | Target::Direct(file) => file.flush(),
        }
    }
}
