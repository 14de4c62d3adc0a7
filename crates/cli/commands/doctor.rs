//! `hitm doctor`: what this machine can and cannot measure, and the cure.

use std::cmp::Reverse;

use comfy_table::{ContentArrangement, Table, presets};
use hitm_experiment::manifest::{Finding, FindingLevel};

use crate::args::DoctorArgs;
use crate::commands::Ended;
use crate::line_probe;
use crate::output::{print, print_json, style};
use crate::problems::CliError;
use crate::this_machine::this;

pub(crate) fn doctor(args: &DoctorArgs) -> Result<Ended, CliError> {
    let topology = this()?;
    let mut findings = hitm_runner::findings(&topology);
    if !args.look {
        findings.push(line_probe::finding(&topology));
    }
    if args.json.json {
        print_json(&findings)?;
    } else {
        print(&table(&findings))?;
    }
    let pinning = findings.iter().any(|finding| finding.name == "pinning" && finding.level == FindingLevel::Missing);
    Ok(if pinning { Ended::Failed } else { Ended::Done })
}

/// What needs attention first, worst first; what is as it should be in one line each below.
fn table(findings: &[Finding]) -> String {
    let (good, mut other): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| finding.level == FindingLevel::Good);
    other.sort_by_key(|finding| Reverse(finding.level));
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(style().width as u16);
    table.set_header(["", "what", "found", "what it does to a measurement", "cure"]);
    for finding in other {
        let mark = match finding.level {
            FindingLevel::Good => "good",
            FindingLevel::Note => "note",
            FindingLevel::Warning => "warning",
            FindingLevel::Missing => "missing",
        };
        table.add_row([mark, &finding.name, &finding.found, &finding.effect, &finding.cure]);
    }
    let good: String = good.iter().map(|finding| format!("  {}: {}\n", finding.name, finding.found)).collect();
    format!("{table}\n\ngood:\n{good}")
}
