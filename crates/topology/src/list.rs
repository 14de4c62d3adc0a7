//! Lists of PUs as people and kernels write them: `0-3,8,16-24:8`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// PU numbers are below this: 2^20, far above any kernel's limit and small enough for a mask.
pub const PU_LIMIT: u32 = 1 << 20;

/// The most workers that are placed: as many as PUs can be named.
pub const MAX_WORKERS: usize = PU_LIMIT as usize;

/// PUs by OS index, each once, in the order written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PuList(Vec<u32>);

/// One thing wrong with a written list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListFault {
    /// The item that is wrong, as written.
    pub item: String,
    /// Its number in the list, from 1.
    pub number: usize,
    /// What is wrong, without a full stop.
    pub message: String,
    /// What cures it.
    pub cure: String,
}

/// Everything wrong with a written list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListFaults(pub Vec<ListFault>);

impl fmt::Display for ListFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "item {} `{}`: {}; {}", self.number, self.item, self.message, self.cure)
    }
}

impl fmt::Display for ListFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ListFault {}
impl std::error::Error for ListFaults {}

impl PuList {
    /// A list of these PUs in this order.
    ///
    /// # Errors
    /// A fault for each PU that is listed twice or not below [`PU_LIMIT`], and one for an empty list.
    pub fn new(pus: impl IntoIterator<Item = u32>) -> Result<Self, ListFaults> {
        let mut reader = Reader::default();
        for (i, pu) in pus.into_iter().enumerate() {
            reader.number = i + 1;
            reader.item = pu.to_string();
            if pu >= PU_LIMIT {
                reader.too_large();
            } else {
                reader.range(pu, pu, 1);
            }
        }
        reader.end()
    }

    /// The PUs in the order written; never empty.
    pub fn pus(&self) -> &[u32] {
        &self.0
    }
}

impl FromStr for PuList {
    type Err = ListFaults;

    /// Reads items separated by commas: a PU `8`, a range `0-3` with both ends, a range with a stride `16-24:8`. Blanks
    /// around items are allowed.
    fn from_str(text: &str) -> Result<Self, ListFaults> {
        let mut reader = Reader::default();
        for (i, item) in text.split(',').enumerate() {
            reader.number = i + 1;
            reader.item = item.trim().to_owned();
            reader.item();
        }
        reader.end()
    }
}

#[derive(Default)]
struct Reader {
    pus: Vec<u32>,
    /// A bit for each PU listed.
    seen: Vec<u64>,
    faults: Vec<ListFault>,
    item: String,
    number: usize,
}

impl Reader {
    fn fault(&mut self, message: impl Into<String>, cure: impl Into<String>) {
        // A hostile list must not become a hostile report.
        let mut item = self.item.clone();
        if item.chars().count() > 40 {
            item = item.chars().take(40).chain("…".chars()).collect();
        }
        self.faults.push(ListFault { item, number: self.number, message: message.into(), cure: cure.into() });
    }

    fn too_large(&mut self) {
        self.fault(format!("a PU number is too large; they are below {PU_LIMIT}"), "give the OS index of a PU");
    }

    fn item(&mut self) {
        if self.item.is_empty() {
            return self.fault("it is empty", "write a PU such as `3`, or remove the comma");
        }
        let item = self.item.clone();
        let (range, stride) = match item.split_once(':') {
            Some((range, stride)) => (range, Some(stride)),
            None => (item.as_str(), None),
        };
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (first, last),
            None => (range, range),
        };
        if stride.is_some() && !range.contains('-') {
            return self.fault("a stride needs a range before it", "write it as `0-24:8`");
        }
        let faults = self.faults.len();
        let (first, last) = (self.number_of(first), self.number_of(last));
        let stride = stride.map_or(Some(1), |stride| self.number_of(stride));
        // `x` is read as first and as last: one fault, not two.
        if self.faults.len() == faults + 2 && self.faults[faults] == self.faults[faults + 1] {
            self.faults.pop();
        }
        let (Some(first), Some(last), Some(stride)) = (first, last, stride) else {
            debug_assert!(self.faults.len() > faults);
            return;
        };
        if stride == 0 {
            return self.fault("its stride is 0", "use a stride of 1 or more");
        }
        if first > last {
            return self.fault("the range is reversed", format!("write `{last}-{first}`, or list the PUs one by one"));
        }
        self.range(first, last, stride);
    }

    fn number_of(&mut self, text: &str) -> Option<u32> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            self.fault(
                format!("`{}` is not a whole number", text.chars().take(20).collect::<String>()),
                "write PUs as `0-3,8,16-24:8`",
            );
            return None;
        }
        match text.parse::<u32>() {
            Ok(number) if number < PU_LIMIT => Some(number),
            _ => {
                self.too_large();
                None
            }
        }
    }

    fn range(&mut self, first: u32, last: u32, stride: u32) {
        let words = last as usize / 64 + 1;
        if self.seen.len() < words {
            self.seen.resize(words, 0);
        }
        for pu in (first..=last).step_by(stride as usize) {
            let (word, bit) = (pu as usize / 64, 1 << (pu % 64));
            if self.seen[word] & bit != 0 {
                // One report an item: the rest of a repeated range says nothing new.
                return self.fault(format!("PU {pu} is listed before"), "list each PU once");
            }
            self.seen[word] |= bit;
            self.pus.push(pu);
        }
    }

    fn end(mut self) -> Result<PuList, ListFaults> {
        if self.pus.is_empty() && self.faults.is_empty() {
            self.fault("the list is empty", "list at least one PU");
        }
        if self.faults.is_empty() { Ok(PuList(self.pus)) } else { Err(ListFaults(self.faults)) }
    }
}

