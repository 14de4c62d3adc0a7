//! A copied tree as a machine.

use std::fs;
use std::path::{Path, PathBuf};

use hitm_topology::Topology;

use crate::files::Files;
use crate::input::MachineError;

/// The machine whose /sys (and perhaps /proc) was copied to a folder. Nothing outside the folder is read.
///
/// # Errors
/// What is wrong with the folder, with its cure.
pub(crate) fn recorded(folder: &Path) -> Result<Topology, MachineError> {
    let refused = |why: String| {
        let message = format!("{} cannot be read as a machine: {why}", folder.display());
        let cure = "give a folder that holds a copy of /sys, such as hwloc-gather-topology makes (unpack it first), or \
                    `mkdir -p DIR/sys/devices/system && cp -r /sys/devices/system/{cpu,node} DIR/sys/devices/system`";
        MachineError::new(message, cure)
    };
    let found = fs::metadata(folder).map_err(|error| refused(error.to_string()))?;
    if !found.is_dir() {
        return Err(refused("it is not a folder".into()));
    }
    let (root, sys_only) = root(folder).ok_or_else(|| refused("it holds no sys/devices/system/cpu".into()))?;
    super::read(&Files::copy(root, sys_only)).map_err(refused)
}

/// Where the tree begins: here, in the only folder here, or here as a copy of /sys itself (then true).
fn root(folder: &Path) -> Option<(PathBuf, bool)> {
    let holds = |folder: &Path, path: &str| folder.join(path).is_dir();
    let mut inner = fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let only = inner.by_ref().find(|path| path.is_dir() && !path.is_symlink());
    let is_only = !inner.any(|path| path.is_dir());
    let places = [Some(folder.to_owned()), only.filter(|_| is_only)];
    for place in places.into_iter().flatten() {
        if holds(&place, "sys/devices/system/cpu") {
            return Some((place, false));
        }
        if holds(&place, "devices/system/cpu") {
            return Some((place, true));
        }
    }
    None
}
