//! What the bits of a POWER event code ask for.
//!
//! After Linux's arch/powerpc/perf: isa207-common.c (constraints, refusals, alternatives) and power8-, power9- and power10-pmu.c.

pub(super) const FIELDS: usize = 7;

/// The registers that are set once for all counters: events that use one must agree on its value. With the words for two that do not.
pub(super) const DIFFER: [&str; FIELDS] = [
    "qualify cache events differently (bits 20 and 21)",
    "choose marked instructions differently (bits 24 to 28)",
    "set the threshold differently (bits 29 and up)",
    "compare the threshold with different values (config1)",
    "match different responses of the fabric (bits 32 to 39)",
    "are of different groups of L2 and L3 events",
    "differ in radix scope (bit 9)",
];
const QUALIFIER: usize = 0;
const SAMPLE: usize = 1;
const THRESHOLD: usize = 2;
const COMPARE: usize = 3;
const MATCH: usize = 4;
const CACHE: usize = 5;
const SCOPE: usize = 6;

/// Instructions and run cycles have counters of their own, which count nothing else.
const PMC5: u64 = 0x500fa;
const PMC6: u64 = 0x600f4;

/// What one code asks of the PMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asks {
    pub(super) code: u64,
    /// 1 to 6; 0 for any of the first four.
    pub(super) pmc: u32,
    /// How many of the first four it takes.
    pub(super) slots: u32,
    pub(super) fields: [Option<u64>; FIELDS],
    /// Whether it is one of POWER9's L2 and L3 events, which count only beside one of them on PMC4.
    pub(super) grouped: bool,
}

impl Asks {
    /// An event that takes one of PMC1 to PMC4, nobody knows which: it is counted beside none of them.
    pub(super) const UNKNOWN: Self = Self { code: 0, pmc: 0, slots: 4, fields: [None; FIELDS], grouped: false };

    /// What a code that is not [refused](refusal) asks for.
    pub(super) fn new(version: u32, code: u64, config1: u64) -> Self {
        let pmc = pmc(code);
        let mut fields = [None; FIELDS];
        if pmc >= 5 {
            return Self { code, pmc, slots: 0, fields, grouped: false };
        }
        let cache = is_cache(code);
        match version {
            ..=8 if cache => {}
            9 if cache => fields[CACHE] = Some(low_byte(code)),
            10.. if cache => fields[CACHE] = (unit(code) == 6).then_some(bits(code, 40, 5)),
            ..=8 => fields[QUALIFIER] = (bits(code, 22, 1) == 1).then_some(bits(code, 20, 2)),
            _ => fields[QUALIFIER] = Some(bits(code, 20, 2)),
        }
        if bits(code, 8, 1) == 1 {
            fields[SAMPLE] = Some(bits(code, 24, 5));
        }
        match version {
            ..=8 if matches_fabric(code) => fields[MATCH] = Some(bits(code, 32, 8)),
            // Every other event of POWER8 says where the threshold stands, also the ones that do not use it.
            ..=8 => fields[THRESHOLD] = Some(bits(code, 29, 21)),
            9 if has_threshold(code) => fields[THRESHOLD] = Some(bits(code, 29, 21)),
            10.. => {
                fields[SCOPE] = Some(bits(code, 9, 1));
                if has_threshold(code) {
                    fields[THRESHOLD] = Some(bits(code, 29, 11));
                    // Linux rounds the value first, so that some different ones would do.
                    fields[COMPARE] = Some(bits(config1, 0, 18));
                }
            }
            _ => {}
        }
        Self { code, pmc, slots: 1, fields, grouped: version == 9 && cache }
    }
}

/// Why Linux does not open this code, even alone. Codes that it leaves out on some revisions of POWER9 (2.1 and 2.2) are not among them:
/// the revision is not known here.
pub(super) fn refusal(version: u32, code: u64) -> Option<String> {
    let odd = code & !valid(version);
    if odd != 0 {
        return Some(format!("{code:#x} has bits that codes of this processor do not have ({odd:#x})"));
    }
    if bits(code, 60, 4) != 0 {
        return Some(format!(
            "{code:#x} asks for event-based branches, which events that are only counted cannot have"
        ));
    }
    match pmc(code) {
        7.. => return Some(format!("{code:#x} is for PMC{}, and there are six", pmc(code))),
        5 | 6 if code != PMC5 && code != PMC6 => {
            return Some(format!("{code:#x} is for PMC{}, which counts 0x500fa or 0x600f4 alone", pmc(code)));
        }
        5 | 6 => return None,
        _ => {}
    }
    // The register for the selector, MMCRC, is the hypervisor's to write. Its top bit only chooses a bank.
    if version <= 8 && is_cache(code) && bits(code, 20, 3) != 0 {
        return Some(format!(
            "Linux opens no L2 or L3 event of POWER8 with a selector, as {code:#x} has (bits 20 to 22)"
        ));
    }
    if version >= 9 && is_reserved_sample(version, bits(code, 24, 5)) {
        return Some(format!("{code:#x} chooses marked instructions in a reserved way (bits 24 to 28)"));
    }
    if version >= 9 && (bits(code, 32, 4) == 0xf || bits(code, 36, 4) == 0xf) {
        return Some(format!("{code:#x} starts or stops the threshold by a reserved event (bits 32 to 39)"));
    }
    let compares = if version <= 8 { !matches_fabric(code) } else { version == 9 && has_threshold(code) };
    if compares && !is_threshold_valid(bits(code, 40, 10)) {
        return Some(format!("{code:#x} has a threshold that cannot be written (bits 40 to 49)"));
    }
    None
}

