//! Where memory lies: the size of its pages and their NUMA nodes.

use std::collections::BTreeMap;
use std::ops::Range;

use libc::{c_int, c_long, c_ulong, c_void};

use crate::files::Files;
use crate::sysconf;

/// The pages of a stretch of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pages {
    /// The size of a page in bytes (`KernelPageSize` in /proc/self/smaps, else sysconf's). Transparent huge pages do not
    /// show in it.
    pub page_bytes: u64,
    /// How many pages lie on which NUMA node. Pages never touched lie on none; empty where the OS does not tell.
    pub pages_by_node: BTreeMap<u32, u64>,
}

/// The most pages that are asked for: 4 GiB of the smallest.
const MOST_PAGES: usize = 1 << 20;

/// The pages that the addresses of this process lie on (move_pages(2), which moves nothing when no nodes are given). `None`
/// for an empty range.
pub fn pages(addresses: Range<usize>) -> Option<Pages> {
    if addresses.is_empty() {
        return None;
    }
    let smaps = Files::this_machine().read("/proc/self/smaps").unwrap_or_default();
    let page_bytes = page_bytes_of_smaps(&smaps, &addresses).unwrap_or_else(sysconf::page_bytes);
    let step = usize::try_from(page_bytes).ok().filter(|step| step.is_power_of_two())?;

    let mut pages_by_node = BTreeMap::new();
    // By number, so that the last page of the address space has no address after it to run over.
    let (first, last) = (addresses.start / step, (addresses.end - 1) / step);
    // Of a range that no arena has, only the page size is told: asking for all its pages would take for ever.
    let asked = if last - first < MOST_PAGES { first..last + 1 } else { 0..0 };
    for chunk_first in asked.step_by(4096) {
        let chunk_last = last.min(chunk_first.saturating_add(4095));
        let chunk: Vec<*mut c_void> = (chunk_first..=chunk_last).map(|page| (page * step) as *mut c_void).collect();
        let Some(nodes) = nodes_of(&chunk) else {
            pages_by_node.clear();
            break;
        };
        // A negative status is an error number: no page there yet, or none that may be asked about.
        for node in nodes.into_iter().filter_map(|status| u32::try_from(status).ok()) {
            *pages_by_node.entry(node).or_default() += 1;
        }
    }
    Some(Pages { page_bytes, pages_by_node })
}

/// The node or the negated error number of each page; `None` where the OS refuses.
fn nodes_of(pages: &[*mut c_void]) -> Option<Vec<c_int>> {
    let mut status: Vec<c_int> = vec![-libc::ENOENT; pages.len()];
    let this_process: c_long = 0;
    let count = c_ulong::try_from(pages.len()).ok()?;
    // SAFETY: move_pages(2) reads `count` pointers from the first array without following them, and writes as many ints to
    // the second; a null array of nodes makes it a question that moves nothing.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            this_process,
            count,
            pages.as_ptr(),
            std::ptr::null::<c_int>(),
            status.as_mut_ptr(),
            0 as c_long,
        )
    };
    (result == 0).then_some(status)
}

/// The smallest `KernelPageSize` of the mappings that hold some of the addresses.
fn page_bytes_of_smaps(smaps: &str, addresses: &Range<usize>) -> Option<u64> {
    let mut inside = false;
    let mut smallest: Option<u64> = None;
    for line in smaps.lines() {
        if let Some(size) = line.strip_prefix("KernelPageSize:") {
            let kilobytes: Option<u64> = size.trim().strip_suffix("kB").and_then(|size| size.trim().parse().ok());
            if let Some(bytes) = kilobytes.and_then(|kilobytes| kilobytes.checked_mul(1024)).filter(|_| inside) {
                smallest = Some(smallest.map_or(bytes, |so_far| so_far.min(bytes)));
            }
        } else if let Some(mapping) = mapping_of(line) {
            inside = mapping.start < addresses.end && addresses.start < mapping.end;
        }
    }
    smallest
}

/// The addresses of a line such as `7f0000000000-7f0000021000 rw-p 00000000 00:00 0`.
fn mapping_of(line: &str) -> Option<Range<usize>> {
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mapping_that_holds_the_addresses_tells_their_page_size() {
        let smaps = "1000-3000 rw-p 0 00:00 0 [heap]\nSize: 8 kB\nKernelPageSize:        4 kB\nVmFlags: rd\n\
                     200000-400000 rw-p 0 00:00 0\nKernelPageSize:     2048 kB\n";
        assert_eq!(page_bytes_of_smaps(smaps, &(0x1800..0x1900)), Some(4096));
        assert_eq!(page_bytes_of_smaps(smaps, &(0x200000..0x200001)), Some(2 << 20));
        assert_eq!(page_bytes_of_smaps(smaps, &(0x2000..0x200001)), Some(4096));
        assert_eq!(page_bytes_of_smaps(smaps, &(0x3000..0x200000)), None);
        assert_eq!(page_bytes_of_smaps("KernelPageSize: x\n-\nzz-1 r\n", &(0..1)), None);
    }

    #[test]
    fn touched_pages_are_counted_and_untouched_ones_are_not() {
        let page = sysconf::page_bytes() as usize;
        let memory = vec![1u8; 64 * page];
        let start = memory.as_ptr() as usize;
        let pages = pages(start..start + memory.len()).unwrap();
        assert!(pages.page_bytes.is_power_of_two());
        let counted: u64 = pages.pages_by_node.values().sum();
        // 64 pages' length lies on 64 or 65 pages; a system that does not tell gives none.
        assert!(counted == 0 || (64..=65).contains(&(counted * pages.page_bytes / page as u64)), "{pages:?}");
        assert_eq!(super::pages(start..start), None);
        // The lowest page is never mapped.
        assert!(super::pages(0..1).unwrap().pages_by_node.is_empty());
        assert!(super::pages(usize::MAX - 1..usize::MAX).unwrap().pages_by_node.is_empty());
    }
}
