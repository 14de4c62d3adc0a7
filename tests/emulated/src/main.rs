//! `hitm-emulated script MACHINE` prints what the guest is to run; `hitm-emulated judge MACHINE LOG` prints a line for each check
//! and ends with 1 if one failed, with 2 if it was asked for something else.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use hitm_emulated::judge::judge;
use hitm_emulated::log::Log;
use hitm_emulated::machines::Machine;
use hitm_emulated::script::script;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["script", name] => match Machine::named(name) {
            Some(machine) => {
                print!("{}", script(machine));
                ExitCode::SUCCESS
            }
            None => wrong(&format!("no such machine: {name}")),
        },
        ["judge", name, path] => match (Machine::named(name), std::fs::read(path)) {
            // The console's bytes are the guest's: firmware writes what is no text.
            (Some(machine), Ok(console)) => tell(machine, &String::from_utf8_lossy(&console)),
            (None, _) => wrong(&format!("no such machine: {name}")),
            (_, Err(error)) => wrong(&format!("{path}: {error}")),
        },
        _ => wrong("usage: hitm-emulated script MACHINE | judge MACHINE LOG"),
    }
}

fn tell(machine: &Machine, console: &str) -> ExitCode {
    let mut failed = false;
    for check in judge(machine, &Log::read(console)) {
        match check.found {
            Ok(()) => println!("ok      {}", check.what),
            Err(why) => {
                failed = true;
                println!("FAILED  {}: {why}", check.what);
            }
        }
    }
    if failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

fn wrong(what: &str) -> ExitCode {
    eprintln!("{what}");
    ExitCode::from(2)
}
