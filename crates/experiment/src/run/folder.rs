//! Writing a run: one writer, the manifest whole or not at all, records as trials end.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::lines::Lines;
use super::lock::Lock;
use super::read::{self, Run};
use super::{CUT, EXPERIMENT, LOCK, MANIFEST, RECORDS, RunError};
use crate::manifest::Manifest;
use crate::record::Record;

/// The folder of a run that this process writes; nobody else does until it is dropped.
pub struct RunFolder {
    path: PathBuf,
    records: Lines<File>,
    kept: u64,
    // Dropped last: the folder is free when everything else is closed.
    _lock: Lock,
}

impl RunFolder {
    /// Takes a folder for a new run and makes it if it is not there, parents included.
    ///
    /// # Errors
    /// When it holds anything that no run wrote, holds records already, is held by another process, or cannot be written.
    pub fn create(path: &Path) -> Result<RunFolder, RunError> {
        fs::create_dir_all(path).map_err(|error| RunError::io(path, "make the run's folder", &error))?;
        refuse_foreign(path)?;
        let lock = Lock::take(path)?;
        let file = path.join(RECORDS);
        let length = fs::metadata(&file).map_or(0, |about| about.len());
        if length > 0 {
            let cure = format!("continue it with --resume {}, or choose another --out", path.display());
            return Err(RunError::new(path, "this run has records already", cure));
        }
        let records = OpenOptions::new().append(true).create(true).open(&file);
        let records = records.map_err(|error| RunError::io(&file, "make the records", &error))?;
        Ok(RunFolder { path: path.to_owned(), records: Lines::new(records, 0), kept: 0, _lock: lock })
    }

    /// Takes the folder of a run that ended or was killed, and reads it. A line that was cut in the middle is moved to `records.cut`, so
    /// that the next record begins a line.
    ///
    /// # Errors
    /// When it is held by another process, cannot be written, is no run, or lacks its experiment.
    pub fn resume(path: &Path) -> Result<(RunFolder, Run), RunError> {
        // Said before the lock: nothing is written in a folder that is no run's.
        read::is_run(path)?;
        let lock = Lock::take(path)?;
        let (run, whole) = read::read(path)?;
        if run.experiment.is_none() {
            let told = format!("{EXPERIMENT} is not there, and without it the run cannot be continued");
            return Err(RunError::new(path, told, "restore it, or take the run again"));
        }
        let file = path.join(RECORDS);
        let records = OpenOptions::new().append(true).open(&file);
        let records = records.map_err(|error| RunError::io(&file, "open the records for writing", &error))?;
        cut(path, &file, &records, whole)?;
        let kept = run.records.len() as u64;
        let folder = RunFolder { path: path.to_owned(), records: Lines::new(records, whole), kept, _lock: lock };
        Ok((folder, run))
    }

    /// Gives a folder up in which nothing was measured: takes back what [`RunFolder::create`] made, as far as that can be.
    pub fn abandon(self) {
        let path = self.path.clone();
        if self.kept == 0 {
            let _ = fs::remove_file(path.join(RECORDS));
        }
        drop(self);
        // It goes only if nothing else is in it.
        let _ = fs::remove_dir(path);
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many records it holds.
    pub fn records(&self) -> u64 {
        self.kept
    }

    /// Writes the experiment as run.
    ///
    /// # Errors
    /// When it cannot be written; what was there before stands.
    pub fn write_experiment(&self, text: &str) -> Result<(), RunError> {
        self.replace(EXPERIMENT, text.as_bytes())
    }

    /// Writes the manifest: whole, on the disk, or not at all.
    ///
    /// # Errors
    /// When it cannot be written, or holds a number that JSON cannot; what was there before stands.
    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), RunError> {
        let file = self.path.join(MANIFEST);
        let unfit = |what: String| RunError::new(&file, format!("the manifest cannot be written: {what}"), "");
        let mut text = serde_json::to_vec_pretty(manifest).map_err(|error| unfit(error.to_string()))?;
        text.push(b'\n');
        // JSON has no NaN and no infinity: serde writes null, which would not read again.
        if let Err(error) = serde_json::from_slice::<Manifest>(&text) {
            return Err(unfit(format!("it holds a number that is not finite ({error})")));
        }
        self.replace(MANIFEST, &text)
    }

