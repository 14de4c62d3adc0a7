//! How a run goes: a bar with an estimate on a terminal, a plain line now and then elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use hitm_experiment::record::Record;
use hitm_runner::{Progress, State};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::color::colors_wanted;
use crate::stderr::tell;

/// Time between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows nothing.
pub(crate) struct Quiet;

impl Progress for Quiet {
    fn trial(&mut self, _: &State, _: &Record) {}
    fn block(&mut self, _: &State) {}
}

/// Shows a run on standard error.
pub(crate) enum Shown {
    /// A bar that is drawn over.
    Bar(ProgressBar),
    /// Lines; the time of the last.
    Lines(Instant),
}

impl Shown {
    /// A bar on a terminal, lines elsewhere.
    pub(crate) fn new(budget_ns: u64) -> Self {
        if !stderr().is_terminal() {
            return Shown::Lines(Instant::now());
        }
        let bar = ProgressBar::with_draw_target(Some(budget_ns / 1_000_000), ProgressDrawTarget::stderr_with_hz(5));
        let color = if colors_wanted() { "{bar:30.cyan}" } else { "{bar:30}" };
        let template = format!("{color} {{msg}}");
        bar.set_style(ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        Shown::Bar(bar)
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Shown::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Shown {
    fn trial(&mut self, state: &State, _: &Record) {
        match self {
            Shown::Bar(bar) => {
                bar.set_position(state.spent_ns / 1_000_000);
                bar.set_message(line(state));
            }
            Shown::Lines(last) => {
                if last.elapsed() >= LINE_EVERY {
                    *last = Instant::now();
                    tell(line(state));
                }
            }
        }
    }

    fn block(&mut self, _: &State) {}
}

fn line(state: &State) -> String {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let left = state.budget_ns.saturating_sub(state.spent_ns);
    let settled = if state.deciding > 0 {
        let worst = state.worst.map_or(String::new(), |worst| format!(", widest ±{:.1} %", worst * 100.0));
        format!("{} of {} settled{worst}", state.settled, state.deciding)
    } else {
        "too early to tell".to_owned()
    };
    format!(
        "repetition {}, {} trials, {settled}; at most {:.0} s more of {:.0} s",
        state.repetition + 1,
        state.trials,
        seconds(left).ceil(),
        seconds(state.budget_ns)
    )
}
