//! What explains a loss: told where something can, and in one line where nothing was counted.

mod support;

use hitm_analysis::{Standing, summarize};
use hitm_experiment::manifest::{FigureKind, FigureSpec};
use hitm_report::{
    Extra, Style, comparisons_csv, csv, explanation_csv, figures, html, markdown, records_csv, terminal,
};
use support::explained::{explained, multiplexed, records, without_pmu};
use support::{Run, counters, shared_state};

fn shown(run: &Run) -> String {
    terminal(&run.summary, &run.manifest, Style { color: false, width: 140 })
}

fn page(run: &Run) -> String {
    html(&run.summary, &run.manifest, &figures(&run.summary, &run.manifest), &Extra::default())
}

/// The lines of a text as one, for sentences that were wrapped.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_sentence_and_the_events_stand_in_every_form() {
    let run = explained();
    let sentence = flat(&run.summary.explanation.as_ref().unwrap().sentence);
    assert!(sentence.contains("rises with load-transfer-local"), "{sentence}");
    assert!(flat(&shown(&run)).contains(&format!("what explains it: {sentence}")));
    assert!(flat(&page(&run)).contains(&sentence));
    let markdown = markdown(&run.summary, &run.manifest).replace('\\', "");
    assert!(flat(&markdown).contains(&format!("**What explains it.** {sentence}")));
    for text in [shown(&run), page(&run), markdown] {
        for what in ["load-transfer-local", "share of the loss", "Without a share", "never seen to count here"] {
            assert!(text.contains(what), "{what}\n{text}");
        }
    }
}

#[test]
fn the_table_says_its_order_what_is_a_cause_and_what_the_noise_says() {
    let run = explained();
    for text in [shown(&run), page(&run), markdown(&run.summary, &run.manifest).replace('\\', "")] {
        let text = flat(&text);
        for what in [
            "In order: load-transfer-local as told above, then by share, then what can have none.",
            "cause or",
            "cause: transfer",
            "symptom:",
            "Over repetitions load-transfer-local does not rise with the time (",
        ] {
            assert!(text.contains(what), "{what}\n{text}");
        }
    }
}

/// Loss is count times cost: the count stands beside the loss. What the operating system did stands there too, as a rate of time.
#[test]
fn how_often_the_event_and_the_switches_happen_stands_with_the_cells() {
    let run = explained();
    let wide = terminal(&run.summary, &run.manifest, Style { color: false, width: 240 });
    let markdown = markdown(&run.summary, &run.manifest);
    for text in [&page(&run), &markdown] {
        assert!(text.contains("load-transfer-local per draw") && text.contains("context-switches per ms"), "{text}");
    }
    let heads = wide.lines().find(|line| line.starts_with("state ")).unwrap();
    assert!(heads.contains("load-transfer-local") && heads.contains("context-switches"), "{heads}");
    // Of mutex at 8 workers without work: 2.66 transfers, of which four fifths are seen; 60 switches in 20 ms.
    let row = markdown.lines().find(|line| line.starts_with("| mutex | 0 | 8 |")).unwrap();
    assert!(row.contains("| 2.15") && row.contains("| 2.9"), "{row}");
    // The page's table of events has the rate as well.
    assert!(page(&run).contains("context-switches per ms</td>"), "{}", page(&run));
    // What is hardly ever is said in words, and needs no hardware events.
    let (run, mut seldom) = (without_pmu(), without_pmu());
    assert!(shown(&run).contains("per ms") && !shown(&run).contains("the operating system:"));
    for cell in &mut seldom.summary.cells {
        let rate = cell.metrics.get_mut("context-switches_per_ms").unwrap();
        (rate.median, rate.low, rate.high) = (0.004, 0.003, 0.005);
    }
    let said = "context-switches at most 0.0040 per ms of a worker (medians of the cells)";
    for text in [shown(&seldom), page(&seldom), hitm_report::markdown(&seldom.summary, &seldom.manifest)] {
        assert!(flat(&text).contains(said), "{text}");
    }
}