    /// Appends one trial's record as one line.
    ///
    /// # Errors
    /// When it cannot be written; the records before it stand, and the next append is tried anew.
    pub fn append(&mut self, record: &Record) -> Result<(), RunError> {
        let file = self.path.join(RECORDS);
        let line = serde_json::to_vec(record)
            .map_err(|error| RunError::new(&file, format!("the record cannot be written: {error}"), ""))?;
        match self.records.append(line) {
            Ok(()) => {
                self.kept += 1;
                Ok(())
            }
            Err(failed) => {
                let RunError(mut problem) = RunError::io(&file, "write a record", &failed.error);
                let cut = if failed.mended { "" } else { ", and a cut line behind them that reading leaves out" };
                problem.message = format!("{} (kept: the {} records before it{cut})", problem.message, self.kept);
                Err(RunError(problem))
            }
        }
    }

    /// Brings the records to the disk and gives the folder back.
    ///
    /// # Errors
    /// When the disk refuses, or when the records in the folder are no longer those that were written.
    pub fn finish(mut self) -> Result<(), RunError> {
        let file = self.path.join(RECORDS);
        self.records.sync().map_err(|error| RunError::io(&file, "bring the records to the disk", &error))?;
        let (there, written) = (fs::metadata(&file).map_or(0, |about| about.len()), self.records.whole());
        if there == written {
            return Ok(());
        }
        let told =
            format!("the records have {there} bytes, and {written} were written: somebody changed them meanwhile");
        Err(RunError::new(&file, told, "take the run again, and leave its folder alone while it runs"))
    }

    fn replace(&self, name: &str, content: &[u8]) -> Result<(), RunError> {
        let file = self.path.join(name);
        let draft = self.path.join(format!("{name}.tmp"));
        let written = File::create(&draft).and_then(|mut to| {
            to.write_all(content)?;
            to.sync_all()
        });
        let placed = written.and_then(|()| fs::rename(&draft, &file));
        if let Err(error) = placed {
            let _ = fs::remove_file(&draft);
            return Err(RunError::io(&file, "write it", &error));
        }
        // The rename itself is on the disk when the folder is; some file systems cannot do that, and lose only time.
        if let Ok(folder) = File::open(&self.path) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

fn cut(path: &Path, file: &Path, records: &File, whole: u64) -> Result<(), RunError> {
    let bytes = fs::read(file).map_err(|error| RunError::io(file, "read the records", &error))?;
    let piece = bytes.get(whole as usize..).unwrap_or_default();
    if piece.is_empty() {
        return Ok(());
    }
    let aside = path.join(CUT);
    let kept = OpenOptions::new().append(true).create(true).open(&aside).and_then(|mut to| {
        to.write_all(piece)?;
        to.write_all(b"\n")?;
        to.sync_all()
    });
    kept.map_err(|error| RunError::io(&aside, "keep the cut line", &error))?;
    records.set_len(whole).map_err(|error| RunError::io(file, "cut off the line cut in the middle", &error))
}

/// Nothing is written into a folder with files that no run made.
fn refuse_foreign(path: &Path) -> Result<(), RunError> {
    let unreadable = |error| RunError::io(path, "read the folder", &error);
    let mut foreign: Option<String> = None;
    let mut is_run = false;
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        is_run |= name == MANIFEST || name == RECORDS;
        let ours = [MANIFEST, EXPERIMENT, RECORDS, CUT, LOCK]
            .iter()
            .any(|own| name == *own || name == format!("{own}.tmp") || (*own == LOCK && name.starts_with("lock.")));
        if !ours {
            foreign = foreign.min(Some(name.clone())).or(Some(name));
        }
    }
    match foreign {
        Some(name) if !is_run => {
            let told = format!("the folder is not empty, and {name} is not a run's");
            Err(RunError::new(path, told, "choose a new or empty folder with --out"))
        }
        _ => Ok(()),
    }
}
