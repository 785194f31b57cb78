//! Progress on the terminal: nothing for a second, then a bar (or a spinner, where no end is known), then nothing
//! again.

use std::io::IsTerminal;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long work lasts before it is worth a bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar that comes late and goes when dropped.
pub struct Progress {
    bar: ProgressBar,
    watch: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins some work of `steps` steps, if that is known.
    pub fn begin(what: &'static str, steps: Option<u64>, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden());
        if quiet || !std::io::stderr().is_terminal() {
            return Self { bar, watch: None };
        }
        let template = match steps {
            Some(_) => "{msg} {wide_bar} {percent} % ({eta})",
            None => "{spinner} {msg} ({elapsed})",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        let (stop, stopped) = channel();
        let late = bar.clone();
        let watch = std::thread::spawn(move || {
            // An error other than the time's running out means that the work is done.
            if stopped.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                late.set_draw_target(ProgressDrawTarget::stderr());
                late.enable_steady_tick(Duration::from_millis(100));
            }
        });
        Self { bar, watch: Some((stop, watch)) }
    }

    /// Some steps are done.
    pub fn advance(&self, steps: u64) {
        self.bar.inc(steps);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, watch)) = self.watch.take() {
            drop(stop);
            let _ = watch.join();
            self.bar.finish_and_clear();
        }
    }
}
