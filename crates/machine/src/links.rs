//! Following links inside a copied tree as if it were the whole file system.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// More links than this on one way are a circle; the kernel says so at 40 as well.
const MOST_LINKS: usize = 40;

/// Where `path` below `root` is once all links are followed; absolute ones start at the root and `..` ends there, as after
/// chroot(2). Where the root is a copy of /sys, `/sys` in an absolute link is the root, and anything else is outside. `None`
/// where there is no such thing.
pub(crate) fn resolve(root: &Path, path: &Path, root_is_sys: bool) -> Option<PathBuf> {
    let mut to_go: Vec<OsString> = components(path);
    to_go.reverse();
    let mut at: Vec<OsString> = Vec::new();
    let mut links = 0;
    while let Some(name) = to_go.pop() {
        if name == ".." {
            at.pop();
            continue;
        }
        let here = root.join(at.iter().collect::<PathBuf>()).join(&name);
        let found = fs::symlink_metadata(&here).ok()?;
        if !found.is_symlink() {
            at.push(name);
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return None;
        }
        let target = fs::read_link(&here).ok()?;
        let mut target: &Path = &target;
        if target.is_absolute() {
            at.clear();
            if root_is_sys {
                target = target.strip_prefix("/sys").ok()?;
            }
        }
        to_go.extend(components(target).into_iter().rev());
    }
    Some(root.join(at.iter().collect::<PathBuf>()))
}

fn components(path: &Path) -> Vec<OsString> {
    let name = |component: Component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().filter_map(name).collect()
}
