//! From the parameters given to the parameters a kernel is made with.

use hitm_experiment::suggest::closest;
use hitm_experiment::{Parameters, Value};

use crate::contract::Kernel;
use crate::registry::{Entry, Fault, Parameter, ParameterKind};

impl Entry {
    /// Whether its workers' values can be looked at.
    pub fn observes(&self) -> bool {
        !self.observations.is_empty()
    }

    /// All parameters of this kernel: those given, held to their kind and range, and the defaults of the others.
    ///
    /// # Errors
    /// Everything that is wrong with what was given, one [`Fault`] each: unknown names, wrong types, values out of
    /// range or between steps.
    pub fn resolve(&self, given: &Parameters) -> Result<Parameters, Vec<Fault>> {
        let mut resolved: Parameters =
            self.parameters.iter().map(|parameter| (parameter.name.to_owned(), parameter.default.into())).collect();
        let mut faults = Vec::new();
        for (name, value) in given {
            let fault = |message, cure| Fault { parameter: name.clone(), message, cure };
            match self.parameters.iter().find(|parameter| parameter.name == name) {
                None => {
                    faults.push(fault(format!("{} has no parameter `{name}`", self.name), self.cure_for_unknown(name)))
                }
                Some(parameter) => match parameter.accept(value) {
                    Ok(()) => drop(resolved.insert(name.clone(), value.clone())),
                    Err((message, cure)) => faults.push(fault(message, cure)),
                },
            }
        }
        if faults.is_empty() { Ok(resolved) } else { Err(faults) }
    }

    /// Resolves the parameters and makes the kernel.
    ///
    /// # Errors
    /// As [`Entry::resolve`], and where single parameters are right, what the kernel refuses of their combination.
    pub fn make(&self, given: &Parameters) -> Result<Box<dyn Kernel>, Vec<Fault>> {
        (self.build)(&self.resolve(given)?).map_err(|refusal| vec![refusal.into()])
    }

    fn cure_for_unknown(&self, name: &str) -> String {
        let known: Vec<_> = self.parameters.iter().map(|parameter| parameter.name).collect();
        match closest(name, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => "leave it out: this kernel has no parameters".to_owned(),
            None => format!("its parameters are {}", known.join(", ")),
        }
    }
}

impl Parameter {
    /// Holds one value to this parameter; what is wrong and what cures it otherwise.
    fn accept(&self, value: &Value) -> Result<(), (String, String)> {
        let name = self.name;
        match (&self.kind, value) {
            (ParameterKind::Choice(words), Value::Text(word)) if words.contains(&word.as_str()) => Ok(()),
            (ParameterKind::Choice(words), Value::Text(word)) => {
                let cure = match closest(word, words.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`? It takes one of {}", words.join(", ")),
                    None => format!("give one of {}", words.join(", ")),
                };
                Err((format!("{name} cannot be `{word}`"), cure))
            }
            (ParameterKind::Choice(words), other) => {
                let message = format!("{name} is a word, not the {} {other}", other.type_name());
                Err((message, format!("give one of {}", words.join(", "))))
            }
            (ParameterKind::Integer { range, step }, Value::Integer(number)) => {
                let [low, high] = [range.start(), range.end()];
                let multiple = if *step > 1 { format!(" that is a multiple of {step}") } else { String::new() };
                if !range.contains(number) {
                    let cure = format!("give a whole number from {low} to {high}{multiple}");
                    Err((format!("{name} = {number} is out of its range"), cure))
                } else if *step > 1 && number % step != 0 {
                    let below = number - number.rem_euclid(*step);
                    let near: Vec<_> =
                        [below, below + step].iter().filter(|near| range.contains(near)).map(i64::to_string).collect();
                    Err((
                        format!("{name} = {number} is not a multiple of {step}"),
                        format!("give {}", near.join(" or ")),
                    ))
                } else {
                    Ok(())
                }
            }
            (ParameterKind::Text { .. }, Value::Text(_)) => Ok(()),
            (ParameterKind::Text { what }, other) => {
                let message = format!("{name} is a text, not the {} {other}", other.type_name());
                Err((message, format!("give {what}, in quotes")))
            }
            (ParameterKind::Integer { range, .. }, other) => {
                let message = format!("{name} is a whole number, not the {} {other}", other.type_name());
                Err((
                    message,
                    format!(
                        "give a whole number from {} to {}, without quotes or a fraction",
                        range.start(),
                        range.end()
                    ),
                ))
            }
        }
    }
}
