//! What the kernel tells in /sys and /proc: this machine's own, or a copy of it that nothing of this machine gets into.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hitm_topology::PuList;

use crate::input::short;
use crate::links;

/// No file of /sys or /proc that is read here is longer, bytes; a copied tree may hold anything.
const LONGEST: usize = 16 << 20;

/// The file tree that the kernel's files are read from.
#[derive(Debug)]
pub(crate) struct Files {
    root: PathBuf,
    /// Whether it is this machine's own, and no copy.
    real: bool,
    /// Whether the root is a copy of /sys itself, with nothing beside it.
    sys_only: bool,
    /// Where the folders of a copy are once links are followed, by their paths; `None` for those that are not there.
    folders: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
}

impl Files {
    /// This machine's own.
    pub fn this_machine() -> Self {
        Files { root: "/".into(), real: true, sys_only: false, folders: Mutex::default() }
    }

    /// A copy elsewhere: a folder with `sys` in it, or one that is a copy of /sys.
    pub fn copy(root: impl Into<PathBuf>, sys_only: bool) -> Self {
        Files { root: root.into(), real: false, sys_only, folders: Mutex::default() }
    }

    /// Whether it is this machine's own, so that the processor itself may be asked as well.
    pub fn are_real(&self) -> bool {
        self.real
    }

