//! A run's records, order and JSON.

use serde_json::Value;

use crate::support::{MOMENT, exits, experiment, folder, hitm, out, records, trials};

#[test]
fn every_trial_of_the_plan_is_recorded_once() {
    let folder = folder("every-trial");
    let file = experiment(&folder, MOMENT);
    exits(hitm().arg("run").arg(&file).arg("--quiet").arg("--out").arg(folder.join("run")), 0);
    let records = records(&folder.join("run"));
    let made = trials(&records);
    for cell in 0..2 {
        for repetition in 0..3 {
            assert_eq!(made.get(&(cell, repetition, 0, "timing".to_owned())), Some(&1));
        }
    }
    assert!(made.values().all(|times| *times == 1), "{made:?}");
    let numbers: Vec<u64> = records.iter().map(|record| record["trial"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..records.len() as u64).collect::<Vec<_>>());
}

#[test]
fn workers_did_what_their_records_say() {
    let folder = folder("workers-did");
    let file = experiment(&folder, MOMENT);
    exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(folder.join("run")), 0);
    // A trial may be over before a busy machine lets each worker begin, but not every trial.
    let mut operations = 0;
    for record in records(&folder.join("run")) {
        assert_eq!(record["verification"]["is"], "exact");
        for worker in record["workers"].as_array().unwrap() {
            operations += worker["operations"].as_u64().unwrap();
            assert!(worker["start_ticks"].as_u64() < worker["end_ticks"].as_u64());
            assert_eq!(worker["pinned"], true);
            assert_eq!(worker["pu_at_start"], worker["pu"]);
            assert_eq!(worker["pu_at_end"], worker["pu"]);
        }
    }
    assert!(operations > 0);
}

#[test]
fn a_seed_fixes_the_order_and_another_changes_it() {
    let folder = folder("seed-order");
    let text =
        MOMENT.replace("op = [\"store\", \"fetch-add\"]", "op = \"add\"\nstride = [8, 16, 24, 32, 40, 48, 56, 64]");
    let text = text.replace("baseline = { op = \"store\" }", "baseline = { stride = 64 }");
    let file = experiment(&folder, &text);
    let order = |seed: &str, run: &str| -> Vec<u64> {
        let out = folder.join(run);
        exits(
            hitm()
                .arg("run")
                .arg(&file)
                .args(["-q", "--seed", seed, "--set", "measure.retries=\"0%\""])
                .arg("--out")
                .arg(&out),
            0,
        );
        records(&out).iter().map(|record| record["cell"].as_u64().unwrap()).collect()
    };
    let first = order("7", "a");
    assert_eq!(first, order("7", "b"));
    assert_ne!(first, order("8", "c"));
}

#[test]
fn more_workers_than_pus_end_and_are_flagged() {
    let folder = folder("oversubscribed");
    let text =
        MOMENT.replace("workers = 1", "workers = 24").replace("op = [\"store\", \"fetch-add\"]", "op = \"fetch-add\"");
    let text = text.replace("baseline = { op = \"store\" }", "");
    let file = experiment(&folder, &text);
    let output = exits(hitm().arg("run").arg(&file).args(["-q", "--json"]).arg("--out").arg(folder.join("run")), 0);
    let summary: Value = serde_json::from_str(&out(&output)).unwrap();
    let flags = summary["cells"][0]["flags"].as_array().unwrap();
    assert!(flags.iter().any(|flag| flag["name"] == "oversubscribed"), "{flags:?}");
    assert!(summary["cells"][0]["metrics"]["time_per_op"]["median"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_json_has_the_documented_form() {
    let folder = folder("json-form");
    let file = experiment(&folder, MOMENT);
    let run = folder.join("run");
    exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(&run), 0);
    let summary: Value = serde_json::from_str(&out(&exits(hitm().arg("show").arg(&run).arg("--json"), 0))).unwrap();
    let cells = summary["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2);
    for cell in cells {
        assert!(cell["id"].is_string() && cell["parameters"].is_object() && cell["flags"].is_array());
        assert!(cell["placement"]["pus"].is_array() && cell["repetitions"].is_u64());
        for (name, metric) in cell["metrics"].as_object().unwrap() {
            let number = |key: &str| metric[key].as_f64().unwrap_or_else(|| panic!("{name}.{key}"));
            match number("coverage") > 0.0 {
                true => assert!(number("low") <= number("median") && number("median") <= number("high")),
                false => assert!(metric["low"].is_null() && metric["high"].is_null(), "{name}"),
            }
            assert!(metric["unit"].is_string());
        }
    }
    let comparison = &summary["comparisons"][0];
    assert_eq!(comparison["cell"], "op=fetch-add");
    assert_eq!(comparison["baseline"], "op=store");
    assert_eq!(comparison["metric"], "time_per_op");
    for part in ["ratio", "difference"] {
        for key in ["median", "low", "high"] {
            assert!(comparison[part][key].is_f64(), "{part}.{key}");
        }
    }
    assert!(comparison["verdict"].is_string());
}

#[test]
fn values_drawn_together_are_looked_at() {
    let folder = folder("observations");
    let text = r#"
question = "Do workers draw each other's values?"
reading = "They must not."
[kernel]
name = "rng/next"
generator = "sysbench-lcg"
state = ["shared-racy", "thread-local"]
work = 0
[placement]
workers = 2
[measure]
duration = "1ms"
min_repetitions = 2
max_repetitions = 2
samples = 2000
"#;
    let file = experiment(&folder, text);
    let run = folder.join("run");
    let output = exits(hitm().arg("run").arg(&file).args(["-q", "--json"]).arg("--out").arg(&run), 0);
    let looked = records(&run).iter().filter(|record| record["purpose"] == "observation").count();
    assert_eq!(looked, 4);
    let summary: Value = serde_json::from_str(&out(&output)).unwrap();
    let local = &summary["cells"][1];
    assert_eq!(local["parameters"]["state"], "thread-local");
    assert_eq!(local["observations"]["lockstep"]["median"], 0.0);
}
