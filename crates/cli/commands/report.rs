//! `hitm report`: a run as a page with pictures.

use std::fs;
use std::path::Path;

use hitm_analysis::summarize;
use hitm_experiment::run::RECORDS;
use hitm_report::{Extra, Link};

use crate::args::{ReportArgs, ReportFormat};
use crate::commands::{Ended, read};
use crate::output::print;
use crate::problems::CliError;

/// Pixels of a PNG per unit of its SVG: sharp on a projector.
const PNG_SCALE: f64 = 2.0;

pub(crate) fn report(args: &ReportArgs) -> Result<Ended, CliError> {
    let run = read(&args.run)?;
    let summary = summarize(&run.manifest, &run.records);
    let figures = hitm_report::figures(&summary, &run.manifest);
    let out = args.out.as_deref().unwrap_or(&args.run);
    fs::create_dir_all(out).map_err(|error| cannot_write(out, &error))?;
    let write = |name: &str, bytes: &[u8]| -> Result<(), CliError> {
        let path = out.join(name);
        fs::write(&path, bytes).map_err(|error| cannot_write(&path, &error))?;
        print(&format!("{}\n", path.display()))
    };
    let wants = |format| args.format.contains(&format);
    if wants(ReportFormat::Html) {
        let link = |file: &str, text: &str| Link { text: text.to_owned(), href: file.to_owned() };
        let mut links = Vec::new();
        if wants(ReportFormat::Csv) {
            links.extend([link("cells.csv", "cells"), link("comparisons.csv", "comparisons")]);
            links.extend(summary.explanation.iter().map(|_| link("explanation.csv", "events against the time")));
        }
        if out == args.run {
            links.push(link(RECORDS, "raw records"));
        }
        let extra = Extra { links, notes: run.warnings.iter().map(ToString::to_string).collect() };
        write("report.html", hitm_report::html(&summary, &run.manifest, &figures, &extra).as_bytes())?;
    }
    if wants(ReportFormat::Md) {
        write("README.md", hitm_report::readme(&summary, &run.manifest).as_bytes())?;
    }
    if wants(ReportFormat::Csv) {
        write("cells.csv", hitm_report::csv(&summary, &run.manifest).as_bytes())?;
        write("comparisons.csv", hitm_report::comparisons_csv(&summary, &run.manifest).as_bytes())?;
        if summary.explanation.is_some() {
            write("explanation.csv", hitm_report::explanation_csv(&summary).as_bytes())?;
        }
    }
    for figure in &figures {
        if wants(ReportFormat::Svg) {
            write(&format!("{}.svg", figure.name), figure.svg.as_bytes())?;
        }
        if wants(ReportFormat::Png) {
            let png = hitm_report::png(&figure.svg, PNG_SCALE)
                .map_err(|error| CliError::failed(format!("{} cannot be drawn: {error}", figure.name)))?;
            write(&format!("{}.png", figure.name), &png)?;
        }
    }
    Ok(Ended::Done)
}

fn cannot_write(path: &Path, error: &std::io::Error) -> CliError {
    CliError::Failed {
        message: format!("{} cannot be written: {error}", path.display()),
        cure: "give a folder that can be written with --out; the run's records are untouched".to_owned(),
    }
}
