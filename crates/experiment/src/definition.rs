//! A question as written: the TOML of an experiment with the command line's changes in it.

use crate::check;
use crate::experiment::Experiment;
use crate::overrides::Override;
use crate::problem::Problem;
use crate::tree::{self, Node};

/// A definition as written, with overrides applied, not checked yet.
#[derive(Clone, Debug)]
pub struct Definition {
    root: Node,
    text: String,
}

impl Definition {
    /// Reads a definition. `source` is what places name it by: the file's path, or the name of an experiment that ships.
    ///
    /// # Errors
    /// Everything that is no TOML. Where only overrides cannot be applied, they are told together with whatever
    /// [`check`](Definition::check) finds in the rest.
    pub fn read(source: &str, text: &str, overrides: &[Override]) -> Result<Definition, Vec<Problem>> {
        let (mut root, mut problems) = tree::read(source, text)?;
        for one in overrides {
            if let Err(problem) = one.apply(&mut root) {
                problems.push(problem);
            }
        }
        let text = if overrides.is_empty() { text.to_owned() } else { tree::write(&root) };
        let definition = Definition { root, text };
        if problems.is_empty() {
            return Ok(definition);
        }
        problems.extend(definition.check().err().unwrap_or_default());
        Err(problems)
    }

    /// The definition as it is run: the text as written where nothing was overridden, otherwise a text that reads as the
    /// same experiment, its comments gone.
    pub fn text_as_run(&self) -> String {
        self.text.clone()
    }

    /// Checks everything that can be checked without a machine and without knowing the kernels.
    ///
    /// # Errors
    /// All problems at once, in the order of the definition's sections.
    pub fn check(&self) -> Result<Experiment, Vec<Problem>> {
        check::experiment(&self.root)
    }
}
