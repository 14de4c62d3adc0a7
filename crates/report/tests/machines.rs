//! Pictures of machines: every PU and worker once, nothing on another, no line too wide.

use std::sync::Arc;

use hitm_report::{Style, machine, png};
use hitm_topology::{Build, CacheKind, CacheSpec, PRESETS, Placement, Topology, place, place_within, preset};
use resvg::usvg::{self, fontdb::Database, roxmltree};

const PLAIN: Style = Style { color: false, width: 80 };

fn l2(cores: usize, build: &mut Build) {
    let spec = CacheSpec { level: 2, kind: CacheKind::Unified, size_bytes: Some(1280 << 10), line_bytes: None };
    build.caches(cores, spec);
}

/// Cores with offline and disallowed PUs; of one offline PU nothing is told but a NUMA node.
fn holes() -> Topology {
    let mut topology = preset("c5.9xlarge").unwrap();
    for pu in &mut topology.pus {
        pu.online = !matches!(pu.os_index, 3 | 7..=9 | 20);
        pu.allowed = pu.online && !matches!(pu.os_index, 12..=15 | 30);
        if pu.os_index == 20 {
            (pu.core, pu.package, pu.numa_node) = (None, None, None);
        }
    }
    topology
}

/// Two fast cores with two threads beside two clusters of slow ones.
fn hybrid() -> Topology {
    let mut build = Build::new("hybrid");
    build.core(Some(0), None, &[0, 1]).core(Some(0), None, &[2, 3]);
    l2(1, &mut build);
    for pu in 4..8 {
        build.core(Some(0), None, &[pu]);
    }
    l2(2, &mut build);
    build.kind("efficiency", "test", &[4, 5, 6, 7]).kind("performance", "test", &[0, 1, 2, 3]);
    build.done()
}

fn large(packages: u32, cores: u32, threads: u32) -> Topology {
    let mut build = Build::new("large");
    for core in 0..packages * cores {
        let pus: Vec<u32> = (core * threads..(core + 1) * threads).collect();
        build.core(Some(core / cores), Some(core / cores), &pus);
    }
    l2(4, &mut build);
    build.done()
}

fn all() -> Vec<(String, Topology)> {
    let mut all: Vec<(String, Topology)> =
        PRESETS.iter().map(|named| (named.name.to_owned(), preset(named.name).unwrap())).collect();
    all.push(("holes".into(), holes()));
    all.push(("hybrid".into(), hybrid()));
    all.push(("576 PUs".into(), large(24, 12, 2)));
    all.push(("1280 PUs".into(), large(2, 80, 8)));
    all.push(("nothing".into(), Topology::default()));
    let mut bare = large(2, 3, 2);
    bare.packages.clear();
    bare.numa_nodes.clear();
    bare.caches.clear();
    for pu in &mut bare.pus {
        (pu.core, pu.package, pu.numa_node, pu.os_index) = (None, None, None, pu.os_index * 99_991);
    }
    bare.source = "<script>\u{1b}[31m & \"quotes\" ".repeat(20);
    all.push(("bare".into(), bare));
    // Node 5 lies across both packages: nothing nests it, and nobody is left out.
    let mut across = large(2, 2, 1);
    across.numa_nodes[0].pus = vec![1, 2];
    for pu in &mut across.pus {
        pu.numa_node = matches!(pu.os_index, 1 | 2).then_some(0);
    }
    all.push(("across".into(), across));
    all
}

fn placements(topology: &Topology) -> Vec<Option<Placement>> {
    let n = topology.allowed().len();
    let placed = |policy: &str, workers: usize| place(topology, &policy.parse().unwrap(), workers).ok();
    let mut placements = vec![None];
    if n > 0 {
        placements.extend([placed("cores", n.div_ceil(2)), placed("pairs", n), placed("scatter", 3 * n + 1)]);
    }
    placements
}

/// What shows when PUs are pointed at.
fn titles(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).expect("XML");
    let titles = document.descendants().filter(|node| node.has_tag_name("title")).filter_map(|node| node.text());
    titles.filter(|title| title.starts_with("PU ")).map(str::to_owned).collect()
}

fn fonts() -> Arc<Database> {
    let mut fonts = Database::new();
    fonts.load_font_data(include_bytes!("../fonts/DejaVuSans.ttf").to_vec());
    fonts.load_font_data(include_bytes!("../fonts/DejaVuSans-Bold.ttf").to_vec());
    Arc::new(fonts)
}

/// Every text with its box, and the size of the picture.
fn texts(svg: &str, fonts: &Arc<Database>) -> (Vec<(String, usvg::Rect)>, usvg::Size) {
    let (fontdb, font_family) = (fonts.clone(), "DejaVu Sans".to_owned());
    let options = usvg::Options { fontdb, font_family, ..Default::default() };
    let tree = usvg::Tree::from_str(svg, &options).expect("SVG");
    let texts = tree.root().children().iter().filter_map(|node| match node {
        usvg::Node::Text(text) => {
            Some((text.chunks().iter().map(|chunk| chunk.text()).collect::<String>(), text.abs_bounding_box()))
        }
        _ => None,
    });
    (texts.collect(), tree.size())
}

