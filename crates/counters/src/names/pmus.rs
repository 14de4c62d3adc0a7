//! The PMUs that the kernel tells of, each a folder of `/sys/bus/event_source/devices`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::terms::Format;

/// The PMUs of a machine, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pmus(Vec<Pmu>);

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pmu {
    /// Its folder.
    pub name: String,
    /// `perf_event_attr.type`.
    pub pmu_type: u32,
    /// The PUs whose cores it belongs to; `None` where it does not say, which means all.
    pub cpus: Option<Vec<u32>>,
    /// Whether it counts for a whole package or machine rather than for a thread (it has a `cpumask`).
    pub shared: bool,
    /// Where the terms of an event go.
    pub formats: BTreeMap<String, Format>,
    /// Names that the kernel knows for events of it, each with its terms.
    pub aliases: BTreeMap<String, String>,
}

/// Folders beside which a name is a core's PMU: x86 and POWER say `cpu`, hybrid x86 `cpu_core` and `cpu_atom`, Arm `armv8_…`.
const CORE_PREFIXES: [&str; 3] = ["cpu_", "armv8_", "armv9_"];

impl Pmus {
    /// Those below `devices`; a folder that cannot be read is left out.
    pub fn read(devices: &Path) -> Pmus {
        let folders = fs::read_dir(devices).into_iter().flatten().flatten();
        let mut pmus: Vec<Pmu> = folders.filter_map(|folder| Pmu::read(&folder.path())).collect();
        pmus.sort_by(|a, b| a.name.cmp(&b.name));
        Pmus(pmus)
    }

    pub fn find(&self, name: &str) -> Option<&Pmu> {
        self.0.iter().find(|pmu| pmu.name == name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|pmu| pmu.name.as_str())
    }

    /// Those of cores: more than one on a hybrid processor, none where the machine has no PMU.
    pub fn of_cores(&self) -> impl Iterator<Item = &Pmu> {
        self.0.iter().filter(|pmu| pmu.name == "cpu" || CORE_PREFIXES.iter().any(|prefix| pmu.name.starts_with(prefix)))
    }
}

impl Pmu {
    fn read(folder: &Path) -> Option<Pmu> {
        let text = |file: &str| fs::read_to_string(folder.join(file)).ok().map(|text| text.trim().to_owned());
        let formats = entries(&folder.join("format"));
        Some(Pmu {
            name: folder.file_name()?.to_str()?.to_owned(),
            pmu_type: text("type")?.parse().ok()?,
            cpus: text("cpus").and_then(|list| cpu_list(&list)),
            shared: text("cpumask").is_some(),
            formats: formats.into_iter().filter_map(|(name, text)| Some((name, Format::parse(&text)?))).collect(),
            aliases: entries(&folder.join("events")),
        })
    }
}

/// The files of a folder with their one line each; the kernel's `NAME.unit` and `NAME.scale` belong to others.
fn entries(folder: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let entry = |file: fs::DirEntry| {
        let name = file.file_name().to_str()?.to_owned();
        let beside = [".unit", ".scale", ".snapshot", ".per-pkg"].iter().any(|end| name.ends_with(end));
        if beside { None } else { Some((name, fs::read_to_string(file.path()).ok()?.trim().to_owned())) }
    };
    files.filter_map(entry).collect()
}

/// `0-7,16` as its members; `None` where it is no such list or absurdly long.
fn cpu_list(list: &str) -> Option<Vec<u32>> {
    const MOST: u32 = 1 << 16;
    let mut cpus = Vec::new();
    for part in list.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last >= MOST {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_pus() {
        assert_eq!(cpu_list("0-2,16"), Some(vec![0, 1, 2, 16]));
        assert_eq!(cpu_list(""), Some(vec![]));
        for wrong in ["a", "0-4294967295", "3-x"] {
            assert_eq!(cpu_list(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_machine_without_the_folder_has_none() {
        assert_eq!(Pmus::read(Path::new("/nonexistent")), Pmus::default());
    }
}
