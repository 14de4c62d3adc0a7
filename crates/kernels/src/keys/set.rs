//! The parameter `set`: numbers of a distribution's own, in one text.

use std::collections::BTreeMap;

use hitm_keys::Refusal as Refused;
use hitm_keys::dist::Entry as Distribution;

use crate::registry::{DefaultValue, Parameter, ParameterKind, Refusal};

/// Stands for the distribution's own numbers.
const OWN: &str = "own";

/// The parameter.
pub(crate) const PARAMETER: Parameter = Parameter {
    name: "set",
    kind: ParameterKind::Text {
        what: "the distribution's parameters, such as `theta=0.5`, several with commas between, or own",
    },
    default: DefaultValue::Choice(OWN),
    help: "What is set of the distribution; own leaves its defaults, and hitm keys dists tells of each",
};

/// Reads `NAME=NUMBER,NAME=NUMBER`; own and an empty text set nothing.
pub(crate) fn read(text: &str, dist: &Distribution) -> Result<BTreeMap<String, f64>, Refusal> {
    let refused = |why: String, cure: String| Refusal { parameter: PARAMETER.name, why, cure };
    let mut numbers = BTreeMap::new();
    if matches!(text.trim(), "" | OWN) {
        return Ok(numbers);
    }
    if dist.parameters.is_empty() {
        return Err(refused(format!("{} has no parameters", dist.name), "leave it out, or give own".to_owned()));
    }
    for part in text.split(',') {
        let read =
            part.split_once('=').and_then(|(name, number)| Some((name.trim(), number.trim().parse::<f64>().ok()?)));
        let Some((name, number)) = read.filter(|(name, number)| !name.is_empty() && number.is_finite()) else {
            let likely: Vec<_> =
                dist.parameters.iter().map(|parameter| format!("{}={}", parameter.name, parameter.default)).collect();
            return Err(refused(
                format!("`{}` is no NAME=NUMBER", part.trim()),
                format!("write it like `{}`, which is what {} has by default", likely.join(","), dist.name),
            ));
        };
        if numbers.insert(name.to_owned(), number).is_some() {
            return Err(refused(
                format!("{name} is set twice"),
                "set it once; several values make a list of texts".to_owned(),
            ));
        }
    }
    Ok(numbers)
}

/// All that a distribution refuses of its numbers, whether set or its own; `None` where it refuses something else.
pub(crate) fn refusal(refusals: &[Refused], numbers: &BTreeMap<String, f64>, dist: &Distribution) -> Option<Refusal> {
    let is_number =
        |name: &str| numbers.contains_key(name) || dist.parameters.iter().any(|parameter| parameter.name == name);
    let mut of_numbers = refusals.iter().filter(|refusal| is_number(&refusal.setting)).peekable();
    of_numbers.peek()?;
    let (whys, cures): (Vec<_>, Vec<_>) =
        of_numbers.map(|refusal| (format!("{}: {}", refusal.setting, refusal.why), refusal.cure.as_str())).unzip();
    Some(Refusal { parameter: PARAMETER.name, why: whys.join("; "), cure: cures.join("; ") })
}

#[cfg(test)]
mod tests {
    use hitm_keys::dist::find;

    use super::*;

    #[test]
    fn texts_are_read() {
        let zipf = find("exact/zipf").expect("it is there");
        for nothing in ["own", "", " "] {
            assert_eq!(read(nothing, zipf), Ok(BTreeMap::new()), "{nothing:?}");
        }
        let read_as = |text| read(text, zipf).map(|numbers| numbers.into_iter().collect::<Vec<_>>());
        assert_eq!(read_as("theta=0.5"), Ok(vec![("theta".to_owned(), 0.5)]));
        assert_eq!(read_as(" theta = 5e-1 , h=3"), Ok(vec![("h".to_owned(), 3.0), ("theta".to_owned(), 0.5)]));
        for wrong in
            ["theta", "theta=", "=1", "theta=a", "theta=nan", "theta=inf", "theta=1,", "theta=1,theta=2", "theta=0,5"]
        {
            let refusal = read(wrong, zipf).expect_err(wrong);
            assert_eq!(refusal.parameter, "set", "{wrong}");
            assert!(!refusal.cure.is_empty(), "{wrong}");
        }
    }
}
