//! Looks an XML file over before hwloc reads it: hwloc's reader ends the process where an object lacks one of its sets, and loses
//! PUs that stand in other sets than their own.

use std::collections::BTreeSet;

use hitm_topology::PU_LIMIT;
use roxmltree::{Document, Node, ParsingOptions};

/// hwloc's own files have an object for each thing; 4096 PUs make less than 20 thousand.
const MOST_NODES: u32 = 8 << 20;
/// Objects inside each other; hwloc's reader calls itself for each.
const DEEPEST: usize = 128;
/// The most faults told of one file.
const MOST_FAULTS: usize = 20;
/// What is made of processors and memory, in hwloc 1's and 2's words; only these have sets.
const WITH_SETS: [&str; 19] = [
    "Machine", "System", "Package", "Socket", "Die", "Group", "Core", "PU", "NUMANode", "MemCache", "Cache", "L1Cache",
    "L2Cache", "L3Cache", "L4Cache", "L5Cache", "L1iCache", "L2iCache", "L3iCache",
];

/// Everything wrong with a file's text, each with its line and object.
pub(super) fn faults(text: &str) -> Vec<String> {
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => return vec![format!("it is no XML: {error}")],
    };
    let root = document.root_element();
    if root.tag_name().name() != "topology" {
        return vec![format!("its root is <{}>, not hwloc's <topology>", root.tag_name().name())];
    }
    let version = root.attribute("version").unwrap_or("1").split('.').next().and_then(|major| major.parse().ok());
    let Some(version @ 1..=2) = version else {
        return vec!["its version is neither 1 nor 2 of hwloc's format".into()];
    };
    let mut check =
        Check { document: &document, version, pus: BTreeSet::new(), ids: BTreeSet::new(), faults: Vec::new(), more: 0 };
    if let Some(top) = root.children().find(|child| child.has_tag_name("object")) {
        if !matches!(top.attribute("type"), Some("Machine" | "System")) {
            check.add(top, "the outermost object is no Machine".into());
        }
    }
    let mut to_go: Vec<(Node, usize)> = vec![(root, 0)];
    while let Some((node, depth)) = to_go.pop() {
        if depth > DEEPEST {
            let line = document.text_pos_at(node.range().start).row;
            return vec![format!("line {line}: more than {DEEPEST} objects are inside each other")];
        }
        if node != root {
            check.object(node);
        }
        let objects = node.children().filter(|child| child.has_tag_name("object"));
        to_go.extend(objects.map(|object| (object, depth + 1)));
    }
    if check.pus.is_empty() && check.faults.is_empty() {
        check.faults.push("it holds no object of type PU".into());
    }
    if check.more > 0 {
        check.faults.push(format!("and {} more", check.more));
    }
    check.faults
}

struct Check<'a> {
    document: &'a Document<'a>,
    /// The file's format, hwloc 1's or 2's.
    version: u32,
    pus: BTreeSet<u32>,
    /// The objects' numbers in the file.
    ids: BTreeSet<u64>,
    faults: Vec<String>,
    more: usize,
}

impl Check<'_> {
    fn add(&mut self, node: Node, what: String) {
        if self.faults.len() == MOST_FAULTS {
            self.more += 1;
            return;
        }
        let line = self.document.text_pos_at(node.range().start).row;
        let kind: String = node.attribute("type").unwrap_or("object").chars().take(20).collect();
        let number = node.attribute("os_index").filter(|text| text.len() <= 20);
        let number = number.map(|number| format!(" os_index=\"{number}\"")).unwrap_or_default();
        self.faults.push(format!("line {line}, {kind}{number}: {what}"));
    }

    fn object(&mut self, node: Node) {
        let Some(kind) = node.attribute("type") else { return self.add(node, "it has no attribute `type`".into()) };
        if self.version >= 2 {
            match node.attribute("gp_index").and_then(|id| id.parse::<u64>().ok()).filter(|id| *id > 0) {
                None => self.add(node, "it has no attribute `gp_index` that is a number above 0".into()),
                Some(id) if !self.ids.insert(id) => self.add(node, format!("another object has gp_index {id} too")),
                Some(_) => {}
            }
        }
        if !WITH_SETS.contains(&kind) {
            return;
        }
        let cpuset = self.set(node, "cpuset", true);
        let complete = self.set(node, "complete_cpuset", true);
        // Files of hwloc 1 have no sets of nodes where the machine has no NUMA nodes.
        let needed = self.version >= 2 || node.has_attribute("nodeset");
        for name in ["nodeset", "complete_nodeset"] {
            self.set(node, name, needed);
        }
        for name in ["allowed_cpuset", "online_cpuset", "allowed_nodeset"] {
            self.set(node, name, false);
        }
        if let (Some(Set::Of(cpuset)), Some(Set::Of(complete))) = (&cpuset, &complete) {
            if !cpuset.is_subset(complete) {
                self.add(node, "`cpuset` has PUs that `complete_cpuset` has not".into());
            }
        }
        if matches!(cpuset, Some(Set::Endless)) || matches!(complete, Some(Set::Endless)) {
            self.add(node, "its PUs have no end".into());
        }
        let has_inner = !matches!(kind, "PU" | "NUMANode" | "MemCache");
        if let (true, Some(Set::Of(cpuset))) = (has_inner, &cpuset) {
            if !is_made_of_inner(node, cpuset, self.version) {
                self.add(node, "`cpuset` is not what the objects in it have together".into());
            }
        }
        if !matches!(kind, "PU" | "NUMANode") {
            return;
        }
        let index = node.attribute("os_index").map(|text| (text, text.parse::<u32>()));
        let index = match index {
            None => return self.add(node, "it has no attribute `os_index`".into()),
            Some((_, Ok(index))) if index < PU_LIMIT => index,
            Some(_) => return self.add(node, format!("`os_index` is no whole number below {PU_LIMIT}")),
        };
        if kind != "PU" {
            return;
        }
        let is_own = |set: &Option<Set>| match set {
            Some(Set::Of(pus)) => pus.len() == 1 && pus.contains(&index),
            // What is wrong with it is told already.
            _ => true,
        };
        // hwloc 1 leaves offline PUs and disallowed ones out of `cpuset`.
        let is_out = self.version < 2 && matches!(&cpuset, Some(Set::Of(pus)) if pus.is_empty());
        if !is_out && !is_own(&cpuset) {
            self.add(node, format!("`cpuset` is not PU {index} alone"));
        } else if !is_own(&complete) {
            self.add(node, format!("`complete_cpuset` is not PU {index} alone"));
        }
        if !self.pus.insert(index) {
            self.add(node, format!("another PU has os_index {index} too"));
        }
    }

    /// The set that an attribute tells; `None` where it is absent or told as wrong.
    fn set(&mut self, node: Node, name: &str, is_needed: bool) -> Option<Set> {
        let Some(text) = node.attribute(name) else {
            if is_needed {
                self.add(node, format!("it has no attribute `{name}`"));
            }
            return None;
        };
        let set = of_hwloc(text);
        if set.is_none() {
            let form = "is no set such as `0x000000ff` or `0x1,0x00000000`";
            self.add(node, format!("`{name}` {form} of numbers below {PU_LIMIT}"));
        }
        set
    }
}

