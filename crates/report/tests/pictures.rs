//! Figures and the page: well-formed, inside their canvas, no text on another, nothing from outside.

mod support;

use std::sync::Arc;

use hitm_report::{Extra, Figure, Link, figures, html, png};
use resvg::usvg::{self, fontdb::Database, roxmltree};
use support::explained::{explained, multiplexed, without_pmu};
use support::{Run, degenerate, hostile, pairs, shared_state, stride, workers};

fn all() -> Vec<(&'static str, Run)> {
    let mut runs = degenerate();
    runs.extend([
        ("shared state", shared_state()),
        ("stride", stride()),
        ("explained", explained()),
        ("multiplexed", multiplexed()),
        ("without a PMU", without_pmu()),
        ("workers", workers()),
        ("hostile", hostile()),
        ("pairs", pairs(16, true)),
        ("pairs without numbers", pairs(24, true)),
        ("pairs as rows", pairs(66, true)),
    ]);
    runs
}

fn drawn() -> Vec<(&'static str, Vec<Figure>)> {
    all().into_iter().map(|(name, run)| (name, figures(&run.summary, &run.manifest))).collect()
}

#[test]
fn every_run_with_cells_has_a_figure_with_words() {
    for (name, figures) in drawn() {
        assert_eq!(figures.is_empty(), name == "no cells", "{name}");
        for figure in figures {
            assert!(!figure.title.is_empty() && !figure.caption.is_empty() && !figure.alt.is_empty(), "{name}");
        }
    }
}

#[test]
fn names_are_safe_and_unique() {
    for (name, figures) in drawn() {
        let mut names: Vec<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
        assert!(names.iter().all(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), figures.len(), "{name}");
    }
}

#[test]
fn svg_is_well_formed_with_finite_numbers() {
    for (name, figures) in drawn() {
        for figure in figures {
            let document = roxmltree::Document::parse(&figure.svg).unwrap_or_else(|e| panic!("{name}: {e}"));
            for attribute in document.descendants().flat_map(|node| node.attributes()) {
                let value = attribute.value();
                assert!(!value.contains("NaN") && !value.contains("inf"), "{name}: {}={value}", attribute.name());
            }
            let scripts = document.descendants().filter(|node| node.has_tag_name("script")).count();
            assert_eq!(scripts, 0, "{name}");
        }
    }
}

fn tree(svg: &str) -> usvg::Tree {
    let mut fonts = Database::new();
    fonts.load_font_data(include_bytes!("../fonts/DejaVuSans.ttf").to_vec());
    fonts.load_font_data(include_bytes!("../fonts/DejaVuSans-Bold.ttf").to_vec());
    let options =
        usvg::Options { fontdb: Arc::new(fonts), font_family: "DejaVu Sans".to_owned(), ..Default::default() };
    usvg::Tree::from_str(svg, &options).expect("SVG")
}

fn texts(group: &usvg::Group, found: &mut Vec<(String, usvg::Rect)>) {
    for node in group.children() {
        match node {
            usvg::Node::Group(group) => texts(group, found),
            usvg::Node::Text(text) => {
                let words = text.chunks().iter().map(|chunk| chunk.text()).collect();
                found.push((words, text.abs_bounding_box()));
            }
            _ => {}
        }
    }
}

#[test]
fn no_text_lies_on_another_or_outside() {
    for (name, figures) in drawn() {
        for figure in figures {
            let tree = tree(&figure.svg);
            let mut found = Vec::new();
            texts(tree.root(), &mut found);
            assert!(found.len() >= 3, "{name}: {} has {} texts", figure.name, found.len());
            for (number, (words, r)) in found.iter().enumerate() {
                let inside = r.left() >= 0.0
                    && r.top() >= 0.0
                    && r.right() <= tree.size().width()
                    && r.bottom() <= tree.size().height();
                assert!(inside, "{name}: {}: {words} at {r:?}", figure.name);
                for (other, o) in &found[number + 1..] {
                    // A line's box has room above and below its letters; a hair of that may be shared.
                    let w = r.right().min(o.right()) - r.left().max(o.left());
                    let h = r.bottom().min(o.bottom()) - r.top().max(o.top());
                    assert!(w <= 0.5 || h <= 3.0, "{name}: {}: {words:?} on {other:?} by {w} × {h}", figure.name);
                }
            }
        }
    }
}

