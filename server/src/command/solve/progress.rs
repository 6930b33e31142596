//! Progress: the progress bar of a run on standard error, with the remaining time (`RunProgressBar`). The bar appears
//! half a second after the start, and only on a terminal.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kernels::event::{JobEvent, RunProgress, RunStage};

/// Time after the start of a run at which the bar appears.
const PROGRESS_BAR_DELAY: Duration = Duration::from_millis(500);

/// Interval at which the spinner turns, even if no event arrives.
const TICK_INTERVAL: Duration = Duration::from_millis(120);

/// Number of steps from an empty to a full bar.
const PROGRESS_BAR_STEPS: u64 = 1000;

/// The progress bar of one run, with the timer thread that shows it.
pub(super) struct RunProgressBar {
    bar: ProgressBar,
    /// Sender that keeps the timer thread running until the sender is dropped.
    running: Option<Sender<()>>,
    timer: Option<JoinHandle<()>>,
}

impl RunProgressBar {
    /// Creates a hidden progress bar, and starts the timer that shows it after [`PROGRESS_BAR_DELAY`]. If `visible` is
    /// `false`, the bar stays hidden.
    pub(super) fn start(visible: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(PROGRESS_BAR_STEPS), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {msg}").map(|style| style.tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "));
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message("Reading");
        let (running, ended) = channel::<()>();
        let shown = bar.clone();
        let timer = std::thread::spawn(move || {
            if ended.recv_timeout(PROGRESS_BAR_DELAY) == Err(RecvTimeoutError::Timeout) && visible {
                // The bar draws nothing if standard error is not a terminal.
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK_INTERVAL);
            }
        });
        Self { bar, running: Some(running), timer: Some(timer) }
    }

    /// Shows the stage or the progress in `event`, if it has one.
    pub(super) fn tell(&self, event: &JobEvent) {
        match event {
            JobEvent::Stage { stage } => self.bar.set_message(stage_in_words(*stage)),
            JobEvent::Progress(progress) => {
                if let Ok(style) = ProgressStyle::with_template("{spinner} [{bar:30}] {percent:>3}%  {msg}") {
                    self.bar.set_style(style.progress_chars("=> ").tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "));
                }
                self.bar.set_position(part(progress));
                self.bar.set_message(time_left(progress.eta_ms));
            }
            _ => {}
        }
    }

    /// Removes the bar from the terminal.
    pub(super) fn end(&mut self) {
        drop(self.running.take());
        if let Some(timer) = self.timer.take() {
            // If the timer has panicked, the bar was not shown.
            let _ = timer.join();
        }
        self.bar.finish_and_clear();
    }
}

impl Drop for RunProgressBar {
    fn drop(&mut self) {
        self.end();
    }
}

fn part(progress: &RunProgress) -> u64 {
    (u128::from(PROGRESS_BAR_STEPS) * u128::from(progress.done) / u128::from(progress.total.max(1))) as u64
}

fn stage_in_words(stage: RunStage) -> &'static str {
    match stage {
        RunStage::Read => "Reading",
        RunStage::Transfer => "Sending to the GPU",
        RunStage::Compute => "Comparing",
        RunStage::Traceback => "Tracing the alignment",
    }
}

/// Formats a remaining time of `ms` milliseconds, such as "about 12 s left".
fn time_left(ms: f64) -> String {
    match ms {
        ms if ms < 1_000.0 => "less than a second left".into(),
        ms if ms < 120_000.0 => format!("about {:.0} s left", ms / 1e3),
        ms if ms < 7_200_000.0 => format!("about {:.0} min left", ms / 60e3),
        ms => format!("about {:.0} h left", ms / 3600e3),
    }
}
