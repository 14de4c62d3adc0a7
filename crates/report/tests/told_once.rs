//! What tables leave out because it tells no row from another, and where it is said instead.

mod support;

use hitm_analysis::{Estimate, flag};
use hitm_experiment::manifest::{FigureKind, FigureSpec};
use hitm_report::{Extra, Style, figures, html, markdown, readme, terminal};
use support::{Run, flag as flagged, parameters, shared_state};
use unicode_width::UnicodeWidthStr;

fn plain(width: usize) -> Style {
    Style { color: false, width }
}

fn page(run: &Run) -> String {
    html(&run.summary, &run.manifest, &figures(&run.summary, &run.manifest), &Extra::default())
}

/// The rows of Markdown's first table.
fn rows(text: &str) -> Vec<&str> {
    text.lines().skip_while(|line| !line.starts_with('|')).skip(2).take_while(|line| line.starts_with('|')).collect()
}

fn share(median: f64, high: f64) -> Estimate {
    Estimate { median, low: 0.0, high, unit: "share".to_owned(), n: 5, independent: 5, coverage: 0.93 }
}

/// A run in which `switched` is everywhere, `stolen` in one cell and `blocked` in all but one.
fn flags_of_most() -> Run {
    let mut run = shared_state();
    let last = run.summary.cells.len() - 1;
    for (number, cell) in run.summary.cells.iter_mut().enumerate() {
        cell.flags.push(flagged("switched", "7 of 40 trials (18 %)"));
        if number < last {
            cell.flags.push(flagged("blocked", "40 of 40 trials (100 %)"));
        } else {
            cell.flags.push(flagged("stolen", "1 of 40 trials (2.5 %)"));
        }
    }
    run
}

#[test]
fn reasons_that_differ_in_their_numbers_alone_are_one() {
    let mut run = shared_state();
    let all = run.summary.cells.len();
    for (number, cell) in run.summary.cells.iter_mut().enumerate() {
        let reason = format!("it was counted in {number}.5 % of {} trials", number + 10);
        cell.absent.insert("locks_per_op".into(), reason);
        cell.absent.insert("fills_per_op".into(), "no PMU".into());
    }
    run.summary.cells[0].absent.remove("locks_per_op");
    let text = terminal(&run.summary, &run.manifest, plain(400));
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("locks_per_op")).collect();
    let wanted =
        format!("locks_per_op ({} of {all} cells): for example, it was counted in 1.5 % of 11 trials", all - 1);
    assert!(lines.len() == 1 && lines[0].contains(&wanted), "{lines:?}");
    assert!(text.contains("fills_per_op: no PMU"), "{text}");
}

