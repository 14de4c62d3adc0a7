//! `docs/experiments.md` has every key, word, default and way of writing that the code has.

use hitm_experiment::placement::{RELATIONS, RULES};
use hitm_experiment::plan::{KernelPlaces, Offer};
use hitm_experiment::{Definition, Override, Parameters, Problem};

const TEXT: &str = include_str!("../../../docs/experiments.md");

/// What stands between the first line that is `opening` and the next fence.
fn block(opening: &str) -> &'static str {
    let start = TEXT.find(&format!("\n{opening}\n")).unwrap() + opening.len() + 2;
    &TEXT[start..start + TEXT[start..].find("\n```").unwrap() + 1]
}

/// The text below a heading that begins so, up to the next.
fn section(heading: &str) -> &'static str {
    let start = TEXT.find(&format!("\n## {heading}")).unwrap_or_else(|| panic!("no section {heading}")) + 4;
    &TEXT[start..start + TEXT[start..].find("\n## ").unwrap_or(TEXT.len() - start)]
}

/// The words in backticks of the cure of the problem at `path`: all that would be right there.
fn right_at(text: &str, path: &str) -> Vec<String> {
    let (_, problems) = Definition::read("f", text, &[]).unwrap().check_all();
    let at: Vec<&Problem> = problems.iter().filter(|problem| problem.place.path == path).collect();
    assert_eq!(at.len(), 1, "{path}: {problems:#?}");
    at[0].cure.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Nothing is so near to it that the rest is not named.
const UNKNOWN: &str = "qqqqqqqqqqqqqqqq";

#[test]
fn every_known_key_stands_in_its_section() {
    let mut all = 0;
    for (table, heading) in [
        ("", "The top"),
        ("placement", "`[placement]`"),
        ("measure", "`[measure]`"),
        ("compare", "`[compare]`"),
        ("figure", "`[[figure]]`"),
    ] {
        let (text, path) = match table {
            "" => (format!("{UNKNOWN} = 1"), UNKNOWN.to_owned()),
            _ => (format!("[{table}]\n{UNKNOWN} = 1"), format!("{table}.{UNKNOWN}")),
        };
        let keys = right_at(&text, &path);
        for key in &keys {
            assert!(section(heading).contains(&format!("\n| `{key}` |")), "`{key}` does not stand in {heading}");
        }
        all += keys.len();
        // Nor does the document have one that the code has not.
        for row in section(heading).lines().filter_map(|line| line.strip_prefix("| `")) {
            let key = row.split('`').next().unwrap();
            assert!(key.starts_with('"') || keys.iter().any(|known| known == key), "there is no key {table}.{key}");
        }
    }
    assert!(all >= 30, "{all}");
}

#[test]
fn every_word_of_a_choice_stands_there() {
    for (text, path, heading) in [
        (format!("[figure]\nkind = \"{UNKNOWN}\""), "figure.kind", "`[[figure]]`"),
        (format!("[measure]\noversubscribe = \"{UNKNOWN}\""), "measure.oversubscribe", "`[measure]`"),
    ] {
        let words = right_at(&text, path);
        assert!(words.len() >= 2, "{words:?}");
        for word in words {
            assert!(section(heading).contains(&format!("`\"{word}\"`")), "{word}");
        }
    }
    for policy in RULES.into_iter().chain(["smt-N", "0-3,8"]) {
        assert!(section("`[placement]`").contains(&format!("\n| `\"{policy}\"` |")), "{policy}");
    }
    for relation in RELATIONS {
        assert!(section("`[placement]`").contains(&format!("`\"{relation}\"`")), "{relation}");
    }
}

#[test]
fn the_defaults_are_those_of_a_definition_that_gives_none() {
    let without = "question = \"q\"\nreading = \"r\"\n[kernel]\nname = \"k\"\n";
    let mut with = format!("seed = {}\n{without}", default_of("The top", "seed"));
    for (table, heading, column, keys) in [
        ("placement", "`[placement]`", 3, &["policy", "workers"][..]),
        (
            "measure",
            "`[measure]`",
            4,
            &[
                "duration",
                "warm_up",
                "batch",
                "precision",
                "budget",
                "min_repetitions",
                "max_repetitions",
                "overlap",
                "retries",
                "events",
                "samples",
                "require_pinning",
                "oversubscribe",
            ],
        ),
        ("compare", "`[compare]`", 3, &["metric"]),
    ] {
        with.push_str(&format!("[{table}]\n"));
        for key in keys {
            with.push_str(&format!("{key} = {}\n", cell_of(heading, key, column)));
        }
    }
    let check = |text: &str| {
        Definition::read("f", text, &[]).and_then(|read| read.check()).unwrap_or_else(|p| panic!("{text}\n{p:#?}"))
    };
    assert_eq!(check(&with), check(without));
}

fn default_of(heading: &str, key: &str) -> String {
    cell_of(heading, key, 3)
}

/// A column of the row of `key`, counted from 1.
fn cell_of(heading: &str, key: &str, column: usize) -> String {
    let row = section(heading).lines().find(|line| line.starts_with(&format!("| `{key}` |")));
    let row = row.unwrap_or_else(|| panic!("{key}"));
    row.split(" | ").nth(column - 1).unwrap().trim_matches('`').to_owned()
}

#[test]
fn the_example_is_sound_and_takes_every_override_shown() {
    let as_given = |_: &str, given: &Parameters, _: &KernelPlaces<'_>| Ok(given.clone());
    let plan = |sets: &[Override], pus: u32| {
        let experiment = Definition::read("f", block("```toml"), sets).and_then(|read| read.check());
        let experiment = experiment.unwrap_or_else(|problems| panic!("{problems:#?}"));
        experiment
            .plan(&Offer::of_cores((0..pus).map(|pu| vec![pu])), &as_given)
            .unwrap_or_else(|p| panic!("{sets:?}: {p:#?}"))
    };
    assert_eq!((plan(&[], 8).cells.len(), plan(&[], 2).cells.len()), (18, 12));
    let lines: Vec<&str> = block("```text").lines().collect();
    assert!(lines.len() >= 8, "{lines:?}");
    for line in lines {
        let argument = line.strip_prefix("--set ").unwrap().trim_matches('\'');
        let set = Override::parse(argument).unwrap_or_else(|problem| panic!("{problem}"));
        assert!(!plan(&[set], 8).cells.is_empty(), "{line}");
    }
}