/// Whether the objects in one have its PUs, no more and no fewer; memory stands beside. Sets that are wrong are told of those.
fn is_made_of_inner(node: Node, cpuset: &BTreeSet<u32>, version: u32) -> bool {
    let is_inner = |object: &Node| {
        let kind = object.attribute("type").unwrap_or("");
        // In hwloc 1's files the packages are in the nodes.
        let is_memory = version >= 2 && matches!(kind, "NUMANode" | "MemCache");
        object.has_tag_name("object") && WITH_SETS.contains(&kind) && !is_memory
    };
    let mut together = BTreeSet::new();
    for object in node.children().filter(is_inner) {
        match object.attribute("cpuset").and_then(of_hwloc) {
            Some(Set::Of(pus)) => together.extend(pus),
            _ => return true,
        }
    }
    together == *cpuset
}

enum Set {
    Of(BTreeSet<u32>),
    /// `0xf...f`: it goes on for ever.
    Endless,
}

/// A set as hwloc writes it (`hwloc_bitmap_snprintf`): words of 32 bits, the highest first, empty ones for zero.
fn of_hwloc(text: &str) -> Option<Set> {
    let (text, is_endless) = match text.strip_prefix("0xf...f") {
        Some(rest) => (rest.strip_prefix(',').unwrap_or(rest), true),
        None if text.is_empty() => return None,
        None => (text, false),
    };
    let mut numbers = BTreeSet::new();
    for (word, base) in text.rsplit(',').zip((0u32..).step_by(32)) {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let is_word = digits.len() <= 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_word || (digits.is_empty() && digits.len() != word.len()) || base >= PU_LIMIT {
            return None;
        }
        let bits = if digits.is_empty() { 0 } else { u32::from_str_radix(digits, 16).ok()? };
        numbers.extend((0..32).filter(|bit| bits & (1 << bit) != 0).map(|bit| base + bit));
    }
    Some(if is_endless { Set::Endless } else { Set::Of(numbers) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pus(text: &str) -> Option<Vec<u32>> {
        match of_hwloc(text)? {
            Set::Of(pus) => Some(pus.into_iter().collect()),
            Set::Endless => Some(vec![u32::MAX]),
        }
    }

    #[test]
    fn sets_are_read_as_hwloc_writes_them() {
        assert_eq!(pus("0x0"), Some(vec![]));
        assert_eq!(pus("0x00000300,,0x00000003"), Some(vec![0, 1, 72, 73]));
        assert_eq!(pus("0xf...f"), Some(vec![u32::MAX]));
        assert_eq!(pus("0xf...f,0x0000000f"), Some(vec![u32::MAX]));
        let long = format!("0x1{}", ",".repeat(PU_LIMIT as usize / 32));
        for text in ["", "x", "-1", "0x", "0x123456789", "0x1,zz", "0x1 ", "0-3", &long] {
            assert_eq!(pus(text), None, "{text:.20}");
        }
    }

    #[test]
    fn what_is_no_file_of_hwlocs_is_told() {
        let told = |text: &str| faults(text).join(" | ");
        assert!(told("").contains("it is no XML"));
        assert!(told("<svg/>").contains("its root is <svg>"));
        assert!(told("<topology version='3.0'/>").contains("version"));
        assert!(told("<topology version='2.0'/>").contains("no object of type PU"));
        let sets = "cpuset='0x1' complete_cpuset='0x1' nodeset='0x1' complete_nodeset='0x1'";
        let open = format!("<object type='Group' {sets}>");
        let deep = format!("<topology version='2.0'>{}{}</topology>", open.repeat(500), "</object>".repeat(500));
        assert!(told(&deep).contains("inside each other"), "{}", told(&deep));
    }
}