#[test]
fn no_name_reaches_the_page_raw_or_without_end() {
    let mut run = shared_state();
    let name = format!("\u{1b}[31m{}", "x".repeat(100_000));
    run.manifest.command = vec!["hitm".into(), name.clone()];
    run.manifest.machine[0].value.clone_from(&name);
    run.summary.cells[0].id.clone_from(&name);
    run.summary.cells[0].absent.insert(format!("{name}_per_op"), name.clone());
    let page = page(&run);
    assert!(!page.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')));
    let raw = page.find(&"x".repeat(401)).map(|at| &page[at.saturating_sub(200)..at]);
    assert_eq!(raw, None);
}

#[test]
fn a_flag_of_most_cells_is_said_once_and_a_weighty_one_in_its_rows() {
    let mut run = flags_of_most();
    let text = markdown(&run.summary, &run.manifest);
    let of = |text: &str, name: &str| rows(text).iter().filter(|row| row.contains(name)).count();
    assert_eq!((of(&text, "switched"), of(&text, "stolen")), (0, 1), "{text}");
    assert_eq!(of(&text, "blocked"), run.summary.cells.len() - 1);
    assert!(text.contains("Flags in all cells: switched."), "{text}");
    let wide = terminal(&run.summary, &run.manifest, plain(200));
    assert!(wide.contains("flags in all cells: switched\n"), "{wide}");
    let html = page(&run);
    assert!(html.contains("Flags in all cells: switched."));
    let whole = |name: &str| html.matches(&format!("<span class=\"whole\">{name}")).count();
    assert_eq!((whole("switched"), whole("stolen"), whole("blocked")), (0, 1, run.summary.cells.len() - 1));

    run.summary.cells[0].flags.retain(|flag| flag.name != "switched");
    assert!(markdown(&run.summary, &run.manifest).contains("Flags in most cells: switched."));

    let last = run.summary.cells.last_mut().expect("a cell");
    last.flags = vec![flagged("blocked", "40 of 40 trials (100 %)")];
    let text = markdown(&run.summary, &run.manifest);
    assert_eq!(of(&text, "blocked"), 0, "a flag of every cell tells none from another");
    assert!(text.contains("Flags in most cells: switched, blocked.") || text.contains("cells: blocked, switched."));
}

#[test]
fn weighty_flags_outlast_ratios() {
    let run = flags_of_most();
    let text = terminal(&run.summary, &run.manifest, plain(120));
    let header = text.lines().find(|line| line.starts_with("state ")).expect("a table");
    assert!(header.contains("flags") && !header.contains("ratio"), "{text}");
}

#[test]
fn damage_leaves_out_what_shows_none_and_counts_it() {
    let mut run = shared_state();
    for cell in &mut run.summary.cells {
        cell.observations.insert("stuck".to_owned(), share(0.0, 0.0));
        cell.observations.insert("lockstep".to_owned(), share(0.0, 0.0));
    }
    // A trace that is worth no row, and one of a single worker that is.
    run.summary.cells[0].observations.insert("lockstep".to_owned(), share(0.0, 0.0005));
    run.summary.cells[1].observations.insert("lockstep".to_owned(), share(0.0, 0.02));
    let text = terminal(&run.summary, &run.manifest, plain(120));
    let damage = text.split("what the values are like").nth(1).expect("damage");
    let table: Vec<&str> = damage.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    let body = table.iter().skip_while(|line| !line.starts_with('─')).skip(1);
    assert_eq!(body.filter(|line| line.contains('[')).count(), 4, "{damage}");
    let said = "none, or less than 0.1 %, in 14 other cells; none anywhere: stuck";
    assert!(table.last().is_some_and(|line| *line == said), "{damage}");
    assert!(!table[..2].iter().any(|line| line.contains("stuck")), "{damage}");
    for text in [markdown(&run.summary, &run.manifest), page(&run)] {
        assert!(text.contains("None, or less than 0.1 %, in 14 other cells; none anywhere: stuck."), "{text}");
    }
}

#[test]
fn what_the_figures_are_of_stands_first_among_the_values_and_goes_last() {
    let mut run = shared_state();
    for cell in &mut run.summary.cells {
        for name in ["at-one-lag", "lockstep", "repeats-within-a-worker", "stuck"] {
            cell.observations.insert(name.to_owned(), share(0.3, 0.7));
        }
    }
    let bars = FigureSpec {
        kind: FigureKind::Bars,
        title: String::new(),
        y: "stuck".to_owned(),
        x: "work".to_owned(),
        series: "state".to_owned(),
        panel: String::new(),
        only: parameters(&[]),
    };
    run.manifest.figures = vec![bars];
    for width in [50, 70, 100, 160] {
        let text = terminal(&run.summary, &run.manifest, plain(width));
        let values = text.split("what the values are like").nth(1).expect("a table");
        let (table, below) = values.split_at(values.find("no room").unwrap_or(values.len()));
        let at = |name: &str| table.lines().find(|line| line.contains("work ")).and_then(|heads| heads.find(name));
        assert!(at("stuck").is_some(), "{width}: {values}");
        assert!(
            ["at one", "lockstep", "drawn"].iter().all(|name| at(name).is_none_or(|other| at("stuck") < Some(other)))
        );
        assert!(width > 70 || below.contains("lockstep"), "{width}: {values}");
        assert!(values.replace("\n", " ").contains("stuck: workers whose last draws are all one value"), "{values}");
    }
}

#[test]
fn no_damage_at_all_is_a_sentence() {
    let mut run = shared_state();
    for cell in &mut run.summary.cells {
        cell.observations = [("stuck".to_owned(), share(0.0, 0.0))].into();
    }
    let text = terminal(&run.summary, &run.manifest, plain(100));
    assert!(text.contains("seen in the values: none in 18 cells (stuck)\n"), "{text}");
    assert!(page(&run).contains("None in 18 cells (stuck)."));
}

#[test]
fn pictures_of_damage_leave_out_what_shows_none() {
    let mut run = shared_state();
    run.manifest.figures = vec![FigureSpec {
        kind: FigureKind::Bars,
        title: String::new(),
        y: "drawn-by-several-workers".to_owned(),
        x: "work".to_owned(),
        series: "state".to_owned(),
        panel: "workers".to_owned(),
        only: [("workers".to_owned(), 2i64.into())].into(),
    }];
    let figures = figures(&run.summary, &run.manifest);
    let of_damage: Vec<_> = figures.iter().filter(|figure| figure.name.starts_with("drawn")).collect();
    assert!(!of_damage.is_empty());
    for figure in of_damage {
        assert!(figure.svg.contains("shared-racy") && figure.caption.contains("seen with"), "{}", figure.caption);
        assert!(!figure.svg.contains(">mutex<"), "{}", figure.name);
    }
}

#[test]
fn parameters_are_not_broken_where_padding_or_columns_can_go() {
    let mut run = shared_state();
    let name = "shared-everywhere";
    for cell in &mut run.summary.cells {
        if cell.parameters["state"].to_string() == "mutex" {
            cell.parameters.extend(parameters(&[("state", name.into())]));
        }
    }
    // From where the verdict has room in two lines.
    for width in 81..200 {
        let text = terminal(&run.summary, &run.manifest, plain(width));
        let whole = text.lines().filter(|line| line.contains(name)).count();
        assert_eq!(whole, 6, "at {width}:\n{text}");
    }
}

#[test]
fn the_terminal_goes_from_the_question_to_what_was_absent() {
    let run = flags_of_most();
    let text = terminal(&run.summary, &run.manifest, plain(100));
    let parts = [
        run.summary.question.as_str(),
        "At 2 workers",
        "\nmachine:",
        "\nstate ",
        "\nflags in all cells",
        "\nwhat the values are like",
        "\nlevels:",
        "\nstopped:",
        "\nlost-updates:",
        "\nswitched:",
        "\nabsent:",
    ];
    let places = parts.map(|part| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}")));
    assert!(places.is_sorted(), "{places:?} in {text}");
}

#[test]
fn a_flag_takes_few_lines_and_its_cure_is_told() {
    let mut run = shared_state();
    run.summary.flags.clear();
    for (number, cell) in run.summary.cells.iter_mut().enumerate() {
        let detail = format!("{number} of 2574 trials (0.1 %), the median overlap is 98 %");
        // One cell has no more workers than PUs: there what these bring with them is told by itself.
        let here = flag::TABLE.iter().filter(|known| number > 0 || known.name != flag::OVERSUBSCRIBED.name);
        cell.flags = here.map(|known| flagged(known.name, &format!("{detail}: {}", known.meaning))).collect();
    }
    for width in [80, 100, 120, 200] {
        let text = terminal(&run.summary, &run.manifest, plain(width));
        for known in flag::TABLE {
            let label = format!("{}: ", known.name);
            let mut lines = text.lines().skip_while(|line| !line.starts_with(&label));
            assert!(lines.next().is_some(), "no {label} at {width}");
            let more: Vec<&str> = lines.take_while(|line| line.starts_with("  ")).collect();
            let cure = !known.advice.starts_with("Nothing");
            let most = match (cure, width) {
                (true, ..90) => 3,
                (true, _) => 2,
                (false, _) => 1,
            };
            assert!(more.len() <= most, "{label} at {width}: {more:?}");
            let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(!cure || flat.contains(known.advice), "{label} at {width}: {more:?}");
            assert!(more.iter().all(|line| line.width() <= width));
        }
    }
}

#[test]
fn a_cure_stands_with_the_numbers_of_a_single_cell() {
    let mut run = shared_state();
    let known = flag::LITTLE_OVERLAP;
    let meaning = format!("1 of 15 trials (6.7 %), the median overlap is 99 %: {}", known.meaning);
    run.summary.cells[0].flags = vec![flagged(known.name, &meaning)];
    for width in [80, 120] {
        let text = terminal(&run.summary, &run.manifest, plain(width)).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(known.advice), "at {width}: {text}");
    }
    let text = terminal(&run.summary, &run.manifest, plain(120));
    assert!(text.contains("the median overlap is 99 %"), "{text}");
}

#[test]
fn the_program_is_named_wherever_it_lay() {
    let mut run = shared_state();
    run.manifest.command = ["/some/where/release/hitm", "run", "a/b", "--out", "/x/y z"].map(str::to_owned).to_vec();
    let shown = "hitm run a/b --out '/x/y z'";
    let text = readme(&run.summary, &run.manifest);
    assert!(text.contains(&format!("\n    {shown}\n")), "{text}");
    let html = page(&run);
    assert!(html.contains("<code>hitm run a&#x2f;b") && !html.contains("release/hitm"));
}

#[test]
fn code_in_a_flag_is_code_on_the_page_and_nothing_else_is() {
    let mut run = shared_state();
    run.summary.flags = vec![flagged("x", "see `cycles_per_op` & <b>bold</b>"), flagged("y", "one ` alone")];
    let html = page(&run);
    assert!(html.contains("see <code>cycles_per_op</code> &amp; &lt;b&gt;bold&lt;/b&gt;"));
    assert!(html.contains("one ` alone"));
}
