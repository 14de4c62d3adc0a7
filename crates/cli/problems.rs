//! Errors as a person wants them: all at once, each with its place in the file and its cure.

use std::io::IsTerminal;
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use hitm_experiment::Problem;
use hitm_experiment::run::RunError;

use crate::color::colors_wanted;
use crate::stderr::tell;

/// Problems that are shown; of more the number is told.
const MOST_SHOWN: usize = 20;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) enum CliError {
    /// What was typed or written is wrong: nothing was done.
    Input {
        /// Everything that is wrong.
        problems: Vec<Problem>,
        /// The text that spans are of, if there is one.
        text: String,
    },
    /// Something went wrong on the way.
    Failed {
        /// What, one sentence or more.
        message: String,
        /// What cures it; empty when nothing is known to.
        cure: String,
    },
}

impl CliError {
    /// Something went wrong on the way, and no cure is known.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        CliError::Failed { message: message.into(), cure: String::new() }
    }

    /// One wrong thing typed.
    pub(crate) fn input(problem: Problem) -> Self {
        CliError::Input { problems: vec![problem], text: String::new() }
    }

    /// Prints the error on standard error and returns its exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let renderer = renderer();
        match self {
            CliError::Input { problems, text } => {
                for problem in problems.iter().take(MOST_SHOWN) {
                    tell(render(problem, text, &renderer) + "\n");
                }
                match problems.len() {
                    1 => {}
                    all if all > MOST_SHOWN => {
                        tell(format!("{all} problems, of which the first {MOST_SHOWN} are shown"))
                    }
                    all => tell(format!("{all} problems")),
                }
                ExitCode::from(2)
            }
            CliError::Failed { message, cure } => {
                let group = Group::with_title(Level::ERROR.primary_title(message.as_str()));
                let cure = (!cure.is_empty()).then(|| Level::HELP.message(cure.as_str()));
                tell(renderer.render(&[group.elements(cure)]));
                ExitCode::FAILURE
            }
        }
    }
}

/// What went wrong with a run's folder on the way.
impl From<RunError> for CliError {
    fn from(RunError(problem): RunError) -> Self {
        CliError::Failed { message: format!("{}: {}", problem.place.source, problem.message), cure: problem.cure }
    }
}

fn renderer() -> Renderer {
    if std::io::stderr().is_terminal() && colors_wanted() { Renderer::styled() } else { Renderer::plain() }
}

fn render(problem: &Problem, text: &str, renderer: &Renderer) -> String {
    let place = &problem.place;
    let title = match (&place.span, place.path.is_empty(), place.source.is_empty()) {
        (Some(_), false, _) => format!("{}: {}", place.path, problem.message),
        (Some(_), true, _) | (None, true, true) => problem.message.clone(),
        (None, false, true) => format!("{}: {}", place.path, problem.message),
        (None, _, false) => format!("{}: {}", place.source, problem.message),
    };
    let title = Level::ERROR.primary_title(title);
    let span = place.span.clone().filter(|span| span.end <= text.len() && text.is_char_boundary(span.start));
    let snippet = span
        .map(|span| Snippet::source(text).path(place.source.as_str()).annotation(AnnotationKind::Primary.span(span)));
    let cure = (!problem.cure.is_empty()).then(|| Level::HELP.message(problem.cure.as_str()));
    renderer.render(&[Group::with_title(title).elements(snippet).elements(cure)])
}