/// Where there is little room the event, its share, its cost and what it is stay longest, and coefficients go first.
#[test]
fn coefficients_go_before_costs_where_there_is_no_room() {
    let run = explained();
    for (width, least) in [
        (120, ["share of", "one costs, ns", "cause or", "unexplained, ns"]),
        (80, ["share of", "one costs", "cause", ""]),
    ] {
        let text = terminal(&run.summary, &run.manifest, Style { color: false, width });
        let table = text.split("events against the time").nth(1).unwrap().split("In order").next().unwrap();
        let (drawn, dropped) = table.split_once("no room at this width for: ").unwrap();
        for heading in least {
            assert!(flat(drawn).contains(heading), "{width}: {table}");
        }
        assert!(dropped.starts_with("over repetitions; Spearman over cells"), "{width}: {table}");
    }
    let page = page(&run);
    let heads = page.split("Events against the time").nth(1).unwrap().split("</thead>").next().unwrap();
    let place = |heading: &str| heads.find(heading).unwrap_or_else(|| panic!("{heading}: {heads}"));
    let order = ["share of", "one costs", "cause or", "unexplained", "cost in", "Spearman"].map(place);
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn shares_and_costs_are_told_to_be_upper_bounds_once() {
    let run = explained();
    for text in [shown(&run), page(&run), markdown(&run.summary, &run.manifest)] {
        assert_eq!(flat(&text).matches("Shares and costs are upper bounds").count(), 1, "{text}");
    }
}

#[test]
fn the_answer_of_the_page_tells_what_explains_it_where_something_does() {
    let run = explained();
    let box_of = |run: &Run| page(run).split("</header>").next().unwrap().to_owned();
    let short = &run.summary.explanation.as_ref().unwrap().short;
    assert!(short.len() < run.summary.explanation.as_ref().unwrap().sentence.len());
    assert!(box_of(&run).contains(short) && box_of(&run).contains("href=\"#explanation\""), "{}", box_of(&run));
    assert!(!box_of(&without_pmu()).contains("#explanation"));
}

#[test]
fn what_a_run_lacks_is_said_once() {
    let (mut manifest, mut records) = counters::synthetic_counters();
    // One comparison, as in the quickstart.
    manifest.cells = vec![manifest.cells[0].clone(), manifest.cells[2].clone()];
    records.retain(|record| [0, 2].contains(&record.cell));
    records.iter_mut().for_each(|record| record.cell /= 2);
    let run = Run { summary: summarize(&manifest, &records), manifest };
    for text in [shown(&run), markdown(&run.summary, &run.manifest).replace('\\', "")] {
        let text = flat(&text);
        assert_eq!(text.matches("are needed").count(), 1, "{text}");
        assert_eq!(text.matches("`hitm run rng/shared-state`").count(), 1, "{text}");
        assert!(!text.contains("by share"), "{text}");
    }
}

#[test]
fn a_machine_without_a_pmu_takes_one_line_more() {
    let run = without_pmu();
    let mut silent = without_pmu();
    silent.summary.explanation = None;
    let (with, without) = (shown(&run), shown(&silent));
    assert_eq!(with.lines().count(), without.lines().count() + 1, "{with}");
    assert!(with.contains("No hardware event was counted, so nothing here can explain transfers."));
    assert!(!page(&run).contains("share of the loss"));
    assert!(figures(&run.summary, &run.manifest).iter().all(|figure| figure.kind != FigureKind::Scatter));
}

#[test]
fn the_best_events_are_drawn_with_the_line_of_their_cost() {
    let run = explained();
    let figures = figures(&run.summary, &run.manifest);
    let scatters: Vec<_> = figures.iter().filter(|figure| figure.kind == FigureKind::Scatter).collect();
    assert_eq!(scatters.len(), 2);
    for figure in scatters {
        assert!(figure.svg.contains("stroke-dasharray=\"7 4\"") && figure.svg.contains("one costs"), "{}", figure.name);
        assert!(
            figure.caption.contains("of the loss") && figure.caption.contains("over 24 cells"),
            "{}",
            figure.caption
        );
        for what in [
            "a point is a cell: medians of n\u{a0}=\u{a0}14 trials, intervals",
            "events per draw",
            "of the loss (intervals 95\u{a0}%)",
        ] {
            assert!(figure.svg.contains(what), "{what}");
        }
        // On the page they stand with the explanation and not with the rest.
        let page = page(&run);
        let (before, after) = page.split_once("<h2 id=\"explanation\">").unwrap();
        let id = format!("<figure id=\"{}\">", figure.name);
        assert!(!before.contains(&id) && after.contains(&id));
    }
}

#[test]
fn a_scatter_figure_that_is_asked_for_stands_alone() {
    let mut run = explained();
    run.manifest.figures = vec![FigureSpec {
        kind: FigureKind::Scatter,
        title: "Do failed stores cost?".to_owned(),
        y: "time_per_op".to_owned(),
        x: "instructions_per_op".to_owned(),
        series: "work".to_owned(),
        panel: "workers".to_owned(),
        only: Default::default(),
    }];
    let drawn = figures(&run.summary, &run.manifest);
    assert_eq!(drawn.len(), 4, "one for each number of workers");
    assert!(
        drawn
            .iter()
            .all(|figure| figure.svg.contains("instructions, events per draw") && figure.svg.contains("work=64"))
    );
    run.manifest.figures[0].x = "load-transfer-remote_per_op".to_owned();
    let absent = figures(&run.summary, &run.manifest);
    assert!(absent[0].caption.contains("this machine has no PMU"), "{}", absent[0].caption);
}

#[test]
fn what_was_scaled_says_so() {
    let run = multiplexed();
    assert!(shown(&run).contains("instructions (scaled)"), "{}", shown(&run));
    assert!(flat(&shown(&run)).contains("Scaled counts are estimates"));
    let figures = figures(&run.summary, &run.manifest);
    let scatter = figures.iter().find(|figure| figure.name.contains("store-transfer")).unwrap();
    assert!(scatter.svg.contains("per draw (scaled estimate)"));
    assert!(scatter.caption.contains("Not shown: ") && scatter.caption.contains("denied"), "{}", scatter.caption);
}

#[test]
fn the_csv_has_every_event_and_no_number_for_what_is_absent() {
    let run = explained();
    let text = explanation_csv(&run.summary);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|heading| heading == name).unwrap();
    let rows: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    for event in &run.summary.explanation.as_ref().unwrap().events {
        let own: Vec<_> = rows.iter().filter(|row| row[column("event")] == event.name).collect();
        assert!(!own.is_empty(), "{}", event.name);
        let counted = !matches!(event.standing, Standing::Absent | Standing::UnverifiedZero | Standing::Zero);
        assert!(own.iter().all(|row| row[column("value")].is_empty() != counted), "{}", event.name);
        assert!(counted || !own[0][column("reason")].is_empty());
    }
    assert_eq!(explanation_csv(&shared_state().summary).lines().count(), 1, "the heading alone");
}

#[test]
fn no_control_character_of_a_name_reaches_any_form() {
    let odd = "\u{1b}[31mstore\r\ntransfer\t\u{202e}\u{7}";
    let (mut manifest, mut records) = records(true);
    manifest.events[0].name = odd.to_owned();
    manifest.cells[0].id = format!("{odd}-cell");
    for worker in records.iter_mut().flat_map(|record| &mut record.workers) {
        let count = worker.events.remove("store-transfer").unwrap();
        worker.events.insert(odd.to_owned(), count);
        worker.absent.insert("stx-fail".to_owned(), format!("denied {odd}"));
    }
    let run = Run { summary: summarize(&manifest, &records), manifest };
    let (summary, manifest) = (&run.summary, &run.manifest);
    let sheets = [
        csv(summary, manifest),
        comparisons_csv(summary, manifest),
        explanation_csv(summary),
        records_csv(manifest, &records),
    ];
    for text in sheets.into_iter().chain([shown(&run), page(&run), markdown(summary, manifest)]) {
        let raw = text.chars().find(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || *c == '\u{202e}');
        assert_eq!(raw, None, "{text}");
    }
}
