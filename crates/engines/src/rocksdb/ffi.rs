//! The shim's functions, safe to call. `shim.h` has what each does.

#![allow(unsafe_code)]

use std::ffi::c_int;
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
    pub struct Transaction {
        _opaque: [u8; 0],
    }

    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Waits {
        pub waits: u64,
        pub wake_ups: u64,
    }

    #[rustfmt::skip]
    unsafe extern "C" {
        pub fn hitm_rocksdb_open(folder: *const c_char, ranges: c_int, detect: c_int, why: *mut c_char, room: usize) -> *mut Database;
        pub fn hitm_rocksdb_close(database: *mut Database);
        pub fn hitm_rocksdb_held(database: *mut Database) -> usize;
        pub fn hitm_rocksdb_new_transaction(database: *mut Database) -> *mut Transaction;
        pub fn hitm_rocksdb_free_transaction(transaction: *mut Transaction);
        pub fn hitm_rocksdb_begin(transaction: *mut Transaction, why: *mut c_char, room: usize) -> c_int;
        pub fn hitm_rocksdb_lock_key(transaction: *mut Transaction, space: u32, key: u64, exclusive: c_int, timeout_ms: i64,
            waits: *mut Waits, why: *mut c_char, room: usize) -> c_int;
        pub fn hitm_rocksdb_lock_range(transaction: *mut Transaction, space: u32, left: u64, right: u64, timeout_ms: i64,
            waits: *mut Waits, why: *mut c_char, room: usize) -> c_int;
        pub fn hitm_rocksdb_end(transaction: *mut Transaction, why: *mut c_char, room: usize) -> c_int;
    }
}

pub(super) use shim::Waits;

/// What came of a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Granted,
    TimedOut,
    Deadlock,
    Failed(String),
}

impl Why {
    fn answer(&self, answer: c_int) -> Answer {
        match answer {
            0 => Answer::Granted,
            1 => Answer::TimedOut,
            2 => Answer::Deadlock,
            _ => Answer::Failed(self.text()),
        }
    }

    /// Of what can only be done or fail.
    fn result(&self, answer: c_int) -> Result<(), String> {
        if answer == 0 { Ok(()) } else { Err(self.text()) }
    }
}

/// An open database.
#[derive(Debug)]
pub(super) struct Database(NonNull<shim::Database>);

// SAFETY: a TransactionDB "is safe for concurrent use by multiple threads" (rocksdb/db.h: multiple threads can invoke all methods
// without external synchronization), and the shim's own fields do not change once it is open.
unsafe impl Send for Database {}
// SAFETY: as above.
unsafe impl Sync for Database {}

impl Database {
    /// Opens a new one in an empty folder.
    pub(super) fn open(folder: &Path, ranges: bool, detect: bool) -> Result<Database, String> {
        let folder = c_path(folder)?;
        let mut why = Why::new();
        let (text, room) = why.place();
        // SAFETY: `folder` ends with a zero, and `text` has the room that is told.
        let opened = unsafe { shim::hitm_rocksdb_open(folder.as_ptr(), ranges.into(), detect.into(), text, room) };
        NonNull::new(opened).map(Database).ok_or_else(|| why.text())
    }

    /// How many locks are held by all; `None` where it cannot be told.
    pub(super) fn held(&self) -> Option<usize> {
        // SAFETY: the database is open as long as `self` lives.
        let held = unsafe { shim::hitm_rocksdb_held(self.0.as_ptr()) };
        (held != usize::MAX).then_some(held)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: it is open, and transactions borrow it, so that none is left.
        unsafe { shim::hitm_rocksdb_close(self.0.as_ptr()) };
    }
}

/// One worker's transactions. Not for two threads at once, so neither `Send` nor `Sync`.
#[derive(Debug)]
pub(super) struct Transaction<'a> {
    of: NonNull<shim::Transaction>,
    why: Why,
    database: PhantomData<&'a Database>,
}

impl<'a> Transaction<'a> {
    pub(super) fn new(database: &'a Database) -> Result<Self, String> {
        // SAFETY: the database is open as long as `database` lives, which is longer than this.
        let made = unsafe { shim::hitm_rocksdb_new_transaction(database.0.as_ptr()) };
        let of = NonNull::new(made).ok_or_else(|| "there is no memory for a transaction".to_owned())?;
        Ok(Transaction { of, why: Why::new(), database: PhantomData })
    }

    /// Begins; what was begun before must have ended.
    pub(super) fn begin(&mut self) -> Result<(), String> {
        let (text, room) = self.why.place();
        // SAFETY: the transaction is this thread's and not freed, and `text` has the room that is told.
        let answer = unsafe { shim::hitm_rocksdb_begin(self.of.as_ptr(), text, room) };
        self.why.result(answer)
    }

    /// Locks a key of a transaction that was begun.
    pub(super) fn lock_key(&mut self, space: u32, key: u64, exclusive: bool, timeout_ms: i64) -> (Answer, Waits) {
        let (mut waits, transaction, exclusive) = (Waits::default(), self.of.as_ptr(), exclusive.into());
        let (text, room) = self.why.place();
        // SAFETY: the transaction is this thread's, begun and not freed; `waits` and `text` outlive the call.
        let answer = unsafe {
            shim::hitm_rocksdb_lock_key(transaction, space, key, exclusive, timeout_ms, &mut waits, text, room)
        };
        (self.why.answer(answer), waits)
    }

    /// Locks a range of a transaction that was begun.
    pub(super) fn lock_range(&mut self, space: u32, left: u64, right: u64, timeout_ms: i64) -> (Answer, Waits) {
        let (mut waits, transaction) = (Waits::default(), self.of.as_ptr());
        let (text, room) = self.why.place();
        // SAFETY: the transaction is this thread's, begun and not freed; `waits` and `text` outlive the call.
        let answer = unsafe {
            shim::hitm_rocksdb_lock_range(transaction, space, left, right, timeout_ms, &mut waits, text, room)
        };
        (self.why.answer(answer), waits)
    }

    /// Ends a transaction that was begun.
    pub(super) fn end(&mut self) -> Result<(), String> {
        let (text, room) = self.why.place();
        // SAFETY: the transaction is this thread's, begun and not freed, and `text` has the room that is told.
        let answer = unsafe { shim::hitm_rocksdb_end(self.of.as_ptr(), text, room) };
        self.why.result(answer)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // SAFETY: it was not freed before, and its database is open.
        unsafe { shim::hitm_rocksdb_free_transaction(self.of.as_ptr()) };
    }
}
