//! `hitm show`: what a run says.

use hitm_analysis::summarize;

use crate::args::ShowArgs;
use crate::commands::{Ended, read};
use crate::output::{print, print_json, style};
use crate::problems::CliError;

pub(crate) fn show(args: &ShowArgs) -> Result<Ended, CliError> {
    let run = read(&args.run)?;
    let summary = summarize(&run.manifest, &run.records);
    if args.json.json {
        print_json(&summary)?;
    } else if args.markdown {
        print(&hitm_report::markdown(&summary, &run.manifest))?;
    } else {
        print(&hitm_report::terminal(&summary, &run.manifest, style()))?;
    }
    Ok(Ended::Done)
}
