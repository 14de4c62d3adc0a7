//! One writer a folder: a file that names the process, taken over when that process is gone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{LOCK, RunError};

/// Held for an instant by the process that removes the lock of one that is gone.
const TAKEOVER: &str = "lock.takeover";

/// A process that holds a folder. The start time tells it from a later process with the same id; where `/proc` is not there, all but
/// the id is empty and nobody is ever taken for gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    /// Clock ticks from boot to its start (field 22 of `/proc/PID/stat`).
    start_ticks: Option<u64>,
    boot_id: String,
    host: String,
    /// The PID namespace: in another one, ids mean other processes.
    pid_namespace: String,
}

impl Holder {
    fn this() -> Holder {
        let read = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
        let pid = std::process::id();
        Holder {
            pid,
            start_ticks: process(pid).and_then(|(_, start)| start),
            boot_id: read("/proc/sys/kernel/random/boot_id"),
            host: read("/proc/sys/kernel/hostname"),
            pid_namespace: namespace(),
        }
    }

    /// Whether it is certain that this process is no more.
    fn is_gone(&self, now: &Holder) -> bool {
        if now.boot_id.is_empty() || self.boot_id.is_empty() || self.host != now.host {
            return false;
        }
        if self.boot_id != now.boot_id {
            return true;
        }
        if self.pid_namespace != now.pid_namespace {
            return false;
        }
        match process(self.pid) {
            None => true,
            // A zombie has stopped for good, whoever has not asked for its end yet.
            Some((state, start)) => matches!(state, 'Z' | 'X') || start != self.start_ticks,
        }
    }
}

fn namespace() -> String {
    fs::read_link("/proc/self/ns/pid").map(|link| link.display().to_string()).unwrap_or_default()
}

/// State and start time of a process, from `/proc/PID/stat`; `None` when there is no such process.
fn process(pid: u32) -> Option<(char, Option<u64>)> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(text: &str) -> Option<(char, Option<u64>)> {
    // The second field is the command in parentheses, which may hold spaces and parentheses itself.
    let rest = &text[text.rfind(')')? + 1..];
    let mut fields = rest.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18).and_then(|start| start.parse().ok())))
}

/// Holds a folder until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    content: Vec<u8>,
}

impl Lock {
    /// Takes the folder, also from a process that is gone.
    pub fn take(folder: &Path) -> Result<Lock, RunError> {
        let path = folder.join(LOCK);
        let this = Holder::this();
        let content =
            serde_json::to_vec(&this).map_err(|error| RunError::io(&path, "name the process", &error.into()))?;
        // A process that takes over at the same time may come first; then there is a new holder to be looked at.
        for _ in 0..100 {
            match place(folder, &path, &content) {
                Ok(()) => return Ok(Lock { path, content }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(RunError::io(folder, "write in the run's folder", &error)),
            }
            let Some(there) = read(&path)? else { continue };
            let cure = format!("if no process writes there, remove {}", path.display());
            let holder: Holder = serde_json::from_slice(&there).map_err(|_| {
                RunError::new(folder, "another process holds this run, and its lock does not say which", cure.as_str())
            })?;
            if !holder.is_gone(&this) {
                let host = if holder.host == this.host { String::new() } else { format!(" on {}", holder.host) };
                let cure = format!("wait for it or choose another --out; {cure}");
                return Err(RunError::new(
                    folder,
                    format!("process {}{host} is writing in this run", holder.pid),
                    cure,
                ));
            }
            take_away(folder, &path, &there)?;
        }
        let cure =
            format!("choose another --out; if no process writes there, remove {}", folder.join(TAKEOVER).display());
        Err(RunError::new(folder, "another process is taking this run over", cure))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if matches!(read(&self.path), Ok(Some(there)) if there == self.content) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, RunError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RunError::io(path, "read the lock", &error)),
    }
}

/// Makes the lock with its content at once, so that a kill leaves no lock without a name in it.
fn place(folder: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let draft = unique(folder, "draft");
    fs::write(&draft, content)?;
    let linked = fs::hard_link(&draft, path);
    let _ = fs::remove_file(&draft);
    match linked {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without hard links: two steps then.
        Err(_) => {
            let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
            io::Write::write_all(&mut file, content)
        }
    }
}

/// Removes the lock of a process that is gone, if it is still the one seen. Of several that saw it only one may, so that none
/// removes the lock which another has just made; that one is told by a second file, here for an instant.
fn take_away(folder: &Path, path: &Path, seen: &[u8]) -> Result<(), RunError> {
    let guard = folder.join(TAKEOVER);
    match fs::OpenOptions::new().write(true).create_new(true).open(&guard) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::thread::sleep(Duration::from_millis(5));
            return Ok(());
        }
        Err(error) => return Err(RunError::io(&guard, "take over the lock of a process that is gone", &error)),
    }
    let removed = match read(path) {
        Ok(Some(there)) if there == seen => fs::remove_file(path)
            .map_err(|error| RunError::io(path, "remove the lock of a process that is gone", &error)),
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    };
    let _ = fs::remove_file(&guard);
    removed
}

fn unique(folder: &Path, what: &str) -> PathBuf {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{LOCK}.{what}.{}.{number}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_parentheses_is_no_trouble() {
        let fields = (4..=21).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        let text = format!("17 (a) b (c)) S {fields} 98765 23 24");
        assert_eq!(parse_stat(&text), Some(('S', Some(98_765))));
        assert_eq!(parse_stat("garbage"), None);
    }

    #[test]
    fn who_is_gone_is_told_by_start_time_and_boot() {
        let this = Holder::this();
        assert!(!this.is_gone(&this));
        if this.boot_id.is_empty() {
            return;
        }
        let earlier = Holder { start_ticks: this.start_ticks.map(|ticks| ticks - 1), ..this.clone() };
        assert!(earlier.is_gone(&this));
        let booted = Holder { boot_id: "before".into(), ..this.clone() };
        assert!(booted.is_gone(&this));
        let elsewhere = Holder { host: "elsewhere".into(), boot_id: "other".into(), ..this.clone() };
        assert!(!elsewhere.is_gone(&this));
        let contained = Holder { pid_namespace: "pid:[1]".into(), start_ticks: Some(0), ..this.clone() };
        assert!(!contained.is_gone(&this));
    }
}
