//! Ctrl-C and the polite ways of being stopped: the unfinished file goes, and the exit status is 130.
//!
//! Only commands that write a file are watched over: everything else leaves nothing behind when it just ends. Signals that
//! the command was told to ignore (`nohup`) stay ignored.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use jostle_scene::OutputFile;

/// What a shell reports of a command that was interrupted.
const STATUS: i32 = 130;

/// The files in the making. Held while one comes or goes, so that an interruption knows of it or waits until it does.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch() -> io::Result<()> {
    static WATCHED: Once = Once::new();
    let mut result = Ok(());
    WATCHED.call_once(|| {
        let stop = || {
            // Not let go again: whoever would finish a file now waits until the end.
            let unfinished = unfinished();
            for partial in &*unfinished {
                // Nothing can be done about an error, and nobody is left to hear of it.
                let _ = fs::remove_file(partial);
            }
            process::exit(STATUS);
        };
        result = match ctrlc::try_set_handler(stop) {
            // Somebody wants a signal ignored, and that is kept.
            Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
            Err(ctrlc::Error::System(error)) => Err(error),
            Err(ctrlc::Error::NoSuchSignal(_)) => Err(io::Error::other("signals cannot be handled")),
        };
    });
    result
}

/// Begins a file.
pub fn create(path: &Path) -> io::Result<OutputFile> {
    watch()?;
    let mut unfinished = unfinished();
    let file = OutputFile::create(path)?;
    unfinished.extend(file.partial().map(Path::to_path_buf));
    Ok(file)
}

/// Puts a file in its place.
pub fn finish(file: OutputFile) -> io::Result<()> {
    let mut unfinished = unfinished();
    let partial = file.partial().map(Path::to_path_buf);
    let result = file.finish();
    unfinished.retain(|path| Some(path) != partial.as_ref());
    result
}
