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
    /// What could not be read or applied; the rest was.
    faults: Vec<Problem>,
}

impl Definition {
    /// Reads a definition. `source` is what places name it by: the file's path, or the name of an experiment that ships.
    ///
    /// # Errors
    /// Everything that is no TOML. Values that no definition can hold and overrides that cannot be applied are told by
    /// [`check`](Definition::check), together with whatever it finds in the rest.
    pub fn read(source: &str, text: &str, overrides: &[Override]) -> Result<Definition, Vec<Problem>> {
        let (mut root, mut faults) = tree::read(source, text)?;
        for one in overrides {
            if let Err(problem) = one.apply(&mut root) {
                faults.push(problem);
            }
        }
        let text = if overrides.is_empty() { text.to_owned() } else { tree::write(&root) };
        Ok(Definition { root, text, faults })
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
        let (experiment, problems) = self.check_all();
        if problems.is_empty() { Ok(experiment) } else { Err(problems) }
    }

    /// The same, for a caller that goes on to bind what can be bound, so that its problems are told in the same go: the experiment
    /// as far as it could be read, beside everything that is wrong with it. With problems it is only good for finding more of them
    /// ([`Experiment::plan_all`]): what was refused is a default or not there ([`Experiment::refused`] tells), and there may be no
    /// kernel in it at all.
    pub fn check_all(&self) -> (Experiment, Vec<Problem>) {
        check::experiment(&self.root, &self.faults)
    }
}
