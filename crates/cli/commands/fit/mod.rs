//! `hitm fit`: laws fitted to numbers, ours or anybody's.

use hitm_analysis::scaling::{FEWEST_POINTS, NoFit, Residuals, scaling};
use hitm_experiment::{Place, Problem};
use serde_json::json;

use crate::args::{FitArgs, FitCommand, ResidualsArg, UslArgs};
use crate::commands::Ended;
use crate::output::{print, print_json, style};
use crate::problems::CliError;

mod table;

pub(crate) fn fit(args: &FitArgs) -> Result<Ended, CliError> {
    match &args.command {
        FitCommand::Usl(args) => usl(args),
    }
}

fn usl(args: &UslArgs) -> Result<Ended, CliError> {
    let read = table::read(args)?;
    let residuals = match args.residuals {
        ResidualsArg::Relative => Residuals::Relative,
        ResidualsArg::Absolute => Residuals::Absolute,
    };
    let found = scaling(&read.values, &read.unit, residuals, args.seed).map_err(|why| {
        let (message, cure) = match why {
            NoFit::TooFew(have) => (
                format!(
                    "a law needs {FEWEST_POINTS} different numbers of workers, and here {} {have}",
                    is_or_are(have)
                ),
                "add rows; six numbers of workers are enough to tell the laws apart".to_owned(),
            ),
            NoFit::NotFound => (
                "no law comes near these numbers".to_owned(),
                "look whether the columns are those of workers and throughput".to_owned(),
            ),
        };
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

fn is_or_are(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}
