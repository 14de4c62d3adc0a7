//! What libc's sysconf tells.

/// The size of a page in bytes.
pub(crate) fn page_bytes() -> u64 {
    positive(libc::_SC_PAGESIZE).unwrap_or(4096)
}

/// The size of a line of the level 1 data cache in bytes; `None` where libc does not tell (it says 0 on many machines).
pub(crate) fn line_bytes() -> Option<u64> {
    #[cfg(any(target_env = "gnu", target_env = ""))]
    return positive(libc::_SC_LEVEL1_DCACHE_LINESIZE);
    #[cfg(not(any(target_env = "gnu", target_env = "")))]
    None
}

fn positive(name: libc::c_int) -> Option<u64> {
    // SAFETY: sysconf(3) takes any number and only returns one, −1 for a name that it does not know.
    let value = unsafe { libc::sysconf(name) };
    u64::try_from(value).ok().filter(|value| *value > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_a_power_of_two() {
        assert!(page_bytes().is_power_of_two() && page_bytes() >= 4096);
        assert!(line_bytes() != Some(0));
        assert_eq!(positive(-7), None);
    }
}
