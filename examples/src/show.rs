//! What both programs do besides simulating: options, a progress bar, picture files, and a checksum of the state.

use std::error::Error;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use jostle_picture::{Canvas, film, small_png};

/// An error that ends a program, for `main` to print.
pub type Failure = Box<dyn Error + Send + Sync>;

/// Options that both programs have.
#[derive(Clone, Debug, clap::Args)]
pub struct Show {
    /// Where the pictures go; the directory is made
    #[arg(long, value_name = "DIR", default_value = "pictures")]
    pub out: PathBuf,
    /// The same seed gives the same run, bit for bit
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// 0: as many as the machine has cores
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
    /// Pictures of the animation; 0 makes none
    #[arg(long, default_value_t = 30)]
    pub frames: usize,
}

impl Show {
    /// Runs `work` in a pool of so many threads: the pipeline uses the pool that it is called from.
    ///
    /// # Errors
    /// If `work` fails, or the pool or the directory cannot be made.
    pub fn run(&self, work: impl FnOnce(&Self) -> Result<(), Failure> + Send) -> Result<(), Failure> {
        std::fs::create_dir_all(&self.out).map_err(|error| format!("{}: {error}", self.out.display()))?;
        rayon::ThreadPoolBuilder::new().num_threads(self.threads).build()?.install(|| work(self))
    }

    /// Writes a picture, and once more at half the size in few colours, and prints where.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn still(&self, name: &str, canvas: &Canvas) -> Result<(), Failure> {
        write(&self.out.join(format!("{name}.png")), &canvas.png()?)?;
        write(&self.out.join(format!("{name}-small.png")), &small_png(&canvas.half(), 160)?)
    }

    /// Writes an animation and prints where; nothing if there are no frames.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn animation(&self, name: &str, frames: &[Canvas], hundredths: u16, colours: usize) -> Result<(), Failure> {
        if frames.is_empty() {
            return Ok(());
        }
        write(&self.out.join(name), &film(frames, hundredths, colours)?)
    }

    /// Whether a picture of the animation is due after step number `step` (from 1) of `steps`.
    pub fn is_due(&self, step: usize, steps: usize) -> bool {
        step * self.frames / steps.max(1) > (step - 1) * self.frames / steps.max(1)
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    line("picture", &format!("{} ({} kB)", path.display(), bytes.len() / 1000));
    Ok(())
}

/// A progress bar of so many steps on the terminal (none where there is no terminal).
///
/// # Panics
/// Never: the template is a constant.
pub fn bar(steps: usize) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{msg:32} {wide_bar} {percent:>3} %  {eta} left").expect("a good template");
    ProgressBar::new(steps as u64).with_style(style)
}

/// A line of the summary.
pub fn line(label: &str, value: &str) {
    println!("{label:<28}{value}");
}

/// FNV-1a over the bits of numbers: equal for equal states.
///
/// ```
/// use jostle_examples::show::checksum;
///
/// assert_eq!(checksum([1.0, 2.0]), checksum([1.0, 2.0]));
/// assert_ne!(checksum([1.0, 2.0]), checksum([2.0, 1.0]));
/// ```
pub fn checksum(numbers: impl IntoIterator<Item = f64>) -> u64 {
    let bytes = numbers.into_iter().flat_map(|number| number.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
