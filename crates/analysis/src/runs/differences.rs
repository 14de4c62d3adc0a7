//! What differs between two runs besides what is compared: each a reason to doubt that it is the one cause.

use hitm_experiment::Manifest;

/// Facts of a machine that change with every boot, or say nothing of its speed.
const PASSING: [&str; 3] = ["hostname", "uptime", "load"];

/// Round trips that are further apart, as a factor, are of different transfer levels.
const APART: f64 = 1.25;

/// A sentence for each difference. `round_trips` are those of the levels that the runs are quoted at, nanoseconds.
pub(super) fn differences(before: &Manifest, after: &Manifest, round_trips: [Option<f64>; 2]) -> Vec<String> {
    let mut found = Vec::new();
    let mut differs = |what: &str, one: String, other: String| {
        if one != other {
            found.push(format!("{what}: {one}, then {other}"));
        }
    };
    differs("the experiment", before.name.clone(), after.name.clone());
    for fact in before.machine.iter().filter(|fact| !PASSING.iter().any(|passing| fact.name.contains(passing))) {
        if let Some(other) = after.machine.iter().find(|other| other.name == fact.name) {
            differs(&fact.name, fact.value.clone(), other.value.clone());
        }
    }
    let ms = |manifest: &Manifest| format!("{} ms", manifest.measure.duration_ns as f64 / 1e6);
    differs("a trial's duration", ms(before), ms(after));
    differs("hitm", before.build.version.clone(), after.build.version.clone());
    differs("hitm's commit", before.build.commit.clone(), after.build.commit.clone());
    differs("how hitm was built", before.build.profile.clone(), after.build.profile.clone());
    if let [Some(one), Some(other)] = round_trips {
        if one / other > APART || other / one > APART {
            found.push(format!(
                "the transfer level: a ping-pong round trip of {one:.0} ns, then {other:.0} ns, so that what moves lines differs for that alone"
            ));
        }
    }
    found
}
