//! What all shims take and give: a path, and room for why something failed.

use std::ffi::{CStr, CString, c_char};
use std::path::Path;

/// A path as C takes it.
pub(crate) fn c_path(path: &Path) -> Result<CString, String> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| "the folder's name has a zero byte in it".to_owned())
}

/// Written by a shim where it fails, ended by a zero.
#[derive(Debug)]
pub(crate) struct Why([c_char; Why::ROOM]);

impl Why {
    const ROOM: usize = 256;

    pub(crate) fn new() -> Self {
        Why([0; Why::ROOM])
    }

    /// Where to write, and how many bytes there are.
    pub(crate) fn place(&mut self) -> (*mut c_char, usize) {
        (self.0.as_mut_ptr(), Why::ROOM)
    }

    /// What was written last.
    pub(crate) fn text(&self) -> String {
        let bytes = self.0.map(|byte| byte as u8);
        match CStr::from_bytes_until_nul(&bytes) {
            Ok(text) if !text.is_empty() => text.to_string_lossy().into_owned(),
            _ => "the engine does not say why".to_owned(),
        }
    }
}
