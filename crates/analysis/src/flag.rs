//! What a flag means and what to do about it: one table for documents, tables and pages.

use crate::summary::Flag;

/// One kind of flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name in summaries.
    pub name: &'static str,
    /// What it says, one clause.
    pub meaning: &'static str,
    /// What to do about it, one sentence.
    pub advice: &'static str,
    /// Whether a trial that has it counts as disturbed.
    pub disturbs: bool,
    /// Its place in the table.
    place: u8,
}

macro_rules! table {
    ($(#[doc = $of:literal])* $($constant:ident $name:literal $disturbs:literal $meaning:literal $advice:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $meaning, ".")]
            pub const $constant: Definition =
                Definition { name: $name, meaning: $meaning, advice: $advice, disturbs: $disturbs, place: Place::$constant as u8 };
        )*
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Place { $($constant),* }
        $(#[doc = $of])*
        pub const TABLE: &[Definition] = &[$($constant),*];
    };
}

table! {
    /// All flags: those of trials first (of a cell: the share of its trials that have it), then those of cells and runs.
    LITTLE_OVERLAP "little-overlap" true
        "the workers ran undisturbed together for less of the trial than asked, so that contention may be understated"
        "Stop what else runs on these PUs, or lengthen measure.duration.";
    WHOLE_TRIAL "whole-trial" true
        "too little of the trial was undisturbed, so its value is that of the whole trial, interruptions included"
        "Stop what else runs on these PUs; with more workers than PUs nothing else is possible.";
    INTERRUPTED "interrupted" false
        "a batch took so long that something else must have run meanwhile; that time is left out"
        "Nothing while the overlap is high; else stop what else runs on these PUs.";
    SWITCHED "switched" false
        "the kernel took a PU away from a worker (involuntary context switch)"
        "Nothing while the overlap is high; else stop what else runs on these PUs, or leave PUs free for it.";
    MOVED "moved" true
        "a worker began or ended on another PU than it was placed on"
        "See whether another program changes the affinity of threads here.";
    UNPINNED "unpinned" false
        "a worker could not be pinned to its PU, so the placement did not hold"
        "See `hitm doctor` for what stands in the way of pinning.";
    STOLEN "stolen" true
        "the hypervisor gave time of these PUs to other guests"
        "Run when the host is quieter, or on a dedicated host.";
    THROTTLED "throttled" true
        "the cgroup's CPU quota stopped the process"
        "Raise the quota, or use fewer workers than it permits.";
    LEVEL_CHANGED "level-changed" true
        "the ping-pong before the trial and the one after do not show one and the same transfer level"
        "Nothing: such trials are left out of what is quoted at a level; more repetitions make up for them.";
    CLOCK_CHANGED "clock-changed" true
        "the calibration loop shows that the core clock changed during the trial, or is not that of other trials"
        "Fix the frequency (governor, boost), or compare `cycles_per_op` where it can be counted.";
    LATE_START "late-start" true
        "a worker began late by more than 1 % of the trial's duration"
        "Lengthen measure.duration, or leave PUs free for what else runs.";
    OVERSUBSCRIBED "oversubscribed" false
        "there are more workers than PUs, so they take turns and contend less than their number says"
        "Use no more workers than PUs, or read this as what oversubscription costs.";
    WRONG "wrong" true
        "the state it left is not what its operations must leave, so its value does not count"
        "Do not believe this cell: report the kernel with its parameters.";
    BLOCKED "blocked" false
        "a worker gave up its PU to wait more than twice, so the time holds sleeping and waking"
        "Nothing where the kernel is meant to block; else look for page faults or I/O in it.";
    MULTIPLEXED "multiplexed" false
        "events took turns on the PMU, so their counts are scaled estimates"
        "Leave measure.multiplex out, so that they are counted in passes; or end other profilers.";
    MIXED_PMUS "mixed-pmus" false
        "workers ran on cores of different kinds, whose PMUs may count different things under one name"
        "Place the workers on cores of one kind (placement.within), or read the records by worker.";
    FEW_REPETITIONS "few-repetitions" false
        "too few repetitions at the quoted level for an interval that means much"
        "Give a larger budget, or fewer cells.";
    LOST_UPDATES "lost-updates" false
        "racing workers overwrote each other's updates, as these parameters permit"
        "Read the cost together with the damage: the loop did not do what it counts.";
    DAMAGED_VALUES "damaged-values" false
        "its values show damage that its baseline's do not, so that its time is not that of the same work"
        "Read the time together with the damage: faster is no gain here.";
    OPTIMISED_AWAY "optimised-away" false
        "an operation takes less than three quarters of a core cycle, so the compiler may have removed it"
        "Look at the kernel's machine code, and compare with the empty kernel's cost in the manifest.";
    UNVERIFIED_ZERO "unverified-zero" false
        "0 counted, and never seen to count here, in this run or when it was tried: it may not count at all"
        "Run a kernel that must move it, or count another event that would agree.";
    LEVELS_MIXED "levels-mixed" false
        "too few pairs at the quoted level, so pairs at all levels decide together"
        "Trust the ratio more than the difference; give a larger budget.";
    DRIFTED "drifted" false
        "trials that follow each other are alike, so they are worth fewer than they are, and intervals are wider for it"
        "Nothing, or a larger budget: a longer run narrows them.";
    ZERO_BASELINE "zero-baseline" false
        "the baseline did nothing in some pairs, which have no ratio: that of the others understates how far apart they are"
        "Read the difference, or make trials longer, so that something ends in each.";
    NOTHING_ENDED "nothing-ended" false
        "in some trials no operation ended, so that what is told by the operation is of the others"
        "Make trials longer (measure.duration), or read the throughput, which counts them.";
    NO_TRIAL_AT_LEVEL "no-trial-at-level" false
        "none of its trials ran at the level that the run is quoted at"
        "Look at its time by level; give a larger budget.";
    NO_TRIALS "no-trials" false
        "no trial of it counts yet"
        "Give a larger budget, or resume the run.";
    NO_PAIRS "no-pairs" false
        "it cannot be compared with its baseline"
        "Give a larger budget, or compare a metric that both have.";
    NO_BASELINE "no-baseline" false
        "some cells have no baseline, so nothing is said of what they cost extra"
        "Add the missing cells to the experiment, or change compare.baseline.";
    LEVEL_FLIPS "level-flips" false
        "the transfer level changed during the run"
        "Nothing: comparisons are made within one level; quote absolute numbers with their level.";
    LINE_SIZE "line-size" false
        "counters that the line size told keeps apart share a line, or the other way round"
        "Pad by what was measured; `hitm doctor` measures it again.";
    DEBUG_BUILD "debug-build" false
        "hitm was built without optimisation, so every operation takes many times what it does, and sharing seems to cost less of it"
        "Build with `cargo build --release`, or `cargo install`, and run it again.";
    LEFT_OUT "left-out" false
        "the machine does not offer all that the experiment asks for"
        "Nothing, or measure on a machine that has it.";
    NOT_PRECISE "not-precise" false
        "the run stopped before all that decides was known as precisely as asked"
        "Resume it with a larger budget, or accept the intervals as they stand.";
    UNKNOWN_METRIC "unknown-metric" false
        "compare.metric names no metric of this run, so nothing is compared"
        "Name one of the metrics that the cells show.";
    UNKNOWN_CELL "unknown-cell" false
        "records name cells that the manifest does not have; they are left out"
        "See that manifest.json and records.jsonl are of one run.";
}

/// The definition of a flag by its name.
pub fn definition(name: &str) -> Option<&'static Definition> {
    TABLE.iter().find(|definition| definition.name == name)
}

impl Definition {
    /// The flag, its numbers in words before its meaning.
    pub(crate) fn flag(&self, numbers: impl AsRef<str>) -> Flag {
        let numbers = numbers.as_ref();
        let meaning =
            if numbers.is_empty() { format!("{}.", self.meaning) } else { format!("{numbers}: {}.", self.meaning) };
        Flag { name: self.name.to_owned(), meaning }
    }

    /// Its bit in a set of flags: its place in the table.
    pub(crate) const fn bit(&self) -> u64 {
        1 << self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_has_one_name_a_meaning_and_advice() {
        for (place, definition) in TABLE.iter().enumerate() {
            assert_eq!(usize::from(definition.place), place);
            assert_eq!(TABLE.iter().filter(|other| other.name == definition.name).count(), 1, "{}", definition.name);
            assert!(!definition.meaning.ends_with('.') && definition.advice.ends_with('.'), "{}", definition.name);
        }
        assert!(TABLE.len() <= 64, "a set of flags is 64 bits");
    }
}
