//! Tables as text and CSV: what they hold, how they fit, and that nothing in a name escapes.

mod support;

use hitm_analysis::Estimate;
use hitm_experiment::manifest::{FigureKind, FigureSpec, Manifest};
use hitm_experiment::record::*;
use hitm_report::{Style, comparisons_csv, csv, figures, markdown, readme, records_csv, terminal};
use support::{Run, degenerate, estimate, hostile, pairs, parameters, shared_state, stride};
use unicode_width::UnicodeWidthStr;

fn all() -> Vec<(&'static str, Run)> {
    let mut runs = degenerate();
    runs.extend([
        ("shared state", shared_state()),
        ("stride", stride()),
        ("hostile", hostile()),
        ("pairs", pairs(12, true)),
        ("many pairs", pairs(40, false)),
    ]);
    runs
}

fn plain(width: usize) -> Style {
    Style { color: false, width }
}

/// Lines, without the marks that insta would trim.
fn snapshot(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_terminal_at_three_widths() {
    let Run { summary, manifest } = shared_state();
    for width in [160, 100, 40] {
        insta::assert_snapshot!(format!("terminal-{width}"), snapshot(&terminal(&summary, &manifest, plain(width))));
    }
    let Run { summary, manifest } = pairs(8, true);
    insta::assert_snapshot!("terminal-matrix", snapshot(&terminal(&summary, &manifest, plain(100))));
}

#[test]
fn markdown_and_csv_of_a_run() {
    let Run { summary, manifest } = shared_state();
    insta::assert_snapshot!("markdown", snapshot(&markdown(&summary, &manifest)));
    insta::assert_snapshot!("comparisons-csv", snapshot(&comparisons_csv(&summary, &manifest)));
    let Run { summary, manifest } = stride();
    insta::assert_snapshot!("csv", snapshot(&csv(&summary, &manifest)));
    insta::assert_snapshot!("readme", snapshot(&readme(&summary, &manifest)));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for (name, Run { summary, manifest }) in all() {
        for width in [20, 24, 33, 47, 60, 80, 100, 132, 200] {
            let text = terminal(&summary, &manifest, plain(width));
            for line in text.lines() {
                assert!(line.width() <= width, "{name} at {width}: {} columns: {line}", line.width());
            }
        }
    }
}

#[test]
fn no_width_cuts_a_number() {
    let Run { summary, manifest } = shared_state();
    let wide = terminal(&summary, &manifest, plain(10_000));
    let numbers = |text: &str| {
        let table =
            text.split("in all cells").nth(1).expect("a table").split("what the values").next().expect("a table");
        let of_times: Vec<String> = table.split_whitespace().map(str::to_owned).collect();
        of_times
    };
    let medians: Vec<String> = summary.cells.iter().map(|cell| number_shown(&cell.metrics["time_per_op"])).collect();
    for width in [20, 30, 50, 80, 120] {
        let narrow = numbers(&terminal(&summary, &manifest, plain(width)));
        for median in &medians {
            assert!(numbers(&wide).contains(median), "{median}");
            assert!(narrow.contains(median), "{median} at {width}");
        }
    }
}

fn number_shown(estimate: &Estimate) -> String {
    hitm_report::number::sentence(estimate).split(' ').next().expect("a number").to_owned()
}

#[test]
fn colour_adds_nothing_but_escapes() {
    for (name, Run { summary, manifest }) in all() {
        let plain = terminal(&summary, &manifest, plain(90));
        assert!(!plain.contains('\u{1b}'), "{name}: an escape without colour");
        let coloured = terminal(&summary, &manifest, Style { color: true, width: 90 });
        let mut stripped = String::new();
        let mut rest = coloured.as_str();
        while let Some((before, after)) = rest.split_once("\u{1b}[") {
            stripped.push_str(before);
            rest = after.split_once('m').expect("the end of an escape").1;
        }
        stripped.push_str(rest);
        let ends = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        assert_eq!(ends(&stripped), ends(&plain), "{name}");
    }
}

/// Whether a text holds a number that is none.
fn not_a_number(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| matches!(word, "NaN" | "nan" | "inf" | "Inf" | "infinity"))
}

