//! The size of a cache line, and where it is known from.

use serde::{Deserialize, Serialize};

use crate::topology::{Cache, CacheKind, Topology};

/// The size of a cache line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSize {
    /// In bytes, a power of two from 16 to 1024.
    pub bytes: u64,
    /// Where that is from, such as `hwloc L1d`; begins with `assumed` when nothing told it.
    pub source: String,
}

impl LineSize {
    /// The smallest size believed, bytes.
    pub const MIN: u64 = 16;
    /// The largest size believed, bytes.
    pub const MAX: u64 = 1024;

    /// Whether a size can be that of a cache line: a power of two in 16..=1024.
    pub fn is_plausible(bytes: u64) -> bool {
        bytes.is_power_of_two() && (Self::MIN..=Self::MAX).contains(&bytes)
    }

    /// A size told by a source; `None` when it cannot be a line size.
    pub fn told(bytes: u64, source: impl Into<String>) -> Option<Self> {
        Self::is_plausible(bytes).then(|| LineSize { bytes, source: source.into() })
    }

    /// Whether nothing told it.
    pub fn is_assumed(&self) -> bool {
        self.source.starts_with("assumed")
    }

    /// What to take where nothing tells: 128 on POWER and on Apple's processors, 256 on s390x, else 64 bytes.
    ///
    /// Sources: Linux `arch/powerpc/include/asm/cache.h` (`L1_CACHE_SHIFT` 7 for 64 bit), `arch/s390/include/asm/cache.h`
    /// (256), Apple's `hw.cachelinesize` (128 on its Arm processors).
    pub fn assumed(architecture: Option<&str>, os_name: Option<&str>) -> Self {
        let architecture = architecture.unwrap_or("");
        let (bytes, why) = match architecture {
            a if a.starts_with("ppc64") || a.starts_with("powerpc") || a.starts_with("ppc") => {
                (128, "as usual on POWER")
            }
            a if a.starts_with("s390") => (256, "as usual on s390x"),
            a if os_name == Some("Darwin") && (a.starts_with("arm") || a.starts_with("aarch64")) => {
                (128, "as usual on Apple's Arm processors")
            }
            _ => (64, "the commonest size"),
        };
        LineSize { bytes, source: format!("assumed ({why}; no cache's line size is told)") }
    }
}

impl Topology {
    /// The size of a line of the data caches: that of the lowest level that tells one (the largest there, where its caches
    /// differ), else what `line` tells, else assumed, which `source` says.
    pub fn line_size(&self) -> LineSize {
        if let Some(lowest) = self.line_sizes().into_iter().next() {
            return lowest.1;
        }
        if let Some(line) = &self.line {
            if LineSize::is_plausible(line.bytes) {
                return line.clone();
            }
        }
        LineSize::assumed(self.architecture.as_deref(), self.os_name.as_deref())
    }

    /// The line size of each level whose data caches tell one, by ascending level; the largest where they differ.
    pub fn line_sizes(&self) -> Vec<(u32, LineSize)> {
        let mut levels: Vec<u32> = self.data_caches().map(|cache| cache.level).collect();
        levels.sort_unstable();
        levels.dedup();
        let at_level = |level: u32| {
            let told = self.data_caches().filter(|cache| cache.level == level).filter_map(|cache| {
                cache.line_bytes.filter(|bytes| LineSize::is_plausible(*bytes)).map(|bytes| (bytes, cache.kind))
            });
            let (bytes, kind): (u64, CacheKind) = told.max_by_key(|(bytes, _)| *bytes)?;
            Some((level, LineSize { bytes, source: format!("{} L{level}{kind}", self.reader) }))
        };
        levels.into_iter().filter_map(at_level).collect()
    }

    fn data_caches(&self) -> impl Iterator<Item = &Cache> {
        self.caches.iter().filter(|cache| cache.kind.holds_data())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_lines(lines: &[(u32, CacheKind, Option<u64>)]) -> Topology {
        let caches = lines
            .iter()
            .map(|(level, kind, line_bytes)| Cache {
                level: *level,
                kind: *kind,
                size_bytes: None,
                line_bytes: *line_bytes,
                pus: vec![0],
            })
            .collect();
        Topology { reader: "hwloc".into(), caches, ..Topology::default() }
    }

    #[test]
    fn the_lowest_data_cache_that_tells_is_believed() {
        use CacheKind::*;
        let topology = with_lines(&[
            (3, Unified, Some(256)),
            (1, Instruction, Some(32)),
            (1, Data, None),
            (2, Unified, Some(64)),
            (2, Unified, Some(128)),
        ]);
        assert_eq!(topology.line_size(), LineSize { bytes: 128, source: "hwloc L2".into() });
        assert_eq!(topology.line_sizes().iter().map(|(l, s)| (*l, s.bytes)).collect::<Vec<_>>(), [(2, 128), (3, 256)]);
    }

    #[test]
    fn garbage_is_never_a_line_size() {
        for bytes in [0, 1, 8, 15, 48, 63, 65, 96, 1536, 2048, u64::MAX] {
            let mut topology = with_lines(&[(1, CacheKind::Data, Some(bytes))]);
            topology.line = Some(LineSize { bytes, source: "sysconf".into() });
            assert_eq!(topology.line_size().bytes, 64, "{bytes}");
            assert!(topology.line_size().is_assumed());
        }
        for bytes in [16, 32, 64, 128, 256, 512, 1024] {
            assert_eq!(with_lines(&[(1, CacheKind::Data, Some(bytes))]).line_size().bytes, bytes);
        }
    }

    #[test]
    fn what_is_assumed_depends_on_the_recorded_machine_and_is_flagged() {
        let cases = [
            (Some("x86_64"), Some("Linux"), 64),
            (Some("ppc64le"), Some("Linux"), 128),
            (Some("powerpc64"), None, 128),
            (Some("s390x"), Some("Linux"), 256),
            (Some("arm64"), Some("Darwin"), 128),
            (Some("x86_64"), Some("Darwin"), 64),
            (Some("aarch64"), Some("Linux"), 64),
            (None, None, 64),
        ];
        for (architecture, os_name, bytes) in cases {
            let line = LineSize::assumed(architecture, os_name);
            assert_eq!(line.bytes, bytes, "{architecture:?} {os_name:?}");
            assert!(line.is_assumed());
        }
    }

    #[test]
    fn another_source_stands_in_for_silent_caches() {
        let mut topology = with_lines(&[(1, CacheKind::Data, None)]);
        topology.line = LineSize::told(128, "sysconf");
        assert_eq!(topology.line_size(), LineSize { bytes: 128, source: "sysconf".into() });
    }
}
