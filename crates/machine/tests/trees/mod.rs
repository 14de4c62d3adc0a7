//! Small /sys trees, made from what tells a machine apart: a new odd machine is about ten lines.

#![allow(dead_code, unused_imports, reason = "each test file uses some of it")]

pub mod look;
pub mod ours;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use hitm_machine::{Input, MachineError, Topology, discover};
use hitm_topology::PuList;

/// A machine to be written as a tree.
#[derive(Clone, Default)]
pub struct Tree {
    cpus: BTreeMap<u32, Cpu>,
    caches: Vec<Cache>,
    nodes: Vec<(u32, BTreeSet<u32>, u64)>,
    files: Vec<(String, Vec<u8>)>,
    without: Vec<String>,
    masks: bool,
}

#[derive(Clone, Copy)]
struct Cpu {
    package: i64,
    core: i64,
    online: bool,
    bare: bool,
}

#[derive(Clone)]
struct Cache {
    level: u32,
    kind: &'static str,
    size: &'static str,
    line: &'static str,
    groups: Vec<BTreeSet<u32>>,
}

/// PUs of a list; none of an empty text.
pub fn pus(list: &str) -> BTreeSet<u32> {
    if list.is_empty() {
        return BTreeSet::new();
    }
    list.parse::<PuList>().unwrap().pus().iter().copied().collect()
}

fn list(pus: &BTreeSet<u32>) -> String {
    PuList::new(pus.iter().copied()).map_or_else(|_| String::new(), |list| list.to_string())
}

/// As the kernel writes masks.
fn mask(pus: &BTreeSet<u32>) -> String {
    let words = pus.last().map_or(1, |last| last / 32 + 1);
    let word = |i: u32| (0..32).filter(|bit| pus.contains(&(i * 32 + bit))).fold(0u32, |word, bit| word | 1 << bit);
    (0..words).rev().map(|i| format!("{:08x}", word(i))).collect::<Vec<_>>().join(",")
}

impl Tree {
    pub fn new() -> Self {
        Tree::default()
    }

    /// CPUs, each with its package and its core id in it (as the kernel numbers them; −1 is allowed).
    pub fn cpus(mut self, cpus: &str, place: impl Fn(u32) -> (i64, i64)) -> Self {
        for cpu in pus(cpus) {
            let (package, core) = place(cpu);
            self.cpus.insert(cpu, Cpu { package, core, online: true, bare: false });
        }
        self
    }

    /// CPUs with a folder but without a topology in it.
    pub fn bare_cpus(mut self, cpus: &str) -> Self {
        for cpu in pus(cpus) {
            self.cpus.insert(cpu, Cpu { package: -1, core: -1, online: true, bare: true });
        }
        self
    }

    /// Takes CPUs offline as the kernel does: their topology and caches go, and nobody names them any more.
    pub fn offline(mut self, cpus: &str) -> Self {
        for cpu in pus(cpus) {
            self.cpus.get_mut(&cpu).unwrap().online = false;
        }
        self
    }

    /// Caches of a level, one for each group of PUs.
    pub fn cache(
        mut self,
        level: u32,
        kind: &'static str,
        size: &'static str,
        line: &'static str,
        groups: &[&str],
    ) -> Self {
        let groups = groups.iter().map(|group| pus(group)).collect();
        self.caches.push(Cache { level, kind, size, line, groups });
        self
    }

    /// A cache for each core.
    pub fn cache_of_cores(mut self, level: u32, kind: &'static str, size: &'static str, line: &'static str) -> Self {
        let cores: BTreeSet<(i64, i64)> = self.cpus.values().map(|cpu| (cpu.package, cpu.core)).collect();
        let groups = cores.into_iter().map(|(package, core)| self.of_core(package, core)).collect();
        self.caches.push(Cache { level, kind, size, line, groups });
        self
    }

    /// A NUMA node with its memory in KiB; no PUs for memory alone, no memory for PUs alone.
    pub fn node(mut self, node: u32, cpus: &str, kilobytes: u64) -> Self {
        self.nodes.push((node, pus(cpus), kilobytes));
        self
    }

    /// Any other file.
    pub fn file(mut self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.files.push((path.to_owned(), text.as_ref().to_vec()));
        self
    }

    /// A file of each CPU.
    pub fn each(mut self, cpus: &str, path: &str, text: impl Fn(u32) -> String) -> Self {
        for cpu in pus(cpus) {
            self.files.push((format!("sys/devices/system/cpu/cpu{cpu}/{path}"), text(cpu).into_bytes()));
        }
        self
    }