#[test]
fn a_png_has_the_size_asked_for() {
    let Run { summary, manifest } = stride();
    let figure = &figures(&summary, &manifest)[0];
    let bytes = png(&figure.svg, 0.5).expect("a picture");
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(u32::from_be_bytes(bytes[16..20].try_into().expect("four bytes")), 380);
    for scale in [0.0, -1.0, 1e9, f64::NAN] {
        assert!(png(&figure.svg, scale).is_err(), "{scale}");
    }
    assert!(png("<p>not a picture", 1.0).is_err());
}

#[test]
fn a_pair_that_was_not_measured_is_no_zero() {
    let Run { summary, manifest } = pairs(10, true);
    let figure = &figures(&summary, &manifest)[0];
    assert!(figure.svg.contains("-hatch)"), "unmeasured pairs are hatched");
    assert!(figure.caption.contains("were not measured"), "{}", figure.caption);
    let Run { summary, manifest } = pairs(10, false);
    assert!(!figures(&summary, &manifest)[0].svg.contains("-hatch)"));
}

#[test]
fn the_stride_figure_marks_the_line_and_says_where_it_falls() {
    let Run { summary, manifest } = stride();
    let figure = &figures(&summary, &manifest)[0];
    assert!(figure.svg.contains("this machine&#39;s line: 64 bytes"));
    assert!(figure.caption.starts_with("It falls most between a stride of 32 and of 64 bytes"), "{}", figure.caption);
}

fn page(run: &Run) -> String {
    let links = vec![Link { text: "cells.csv".to_owned(), href: "cells.csv".to_owned() }];
    let extra = Extra { links, notes: vec!["<b>note</b>".to_owned()] };
    html(&run.summary, &run.manifest, &figures(&run.summary, &run.manifest), &extra)
}

#[test]
fn the_page_takes_nothing_from_outside_and_runs_nothing() {
    for (name, run) in all() {
        let page = page(&run).replace("http://www.w3.org/2000/svg", "");
        for what in ["http:", "https:", "src=", "@import", "<script", "<link", "<b>note", "onload"] {
            assert!(!page.contains(what), "{name}: the page holds {what}");
        }
        let mut words = page.split(|c: char| !c.is_ascii_alphanumeric());
        assert!(!words.any(|word| matches!(word, "NaN" | "inf")), "{name}");
    }
}

#[test]
fn the_page_is_nested_as_html_must_be() {
    for (name, run) in all() {
        let page = page(&run);
        // As XML but for the doctype and the elements without an end.
        let body = page.split_once("<body>").expect("a body").1.rsplit_once("</body>").expect("its end").0;
        let body = format!("<body>{}</body>", body.replace("<br>", "<br/>"));
        let document = roxmltree::Document::parse(&body).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "{name}: an id twice");
    }
}

#[test]
fn the_page_says_what_is_absent_and_what_cures_it() {
    let page = page(&shared_state()).replace("&#x2f;", "/");
    for what in [
        "this virtual machine has no PMU",
        "run on bare metal",
        "cycles (estimated) per draw",
        "lost-updates",
        "hitm run rng/shared-state --budget 90s",
        "2026-11-30 15:40:35 UTC",
        "prefers-color-scheme:dark",
    ] {
        assert!(page.contains(what), "the page lacks {what}");
    }
}

#[test]
fn a_million_trials_make_a_small_page() {
    let mut run = shared_state();
    for (number, cell) in run.summary.cells.iter_mut().enumerate() {
        cell.trials = support::trials(1_000_000 / 18, number as f64);
    }
    let page = page(&run);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(page.contains("Of many trials the extremes are drawn"));
}

#[test]
fn a_panel_without_data_is_told_beside_those_with() {
    let mut run = shared_state();
    run.manifest.figures = vec![hitm_experiment::manifest::FigureSpec {
        kind: hitm_experiment::manifest::FigureKind::Bars,
        title: "How many values do several workers draw?".to_owned(),
        y: "drawn-by-several-workers".to_owned(),
        x: "work".to_owned(),
        series: "state".to_owned(),
        panel: "workers".to_owned(),
        only: Default::default(),
    }];
    let figures = figures(&run.summary, &run.manifest);
    assert_eq!(figures.len(), 1, "one of two panels has data");
    assert!(figures[0].caption.contains("No picture for workers=1"), "{}", figures[0].caption);
    assert!(figures[0].svg.contains("workers=2"));
}
