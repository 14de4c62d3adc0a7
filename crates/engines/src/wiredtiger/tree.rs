//! A WiredTiger table of so many rows, loaded once and shared by all trials that ask for as many.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hitm_kernels::rng::lookup::{Reader, Table};

use super::ffi;
use crate::folder::Folder;

/// Readers there can be at once.
const SESSIONS: u32 = 4096;

/// A loaded table in a folder of its own, both gone when it is dropped.
#[derive(Debug)]
pub struct Tree {
    // Closed before its folder goes.
    database: ffi::Database,
    rows: u64,
    _folder: Folder,
}

impl Tree {
    /// Opens and loads one, or gives the one of as many rows that is in use.
    ///
    /// # Errors
    /// Why there is no folder, no database in it, or not all rows.
    pub fn shared(rows: u64) -> Result<Arc<Tree>, String> {
        static IN_USE: Mutex<Option<HashMap<u64, Weak<Tree>>>> = Mutex::new(None);
        // Held while one loads: who comes meanwhile waits for that.
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        let in_use = in_use.get_or_insert_default();
        if let Some(tree) = in_use.get(&rows).and_then(Weak::upgrade) {
            return Ok(tree);
        }
        let tree = Arc::new(Tree::load(rows)?);
        in_use.insert(rows, Arc::downgrade(&tree));
        Ok(tree)
    }

    fn load(rows: u64) -> Result<Tree, String> {
        let folder = Folder::new("wiredtiger")?;
        let database = ffi::Database::open(folder.path(), rows, cache_mib(rows), SESSIONS)
            .map_err(|why| folder.told("WiredTiger", &why))?;
        Ok(Tree { database, rows, _folder: folder })
    }
}

/// A cache that holds all rows, and what WiredTiger keeps free of it: wtperf's small-btree has 500 MB for 500,000 rows.
fn cache_mib(rows: u64) -> u32 {
    u32::try_from(rows.saturating_mul(1000) / 1_000_000).unwrap_or(u32::MAX).clamp(64, 1 << 20)
}

impl Table for Tree {
    type Reader<'a> = Session<'a>;

    fn rows(&self) -> u64 {
        self.rows
    }

    fn reader(&self) -> Result<Session<'_>, String> {
        ffi::Reader::open(&self.database).map(Session)
    }
}

/// A worker's session and cursor.
#[derive(Debug)]
pub struct Session<'a>(ffi::Reader<'a>);

impl Reader for Session<'_> {
    #[inline]
    fn read(&mut self, row: u64) -> Result<u64, String> {
        let found = self.0.read(row).map_err(|why| format!("row {row}: {why}"))?;
        if found == row { Ok(found) } else { Err(format!("in the place of row {row} is row {found}")) }
    }
}
