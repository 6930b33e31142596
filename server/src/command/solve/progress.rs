//! Progress bar of a run, with the remaining time, on standard error. It appears after half a second, and only on a
//! terminal.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kernels::event::{JobEvent, RunProgress, RunStage};

/// Duration of a run after which the bar appears.
const PROGRESS_BAR_DELAY: Duration = Duration::from_millis(500);

/// Interval in which the spinner turns without an event.
const TICK_INTERVAL: Duration = Duration::from_millis(120);

/// Number of steps of a complete bar.
const PROGRESS_BAR_STEPS: u64 = 1000;

/// The bar of one run.
pub(super) struct RunProgressBar {
    bar: ProgressBar,
    /// Sender that ends the timer when it is dropped.
    running: Option<Sender<()>>,
    timer: Option<JoinHandle<()>>,
}

impl RunProgressBar {
    /// Starts the timer after which the bar appears. A bar that is not `visible` is never drawn.
    pub(super) fn start(visible: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(PROGRESS_BAR_STEPS), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {msg}").map(|style| style.tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "));
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message("Reading");
        let (running, ended) = channel::<()>();
        let shown = bar.clone();
        let timer = std::thread::spawn(move || {
            if ended.recv_timeout(PROGRESS_BAR_DELAY) == Err(RecvTimeoutError::Timeout) && visible {
                // Nothing is drawn if standard error is no terminal.
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK_INTERVAL);
            }
        });
        Self { bar, running: Some(running), timer: Some(timer) }
    }

    /// Updates the bar for an event of the run.
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

    /// Removes the bar.
    pub(super) fn end(&mut self) {
        drop(self.running.take());
        if let Some(timer) = self.timer.take() {
            // A timer that panicked has drawn nothing.
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

/// Formats the remaining time, such as "about 12 s left".
fn time_left(ms: f64) -> String {
    match ms {
        ms if ms < 1_000.0 => "less than a second left".into(),
        ms if ms < 120_000.0 => format!("about {:.0} s left", ms / 1e3),
        ms if ms < 7_200_000.0 => format!("about {:.0} min left", ms / 60e3),
        ms => format!("about {:.0} h left", ms / 3600e3),
    }
}
