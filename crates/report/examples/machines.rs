//! Writes pictures of the presets into a folder, to look at: `cargo run -p hitm-report --example machines -- FOLDER`.

use std::path::Path;
use std::{env, fs, io};

use hitm_report::{Style, machine, png};
use hitm_topology::{PRESETS, Topology, place, preset};

/// A machine with offline and disallowed PUs, some of them told without their core.
fn holes() -> Topology {
    let mut topology = preset("c5.9xlarge").unwrap_or_default();
    for pu in &mut topology.pus {
        pu.online = !matches!(pu.os_index, 3 | 7..=9 | 20);
        pu.allowed = pu.online && !matches!(pu.os_index, 12..=15 | 30);
        if pu.os_index == 20 {
            (pu.core, pu.package, pu.numa_node) = (None, None, None);
        }
    }
    topology.source = "a machine with holes".into();
    topology
}

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).unwrap_or_else(|| "machines".to_owned());
    fs::create_dir_all(&folder)?;
    let mut machines: Vec<(String, Topology)> =
        PRESETS.iter().filter_map(|named| Some((named.name.to_owned(), preset(named.name)?))).collect();
    machines.push(("holes".to_owned(), holes()));
    let policies = [
        ("bare", None),
        ("cores", Some(("cores", 20))),
        ("pairs", Some(("pairs", 12))),
        ("full", Some(("scatter", 300))),
    ];
    for (name, topology) in &machines {
        for (kind, placing) in policies {
            let placement = placing.map(|(policy, workers)| {
                let policy = policy.parse().map_err(|error: hitm_topology::PolicyError| error.to_string())?;
                place(topology, &policy, workers).map_err(|faults| format!("{faults:?}"))
            });
            let placement = placement.transpose().map_err(io::Error::other)?;
            let svg = machine::svg(topology, placement.as_ref(), name);
            let file = |end: &str| Path::new(&folder).join(format!("{name}-{kind}.{end}"));
            fs::write(file("png"), png(&svg, 1.0).map_err(io::Error::other)?)?;
            fs::write(file("svg"), svg)?;
            let style = Style { color: false, width: 80 };
            fs::write(file("txt"), machine::text(topology, placement.as_ref(), style))?;
        }
    }
    Ok(())
}
