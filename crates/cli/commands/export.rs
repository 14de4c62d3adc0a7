//! `hitm export`: a run's numbers for other programs.

use hitm_analysis::summarize;

use crate::args::{ExportArgs, ExportFormat, ExportWhat};
use crate::commands::{Ended, read};
use crate::output::{print, print_json};
use crate::problems::CliError;

pub(crate) fn export(args: &ExportArgs) -> Result<Ended, CliError> {
    let run = read(&args.run)?;
    if args.what == ExportWhat::Records {
        match args.format {
            ExportFormat::Csv => print(&hitm_report::records_csv(&run.manifest, &run.records))?,
            ExportFormat::Json => print_json(&run.records)?,
        }
        return Ok(Ended::Done);
    }
    let summary = summarize(&run.manifest, &run.records);
    match (args.what, args.format) {
        (ExportWhat::Cells, ExportFormat::Csv) => print(&hitm_report::csv(&summary, &run.manifest))?,
        (ExportWhat::Cells, ExportFormat::Json) => print_json(&summary.cells)?,
        (ExportWhat::Explanation, ExportFormat::Csv) => print(&hitm_report::explanation_csv(&summary))?,
        (ExportWhat::Explanation, ExportFormat::Json) => print_json(&summary.explanation)?,
        (_, ExportFormat::Csv) => print(&hitm_report::comparisons_csv(&summary, &run.manifest))?,
        (_, ExportFormat::Json) => print_json(&summary.comparisons)?,
    }
    Ok(Ended::Done)
}
