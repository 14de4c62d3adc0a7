//! `hitm fit`: laws fitted to numbers, ours or anybody's.

use std::path::Path;

use hitm_analysis::scaling::{self, FEWEST_POINTS, NoFit, Residuals, Scaling, Value};
use hitm_experiment::{Place, Problem};
use serde_json::json;

use crate::args::{FitArgs, FitCommand, ResidualsArg, UslArgs};
use crate::commands::{Ended, read};
use crate::output::{print, print_json, style};
use crate::problems::CliError;
use crate::stderr::tell;

mod table;

pub(crate) fn fit(args: &FitArgs) -> Result<Ended, CliError> {
    match &args.command {
        FitCommand::Usl(args) => match (&args.csv, &args.run) {
            (Some(csv), _) => of_table(args, csv),
            (None, Some(run)) => of_run(args, run),
            (None, None) => Ok(Ended::Done),
        },
    }
}

fn of_table(args: &UslArgs, csv: &Path) -> Result<Ended, CliError> {
    let read = table::read(args, csv)?;
    let found = fitted(args, &read.values, &read.unit).map_err(|why| {
        let (message, cure) = told(why);
        let place = Place { source: read.name.clone(), ..Place::default() };
        CliError::input(Problem::new(place, message, cure))
    })?;
    if args.json.json {
        let columns = json!({ "workers": read.columns[0], "throughput": read.columns[1] });
        print_json(&json!({ "source": read.name, "columns": columns, "values": read.values.len(), "scaling": found }))?;
    } else {
        print(&hitm_report::scaling::scaling(&found, style()))?;
    }
    Ok(Ended::Done)
}

/// Each series of a run by itself. What cannot be fitted is told beside what can.
fn of_run(args: &UslArgs, folder: &Path) -> Result<Ended, CliError> {
    let run = read(folder)?;
    let series = scaling::series(&run.manifest, &run.records);
    let (mut text, mut fits, mut problems) = (String::new(), Vec::new(), Vec::new());
    for one in &series {
        match fitted(args, &one.values, "op/s") {
            Ok(found) => {
                if !one.label.is_empty() {
                    text += &format!("{}\n\n", one.label);
                }
                text += &hitm_report::scaling::scaling(&found, style());
                if one.nothing_ended > 0 {
                    text += &format!("Left out: {} trials in which no operation ended.\n", one.nothing_ended);
                }
                text.push('\n');
                let left_out = one.nothing_ended;
                fits.push(json!({ "label": one.label, "values": one.values.len(), "nothing_ended": left_out, "scaling": found }));
            }
            Err(why) => {
                let (message, cure) = told(why);
                let place = Place { source: one.label.clone(), ..Place::default() };
                problems.push(Problem::new(place, message, cure));
            }
        }
    }
    if fits.is_empty() {
        return Err(CliError::Input { problems, text: String::new() });
    }
    for problem in problems {
        tell(format!("not fitted: {problem}"));
    }
    match args.json.json {
        true => print_json(&json!({ "source": folder.display().to_string(), "series": fits }))?,
        false => print(text.trim_end_matches('\n').to_owned().as_str()).and_then(|()| print("\n"))?,
    }
    Ok(Ended::Done)
}

fn fitted(args: &UslArgs, values: &[Value], unit: &str) -> Result<Scaling, NoFit> {
    let residuals = match args.residuals {
        ResidualsArg::Relative => Residuals::Relative,
        ResidualsArg::Absolute => Residuals::Absolute,
    };
    scaling::scaling(values, unit, residuals, args.seed)
}

/// Why there is no fit, and what cures it.
fn told(why: NoFit) -> (String, &'static str) {
    match why {
        NoFit::TooFew(have) => {
            let are = if have == 1 { "is" } else { "are" };
            (
                format!("a law needs {FEWEST_POINTS} different numbers of workers, and here {are} {have}"),
                "measure more of them; six are enough to tell the laws apart",
            )
        }
        NoFit::NotFound => {
            ("no law comes near these numbers".to_owned(), "look whether they are a throughput over numbers of workers")
        }
    }
}
