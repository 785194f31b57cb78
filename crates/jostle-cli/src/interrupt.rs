//! Ctrl-C and the polite ways of being stopped: the unfinished file goes, and the exit status is 130.
//!
//! Only commands that write a file are watched over, and from when it is begun: everything else leaves nothing behind
//! when it just ends, by the signal itself. Signals that the command was told to ignore stay ignored, each by itself:
//! `nohup` ignores one, a shell that starts a command in the background of a script another.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
#[cfg(target_os = "linux")]
use std::sync::{Arc, atomic::AtomicBool};
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
        result = on_signal(|| {
            // Not let go again: a thread that would finish its file now waits until the process ends.
            let unfinished = unfinished();
            for partial in &*unfinished {
                // Nothing can be done about an error.
                let _ = fs::remove_file(partial);
            }
            process::exit(STATUS);
        });
    });
    result
}

/// Makes writing beyond what `ulimit -f` allows an error as that of a full disk, in place of the end of the process.
pub fn survive_full_files() {
    // Heard, and not looked at. Without it the command still works.
    #[cfg(target_os = "linux")]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Calls `stop` when the first of the signals comes that are not ignored.
#[cfg(target_os = "linux")]
fn on_signal(stop: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let ignored = ignored_signals()?;
    let heard = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = signal_hook::iterator::Signals::new(heard)?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if signals.forever().next().is_some() {
            stop();
        }
    })?;
    Ok(())
}

/// A bit for each signal that this process was started to ignore, the first for signal 1.
#[cfg(target_os = "linux")]
fn ignored_signals() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .ok_or_else(|| io::Error::other("/proc/self/status does not say which signals are ignored"))
}

/// Calls `stop` when a signal comes; where one is ignored, none is heard.
#[cfg(not(target_os = "linux"))]
fn on_signal(stop: impl FnMut() + Send + 'static) -> io::Result<()> {
    match ctrlc::try_set_handler(stop) {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(ctrlc::Error::System(error)) => Err(error),
        Err(ctrlc::Error::NoSuchSignal(_)) => Err(io::Error::other("signals cannot be handled")),
    }
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