#[test]
fn no_label_lies_on_another_or_outside() {
    let fonts = fonts();
    for (name, topology) in all().into_iter().filter(|(_, topology)| topology.pus.len() < 1000) {
        // Laying out text takes its time: of the large ones only the fullest picture.
        let some = if topology.pus.len() > 100 { 3 } else { 0 };
        for placement in placements(&topology).into_iter().skip(some) {
            let svg = machine::svg(&topology, placement.as_ref(), "A machine & its \u{7}workers");
            let (texts, size) = texts(&svg, &fonts);
            assert!(texts.len() > topology.pus.len(), "{name}: {} texts", texts.len());
            // By rows: only texts at about the same height can meet.
            let mut texts = texts;
            texts.sort_by(|a, b| a.1.top().total_cmp(&b.1.top()));
            for (number, (words, r)) in texts.iter().enumerate() {
                let inside =
                    r.left() >= 0.0 && r.right() <= size.width() && r.top() >= 0.0 && r.bottom() <= size.height();
                assert!(inside, "{name}: {words} at {r:?} of {size:?}");
                for (other, o) in texts[number + 1..].iter().take_while(|(_, o)| o.top() < r.bottom()) {
                    let w = r.right().min(o.right()) - r.left().max(o.left());
                    let h = r.bottom().min(o.bottom()) - r.top().max(o.top());
                    assert!(w <= 0.5 || h <= 3.5, "{name}: {words:?} on {other:?} by {w} × {h}");
                }
            }
        }
    }
}

#[test]
fn every_pu_is_drawn_once_with_its_workers() {
    for (name, topology) in all() {
        for placement in placements(&topology) {
            let titles = titles(&machine::svg(&topology, placement.as_ref(), "title"));
            let text = machine::text(&topology, placement.as_ref(), Style { color: false, width: 100 });
            let words: Vec<&str> = text.split([' ', '[', ']', '\n']).collect();
            let on = |pu: u32| placement.iter().flat_map(|p| &p.pus).filter(|placed| **placed == pu).count();
            let mut again = 0;
            for pu in &topology.pus {
                let os = pu.os_index;
                let of_pu = |title: &&String| {
                    title
                        .strip_prefix(&format!("PU {os}"))
                        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
                };
                let drawn = titles.iter().filter(of_pu).count();
                assert!(drawn >= 1, "{name}: PU {os} is not drawn");
                again += drawn - 1;
                let first = placement.as_ref().and_then(|p| p.pus.iter().position(|placed| *placed == os));
                let label = match (pu.online, pu.allowed, first, on(os)) {
                    (false, ..) => format!("{os}x"),
                    (_, false, ..) => format!("{os}!"),
                    (_, _, Some(worker), 1) => format!("{os}=w{worker}"),
                    (_, _, Some(worker), more) => format!("{os}=w{worker}+{}", more - 1),
                    _ => os.to_string(),
                };
                assert!(words.contains(&label.as_str()), "{name}: {label} is not in\n{text}");
            }
            // The legend shows one of each sort.
            assert!(again <= 5, "{name}: {again} PUs are drawn again");
        }
    }
}

#[test]
fn no_line_is_wider_than_the_terminal_and_colour_changes_nothing_else() {
    for (name, topology) in all() {
        for placement in placements(&topology) {
            for width in [0, 80, 200] {
                let text = machine::text(&topology, placement.as_ref(), Style { color: false, width });
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
                assert!(widest <= width.max(40), "{name}: {widest} columns of {width}\n{text}");
                assert!(!text.contains('\u{1b}'), "{name}");
                let colored = machine::text(&topology, placement.as_ref(), Style { color: true, width });
                assert_eq!(without_escapes(&colored), text, "{name}");
            }
        }
    }
}

fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    for (number, part) in text.split('\u{1b}').enumerate() {
        plain.push_str(if number == 0 { part } else { part.split_once('m').expect("an escape ends").1 });
    }
    plain
}

#[test]
fn boxes_nest_as_the_data_says() {
    let topology = hybrid();
    let policy = "cores".parse().unwrap();
    let placement = place_within(&topology, &policy, &["pus:0-5".parse().unwrap()], 5).unwrap();
    let expected = "\
hybrid
1 package, 6 cores, 8 PUs
5 workers by cores within pus:0-5
┌ package 0 ───────────────────────────────────────────────┐
│ performance: [0=w0 1=w4] [2=w1 3]                        │
│ ┌ efficiency ──────────────────────────────────────────┐ │
│ │ L2 1.25 MiB: [4=w2] [5=w3]                           │ │
│ │ L2 1.25 MiB: [6]    [7]                              │ │
│ └──────────────────────────────────────────────────────┘ │
└──────────────────────────────────────────────────────────┘
[…] a core, its PUs by OS index · 0=w0 worker 0 on PU 0
";
    assert_eq!(machine::text(&topology, Some(&placement), Style { color: false, width: 60 }), expected);
    let text = machine::text(&holes(), None, PLAIN);
    assert!(text.contains("package 0 · NUMA node 0 · L3 ─"), "{text}");
    assert!(text.contains("31 PUs, 5 of them not allowed, 5 more offline"), "{text}");
    assert!(text.contains("[20x]") && text.contains("x offline") && text.contains("! not allowed"), "{text}");
}

#[test]
fn the_largest_machines_stay_small() {
    for topology in [large(8, 64, 8), Topology::default()] {
        let placement = place(&topology, &"scatter".parse().unwrap(), 4096).ok();
        let svg = machine::svg(&topology, placement.as_ref(), "large");
        assert!(svg.len() < 2_500_000, "{} bytes", svg.len());
        // Twice that must fit into a PNG.
        let document = roxmltree::Document::parse(&svg).expect("XML");
        for side in ["width", "height"] {
            let side: f64 = document.root_element().attribute(side).expect("a size").parse().expect("a number");
            assert!((1.0..8192.0).contains(&side), "{side}");
        }
    }
    assert_eq!(&png(&machine::svg(&holes(), None, "small"), 1.0).expect("a picture")[..4], b"\x89PNG");
}
