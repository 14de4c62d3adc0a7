//! `hitm machine`: a topology, and a placement on it.

use hitm_experiment::{Place, Problem};
use hitm_machine::MachineError;
use hitm_report::machine;

use crate::args::MachineArgs;
use crate::commands::{Ended, picture};
use crate::output::{print, print_json, style};
use crate::problems::CliError;
use crate::this_machine::given;

mod json;
mod placing;
mod table;

pub(crate) fn machine(args: &MachineArgs) -> Result<Ended, CliError> {
    let mut problems = Vec::new();
    let asked = placing::asked(args, &mut problems);
    let topology = given(&args.input).map_err(|problem| problems.push(problem)).ok();
    let placement = match (&topology, &asked) {
        (Some(topology), Some(asked)) => asked.place(topology, &mut problems),
        _ => None,
    };
    let (Some(topology), true) = (topology, problems.is_empty()) else {
        return Err(CliError::Input { problems, text: String::new() });
    };
    if args.json.json {
        print_json(&json::machine(&topology, placement.as_ref()))?;
    } else if args.picture {
        print(&table::heading(&topology))?;
        print(&machine::text(&topology, placement.as_ref(), style()))?;
    } else {
        print(&(table::heading(&topology) + &table::table(&topology, placement.as_ref())))?;
    }
    if let Some(file) = &args.save {
        hitm_machine::save(&topology, file)
            .map_err(|MachineError { message, cure }| CliError::Failed { message, cure })?;
        picture::wrote(file);
    }
    if args.svg.is_some() || args.png.is_some() {
        let title = match &placement {
            Some(placement) => format!("{} workers placed by {}", placement.pus.len(), placement.policy),
            None => "What the machine consists of".to_owned(),
        };
        let drawn = machine::svg(&topology, placement.as_ref(), &title);
        picture::write(&drawn, args.svg.as_deref(), args.png.as_deref())?;
    }
    Ok(Ended::Done)
}

/// A problem with an argument.
fn at(source: String, message: String, cure: String) -> Problem {
    Problem::new(Place { source, ..Place::default() }, message, cure)
}
