//! `event=0xd2,umask=0x04`: the terms of an event and where a PMU wants them.

use std::collections::BTreeMap;

/// Where a term's bits go: a word of `perf_event_attr` and ranges of its bits, lowest bits of the value first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    word: usize,
    /// First and last bit of each range.
    ranges: Vec<(u32, u32)>,
}

/// The values of `config`, `config1` and `config2`.
pub(crate) type Configs = [u64; 3];

const WORDS: [&str; 3] = ["config", "config1", "config2"];

impl Format {
    /// What a file of a PMU's `format` folder says: `config:0-7,32-35`.
    pub fn parse(text: &str) -> Option<Format> {
        let (word, ranges) = text.trim().split_once(':')?;
        let word = WORDS.iter().position(|name| *name == word)?;
        let range = |range: &str| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last && last < 64).then_some((first, last))
        };
        Some(Format { word, ranges: ranges.split(',').map(range).collect::<Option<_>>()? })
    }

    fn width(&self) -> u32 {
        self.ranges.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// Puts a value where it belongs; the bits that it has room for when it does not fit.
    fn put(&self, value: u64, into: &mut Configs) -> Result<(), u32> {
        let width = self.width();
        if width < 64 && value >> width != 0 {
            return Err(width);
        }
        let mut rest = value;
        for &(first, last) in &self.ranges {
            let bits = last - first + 1;
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            let word = &mut into[self.word];
            *word = (*word & !(mask << first)) | ((rest & mask) << first);
            rest = if bits == 64 { 0 } else { rest >> bits };
        }
        Ok(())
    }
}

/// Terms, each with where it goes.
type Table = &'static [(&'static str, &'static str)];

/// What the PMUs of Intel and AMD have in common.
const X86: Table = &[("umask", "config:8-15"), ("edge", "config:18"), ("inv", "config:23"), ("cmask", "config:24-31")];

/// What POWER's have in common: arch/powerpc/perf/isa207-common.c, power9-pmu.c and power10-pmu.c.
const POWER: Table = &[
    ("event", "config:0-63"),
    ("pmcxsel", "config:0-7"),
    ("mark", "config:8"),
    ("unit", "config:12-15"),
    ("pmc", "config:16-19"),
    ("sample_mode", "config:24-28"),
    ("thresh_sel", "config:29-31"),
    ("thresh_stop", "config:32-35"),
    ("thresh_start", "config:36-39"),
];

/// The formats that the kernel gives PMUs of cores, for machines whose folder is not at hand.
pub(crate) fn usual(of: Makers) -> BTreeMap<String, Format> {
    let (common, own): (Table, Table) = match of {
        // arch/x86/events/intel/core.c
        Makers::Intel => (
            X86,
            &[
                ("event", "config:0-7"),
                ("any", "config:21"),
                ("offcore_rsp", "config1:0-63"),
                ("ldlat", "config1:0-15"),
            ],
        ),
        // arch/x86/events/amd/core.c
        Makers::Amd => (X86, &[("event", "config:0-7,32-35")]),
        Makers::Power { version: ..=8 } => {
            (POWER, &[("combine", "config:11"), ("cache_sel", "config:20-23"), ("thresh_cmp", "config:40-49")])
        }
        Makers::Power { version: 9 } => (
            POWER,
            &[
                ("combine", "config:10-11"),
                ("cache_sel", "config:20-23"),
                ("thresh_cmp", "config:40-49"),
                ("sdar_mode", "config:50-51"),
            ],
        ),
        Makers::Power { .. } => (
            POWER,
            &[
                ("combine", "config:10-11"),
                ("cache_sel", "config:20-21"),
                ("sdar_mode", "config:22-23"),
                ("l2l3_sel", "config:40-44"),
                ("src_sel", "config:45-46"),
                ("invert_bit", "config:47"),
            ],
        ),
        Makers::Others => (&[], &[("event", "config:0-63")]),
    };
    let all = common.iter().chain(own);
    all.filter_map(|(name, text)| Some(((*name).to_owned(), Format::parse(text)?))).collect()
}

/// Whose PMU takes the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Makers {
    /// Intel.
    Intel,
    /// AMD.
    Amd,
    /// IBM.
    Power {
        /// 8, 9 or 10.
        version: u32,
    },
    /// Arm and others, whose events are plain numbers.
    Others,
}

