//! This machine, by whatever reads it.

use hitm_machine::{Input, discover, process_allowed};
use hitm_topology::{Relation, Topology};

#[test]
fn this_machine_is_listed_with_its_allowed_pus() {
    let topology = discover(&Input::This).unwrap();
    assert!(topology.is_this_machine);
    assert_eq!(topology.allowed(), process_allowed());
    assert!(topology.counts().cores >= 1 && topology.counts().smt_min >= 1);
    let reader = if cfg!(feature = "hwloc") { "this machine (hwloc 2." } else { "this machine (/sys)" };
    assert!(topology.source.starts_with(reader), "{}", topology.source);
    assert!(topology.pus.windows(2).all(|pair| pair[0].os_index < pair[1].os_index));
    let line = topology.line_size();
    assert!(line.bytes.is_power_of_two() && !line.source.is_empty());
    let text = serde_json::to_string(&topology).unwrap();
    assert_eq!(serde_json::from_str::<Topology>(&text).unwrap(), topology);
}

#[test]
fn its_own_sys_tells_the_same_cores() {
    // What hwloc makes of it (where it is built in) and what the reader of copies makes of it are one machine.
    let this = discover(&Input::This).unwrap();
    let copy = discover(&Input::Sysfs("/".into())).unwrap();
    assert!(!copy.is_this_machine);
    let is_same_core = |relation: Relation| matches!(relation, Relation::SamePu | Relation::SameCore);
    let cores = |topology: &Topology| -> Vec<Vec<u32>> {
        let of = |pu: u32| {
            let of =
                topology.pus.iter().filter(|other| topology.relation(pu, other.os_index).is_some_and(is_same_core));
            of.map(|other| other.os_index).collect()
        };
        topology.pus.iter().filter(|pu| pu.online).map(|pu| of(pu.os_index)).collect()
    };
    assert_eq!(cores(&this), cores(&copy));
    let states =
        |topology: &Topology| -> Vec<(u32, bool)> { topology.pus.iter().map(|pu| (pu.os_index, pu.online)).collect() };
    assert_eq!(states(&this), states(&copy));
    if cfg!(not(feature = "hwloc")) {
        assert_eq!((this.caches, this.numa_nodes), (copy.caches, copy.numa_nodes));
    }
}
