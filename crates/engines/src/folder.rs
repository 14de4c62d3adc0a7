//! Folders for engines' files, which go away with who made them, however that ends.
//!
//! Each lies under the system's folder for temporary files (`TMPDIR`), and its maker holds a lock on a file in it. When the maker is
//! killed, the kernel takes the lock away, and the next engine that opens removes the folder.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};

/// What the names of all of them begin with.
const PREFIX: &str = "hitm-engine-";
/// What names begin with until the lock is held: nobody removes such.
const UNFINISHED: &str = "hitm-new-";
const LOCK: &str = "LOCKED-WHILE-IN-USE";
/// The engine's own part of it.
const FILES: &str = "files";

/// A folder of this process's own, removed with all in it when it is dropped.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    files: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes one, for the files of that engine, and removes those whose makers have died.
    ///
    /// # Errors
    /// Why there is none, with what cures it.
    pub fn new(engine: &str) -> Result<Folder, String> {
        let under = env::temp_dir();
        remove_orphans(&under);
        Folder::make(&under, engine).map_err(|error| cannot_write(&under, &error))
    }

    fn make(under: &Path, engine: &str) -> io::Result<Folder> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let name = format!("{engine}-{}-{}-{now:x}", process::id(), MADE.fetch_add(1, Relaxed));
        let unfinished = under.join(format!("{UNFINISHED}{name}"));
        // Never one that is there: `create` fails on it.
        fs::DirBuilder::new().mode(0o700).create(&unfinished)?;
        let root = under.join(format!("{PREFIX}{name}"));
        let made = (|| {
            let lock = OpenOptions::new().write(true).create_new(true).open(unfinished.join(LOCK))?;
            flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
            fs::create_dir(unfinished.join(FILES))?;
            fs::rename(&unfinished, &root)?;
            Ok(Folder { files: root.join(FILES), root: root.clone(), _lock: lock })
        })();
        if made.is_err() {
            let _ = fs::remove_dir_all(&unfinished);
        }
        made
    }

    /// Where the engine's files go: an empty folder.
    pub fn path(&self) -> &Path {
        &self.files
    }

    /// Why an engine could not use it, with what cures it.
    pub fn told(&self, engine: &str, why: &str) -> String {
        let full = why.contains("No space left") || why.contains("ENOSPC");
        let cure = match full {
            true => "make room there, or set TMPDIR to a folder on a disk with room",
            false => "see that it can be written, or set TMPDIR to another folder",
        };
        format!("{engine} cannot open a database in {}: {why}; {cure}", self.root.display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed now is removed when the next one is made.
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn cannot_write(under: &Path, error: &io::Error) -> String {
    let cure = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room there, or set TMPDIR to a folder on a disk with room"
        }
        _ => "set TMPDIR to a folder that can be written",
    };
    format!("no folder for an engine's files can be made under {}: {error}; {cure}", under.display())
}

/// Removes the folders whose makers hold no lock any more. Only our own, and nothing that a link leads to.
fn remove_orphans(under: &Path) {
    let Ok(entries) = fs::read_dir(under) else { return };
    let own = rustix::process::geteuid().as_raw();
    for entry in entries.flatten() {
        let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        // Of a link this is the link's own.
        let is_own_folder = || entry.metadata().is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == own);
        if named && is_own_folder() && is_orphan(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_orphan(folder: &Path) -> bool {
    match File::open(folder.join(LOCK)) {
        Ok(lock) => flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok(),
        // One that is being removed has lost it already.
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(under: &Path) -> usize {
        fs::read_dir(under).unwrap().count()
    }

    #[test]
    fn a_folder_goes_with_its_owner() {
        let under = tempfile::tempdir().unwrap();
        let folder = Folder::make(under.path(), "a").unwrap();
        fs::write(folder.path().join("x"), "x").unwrap();
        let other = Folder::make(under.path(), "a").unwrap();
        assert_ne!(folder.path(), other.path());
        remove_orphans(under.path());
        assert!(folder.path().join("x").exists() && other.path().exists(), "those in use stay");
        drop(folder);
        assert_eq!(names(under.path()), 1);
        drop(other);
        assert_eq!(names(under.path()), 0);
    }

    /// A lock that nobody holds is that of a process that was killed.
    #[test]
    fn orphans_are_removed_and_nothing_else() {
        let under = tempfile::tempdir().unwrap();
        let orphan = under.path().join(format!("{PREFIX}rocksdb-1-0-0"));
        fs::create_dir_all(orphan.join(FILES)).unwrap();
        fs::write(orphan.join(LOCK), "").unwrap();
        fs::create_dir(under.path().join(format!("{PREFIX}half-removed"))).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join(LOCK), "").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), under.path().join(format!("{PREFIX}link"))).unwrap();
        fs::create_dir(under.path().join("somebody's")).unwrap();
        fs::create_dir(under.path().join(format!("{UNFINISHED}x"))).unwrap();
        fs::write(under.path().join(format!("{PREFIX}file")), "").unwrap();
        remove_orphans(under.path());
        assert!(!orphan.exists());
        assert_eq!(names(under.path()), 4);
        assert!(elsewhere.path().join(LOCK).exists());
    }

    #[test]
    fn where_none_can_be_made_is_told_with_its_cure() {
        let nowhere = Path::new("/nowhere/at/all");
        let error = Folder::make(nowhere, "a").unwrap_err();
        let told = cannot_write(nowhere, &error);
        assert!(told.contains("/nowhere/at/all") && told.contains("TMPDIR"), "{told}");
        let full = cannot_write(nowhere, &io::Error::from(io::ErrorKind::StorageFull));
        assert!(full.contains("make room"), "{full}");
    }
}
