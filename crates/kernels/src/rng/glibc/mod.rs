//! glibc's `lrand48` in each of its places.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod own;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod process;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod seeds;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use super::choice::no_jump;
use super::choice::{StatePlace, Task};
use super::place::Seeding;
use crate::contract::Kernel;
use crate::registry::Refusal;

/// The generator's name.
pub(super) const NAME: &str = "glibc-lrand48";

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn kernel(_place: StatePlace, _seeding: Seeding, _task: impl Task) -> Result<Box<dyn Kernel>, Refusal> {
    Err(Refusal {
        parameter: "generator",
        why: format!("{NAME} is in glibc and this program is not linked with it"),
        cure: "give rand48, which draws the same numbers".to_owned(),
    })
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn kernel(place: StatePlace, seeding: Seeding, task: impl Task) -> Result<Box<dyn Kernel>, Refusal> {
    if seeding == Seeding::Jump {
        let why = format!("{NAME} is seeded as programs seed it, by 32 bits, and they cannot jump");
        return Err(no_jump(why, "the generator rand48, which draws the same numbers"));
    }
    Ok(match place {
        StatePlace::SharedRacy => task.kernel::<process::Racy>(seeding),
        StatePlace::SharedAtomic => {
            return Err(Refusal {
                parameter: "state",
                why: format!("{NAME} keeps its state inside glibc, which has no atomic step"),
                cure: "give mutex, or the generator rand48, which draws the same numbers".to_owned(),
            });
        }
        StatePlace::Mutex => task.kernel::<process::Locked>(seeding),
        StatePlace::Packed => task.kernel::<own::Array<false>>(seeding),
        StatePlace::Padded => task.kernel::<own::Array<true>>(seeding),
        StatePlace::ThreadLocal => task.kernel::<own::Local>(seeding),
    })
}
