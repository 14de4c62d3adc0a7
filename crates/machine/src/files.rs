//! What the kernel tells in /sys and /proc, below a root that tests can replace.

use std::io::ErrorKind;
use std::path::PathBuf;

use hitm_topology::PuList;

/// The file tree that the kernel's files are read from.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    root: PathBuf,
}

impl Files {
    /// This machine's own.
    pub fn this_machine() -> Self {
        Files { root: "/".into() }
    }

    /// A copy of some of it elsewhere.
    #[cfg(test)]
    pub fn under(root: impl Into<PathBuf>) -> Self {
        Files { root: root.into() }
    }

    /// Whether it is this machine's own, so that the processor itself may be asked as well.
    pub fn are_real(&self) -> bool {
        self.root.as_os_str() == "/"
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// A file's text without the blanks around it; else why there is none, in words.
    pub fn read(&self, path: &str) -> Result<String, String> {
        // Lossy: some files (the device tree's) end in a NUL or hold bytes of no text.
        match std::fs::read(self.path(path)) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).trim_matches(['\0', ' ', '\n', '\t']).to_owned()),
            Err(error) => Err(match error.kind() {
                ErrorKind::NotFound => format!("no {path}"),
                ErrorKind::PermissionDenied => format!("{path} may not be read"),
                _ => format!("{path}: {error}"),
            }),
        }
    }

    pub fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// The PUs that a file lists; none where it is empty, `None` where it cannot be read.
    pub fn pus(&self, path: &str) -> Option<Vec<u32>> {
        let text = self.read(path).ok()?;
        if text.is_empty() {
            return Some(Vec::new());
        }
        text.parse::<PuList>().ok().map(|list| list.pus().to_vec())
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
                let path = tree.files().path(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            tree
        }

        pub(crate) fn files(&self) -> Files {
            Files::under(&self.0)
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
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
}
