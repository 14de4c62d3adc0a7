//! A file that is written beside its place, and put there whole.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, FlockOperation, flock, linkat};
use tempfile::NamedTempFile;

const PREFIX: &str = ".keys-";
const SUFFIX: &str = ".part";

/// Nobody has written for so long to what is taken away as left behind, besides that nobody holds it.
const LEFT: Duration = Duration::from_secs(3600);

/// A file beside a place. Nothing is left of one that is dropped.
#[derive(Debug)]
pub(super) enum Beside {
    /// Without a name: nothing is left of it either when the process is killed.
    Unnamed(File, PathBuf),
    /// Where the file system has no files without a name. It is held by a lock, and the next one that is made beside it takes away what a
    /// killed process left.
    Named(NamedTempFile),
}

impl Beside {
    /// Begins one in a folder.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        sweep(folder);
        Beside::unnamed(folder).map_or_else(|| Beside::named(folder), Ok)
    }

    #[cfg(target_os = "linux")]
    fn unnamed(folder: &Path) -> Option<Self> {
        use std::os::fd::AsRawFd;

        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
        // By which it gets its name in the end: without privileges there is no other way.
        let name = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        name.exists().then_some(Beside::Unnamed(file, name))
    }

    #[cfg(not(target_os = "linux"))]
    fn unnamed(_: &Path) -> Option<Self> {
        None
    }

    fn named(folder: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        use std::os::unix::fs::PermissionsExt;
        // What is not for all is taken away by the umask.
        builder.permissions(fs::Permissions::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        // Where there are no locks either, its time alone protects it.
        let _ = flock(file.as_file(), FlockOperation::NonBlockingLockExclusive);
        Ok(Beside::Named(file))
    }

    pub(super) fn file(&mut self) -> &mut File {
        match self {
            Beside::Unnamed(file, _) => file,
            Beside::Named(file) => file.as_file_mut(),
        }
    }

    /// Puts it in its place, over a file that is there.
    ///
    /// # Errors
    /// When that cannot be.
    pub(super) fn put(self, path: &Path) -> io::Result<()> {
        let named = match self {
            Beside::Named(file) => return file.persist(path).map(drop).map_err(|error| error.error),
            Beside::Unnamed(file, name) => {
                let link =
                    |path: &Path| -> io::Result<()> { Ok(linkat(CWD, &name, CWD, path, AtFlags::SYMLINK_FOLLOW)?) };
                match link(path) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    done => return done,
                }
                // A name takes another's place only by renaming.
                let linked = tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).make_in(folder(path), link)?;
                drop(file);
                linked
            }
        };
        named.persist(path).map(drop).map_err(|error| error.error)
    }
}

/// The folder that a place is in.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Takes away what killed processes left in a folder. What cannot be is no fault of whoever writes there now.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        if ours && entry.file_type().is_ok_and(|kind| kind.is_file()) && is_left(&entry.path()).unwrap_or(false) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether nobody writes to a file any more.
fn is_left(path: &Path) -> io::Result<bool> {
    let file = File::open(path)?;
    let age = SystemTime::now().duration_since(file.metadata()?.modified()?).unwrap_or_default();
    Ok(age > LEFT && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn there(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn it_is_put_over_what_is_there_or_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.keys");
        let kinds: [fn(&Path) -> Option<Beside>; 2] = [Beside::unnamed, |folder| Beside::named(folder).ok()];
        for make in kinds {
            for text in ["first", "second"] {
                // Not every file system has files without a name.
                let Some(mut file) = make(folder.path()) else { continue };
                file.file().write_all(text.as_bytes()).unwrap();
                file.put(&path).unwrap();
                assert_eq!(
                    (fs::read_to_string(&path).unwrap().as_str(), there(folder.path())),
                    (text, vec!["t.keys".to_owned()])
                );
            }
            drop(make(folder.path()));
            assert_eq!(there(folder.path()), ["t.keys"]);
            fs::remove_file(&path).unwrap_or_default();
        }
    }

    /// As if the process were killed.
    #[test]
    fn nothing_is_left_of_a_file_without_a_name() {
        let folder = tempfile::tempdir().unwrap();
        if let Some(mut file) = Beside::unnamed(folder.path()) {
            file.file().write_all(b"some").unwrap();
            assert!(there(folder.path()).is_empty());
            std::mem::forget(file);
            assert!(there(folder.path()).is_empty());
        }
    }

    #[test]
    fn what_killed_processes_left_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - 2 * LEFT;
        let make = |name: &str| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(old).unwrap();
            file
        };
        for name in [".keys-left.part", "keys", ".keys-a", "a.part"] {
            make(name);
        }
        fs::create_dir(folder.path().join(".keys-folder.part")).unwrap();
        File::create(folder.path().join(".keys-new.part")).unwrap();
        let held = make(".keys-held.part");
        flock(&held, FlockOperation::NonBlockingLockExclusive).unwrap();
        drop(Beside::new(folder.path()).unwrap());
        let left = [".keys-a", ".keys-folder.part", ".keys-held.part", ".keys-new.part", "a.part", "keys"];
        assert_eq!(there(folder.path()), left);
        drop(held);
        drop(Beside::new(folder.path()).unwrap());
        assert_eq!(there(folder.path()).len(), left.len() - 1);
    }
}