    /// Files or folders to leave out, by the end of their path.
    pub fn without(mut self, ends: &[&str]) -> Self {
        self.without.extend(ends.iter().map(|end| (*end).to_owned()));
        self
    }

    /// As kernels before 2.6.30 wrote it: masks, and no lists.
    pub fn with_masks(mut self) -> Self {
        self.masks = true;
        self
    }

    fn of_core(&self, package: i64, core: i64) -> BTreeSet<u32> {
        let of =
            self.cpus.iter().filter(|(_, cpu)| cpu.online && !cpu.bare && (cpu.package, cpu.core) == (package, core));
        of.map(|(number, _)| *number).collect()
    }

    fn online(&self) -> BTreeSet<u32> {
        self.cpus.iter().filter(|(_, cpu)| cpu.online).map(|(number, _)| *number).collect()
    }

    fn all_files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        let mut add = |path: String, text: String| files.push((path, format!("{text}\n").into_bytes()));
        let online = self.online();
        let present: BTreeSet<u32> = self.cpus.keys().copied().collect();
        let system = "sys/devices/system";
        if !self.masks {
            add(format!("{system}/cpu/online"), list(&online));
            add(format!("{system}/cpu/present"), list(&present));
            add(format!("{system}/cpu/possible"), list(&present));
        }
        let mut set = |path: String, list_path: String, pus: &BTreeSet<u32>| {
            let pus = pus & &online;
            if self.masks { add(path, mask(&pus)) } else { add(list_path, list(&pus)) }
        };
        for (node, pus, _) in &self.nodes {
            set(format!("{system}/node/node{node}/cpumap"), format!("{system}/node/node{node}/cpulist"), pus);
        }
        for (number, cpu) in self.cpus.iter().filter(|(_, cpu)| cpu.online && !cpu.bare) {
            let at = |name: &str| format!("{system}/cpu/cpu{number}/topology/{name}");
            set(at("thread_siblings"), at("thread_siblings_list"), &self.of_core(cpu.package, cpu.core));
            let of_this =
                self.caches.iter().filter_map(|cache| cache.groups.iter().find(|group| group.contains(number)));
            for (i, group) in of_this.enumerate() {
                let at = |name: &str| format!("{system}/cpu/cpu{number}/cache/index{i}/{name}");
                set(at("shared_cpu_map"), at("shared_cpu_list"), group);
            }
        }
        for (node, _, kilobytes) in &self.nodes {
            let meminfo = format!("Node {node} MemTotal:       {kilobytes} kB\nNode {node} MemFree:        1 kB");
            add(format!("{system}/node/node{node}/meminfo"), meminfo);
        }
        for (number, cpu) in &self.cpus {
            let at = |name: &str| format!("{system}/cpu/cpu{number}/{name}");
            add(at("online"), if cpu.online { "1".into() } else { "0".into() });
            if !cpu.online || cpu.bare {
                continue;
            }
            add(at("topology/core_id"), cpu.core.to_string());
            add(at("topology/physical_package_id"), cpu.package.to_string());
            let of_this = self.caches.iter().filter(|cache| cache.groups.iter().any(|group| group.contains(number)));
            for (i, cache) in of_this.enumerate() {
                let at = |name: &str| at(&format!("cache/index{i}/{name}"));
                add(at("level"), cache.level.to_string());
                add(at("type"), cache.kind.to_owned());
                // An empty text stands for a file that is not there.
                for (name, text) in [("size", cache.size), ("coherency_line_size", cache.line)] {
                    if !text.is_empty() {
                        add(at(name), text.to_owned());
                    }
                }
            }
        }
        files.extend(self.files.iter().cloned());
        files.retain(|(path, _)| {
            !self.without.iter().any(|end| path.ends_with(end) || path.contains(&format!("{end}/")))
        });
        files
    }

    /// Writes it to a folder of its own.
    pub fn write(&self) -> Folder {
        let folder = Folder::new();
        let mut made = BTreeSet::new();
        for (path, text) in self.all_files() {
            let path = folder.0.join(path);
            let parent = path.parent().unwrap();
            if made.insert(parent.to_owned()) {
                std::fs::create_dir_all(parent).unwrap();
            }
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    /// What is made of it.
    pub fn read(&self) -> Topology {
        self.write().read().unwrap()
    }
}

/// A folder that goes with this value.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // In memory where there is such a place: a large machine is ten thousand files.
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = Folder(place.join(format!("hitm-tree-{}-{number}", std::process::id())));
        std::fs::create_dir_all(&folder.0).unwrap();
        folder
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn read(&self) -> Result<Topology, MachineError> {
        discover(&Input::Sysfs(self.0.clone()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