/// Codes that count the same, the code itself first, in the order that Linux tries them in. In a thread's own event cycles and
/// instructions are the same as run cycles and run instructions.
pub(super) fn alternatives(version: u32, code: u64) -> Vec<u64> {
    let table: &[[u64; 2]] = match version {
        ..=8 => &POWER8,
        9 => &POWER9,
        _ => &[],
    };
    let mut codes = vec![code];
    let other = |pair: &[u64; 2]| match pair {
        [a, b] if *a == code => Some(*b),
        [a, b] if *b == code => Some(*a),
        _ => None,
    };
    codes.extend(table.iter().find_map(other));
    let run: Vec<u64> = codes
        .iter()
        .filter_map(|code| {
            RUN.iter().find_map(|[a, b]| match code {
                code if code == a => Some(*b),
                code if code == b => Some(*a),
                _ => None,
            })
        })
        .collect();
    codes.extend(run);
    codes
}

/// The event on PMC4 that lets Linux open one of POWER9's L2 and L3 events, with its name where it has one.
pub(super) fn companion(code: u64) -> (u64, &'static str) {
    let low = low_byte(code);
    // Linux looks at unit, counter and low byte only, so a code without a name serves as well.
    COMPANIONS.iter().copied().find(|(code, _)| low_byte(*code) == low).unwrap_or((0x46000 | low, ""))
}

const RUN: [[u64; 2]; 2] = [[0x1e, PMC6], [0x2, PMC5]];

const POWER8: [[u64; 2]; 11] = [
    [0x10134, 0x301e2],
    [0x10138, 0x40138],
    [0x18082, 0x3e05e],
    [0x1d14e, 0x401e8],
    [0x1e054, 0x4000a],
    [0x20036, 0x40036],
    [0x200f2, 0x300f2],
    [0x200f4, PMC6],
    [0x2013c, 0x3012e],
    [0x3e054, 0x400f0],
    [0x400fa, PMC5],
];

const POWER9: [[u64; 2]; 5] =
    [[0x20036, 0x40036], [0x200f2, 0x300f2], [0x200f4, PMC6], [0x3e054, 0x400f0], [0x400fa, PMC5]];

/// The first for each low byte. Source: linux tools/perf/pmu-events/arch/powerpc/power9.
const COMPANIONS: [(u64, &str); 15] = [
    (0x46080, "PM_L2_DISP_ALL_L2MISS"),
    (0x46082, "PM_L2_ST_DISP"),
    (0x46084, "PM_L2_RCST_DISP_FAIL_OTHER"),
    (0x46086, "PM_L2_SN_M_RD_DONE"),
    (0x46088, "PM_L2_CHIP_PUMP"),
    (0x4688a, "PM_L2_SYS_PUMP"),
    (0x4608e, "PM_TM_CAP_OVERFLOW"),
    (0x4609e, "PM_L2_INST_MISS"),
    (0x460a0, "PM_L3_PF_ON_CHIP_MEM"),
    (0x460a2, "PM_L3_LAT_CI_HIT"),
    (0x468a4, "PM_L3_TRANS_PF"),
    (0x460a6, "PM_RD_FORMING_SC"),
    (0x460a8, "PM_SN_HIT"),
    (0x460aa, "PM_L3_P0_CO_L31"),
    (0x460b2, "PM_L3_SYS_GUESS_WRONG"),
];

fn valid(version: u32) -> u64 {
    match version {
        // All but 9, 10 and 50 to 59.
        ..=8 => 0xf003_ffff_ffff_f9ff,
        // All but 9 and 52 to 59.
        9 => 0xf00f_ffff_ffff_fdff,
        _ => u64::MAX,
    }
}

fn is_reserved_sample(version: u32, sample: u64) -> bool {
    let mode = sample & 0b11;
    mode == 0b11
        || [0x5, 0x9, 0xd, 0x19, 0x1d, 0x1a, 0x1e].contains(&sample)
        || sample == if version == 9 { 0xc } else { 0x10 }
}

/// A mantissa with two leading zeros is only good with exponent zero.
fn is_threshold_valid(compare: u64) -> bool {
    compare >> 7 == 0 || compare & 0x60 != 0
}

fn has_threshold(code: u64) -> bool {
    bits(code, 29, 3) != 0
}

/// PM_MRK_FAB_RSP_MATCH and its cycles, edge or not.
fn matches_fabric(code: u64) -> bool {
    matches!(code & 0xff0fe, 0x30056 | 0x4f052)
}

fn is_cache(code: u64) -> bool {
    matches!(unit(code), 6..=9)
}

fn unit(code: u64) -> u64 {
    bits(code, 12, 4)
}

fn pmc(code: u64) -> u32 {
    (code >> 16 & 0xf) as u32
}

pub(super) fn low_byte(code: u64) -> u64 {
    bits(code, 0, 8)
}

fn bits(code: u64, first: u32, many: u32) -> u64 {
    code >> first & ((1 << many) - 1)
}
