//! What the things that are counted in the values drawn mean: one table for answers, tables and pages.

/// Something counted in the values that workers drew together, as a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Its name in records and figures.
    pub name: &'static str,
    /// What follows its share in a sentence, such as `of the keys came twice`.
    pub says: &'static str,
    /// What it is, one clause that stands alone.
    pub meaning: &'static str,
    /// Whether more of it than the baseline has is damage; of the others more or less says what the values are like.
    pub harms: bool,
    /// Whether it is damage in keys too, of which a skewed distribution draws many twice.
    pub in_keys: bool,
}

/// All that the built-in kernels tell, what ruins a run's values most first.
pub const TABLE: [Observed; 10] = [
    Observed {
        name: "stuck",
        says: "of the workers draw one number for ever (stuck)",
        meaning: "workers whose last draws are all one value, of all workers",
        harms: true,
        in_keys: true,
    },
    Observed {
        name: "came-twice",
        says: "of the keys came twice",
        meaning: "keys that were handed out before, of all keys",
        harms: true,
        in_keys: true,
    },
    Observed {
        name: "not-there",
        says: "of the draws ask for a key that is not there",
        meaning: "draws of a key that no row has, of all draws",
        harms: true,
        in_keys: true,
    },
    Observed {
        name: "lockstep",
        says: "of the draws are another worker's too, at the same place (lockstep)",
        meaning: "draws that another worker makes too, at the same place of its sequence or at most 8 places off, more than chance gives",
        harms: true,
        in_keys: false,
    },
    Observed {
        name: "drawn-by-several-workers",
        says: "of the values are drawn by several workers",
        meaning: "draws of a value that another worker draws anywhere too, of all draws",
        harms: true,
        in_keys: false,
    },
    Observed {
        name: "at-one-lag",
        says: "of the draws are another worker's too, always equally many draws apart (at one lag)",
        meaning: "draws that another worker makes too, always equally many draws apart, however many; of a value that a worker repeats \
                  only the first draw counts",
        harms: true,
        in_keys: false,
    },
    Observed {
        name: "repeats-within-a-worker",
        says: "of the draws repeat an earlier one of the same worker",
        meaning: "draws of a value that the same worker drew before, of all draws",
        harms: true,
        in_keys: false,
    },
    Observed {
        name: "low-bit-periodic",
        says: "of the workers draw numbers whose lowest bit repeats itself (low-bit-periodic)",
        meaning: "workers whose values' lowest bit repeats itself within half of their draws, of all workers",
        harms: true,
        in_keys: false,
    },
    Observed {
        name: "keys-reached",
        says: "of the keys are drawn at all (keys-reached)",
        meaning: "different keys drawn, of those that so many draws can reach",
        harms: false,
        in_keys: false,
    },
    Observed {
        name: "hottest-key",
        says: "of the draws fall on the hottest key",
        meaning: "draws of the key that is drawn most, of all draws",
        harms: false,
        in_keys: false,
    },
];

/// The entry of that name; `None` for what only a user's own kernel tells.
pub fn of(name: &str) -> Option<&'static Observed> {
    TABLE.iter().find(|observed| observed.name == name)
}
