//! What a copied tree tells of the machine as a whole.

use crate::files::Files;

/// The architecture as `uname -m` names it, from what the recorded machine itself wrote down. `None` where nothing tells it.
pub(super) fn architecture(files: &Files) -> Option<String> {
    let recorded = files.read("/proc/hwloc-nofile-info").ok();
    let told = recorded.iter().flat_map(|text| text.lines()).find_map(|line| line.strip_prefix("Architecture:"));
    if let Some(told) = told.map(str::trim).filter(|told| !told.is_empty()) {
        return Some(told.to_owned());
    }
    let version = files.read("/proc/version").unwrap_or_default();
    of_cpuinfo(&files.read("/proc/cpuinfo").unwrap_or_default(), &version)
}

fn of_cpuinfo(cpuinfo: &str, version: &str) -> Option<String> {
    let field = |name: &str| {
        let mut lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(field, _)| field.trim() == name).map(|(_, value)| value.trim())
    };
    let little_endian = ["ppc64le", "powerpc64le", "ppc64el"].iter().any(|word| version.contains(word));
    let architecture = if field("vendor_id").is_some_and(|vendor| vendor.contains("IBM/S390")) {
        "s390x"
    } else if field("vendor_id").is_some() {
        // `lm` is long mode.
        if field("flags")?.split(' ').any(|flag| flag == "lm") { "x86_64" } else { "i686" }
    } else if field("CPU implementer").is_some() {
        if field("CPU architecture")?.starts_with('8') { "aarch64" } else { "armv7l" }
    } else if field("cpu").is_some_and(|cpu| cpu.starts_with("POWER") || cpu.starts_with("PPC")) {
        if little_endian { "ppc64le" } else { "ppc64" }
    } else if field("isa").is_some_and(|isa| isa.starts_with("rv64")) {
        "riscv64"
    } else {
        return None;
    };
    Some(architecture.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::Tree;

    #[test]
    fn the_architecture_is_the_recorded_machines_or_none() {
        assert_eq!(architecture(&Tree::new(&[]).files()), None);
        let told = Tree::new(&[("/proc/hwloc-nofile-info", "OSName: Linux\nArchitecture: ppc64le\n")]);
        assert_eq!(architecture(&told.files()).as_deref(), Some("ppc64le"));
        let cases = [
            ("vendor_id\t: GenuineIntel\nflags\t\t: fpu lm\n", "", Some("x86_64")),
            ("vendor_id\t: GenuineIntel\nflags\t\t: fpu\n", "", Some("i686")),
            ("vendor_id       : IBM/S390\n", "", Some("s390x")),
            ("CPU implementer\t: 0x41\nCPU architecture: 8\n", "", Some("aarch64")),
            ("cpu\t\t: POWER8, altivec supported\n", "Linux version 6.1.0-50-powerpc64le", Some("ppc64le")),
            ("cpu\t\t: POWER7 (architected)\n", "", Some("ppc64")),
            ("isa : rv64imafdc\n", "", Some("riscv64")),
            ("processor : 0\n", "", None),
        ];
        for (cpuinfo, version, expected) in cases {
            assert_eq!(of_cpuinfo(cpuinfo, version).as_deref(), expected, "{cpuinfo}");
        }
    }
}
