//! `hitm doctor`: what this machine can and cannot measure, and the cure.

use hitm_experiment::manifest::{Finding, FindingLevel};
use std::cmp::Reverse;

use crate::args::DoctorArgs;
use crate::build::build;
use crate::commands::Ended;
use crate::line_probe;
use crate::output::{hang, print, print_json};
use crate::problems::CliError;
use crate::this_machine::this;

pub(crate) fn doctor(args: &DoctorArgs) -> Result<Ended, CliError> {
    let topology = this()?;
    let mut findings = hitm_runner::findings(&topology);
    findings.push(program());
    if !args.look {
        findings.push(line_probe::finding(&topology));
    }
    if args.json.json {
        print_json(&findings)?;
    } else {
        print(&text(&findings))?;
    }
    let missing = |name: &str| findings.iter().any(|one| one.name == name && one.level == FindingLevel::Missing);
    Ok(match (missing("pinning"), missing("pmu")) {
        (true, _) => Ended::Failed,
        (false, true) => Ended::NoCounting,
        (false, false) => Ended::Done,
    })
}

/// How this program was compiled: loops that were not optimised measure themselves.
fn program() -> Finding {
    let profile = build().profile;
    let optimised = !profile.contains("opt-level=0");
    let said = |effect: &str, cure: &str| (effect.to_owned(), cure.to_owned());
    let (effect, cure) = match optimised {
        true => said("the measured loops are what they are in a program that is shipped", ""),
        false => said(
            "the measured loops are not optimised: an operation takes several times what it takes in a program that is shipped",
            "cargo build --release, and run target/release/hitm",
        ),
    };
    let level = if optimised { FindingLevel::Good } else { FindingLevel::Warning };
    Finding { name: "build".to_owned(), level, found: profile, effect, cure }
}

/// What needs attention first, worst first, each with what was found, what that does to a measurement, and the cure; what is as it
/// should be in one line each below.
fn text(findings: &[Finding]) -> String {
    let (good, mut other): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| finding.level == FindingLevel::Good);
    other.sort_by_key(|finding| Reverse(finding.level));
    let mut text = String::new();
    for finding in other {
        let mark = match finding.level {
            FindingLevel::Good => "good",
            FindingLevel::Note => "note",
            FindingLevel::Warning => "warning",
            FindingLevel::Missing => "missing",
        };
        let indent = " ".repeat(INDENT);
        hang(&mut text, &format!("{mark:<INDENT$}"), &format!("{}: {}", finding.name, finding.found));
        for (label, said) in [("so", &finding.effect), ("cure", &finding.cure)] {
            let said = if said.is_empty() { String::new() } else { format!("{label}: {said}") };
            hang(&mut text, &indent, &said);
        }
        text.push('\n');
    }
    text.push_str("good:\n");
    for finding in good {
        hang(&mut text, "  ", &format!("{}: {}", finding.name, finding.found));
    }
    text
}

/// Where texts begin that belong to a finding's name.
const INDENT: usize = 9;
