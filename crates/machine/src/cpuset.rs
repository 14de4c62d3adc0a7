//! Which PUs a process is kept to, and by what: control groups of version 1 and 2, the older cpuset file system, and its mask.

use std::collections::BTreeSet;

use crate::cgroup;
use crate::files::Files;
use crate::input::short;

/// Something that keeps the process to some PUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Restriction {
    /// What it is, such as ``the cpuset `/dummy` (/dev/cpuset/dummy/cpus)``.
    pub what: String,
    /// The PUs left, ascending; never empty.
    pub pus: Vec<u32>,
}

/// What keeps the process that the files are of: its cpuset, then its mask. Those that leave all PUs are told as well.
/// What is told but cannot be read is said.
pub(crate) fn restrictions(files: &Files, said: &mut Vec<String>) -> Vec<Restriction> {
    let mask = mask(files).unwrap_or_else(|why| {
        said.push(why);
        None
    });
    cpuset(files).into_iter().chain(mask).collect()
}

/// The process's cpuset: the nearest group on the way up whose file tells one.
pub(crate) fn cpuset(files: &Files) -> Option<Restriction> {
    let names = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus", "cpus"];
    for folders in cgroup::folders_of(files, "cpuset") {
        for folder in &folders {
            let told = names.iter().find_map(|name| {
                let file = format!("{folder}/{name}");
                // An empty one has not been set: no process could run in it.
                let pus = files.pus(&file).filter(|pus| !pus.is_empty())?;
                Some((file, BTreeSet::from_iter(pus)))
            });
            if let Some((file, pus)) = told {
                let own = &folders[0];
                let what = format!("the cpuset {own} ({file})");
                return Some(Restriction { what, pus: pus.into_iter().collect() });
            }
        }
    }
    None
}

fn mask(files: &Files) -> Result<Option<Restriction>, String> {
    let Ok(status) = files.read("/proc/self/status") else { return Ok(None) };
    let Some(list) = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")) else { return Ok(None) };
    let list = list.trim().parse::<hitm_topology::PuList>().map_err(|_| {
        let list = short(&list.trim().escape_debug().to_string());
        format!("Cpus_allowed_list in /proc/self/status: `{list}` is no list of PUs; it is taken as not told")
    })?;
    let mut pus = list.pus().to_vec();
    pus.sort_unstable();
    Ok(Some(Restriction { what: "the process's affinity mask (/proc/self/status)".into(), pus }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::Tree;

    fn told(files: &[(&str, &str)]) -> Option<(String, Vec<u32>)> {
        cpuset(&Tree::new(files).files()).map(|found| (found.what, found.pus))
    }

    #[test]
    fn each_version_has_its_own_place() {
        let old = told(&[
            ("/proc/self/cpuset", "/dummy\n"),
            ("/proc/mounts", "none /dev/cpuset cpuset rw 0 0\n"),
            ("/dev/cpuset/dummy/cpus", "0-6,12-15\n"),
        ]);
        let (what, pus) = old.unwrap();
        assert_eq!((what.as_str(), pus.len()), ("the cpuset /dev/cpuset/dummy (/dev/cpuset/dummy/cpus)", 11));
        let first = told(&[
            ("/proc/self/cgroup", "7:cpuset:/jjh\n4:cpu:/x\n"),
            ("/proc/mounts", "cgroup /c/cpuset cgroup rw,cpuset 0 0\ncgroup /c/cpu cgroup rw,cpu 0 0\n"),
            ("/c/cpuset/jjh/cpuset.cpus", "0-7\n"),
            ("/c/cpuset/jjh/cpuset.effective_cpus", "2-3\n"),
        ]);
        assert_eq!(first.unwrap().1, [2, 3]);
        let second = told(&[
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/proc/self/mountinfo", "25 1 0:22 / /c rw - cgroup2 none rw\n"),
            ("/c/a/b/cpuset.cpus", "\n"),
            ("/c/a/cpuset.cpus.effective", "4-5\n"),
            ("/c/cpuset.cpus.effective", "0-7\n"),
        ]);
        assert_eq!(second.unwrap(), ("the cpuset /c/a/b (/c/a/cpuset.cpus.effective)".into(), vec![4, 5]));
    }

    #[test]
    fn none_is_told_where_none_is_set() {
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[("/proc/self/cgroup", "0::/\n"), ("/proc/mounts", "c /c cgroup2 rw 0 0\n")]), None);
    }

    #[test]
    fn the_mask_restricts_as_well() {
        let tree = Tree::new(&[("/proc/self/status", "Name: cat\nCpus_allowed:\t0c\nCpus_allowed_list:\t2-3\n")]);
        let found = restrictions(&tree.files(), &mut Vec::new());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].pus, [2, 3]);
    }
}
