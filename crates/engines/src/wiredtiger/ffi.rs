//! The shim's functions, safe to call. `shim.h` has what each does.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::path::Path;
use std::ptr::NonNull;

use crate::why::{Why, c_path};

mod shim {
    use std::ffi::{c_char, c_int};

    #[repr(C)]
    pub struct Database {
        _opaque: [u8; 0],
    }

    #[repr(C)]
    pub struct Reader {
        _opaque: [u8; 0],
    }

    #[rustfmt::skip]
    unsafe extern "C" {
        pub fn hitm_wiredtiger_open(folder: *const c_char, rows: u64, cache_mib: u32, sessions: u32, why: *mut c_char, room: usize) -> *mut Database;
        pub fn hitm_wiredtiger_close(database: *mut Database);
        pub fn hitm_wiredtiger_open_reader(database: *mut Database, why: *mut c_char, room: usize) -> *mut Reader;
        pub fn hitm_wiredtiger_close_reader(reader: *mut Reader);
        pub fn hitm_wiredtiger_read(reader: *mut Reader, row: u64, value: *mut u64, why: *mut c_char, room: usize) -> c_int;
    }
}

/// An open database with its rows.
#[derive(Debug)]
pub(super) struct Database(NonNull<shim::Database>);

// SAFETY: WiredTiger's connection handles "may be used by multiple threads" (wiredtiger.h, "Multithreading"); only sessions and
// cursors are one thread's.
unsafe impl Send for Database {}
// SAFETY: as above.
unsafe impl Sync for Database {}

impl Database {
    /// Opens a new one in an empty folder and loads it.
    pub(super) fn open(folder: &Path, rows: u64, cache_mib: u32, sessions: u32) -> Result<Database, String> {
        let folder = c_path(folder)?;
        let mut why = Why::new();
        let (text, room) = why.place();
        // SAFETY: `folder` ends with a zero, and `text` has the room that is told.
        let opened = unsafe { shim::hitm_wiredtiger_open(folder.as_ptr(), rows, cache_mib, sessions, text, room) };
        NonNull::new(opened).map(Database).ok_or_else(|| why.text())
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: it is open, and readers borrow it, so that none is left.
        unsafe { shim::hitm_wiredtiger_close(self.0.as_ptr()) };
    }
}

/// One worker's session and cursor. Not for two threads at once, so neither `Send` nor `Sync`.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    of: NonNull<shim::Reader>,
    why: Why,
    database: PhantomData<&'a Database>,
}

impl<'a> Reader<'a> {
    pub(super) fn open(database: &'a Database) -> Result<Self, String> {
        let mut why = Why::new();
        let (text, room) = why.place();
        // SAFETY: the database is open as long as `database` lives, which is longer than this; `text` has the room that is told.
        let opened = unsafe { shim::hitm_wiredtiger_open_reader(database.0.as_ptr(), text, room) };
        let of = NonNull::new(opened).ok_or_else(|| why.text())?;
        Ok(Reader { of, why, database: PhantomData })
    }

    /// The number in the row's value.
    #[inline]
    pub(super) fn read(&mut self, row: u64) -> Result<u64, String> {
        let mut value = 0;
        let (text, room) = self.why.place();
        // SAFETY: the reader is this thread's and not closed; `value` and `text` outlive the call.
        let error = unsafe { shim::hitm_wiredtiger_read(self.of.as_ptr(), row, &mut value, text, room) };
        if error == 0 { Ok(value) } else { Err(self.why.text()) }
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        // SAFETY: it was not closed before, and its database is open.
        unsafe { shim::hitm_wiredtiger_close_reader(self.of.as_ptr()) };
    }
}