/// What terms make, or what is wrong with them, as clauses.
pub(crate) fn encode(
    terms: &str,
    formats: &BTreeMap<String, Format>,
    aliases: &BTreeMap<String, String>,
) -> Result<Configs, Vec<String>> {
    let mut configs = [0; 3];
    let mut faults = Vec::new();
    for term in terms.split(',').map(str::trim) {
        let (name, value) =
            term.split_once('=').map_or((term, None), |(name, value)| (name.trim(), Some(value.trim())));
        match (name, value, aliases.get(name)) {
            ("", ..) => faults.push("a term is empty".to_owned()),
            // An alias stands for terms of its own; the kernel's aliases name no others.
            (_, None, Some(alias)) => match encode(alias, formats, &BTreeMap::new()) {
                Ok(made) => configs.iter_mut().zip(made).for_each(|(config, made)| *config |= made),
                Err(more) => faults.extend(more),
            },
            _ => faults.extend(put(name, value.unwrap_or("1"), formats, &mut configs).err()),
        }
    }
    if faults.is_empty() { Ok(configs) } else { Err(faults) }
}

fn put(name: &str, value: &str, formats: &BTreeMap<String, Format>, into: &mut Configs) -> Result<(), String> {
    let parsed = number(value).ok_or_else(|| format!("{value:?} of `{name}` is no number"))?;
    if let Some(word) = WORDS.iter().position(|word| *word == name) {
        into[word] = parsed;
        return Ok(());
    }
    let Some(format) = formats.get(name) else {
        let mut known: Vec<&str> = formats.keys().map(String::as_str).collect();
        known.extend(WORDS);
        return Err(format!("this PMU has no term `{name}`; it has {}", known.join(", ")));
    };
    format.put(parsed, into).map_err(|width| format!("{value} of `{name}` does not fit its {width} bits"))
}

/// A number as `perf` takes it: decimal, or hexadecimal after `0x`.
pub(crate) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => hexadecimal(digits),
        None => text.chars().all(|digit| digit.is_ascii_digit()).then(|| text.parse().ok())?,
    }
}

/// Hexadecimal digits alone; Rust's own reading takes a sign before them.
pub(crate) fn hexadecimal(digits: &str) -> Option<u64> {
    digits.chars().all(|digit| digit.is_ascii_hexdigit()).then(|| u64::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_go_where_the_formats_say() {
        let formats = usual(Makers::Intel);
        let none = BTreeMap::new();
        assert_eq!(encode("event=0xd2,umask=0x04", &formats, &none), Ok([0x4d2, 0, 0]));
        assert_eq!(encode("event=0xa3, umask=4, cmask=4", &formats, &none), Ok([0x0400_04a3, 0, 0]));
        assert_eq!(
            encode("event=0x2a,umask=1,offcore_rsp=0x10003c0002", &formats, &none).map(|made| made[1]),
            Ok(0x10_003c_0002)
        );
        // The upper four bits of AMD's event number lie apart.
        assert_eq!(encode("event=0x1d2", &usual(Makers::Amd), &none), Ok([(1 << 32) | 0xd2, 0, 0]));
        assert!(encode("event=1,offcore_rsp=1", &usual(Makers::Amd), &none).is_err());
        assert_eq!(encode("inv", &formats, &none), Ok([1 << 23, 0, 0]));
        assert_eq!(encode("config=0x1e058,config1=7", &usual(Makers::Others), &none), Ok([0x1e058, 7, 0]));
    }

    #[test]
    fn aliases_stand_for_their_terms() {
        let aliases = BTreeMap::from([("mem-loads".to_owned(), "event=0xcd,umask=0x1,ldlat=3".to_owned())]);
        let mut formats = usual(Makers::Intel);
        formats.insert("ldlat".to_owned(), Format::parse("config1:0-15").unwrap());
        assert_eq!(encode("mem-loads", &formats, &aliases), Ok([0x1cd, 3, 0]));
    }

    #[test]
    fn every_fault_is_told() {
        let faults = encode("event=0x10000,umsk=1,,cmask=x", &usual(Makers::Intel), &BTreeMap::new()).unwrap_err();
        assert_eq!(faults.len(), 4, "{faults:?}");
        assert!(
            faults[0].contains("8 bits") && faults[1].contains("no term `umsk`") && faults[3].contains("no number"),
            "{faults:?}"
        );
    }

    #[test]
    fn odd_formats_are_none() {
        for odd in ["", "config", "config:", "config:7-0", "config:0-64", "config3:0", "config:a"] {
            assert_eq!(Format::parse(odd), None, "{odd}");
        }
        let whole = Format::parse("config1:0-63").unwrap();
        let mut configs = [0; 3];
        assert_eq!(whole.put(u64::MAX, &mut configs), Ok(()));
        assert_eq!(configs, [0, u64::MAX, 0]);
    }
}
