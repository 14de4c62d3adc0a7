//! Events of which only the code was given: what they are by `perf_event_attr.type`.

use super::{Vocabulary, custom, terms};
use crate::code::{Code, TYPE_CACHE, TYPE_HARDWARE, TYPE_SOFTWARE, TYPE_TRACEPOINT};
use crate::event::{Definition, Event, Kind, STANDARD, from_row};

impl Vocabulary {
    /// What was meant by something that is nearly a code: `0x1e058`, `r0x1e058`, `event=0xd2,umask=0x04`, `MEM_LOAD_RETIRED:L3_HIT`.
    pub(super) fn mistyped(&self, name: &str) -> Option<String> {
        let lower = name.to_ascii_lowercase();
        let core = self.cores.first().map_or("cpu", |core| core.pmu.as_str());
        if lower.contains('=') && !name.contains(['/', ':']) {
            return Some(format!("{core}/{name}/"));
        }
        let digits = lower.strip_prefix('r').unwrap_or(&lower);
        let digits = digits.strip_prefix("0x").unwrap_or(digits);
        // A word such as `deaf` is no number.
        if digits.contains(|letter: char| letter.is_ascii_digit()) && terms::hexadecimal(digits).is_some() {
            return Some(format!("r{digits}"));
        }
        let of_libpfm = name.contains(':') && !name.contains("::") && name.contains(|c: char| c.is_ascii_uppercase());
        of_libpfm.then(|| format!("PMU::{name} with libpfm's name of the PMU (showevtinfo -L)"))
    }

    /// The event of a code under the name that was typed. A code that the kernel defines is its standard event: counted in the same modes,
    /// for one that is counted in the kernel alone reads a false 0 in user mode.
    pub(super) fn typed(&self, name: &str, code: Code, meaning: String, source: &str) -> Event {
        let kind = match code.pmu_type {
            TYPE_HARDWARE => Kind::Hardware,
            TYPE_SOFTWARE => Kind::Software,
            TYPE_TRACEPOINT => Kind::Tracepoint,
            other if self.is_core(other) => Kind::Hardware,
            _ => Kind::Other,
        };
        let config = code.generic().unwrap_or(code.config);
        let defined = [TYPE_HARDWARE, TYPE_SOFTWARE].contains(&code.pmu_type);
        let Some(row) = STANDARD.iter().find(|row| defined && row.kind == kind && row.config == config) else {
            let code = Code { pmu: self.pmu_of(&code), ..code };
            return custom(name, kind, Ok(vec![code]), meaning, source);
        };
        let cores: Vec<(&str, u32)> = self.cores.iter().map(|core| (core.pmu.as_str(), core.pmu_type)).collect();
        let standard = from_row(row, &cores).definition().clone();
        // The upper half of the configuration chooses one kind of core.
        let codes =
            if config == code.config { standard.codes } else { Ok(vec![Code { pmu: self.pmu_of(&code), ..code }]) };
        Event::new(Definition {
            name: name.to_owned(),
            aliases: Vec::new(),
            source: source.to_owned(),
            codes,
            ..standard
        })
    }

    /// Whether a type is that of the kernel's cache events, of raw codes or of a core's PMU.
    fn is_core(&self, pmu_type: u32) -> bool {
        [TYPE_CACHE, crate::code::TYPE_RAW].contains(&pmu_type)
            || self.cores.iter().any(|core| core.pmu_type == pmu_type)
    }

    /// The folder that a code's type belongs to: the kernel's own types have fixed ones, the core's are the core's.
    fn pmu_of(&self, code: &Code) -> String {
        let chosen = |core: &&super::CoreKind| match code.pmu_type {
            TYPE_HARDWARE => u64::from(core.pmu_type) == code.config >> 32,
            other => core.pmu_type == other,
        };
        match code.pmu_type {
            TYPE_SOFTWARE => "software".to_owned(),
            TYPE_TRACEPOINT => "tracepoint".to_owned(),
            other if other == TYPE_HARDWARE || self.is_core(other) => {
                let core = self.cores.iter().find(chosen).or(self.cores.first());
                core.map_or_else(|| code.pmu.clone(), |core| core.pmu.clone())
            }
            _ => code.pmu.clone(),
        }
    }
}