#[test]
fn nothing_is_ever_nan() {
    for (name, Run { summary, manifest }) in all() {
        let texts = [
            terminal(&summary, &manifest, plain(100)),
            markdown(&summary, &manifest),
            readme(&summary, &manifest),
            csv(&summary, &manifest),
            comparisons_csv(&summary, &manifest),
        ];
        assert!(!texts.iter().any(|text| not_a_number(text)), "{name}");
    }
}

#[test]
fn markdown_tables_keep_their_shape() {
    for (name, Run { summary, manifest }) in all() {
        let text = markdown(&summary, &manifest);
        let mut columns = None;
        for line in text.lines() {
            if !line.starts_with('|') {
                columns = None;
                continue;
            }
            let pipes = line.replace("\\\\", "").replace("\\|", "").matches('|').count();
            assert_eq!(*columns.get_or_insert(pipes), pipes, "{name}: {line}");
        }
        assert!(!text.contains("<script>") && !text.contains("<td>") && !text.contains("</td>"), "{name}");
    }
}

fn rows(text: &str) -> (Vec<String>, Vec<csv::StringRecord>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").iter().map(str::to_owned).collect();
    (header, reader.records().map(|row| row.expect("a row as long as its header")).collect())
}

fn column(header: &[String], name: &str) -> usize {
    header.iter().position(|column| column == name).unwrap_or_else(|| panic!("no column {name} in {header:?}"))
}

#[test]
fn csv_reads_back_to_the_same_numbers() {
    let mut run = shared_state();
    let exact = [1.23456e-07, 12_345_678_901.0, 0.1 + 0.2, f64::MIN_POSITIVE];
    for (number, value) in exact.into_iter().enumerate() {
        let metric = Estimate { median: value, low: value, high: value, ..estimate(0.0, 0.0, "x") };
        run.summary.cells[0].metrics.insert(format!("exact-{number}"), metric);
    }
    let (header, rows) = rows(&csv(&run.summary, &run.manifest));
    let [metric, median] = ["metric", "median"].map(|name| column(&header, name));
    for (number, value) in exact.into_iter().enumerate() {
        let row = rows.iter().find(|row| row[metric] == format!("exact-{number}")).expect("its row");
        assert_eq!(row[median].parse::<f64>().expect("a number"), value);
    }
    let unique: std::collections::HashSet<&String> = header.iter().collect();
    assert_eq!(unique.len(), header.len(), "{header:?}");
}

/// Names reach a file without their control characters.
fn visible(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}');
    text.replace(|c: char| turns(c) || (c.is_control() && !matches!(c, '\n' | '\t')), "\u{fffd}")
}

#[test]
fn absent_is_an_empty_cell_with_its_reason() {
    for (name, Run { summary, manifest }) in all() {
        let (header, rows) = rows(&csv(&summary, &manifest));
        let [metric, median, reason, cell] = ["metric", "median", "reason", "cell"].map(|name| column(&header, name));
        for summary in &summary.cells {
            for (absent, why) in &summary.absent {
                let mut its =
                    rows.iter().filter(|row| row[cell] == visible(&summary.id) && row[metric] == visible(absent));
                let row = its.next().unwrap_or_else(|| panic!("{name}: no row of {absent}"));
                assert_eq!((&row[median], &row[reason]), ("", visible(why).as_str()), "{name}");
            }
        }
    }
}

#[test]
fn a_parameter_never_hides_a_column() {
    let mut run = support::empty("x", "x");
    run.cell(&[("metric", "a".into()), ("median", 3i64.into())], &[0], Some(estimate(1.0, 0.1, "ns")));
    run.cell(&[("other", true.into())], &[0], Some(estimate(1.0, 0.1, "ns")));
    let (header, rows) = rows(&csv(&run.summary, &run.manifest));
    let row = &rows[0];
    assert_eq!(&row[column(&header, "parameter_metric")], "a");
    assert_eq!(&row[column(&header, "parameter_median")], "3");
    assert_eq!(&row[column(&header, "other")], "");
}

