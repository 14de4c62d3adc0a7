//! Runs of kernels that tell where their workers' time goes: tables, figure and flags.

mod support;

use hitm_analysis::Estimate;
use hitm_experiment::manifest::{FigureKind, FigureSpec};
use hitm_report::{Style, figures, markdown, terminal};
use support::{Run, estimate, parameters, shared_state};

fn plain(width: usize) -> Style {
    Style { color: false, width }
}

/// Point and range locks at three numbers of workers; what a kernel of theirs tells of its workers' time.
fn locks() -> Run {
    let mut run = support::empty("locks", "Point or range?");
    run.manifest.compare.metric = "throughput".to_owned();
    run.manifest.compare.baseline = parameters(&[("manager", "point".into())]);
    let shares = [("working", 0.02), ("timed_out", 0.97), ("other", 0.01)];
    for (index, workers) in [1_u32, 5, 20].into_iter().enumerate() {
        for (manager, ns) in [("point", 100.0 * f64::from(workers)), ("range", 80.0)] {
            let pus: Vec<u32> = (0..workers).collect();
            let varied = [("manager", manager.into()), ("workers", i64::from(workers).into())];
            let cell = run.cell(&varied, &pus, Some(estimate(ns, ns / 50.0, "ns")));
            let parts = if manager == "point" { &shares[..] } else { &[("working", 1.0), ("timed_out", 0.0)] };
            cell.breakdown = parts
                .iter()
                .map(|(name, share)| hitm_analysis::summary::TimePart {
                    name: (*name).to_owned(),
                    share: estimate(*share, share / 100.0, "share"),
                })
                .collect();
        }
        run.compare(2 * index + 1, 2 * index);
        let [range, point] =
            [2 * index + 1, 2 * index].map(|cell| run.summary.cells[cell].metrics["throughput"].clone());
        let comparison = run.summary.comparisons.last_mut().unwrap();
        comparison.metric = "throughput".to_owned();
        comparison.ratio = Estimate {
            median: range.median / point.median,
            low: range.low / point.high,
            high: range.high / point.low,
            unit: String::new(),
            ..range
        };
    }
    run.manifest.figures = vec![FigureSpec {
        kind: FigureKind::Stack,
        title: String::new(),
        y: "breakdown".to_owned(),
        x: "manager".to_owned(),
        series: String::new(),
        panel: String::new(),
        only: parameters(&[]),
    }];
    run
}

#[test]
fn throughput_by_threads_has_its_changes_in_per_cent() {
    let Run { summary, manifest } = locks();
    let text = markdown(&summary, &manifest);
    let table: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("Throughput by threads")).skip(2).collect();
    assert!(table[0].contains("| Threads | point") && table[0].contains("| range against point, % |"), "{}", table[0]);
    // Of times of 100 ns and 80 ns each, throughput is up by a quarter; at 20 threads of 2000 ns it is 25 times as much: no matter of per cent.
    assert!(table[2].starts_with("| 1 |") && table[2].contains("| +25"), "{}", table[2]);
    assert!(table[4].starts_with("| 20 |") && table[4].contains("| 25.0×"), "{}", table[4]);
    // Where throughput is not compared, or not over workers, there is no such table.
    let Run { summary, manifest } = shared_state();
    assert!(!markdown(&summary, &manifest).contains("Throughput by threads"));
}

#[test]
fn where_the_time_goes_is_told_in_every_form() {
    let run = locks();
    let text = terminal(&run.summary, &run.manifest, plain(120));
    assert!(text.contains("where the workers' time goes"), "{text}");
    assert!(
        text.lines()
            .any(|line| line.trim_start().starts_with("point") && line.split_whitespace().any(|word| word == "97")),
        "{text}"
    );
    let markdown = markdown(&run.summary, &run.manifest);
    assert!(markdown.contains("Where the workers' time goes") && markdown.contains("| timed out, % |"), "{markdown}");
    let figures = figures(&run.summary, &run.manifest);
    assert_eq!((figures.len(), figures[0].kind, figures[0].name.as_str()), (1, FigureKind::Stack, "breakdown-manager"));
    assert!(figures[0].caption.contains("timed out takes up to 97"), "{}", figures[0].caption);
    assert!(figures[0].svg.contains(">97\u{a0}%<") && figures[0].svg.contains(">timed out<"));
    // What no cell has is told, and what a cell does not tell is not there as nothing.
    let mut none = locks();
    none.summary.cells.iter_mut().for_each(|cell| cell.breakdown.clear());
    assert!(!terminal(&none.summary, &none.manifest, plain(120)).contains("time goes"));
    let figures = hitm_report::figures(&none.summary, &none.manifest);
    assert!(figures[0].caption.contains("No cell"), "{}", figures[0].caption);
}

/// What more workers than PUs bring with them is no finding of its own.
#[test]
fn flags_of_oversubscription_are_told_once() {
    let mut run = locks();
    let flag = |name: &str| hitm_analysis::Flag { name: name.to_owned(), meaning: format!("{name} is meant.") };
    for (index, cell) in run.summary.cells.iter_mut().enumerate() {
        cell.flags = vec![flag("switched")];
        if index > 1 {
            cell.flags.extend(["oversubscribed", "blocked", "whole-trial"].map(flag));
        }
    }
    let text = terminal(&run.summary, &run.manifest, plain(200));
    assert!(text.contains("it brings switched, blocked, whole-trial with it"), "{text}");
    assert!(!text.contains("blocked is meant") && !text.contains("whole-trial is meant"), "{text}");
    assert!(text.contains("switched is meant (2 cells)"), "where there are PUs for all it is told: {text}");
}
