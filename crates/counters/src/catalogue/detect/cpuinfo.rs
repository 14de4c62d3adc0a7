//! What `/proc/cpuinfo` says of the processor.

use std::fmt;

use crate::catalogue::Detect;

/// A processor as it names itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Processor {
    /// x86: vendor, family and model, extended parts added in.
    Cpuid { vendor: String, family: u32, model: u32 },
    /// POWER: the upper half of the processor version register.
    Pvr(u32),
    /// Arm: implementer and part.
    Midr { implementer: u32, part: u32 },
}

impl Processor {
    /// From the main ID register of an Arm core: implementer in bits 24 to 31, part in bits 4 to 15.
    pub fn from_midr(midr: u64) -> Processor {
        let bits = |from: u32, count: u32| u32::try_from((midr >> from) & ((1 << count) - 1)).unwrap_or(0);
        Processor::Midr { implementer: bits(24, 8), part: bits(4, 12) }
    }

    /// Whether it is one of these.
    pub fn is(&self, detect: &Detect) -> bool {
        match self {
            Processor::Cpuid { vendor, family, model } => detect.cpuid.iter().any(|row| {
                let models = || row.models.iter().any(|[first, last]| (first..=last).contains(&model));
                row.vendor == *vendor && row.family == *family && models()
            }),
            Processor::Pvr(version) => detect.pvr.contains(version),
            Processor::Midr { implementer, part } => {
                detect.midr.iter().any(|row| row.implementer == *implementer && row.part == *part)
            }
        }
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Processor::Cpuid { vendor, family, model } => write!(f, "{vendor} family {family} model {model}"),
            Processor::Pvr(version) => write!(f, "the POWER processor of version {version:#06x}"),
            Processor::Midr { implementer, part } => {
                write!(f, "the Arm core of implementer {implementer:#04x}, part {part:#05x}")
            }
        }
    }
}

/// The processor of x86 and POWER: all of its cores say the same of themselves. `None` where the text tells neither.
pub(super) fn processor(text: &str) -> Option<Processor> {
    let number = |key| field(text, key)?.parse().ok();
    if let (Some(vendor), Some(family), Some(model)) = (field(text, "vendor_id"), number("cpu family"), number("model"))
    {
        return Some(Processor::Cpuid { vendor: vendor.to_owned(), family, model });
    }
    // revision	: 2.1 (pvr 004b 0201)
    let (_, pvr) = field(text, "revision")?.split_once("(pvr ")?;
    let version = pvr.split_whitespace().next()?;
    Some(Processor::Pvr(u32::from_str_radix(version, 16).ok()?))
}

/// Arm: every core by its OS index; those that do not say are left out.
pub(super) fn arm_cores(text: &str) -> Vec<(u32, Processor)> {
    let core = |block: &str| {
        let hex = |key| u32::from_str_radix(field(block, key)?.strip_prefix("0x")?, 16).ok();
        let cpu = field(block, "processor")?.parse().ok()?;
        Some((cpu, Processor::Midr { implementer: hex("CPU implementer")?, part: hex("CPU part")? }))
    };
    text.split("\n\n").filter_map(core).collect()
}

/// Whether x86 says that a hypervisor is below: it may tell any family and model.
pub(super) fn is_virtual(text: &str) -> bool {
    field(text, "flags").is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// The value of the first line of this key: `key<tab>: value`.
fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then_some(value.trim())
    })
}
