//! Sets of PUs as the kernel writes them: lists such as `0-3,8`, and on old kernels masks such as `00000000,0000010f`.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use hitm_topology::{PU_LIMIT, PuList};

use crate::files::Files;

/// PUs, ascending.
pub(crate) type PuSet = Rc<[u32]>;

/// Reads sets, each text once: the PUs of a core, a package or a node all tell the same.
#[derive(Default)]
pub(crate) struct Sets {
    /// PUs above are left out: no machine has them, and a set of a million would be gone through for each PU.
    highest: Cell<u32>,
    known: RefCell<HashMap<(bool, String), Option<PuSet>>>,
}

impl Sets {
    /// Says which PU is the machine's highest, before the first set is read.
    pub fn up_to(&self, highest: u32) {
        self.highest.set(highest);
    }

    /// The set that the list file tells, else the one that the mask file tells. `None` where neither can be read.
    pub fn of(&self, files: &Files, list: &str, mask: &str) -> Option<PuSet> {
        let list = files.read(list).ok().and_then(|text| self.set(false, text));
        list.or_else(|| files.read(mask).ok().and_then(|text| self.set(true, text)))
    }

    fn set(&self, is_mask: bool, text: String) -> Option<PuSet> {
        let mut known = self.known.borrow_mut();
        let set = known.entry((is_mask, text)).or_insert_with_key(|(is_mask, text)| {
            let mut pus = if *is_mask { of_mask(text) } else { of_list(text) }?;
            pus.retain(|pu| *pu <= self.highest.get());
            Some(Rc::from(pus))
        });
        set.clone()
    }
}

fn of_list(text: &str) -> Option<Vec<u32>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let mut pus = text.parse::<PuList>().ok()?.pus().to_vec();
    pus.sort_unstable();
    Some(pus)
}

/// The PUs of a mask: groups of up to 8 hexadecimal digits, the highest first (bitmap_print_to_pagebuf in the kernel).
pub(crate) fn of_mask(text: &str) -> Option<Vec<u32>> {
    let mut pus = Vec::new();
    let mut base: usize = 0;
    for group in text.rsplit(',') {
        let group = group.trim().trim_start_matches("0x");
        if group.is_empty() || base >= PU_LIMIT as usize {
            return None;
        }
        for (i, digit) in group.chars().rev().enumerate() {
            let digit = digit.to_digit(16)?;
            for bit in (0..4).filter(|bit| digit & (1 << bit) != 0) {
                let pu = base + 4 * i + bit;
                pus.push(u32::try_from(pu).ok().filter(|pu| *pu < PU_LIMIT)?);
            }
        }
        // A lone group may be as long as it likes; among others each stands for 32 PUs.
        base += 32.max(4 * group.len());
    }
    Some(pus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::Tree;

    #[test]
    fn masks_are_read_as_the_kernel_writes_them() {
        let cases: [(&str, &[u32]); 7] = [
            ("00000000,00001111", &[0, 4, 8, 12]),
            ("00000001,00000000,80000001", &[0, 31, 64]),
            ("f0", &[4, 5, 6, 7]),
            ("0x00000003", &[0, 1]),
            ("ffffffffff", &(0..40).collect::<Vec<_>>()),
            ("00000000", &[]),
            ("80000000,00000000", &[63]),
        ];
        for (text, pus) in cases {
            assert_eq!(of_mask(text).as_deref(), Some(pus), "{text}");
        }
        for text in ["", ",", "g", "1,,1", "-1", "00000000,"] {
            assert_eq!(of_mask(text), None, "{text}");
        }
    }

    #[test]
    fn a_list_is_asked_before_a_mask_and_garbage_is_neither() {
        let tree = Tree::new(&[("/l", "2-3\n"), ("/m", "00000003\n"), ("/odd", "x\n"), ("/none", "\n")]);
        let (files, sets) = (tree.files(), Sets::default());
        sets.up_to(2);
        assert_eq!(sets.of(&files, "/l", "/m").as_deref(), Some(&[2][..]), "no PU above the highest");
        assert_eq!(sets.of(&files, "/odd", "/m").as_deref(), Some(&[0, 1][..]));
        assert_eq!(sets.of(&files, "/absent", "/odd"), None);
        assert_eq!(sets.of(&files, "/none", "/m").as_deref(), Some(&[][..]));
    }
}