/// In its shortest written form, which reads back as the same list.
impl fmt::Display for PuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.as_slice();
        let mut separator = "";
        while let [first, ..] = rest {
            let stride = rest.get(1).and_then(|second| second.checked_sub(*first)).filter(|stride| *stride > 0);
            let run = match stride {
                Some(stride) => {
                    1 + rest.windows(2).take_while(|pair| pair[0].checked_add(stride) == Some(pair[1])).count()
                }
                None => 1,
            };
            // Two PUs far apart are clearer as two.
            let run = if stride != Some(1) && run == 2 { 1 } else { run };
            let last = rest[run - 1];
            match (run, stride) {
                (1, _) => write!(f, "{separator}{first}")?,
                (_, None | Some(1)) => write!(f, "{separator}{first}-{last}")?,
                (_, Some(stride)) => write!(f, "{separator}{first}-{last}:{stride}")?,
            }
            separator = ",";
            rest = &rest[run..];
        }
        Ok(())
    }
}

impl TryFrom<String> for PuList {
    type Error = ListFaults;

    fn try_from(text: String) -> Result<Self, ListFaults> {
        text.parse()
    }
}

impl From<PuList> for String {
    fn from(list: PuList) -> String {
        list.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pus(text: &str) -> Vec<u32> {
        text.parse::<PuList>().unwrap().pus().to_vec()
    }

    fn faults(text: &str) -> Vec<String> {
        text.parse::<PuList>().unwrap_err().0.into_iter().map(|fault| fault.message).collect()
    }

    #[test]
    fn ranges_strides_and_orders_are_read_as_written() {
        assert_eq!(pus("0-3,8,16-24:8"), [0, 1, 2, 3, 8, 16, 24]);
        assert_eq!(pus("0,32,8,40,16,48,24,56,4,36"), [0, 32, 8, 40, 16, 48, 24, 56, 4, 36]);
        assert_eq!(pus(" 1279 , 1048575 "), [1279, 1048575]);
        assert_eq!(pus("0-9:4"), [0, 4, 8]);
        assert_eq!(pus("5-5"), [5]);
    }

    #[test]
    fn each_fault_is_told_with_its_item() {
        assert_eq!(faults(""), ["it is empty"]);
        assert_eq!(faults("0,,1"), ["it is empty"]);
        assert_eq!(faults("3-1"), ["the range is reversed"]);
        assert_eq!(faults("0-3,2"), ["PU 2 is listed before"]);
        assert_eq!(faults("0-4:0"), ["its stride is 0"]);
        assert_eq!(faults("4:2"), ["a stride needs a range before it"]);
        assert!(faults("1048576")[0].contains("too large"));
        assert!(faults("99999999999999999999")[0].contains("too large"));
        for text in ["-1", "+1", "a", "0x3", "1-2-3", "1.5", "0-", "٣"] {
            assert!(faults(text)[0].contains("not a whole number"), "{text}: {:?}", faults(text));
        }
        let all = "x,3-1,7,7,0-8:0".parse::<PuList>().unwrap_err();
        assert_eq!(all.0.iter().map(|fault| fault.number).collect::<Vec<_>>(), [1, 2, 4, 5]);
        assert!(all.to_string().contains("item 2 `3-1`: the range is reversed; write `1-3`"));
    }

    #[test]
    fn a_hostile_list_ends_soon() {
        // Only the first item is long to read: each other one ends at the first PU that it repeats.
        let text = vec!["0-1048575"; 20_000].join(",");
        assert_eq!(text.parse::<PuList>().unwrap_err().0.len(), 19_999);
        assert!(PuList::new([]).is_err());
        assert!(PuList::new([1, 1]).is_err());
        assert!(PuList::new([PU_LIMIT]).is_err());
    }

    #[test]
    fn it_is_printed_short() {
        let cases = [
            ("0,1,2,3,8,16,24", "0-3,8-24:8"),
            ("0,1", "0-1"),
            ("0,2", "0,2"),
            ("0,2,4", "0-4:2"),
            ("7,3,5", "7,3,5"),
            ("1270-1279", "1270-1279"),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<PuList>().unwrap().to_string(), expected);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(list in proptest::collection::hash_set(0..PU_LIMIT, 1..50)) {
            let list = PuList::new(list).unwrap();
            prop_assert_eq!(list.to_string().parse::<PuList>().unwrap(), list);
        }

        #[test]
        fn dense_lists_read_back_in_their_order(list in Just((0..40u32).collect::<Vec<_>>()).prop_shuffle(), n in 1..40usize) {
            let list = PuList::new(list.into_iter().take(n)).unwrap();
            prop_assert_eq!(list.to_string().parse::<PuList>().unwrap(), list);
        }

        #[test]
        fn no_text_panics(text in "([0-9]{0,3}[,:x -]){0,8}|.{0,20}") {
            let _ = text.parse::<PuList>();
        }
    }
}
