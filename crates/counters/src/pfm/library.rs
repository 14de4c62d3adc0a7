//! `libpfm.so.4`. Facts of its interface are those of libpfm4's `perfmon/pfmlib.h` and `pfmlib_perf_event.h` (MIT).

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;

use libloading::Library;
use perf_event_open_sys::bindings::perf_event_attr;

use super::Error;
use crate::code::Code;

const NAME: &str = "libpfm.so.4";
/// `PFM_SUCCESS`, `PFM_ERR_NOTSUPP`, `PFM_ERR_NOTFOUND`.
const SUCCESS: c_int = 0;
const NOT_SUPPORTED: c_int = -1;
const NOT_FOUND: c_int = -4;
/// `PFM_PLM3`: user mode.
const USER_MODE: c_int = 0x8;
/// `PFM_OS_PERF_EVENT`: fill a `perf_event_attr`.
const PERF_EVENT: c_int = 1;

/// `pfm_perf_encode_arg_t`.
#[repr(C)]
struct Argument {
    attr: *mut Room,
    full_name: *mut *mut c_char,
    size: usize,
    index: c_int,
    cpu: c_int,
    flags: c_int,
    padding: c_int,
}

/// The attributes, with room for fields that a newer libpfm may know.
#[repr(C)]
struct Room {
    attr: perf_event_attr,
    more: [u64; 32],
}

type Initialize = unsafe extern "C" fn() -> c_int;
type Encode = unsafe extern "C" fn(*const c_char, c_int, c_int, *mut c_void) -> c_int;
type Describe = unsafe extern "C" fn(c_int) -> *const c_char;

struct Pfm {
    encode: Encode,
    describe: Describe,
    /// Kept open: the functions are in it.
    _library: Library,
}

/// The library, opened and initialised once.
fn pfm() -> &'static Result<Pfm, String> {
    static PFM: OnceLock<Result<Pfm, String>> = OnceLock::new();
    PFM.get_or_init(|| {
        // SAFETY: libpfm has no constructors that depend on this process (libloading asks for that much).
        let library = unsafe { Library::new(NAME) }.map_err(|error| error.to_string())?;
        let missing = |error: libloading::Error| error.to_string();
        // SAFETY: the type is the function's in pfmlib.h.
        let initialize = *unsafe { library.get::<Initialize>(b"pfm_initialize\0") }.map_err(missing)?;
        // SAFETY: the type is the function's in pfmlib.h.
        let encode = *unsafe { library.get::<Encode>(b"pfm_get_os_event_encoding\0") }.map_err(missing)?;
        // SAFETY: the type is the function's in pfmlib.h.
        let describe = *unsafe { library.get::<Describe>(b"pfm_strerror\0") }.map_err(missing)?;
        let pfm = Pfm { encode, describe, _library: library };
        // SAFETY: it takes nothing, and is called once, here.
        match unsafe { initialize() } {
            SUCCESS => Ok(pfm),
            error => Err(pfm.describe(error)),
        }
    })
}

impl Pfm {
    fn describe(&self, error: c_int) -> String {
        // SAFETY: it takes any number.
        let text = unsafe { (self.describe)(error) };
        if text.is_null() {
            return format!("error {error}");
        }
        // SAFETY: it is a constant text of the library, which stays open.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_string_lossy().into_owned()
    }
}

/// The code behind a name such as `skx::MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM`, its PMU named `libpfm`.
pub(crate) fn encode(name: &str) -> Result<Code, Error> {
    let pfm = pfm().as_ref().map_err(|why| Error::NoLibrary(why.clone()))?;
    let c_name = CString::new(name).map_err(|_| Error::Refused("it holds a zero byte".to_owned()))?;
    let mut room = Room { attr: perf_event_attr::default(), more: [0; 32] };
    room.attr.size = size_of::<perf_event_attr>() as u32;
    let mut argument = Argument {
        attr: &raw mut room,
        full_name: std::ptr::null_mut(),
        size: size_of::<Argument>(),
        index: 0,
        cpu: -1,
        flags: 0,
        padding: 0,
    };
    let to_fill = (&raw mut argument).cast();
    // SAFETY: the name ends with a zero; the argument has the size that it tells, and its attributes have room for any version's.
    let error = unsafe { (pfm.encode)(c_name.as_ptr(), USER_MODE, PERF_EVENT, to_fill) };
    let attr = &room.attr;
    let asks_more = attr.exclude_user() | attr.precise_ip() | attr.pinned() | attr.exclusive() != 0;
    match error {
        SUCCESS if asks_more => Err(Error::Refused("it asks for more than a count in user mode".to_owned())),
        SUCCESS => Ok(Code {
            pmu: "libpfm".to_owned(),
            pmu_type: room.attr.type_,
            config: room.attr.config,
            // SAFETY: all fields of this union are integers of 64 bits, zeroed above.
            config1: unsafe { room.attr.__bindgen_anon_3.config1 },
            // SAFETY: all fields of this union are integers of 64 bits, zeroed above.
            config2: unsafe { room.attr.__bindgen_anon_4.config2 },
            counters: None,
            native: name.to_owned(),
        }),
        NOT_SUPPORTED | NOT_FOUND => Err(Error::NotHere(pfm.describe(error))),
        error => Err(Error::Refused(pfm.describe(error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_own_events_have_their_codes_where_libpfm_is_installed() {
        match encode("perf::PERF_COUNT_SW_CONTEXT_SWITCHES") {
            Ok(code) => assert_eq!((code.pmu_type, code.config), (1, 3)),
            Err(why) => assert!(matches!(why, Error::NoLibrary(_)), "{why:?}"),
        }
    }

    #[test]
    fn names_that_it_refuses_are_told() {
        for name in
            ["perf::NO_SUCH_EVENT", "nopmu::EVENT", "perf::PERF_COUNT_SW_CONTEXT_SWITCHES:NO_SUCH_MASK", "a\0b", ""]
        {
            assert!(encode(name).is_err(), "{name}");
        }
    }
}