fn record(manifest: &Manifest, events: &[(&str, u64)]) -> Record {
    assert!(!manifest.cells.is_empty());
    let count = |value| EventCount { value, enabled_ns: 5, running_ns: 4 };
    let worker = WorkerRecord {
        pu: 3,
        pinned: true,
        unpinned: String::new(),
        pu_at_start: None,
        pu_at_end: Some(3),
        start_ticks: 12,
        end_ticks: u64::MAX,
        operations: 12_345_678_901,
        checksum: "00000000deadbeef".to_owned(),
        stretches: vec![Stretch { start_ticks: 1, end_ticks: 2, operations: 3 }; 2],
        interruptions: 0,
        interrupted_ticks: 0,
        voluntary_switches: None,
        involuntary_switches: Some(2),
        cpu_ns: Some(5),
        run_delay_ns: None,
        tallies: [("deadlocks".to_owned(), 3)].into(),
        calibration_before_ticks: 7,
        calibration_after_ticks: 8,
        pmu: String::new(),
        events: events.iter().map(|(name, value)| ((*name).to_owned(), count(*value))).collect(),
        absent: [("cycles".to_owned(), "no PMU, \"none\"\nat all".to_owned())].into(),
    };
    Record {
        trial: 0,
        cell: 1,
        repetition: 0,
        attempt: 0,
        purpose: Purpose::Timing,
        pass: 0,
        beside: 0,
        started_unix_ms: 1,
        took_ns: 2,
        before: Witness::default(),
        after: Witness {
            ping_pong: Some(PingPong { pus: [0, 1], round_trips: 100, chunks: vec![5, 6] }),
            steal_ticks: Some(0),
            throttled_periods: None,
        },
        workers: vec![worker.clone(), worker],
        verification: Verification::Lost { expected: 10, found: 9 },
        observations: vec![Observation { name: "repeats".to_owned(), count: 1, of: 4 }],
        histograms: [("wait".to_owned(), vec![[10, 2], [1000, 1]])].into(),
    }
}

#[test]
fn records_keep_their_integers_and_all_events() {
    let Run { manifest, .. } = shared_state();
    let records = [record(&manifest, &[("a", 0)]), record(&manifest, &[("b", u64::MAX)])];
    let (header, rows) = rows(&records_csv(&manifest, &records));
    assert_eq!(rows.len(), 4);
    let get = |row: usize, name: &str| rows[row][column(&header, name)].to_owned();
    assert_eq!((get(0, "event.a"), get(0, "event.b")), ("0".to_owned(), String::new()), "zero is not absent");
    assert_eq!(get(2, "event.b"), u64::MAX.to_string());
    assert_eq!(get(0, "operations"), "12345678901");
    assert_eq!(get(0, "stretches"), "1:2:3;1:2:3");
    assert_eq!((get(0, "pu_at_start"), get(0, "pu_at_end")), (String::new(), "3".to_owned()));
    assert_eq!((get(0, "before_chunk_ticks"), get(0, "after_chunk_ticks")), (String::new(), "5 6".to_owned()));
    assert_eq!((get(0, "lost_expected"), get(0, "lost_found")), ("10".to_owned(), "9".to_owned()));
    assert_eq!(get(1, "worker"), "1");
    assert_eq!(get(0, "cell_id"), manifest.cells[1].id);
    assert_eq!(get(0, "absent"), "cycles: no PMU, \"none\"\nat all");
}

#[test]
fn a_share_is_a_column_a_figure_and_a_row() {
    let mut run = shared_state();
    run.manifest.compare.share_of = "work".to_owned();
    let (part, cell) = (run.summary.cells[0].id.clone(), run.summary.cells[3].id.clone());
    let share = estimate(0.12, 0.01, "share");
    run.summary.shares = vec![hitm_analysis::Share { cell, part, share, pairs: 24, level: None }];
    run.manifest.figures = vec![FigureSpec {
        kind: FigureKind::Bars,
        title: "What share is drawing?".to_owned(),
        y: "share".to_owned(),
        x: "work".to_owned(),
        series: "workers".to_owned(),
        panel: String::new(),
        only: parameters(&[]),
    }];
    let text = markdown(&run.summary, &run.manifest);
    assert!(text.contains("| share of work=0, % |") && text.contains("| 12.0 [11.0 … 13.3] |"), "{text}");
    let figures = figures(&run.summary, &run.manifest);
    assert!(figures.iter().any(|figure| figure.svg.contains("share of one draw, %")), "{:?}", figures[0].caption);
    assert!(comparisons_csv(&run.summary, &run.manifest).contains(",time_per_op,share,share,0.12,"));
}