    /// A path below the root; `None` where the copy cannot have it.
    fn below<'a>(&self, path: &'a str) -> Option<&'a Path> {
        let path = Path::new(path.trim_start_matches('/'));
        if self.sys_only { path.strip_prefix("sys").ok() } else { Some(path) }
    }

    /// Where a path of the machine is, the links on the way to it followed; `None` where the copy has no such folder.
    fn path(&self, path: &str) -> Option<PathBuf> {
        if self.are_real() {
            return Some(path.into());
        }
        let path = self.below(path)?;
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => Some(self.folder(folder)?.join(name)),
            _ => self.folder(path),
        }
    }

    /// Where a folder below the root is, all links followed. A machine has thousands of files in folders next to each other, so
    /// the way to each is gone once.
    fn folder(&self, path: &Path) -> Option<PathBuf> {
        let folders = || self.folders.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(found) = folders().get(path) {
            return found.clone();
        }
        let found = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.folder(parent).and_then(|parent| {
                let here = parent.join(name);
                let is_plain = fs::symlink_metadata(&here).ok()?.is_dir();
                if is_plain { Some(here) } else { links::resolve(&self.root, path, self.sys_only) }
            }),
            (None, _) => Some(self.root.clone()),
            (Some(_), None) => links::resolve(&self.root, path, self.sys_only),
        };
        folders().insert(path.to_owned(), found.clone());
        found
    }

    /// As `path`, the last link followed as well.
    fn followed(&self, path: &str) -> Option<PathBuf> {
        if self.are_real() { Some(path.into()) } else { links::resolve(&self.root, self.below(path)?, self.sys_only) }
    }

    /// A file's bytes.
    pub fn bytes(&self, path: &str) -> std::io::Result<Vec<u8>> {
        let absent = || std::io::Error::from(ErrorKind::NotFound);
        let open = |path: &Path| {
            // Nothing is waited for: a copied tree may hold a pipe.
            let links = if self.are_real() { 0 } else { libc::O_NOFOLLOW };
            let file = fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | links).open(path)?;
            // A pipe would read as empty, a folder as what the kernel says of it.
            if self.are_real() || file.metadata()?.is_file() {
                Ok(file)
            } else {
                Err(std::io::Error::other("it is not a file"))
            }
        };
        let read = |mut file: File| {
            // Nearly all are a few bytes: one look and one more that finds the end.
            let mut bytes = vec![0; 4096];
            let mut length = 0;
            loop {
                match file.read(&mut bytes[length..]) {
                    Ok(0) => break,
                    Ok(more) => length += more,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
                if length == bytes.len() {
                    if length >= LONGEST {
                        return Err(std::io::Error::other("it is too long"));
                    }
                    bytes.resize(2 * length, 0);
                }
            }
            bytes.truncate(length);
            Ok(bytes)
        };
        match open(&self.path(path).ok_or_else(absent)?) {
            Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {
                read(open(&self.followed(path).ok_or_else(absent)?)?)
            }
            file => read(file?),
        }
    }

    /// A file's text without the blanks around it; else why there is none, in words.
    pub fn read(&self, path: &str) -> Result<String, String> {
        // Lossy: some files (the device tree's) end in a NUL or hold bytes of no text.
        match self.bytes(path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).trim_matches(['\0', ' ', '\n', '\t']).to_owned()),
            Err(error) => Err(match error.kind() {
                ErrorKind::NotFound => format!("no {path}"),
                ErrorKind::PermissionDenied => format!("{path} may not be read"),
                _ => format!("{path}: {error}"),
            }),
        }
    }

    pub fn exists(&self, path: &str) -> bool {
        self.followed(path).is_some_and(|path| path.exists())
    }

    /// The names in a folder, sorted; none where it cannot be read.
    pub fn names(&self, path: &str) -> Vec<String> {
        let folder =
            if self.are_real() { Some(path.into()) } else { self.below(path).and_then(|path| self.folder(path)) };
        let Some(entries) = folder.and_then(|folder| fs::read_dir(folder).ok()) else { return Vec::new() };
        let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    /// The numbers of the entries that are the word and a number, such as `cpu12`, ascending.
    pub fn numbered(&self, path: &str, word: &str) -> Vec<u32> {
        let number = |name: String| {
            let digits = name.strip_prefix(word)?;
            // `cpu007` and `cpu+7` name no PU.
            digits.parse::<u32>().ok().filter(|number| number.to_string() == digits)
        };
        let mut numbers: Vec<u32> = self.names(path).into_iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The PUs that a file lists; none where it is empty, `None` where it cannot be read.
    pub fn pus(&self, path: &str) -> Option<Vec<u32>> {
        self.list(path).ok().flatten()
    }

    /// As `pus`, but a file that is there and tells no list is told apart from none, with the reason.
    pub fn list(&self, path: &str) -> Result<Option<Vec<u32>>, String> {
        let text = match self.bytes(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            _ => self.read(path)?,
        };
        if text.is_empty() {
            return Ok(Some(Vec::new()));
        }
        match text.parse::<PuList>() {
            Ok(list) => Ok(Some(list.pus().to_vec())),
            Err(_) => Err(format!("{path}: `{}` is no list of PUs", short(&text.escape_debug().to_string()))),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A small tree in a folder of its own that goes with it.
    pub(crate) struct Tree(PathBuf);

    impl Tree {
        pub(crate) fn new(files: &[(&str, &str)]) -> Self {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let tree = Tree(std::env::temp_dir().join(format!("hitm-machine-{}-{number}", std::process::id())));
            for (path, text) in files {
                let path = tree.0.join(path.trim_start_matches('/'));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            tree
        }

        pub(crate) fn files(&self) -> Files {
            Files::copy(&self.0, false)
        }

        pub(crate) fn link(&self, path: &str, to: &str) {
            std::os::unix::fs::symlink(to, self.0.join(path)).unwrap();
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn lists_and_absences_are_told_apart() {
        let tree = Tree::new(&[("/sys/a", "0,2-4\n"), ("/sys/empty", "\n"), ("/sys/odd", "none\n")]);
        let files = tree.files();
        assert_eq!(files.pus("/sys/a"), Some(vec![0, 2, 3, 4]));
        assert_eq!(files.pus("/sys/empty"), Some(vec![]));
        assert_eq!(files.pus("/sys/odd"), None);
        assert_eq!(files.pus("/sys/none"), None);
        assert_eq!(files.read("/sys/none").unwrap_err(), "no /sys/none");
        assert!(!files.are_real());
    }

    #[test]
    fn links_lead_nowhere_outside_the_copy() {
        let tree = Tree::new(&[("/sys/firmware/base/model", "POWER"), ("/proc/1/cgroup", "0::/"), ("/sys/x/y", "7")]);
        tree.link("proc/self", "1");
        tree.link("proc/device-tree", "/sys/firmware/base");
        tree.link("sys/up", "../../../../../../../etc");
        tree.link("sys/passwd", "/etc/passwd");
        tree.link("sys/same", "../sys/x/../x");
        tree.link("sys/circle", "circle");
        let files = tree.files();
        assert_eq!(files.read("/proc/self/cgroup").unwrap(), "0::/");
        assert_eq!(files.read("/proc/device-tree/model").unwrap(), "POWER");
        assert_eq!(files.read("/sys/same/y").unwrap(), "7");
        for path in ["/sys/up/passwd", "/sys/passwd", "/sys/circle", "/sys/circle/y", "/sys/../../../../etc/passwd"] {
            assert!(files.read(path).is_err() && !files.exists(path), "{path}");
        }
        let only = Files::copy(tree.0.join("sys"), true);
        assert_eq!(only.read("/sys/x/y").unwrap(), "7");
        assert!(only.read("/proc/1/cgroup").is_err() && only.read("/sys/passwd").is_err());
    }

    #[test]
    fn only_plain_numbers_are_numbers() {
        let tree = Tree::new(&[
            ("/d/cpu10/a", ""),
            ("/d/cpu2/a", ""),
            ("/d/cpufreq/a", ""),
            ("/d/cpu+1", ""),
            ("/d/cpu01", ""),
        ]);
        assert_eq!(tree.files().numbered("/d", "cpu"), [2, 10]);
    }
}
