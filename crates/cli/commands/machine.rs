//! `hitm machine`: a topology, and a placement on it.

use std::fs;
use std::path::Path;

use hitm_experiment::{Place, Problem};
use hitm_machine::MachineError;
use hitm_report::machine;

use crate::args::MachineArgs;
use crate::commands::Ended;
use crate::output::{print, print_json, style};
use crate::problems::CliError;
use crate::stderr::tell;
use crate::this_machine::given;

mod json;
mod placing;
mod table;

/// Pixels of a PNG per unit of its SVG, the first that the picture's size allows.
const PNG_SCALES: [f64; 3] = [2.0, 1.0, 0.5];

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
        wrote(file);
    }
    if args.svg.is_some() || args.png.is_some() {
        let title = match &placement {
            Some(placement) => format!("{} workers placed by {}", placement.pus.len(), placement.policy),
            None => "What the machine consists of".to_owned(),
        };
        let svg = machine::svg(&topology, placement.as_ref(), &title);
        if let Some(file) = &args.svg {
            write(file, svg.as_bytes(), "--svg")?;
        }
        if let Some(file) = &args.png {
            let drawn = PNG_SCALES.iter().map(|scale| hitm_report::png(&svg, *scale));
            let png = drawn.reduce(Result::or).expect("there is a scale");
            let png = png.map_err(|error| CliError::Failed {
                message: error.to_string(),
                cure: "draw it as --svg, which has no limit".to_owned(),
            })?;
            write(file, &png, "--png")?;
        }
    }
    Ok(Ended::Done)
}

/// A problem with an argument.
fn at(source: String, message: String, cure: String) -> Problem {
    Problem::new(Place { source, ..Place::default() }, message, cure)
}

fn write(file: &Path, bytes: &[u8], argument: &str) -> Result<(), CliError> {
    fs::write(file, bytes).map_err(|error| CliError::Failed {
        message: format!("{} cannot be written: {error}", file.display()),
        cure: format!("give another file to {argument}"),
    })?;
    wrote(file);
    Ok(())
}

/// Standard output is the machine's: what was written is told beside it.
fn wrote(file: &Path) {
    tell(format!("wrote {}", file.display()));
}
