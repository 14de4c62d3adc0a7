//! `sched:sched_switch`: places in the kernel that count their passages.

use std::fs;
use std::io::ErrorKind;

use super::near::near;
use super::{Vocabulary, custom};
use crate::code::{Code, TYPE_TRACEPOINT};
use crate::event::{Event, Kind};
use crate::names::UnknownEvent;
use crate::unavailable::Unavailable;

impl Vocabulary {
    /// The tracepoint `subsystem:name`; its number is what the kernel has in its tracing folder, which mostly only root may read.
    pub(super) fn tracepoint(&self, name: &str) -> Option<Result<Event, UnknownEvent>> {
        let (subsystem, point) = name.split_once(':')?;
        let sound =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        // Those of makers and libpfm are in capitals, and no group has the name of an event.
        let capital = subsystem.chars().any(|letter| letter.is_ascii_uppercase());
        if !sound(subsystem)
            || !sound(point)
            || capital
            || subsystem == super::CONTENTION
            || self.event(subsystem).is_ok()
        {
            return None;
        }
        let meaning = format!("passages of the kernel's tracepoint {name}");
        let event = |codes| custom(name, Kind::Tracepoint, codes, meaning, "tracefs");
        let Some(tracing) = &self.tracing else {
            let why = Unavailable::NotAtHand { what: "whether its kernel has the tracepoint".to_owned() };
            return Some(Ok(event(Err(why))));
        };
        let folder = tracing.join(subsystem);
        match fs::read_to_string(folder.join(point).join("id")).map(|id| id.trim().parse::<u64>()) {
            Ok(Ok(config)) => {
                let (pmu, native) = ("tracepoint".to_owned(), String::new());
                let code =
                    Code { pmu, pmu_type: TYPE_TRACEPOINT, config, config1: 0, config2: 0, counters: None, native };
                Some(Ok(event(Ok(vec![code]))))
            }
            // The folder can be read and has no such name: it was mistyped.
            Err(error)
                if error.kind() == ErrorKind::NotFound
                    && fs::read_dir(tracing).is_ok_and(|mut all| all.next().is_some()) =>
            {
                let unknown = UnknownEvent::new(name, "is no tracepoint of this kernel");
                let points = names(&folder);
                let near = near(point, points.iter().map(String::as_str));
                let suggestions = near.into_iter().map(|point| format!("{subsystem}:{point}")).collect();
                Some(Err(UnknownEvent { suggestions, ..unknown }))
            }
            Ok(Err(_)) => {
                Some(Ok(event(Err(Unavailable::NoTracepoint { why: "its id is no number".to_owned(), mounted: true }))))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let above = tracing.parent().unwrap_or(tracing);
                let why = format!("no tracefs is mounted on {}", above.display());
                Some(Ok(event(Err(Unavailable::NoTracepoint { why, mounted: false }))))
            }
            Err(error) => {
                let why = format!("{} cannot be read ({error})", tracing.display());
                Some(Ok(event(Err(Unavailable::NoTracepoint { why, mounted: true }))))
            }
        }
    }
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.file_name().into_string().ok()).collect()
}
