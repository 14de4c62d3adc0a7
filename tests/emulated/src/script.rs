//! The script that a guest runs: hitm itself, in each phase of the machine, with its output between marks that `log` reads.

use std::fmt::Write as _;

use crate::counting;
use crate::machines::{Machine, Phase};
use crate::placing::{self, Asked};

/// A short experiment whose state can be held to the work done. Its times mean nothing, so one repetition of each cell does.
const EXPERIMENT: &str = r#"question = "Do workers run where they were placed?"
reading = "No time of an emulated machine means anything."
[kernel]
name = "sharing/counters"
op = "fetch-add"
stride = 256
[placement]
policy = "cores"
workers = 2
[measure]
duration = "50ms"
warm_up = "0s"
budget = "60s"
overlap = "0%"
retries = "0%"
min_repetitions = 1
max_repetitions = 1
events = ["task-clock"]
"#;

/// `step NAME COMMAND…` runs it and prints `@@ step NAME CODE`, its output, `@@ errors`, its errors, `@@ end`.
/// `watched NAME COMMAND…` prints besides what the kernel says meanwhile of where its threads may and do run.
const HEAD: &str = r#"b=/bin/busybox
told() {
    read -r up idle </proc/uptime
    echo "@@ at $up"; echo "@@ step $1 $2"; $b cat /tmp/out; echo; echo "@@ errors"; $b cat /tmp/err; echo; echo "@@ end"
}
step() {
    name=$1; shift
    "$@" >/tmp/out 2>/tmp/err </dev/null
    told "$name" $?
}
watched() {
    name=$1; shift
    "$@" >/tmp/out 2>/tmp/err </dev/null &
    pid=$!
    : >/tmp/seen
    for look in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        [ -d /proc/$pid/task ] || break
        echo "@@ look" >>/tmp/seen
        $b grep -H -e '^Cpus_allowed_list' /proc/$pid/task/*/status >>/tmp/seen 2>/tmp/null
        $b grep -H . /proc/$pid/task/*/stat >>/tmp/seen 2>/tmp/null
        $b sleep 0.3
    done
    wait $pid
    told "$name" $?
    step "$name/seen" $b cat /tmp/seen
}
"#;

/// The placements of a phase's experiment, by policy and number of workers; none where it has no experiment.
pub fn measured(machine: &Machine, phase: &Phase) -> Vec<Asked> {
    let cores = machine.online_cores(phase);
    let mut policies = vec!["compact".to_owned(), "cores".to_owned(), "scatter".to_owned()];
    if cores.iter().any(|pus| pus.len() > 1) {
        policies.push("smt-2".to_owned());
    }
    policies.push(placing::list_text(&cores));
    let with = |workers: usize| policies.iter().map(move |policy| Asked { policy: policy.clone(), workers });
    worker_counts(phase, &cores).into_iter().flat_map(with).collect()
}

/// The numbers of workers of a phase's experiment, none twice. A boot takes minutes as it is: the machine that is whole again is
/// only looked at.
fn worker_counts(phase: &Phase, cores: &[Vec<u32>]) -> Vec<usize> {
    match phase.name {
        "booted" if cores.len() > 2 => vec![2, cores.len()],
        "again" => Vec::new(),
        _ => vec![cores.len()],
    }
}

/// A list that names an offline PU among online ones; `None` when all are online.
pub fn offline_list(phase: &Phase) -> Option<String> {
    let online = (0..).find(|pu| !phase.offline.contains(pu))?;
    phase.offline.first().map(|offline| format!("{online},{offline}"))
}

/// The whole script.
pub fn script(machine: &Machine) -> String {
    let mut text = HEAD.to_owned();
    // Writing to a String cannot fail.
    let _ = write!(text, "$b cat >/tmp/e.toml <<'END'\n{EXPERIMENT}END\n");
    let mut offline: &[u32] = &[];
    for phase in machine.phases {
        for pu in phase.offline.iter().filter(|pu| !offline.contains(pu)) {
            let _ = writeln!(text, "echo 0 >/sys/devices/system/cpu/cpu{pu}/online");
        }
        for pu in offline.iter().filter(|pu| !phase.offline.contains(pu)) {
            let _ = writeln!(text, "echo 1 >/sys/devices/system/cpu/cpu{pu}/online");
        }
        offline = phase.offline;
        steps(&mut text, machine, phase);
    }
    text.push_str("echo '@@ done'\n");
    text
}

fn steps(text: &mut String, machine: &Machine, phase: &Phase) {
    let name = phase.name;
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line(format!(
        "step {name}/siblings $b grep -H . /sys/devices/system/cpu/online \
         /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list"
    ));
    line(format!("step {name}/machine hitm machine --json"));
    for Asked { policy, workers } in placing::asked(machine, phase) {
        line(format!("step {name}/place/{policy}/{workers} hitm machine --json --place {policy} --workers {workers}"));
    }
    if let Some(list) = offline_list(phase) {
        line(format!("step {name}/refused/place hitm machine --json --place {list}"));
        line(format!(
            "step {name}/refused/run hitm run /tmp/e.toml --quiet --out /tmp/{name}-refused --set placement.policy={list}"
        ));
    }
    let counts = worker_counts(phase, &machine.online_cores(phase));
    if counts.is_empty() {
        return;
    }
    let quoted = measured(machine, phase).into_iter().map(|asked| format!("\"{}\"", asked.policy));
    let mut policies: Vec<String> = quoted.collect();
    policies.truncate(policies.len() / counts.len());
    line(format!(
        "step {name}/run hitm run /tmp/e.toml --quiet --out /tmp/{name} \
         --set 'placement.policy=[{}]' --set 'placement.workers={counts:?}'",
        policies.join(", ")
    ));
    line(format!("step {name}/records $b cat /tmp/{name}/records.jsonl"));
    line(format!("step {name}/show hitm show /tmp/{name} --json"));
    if name == "booted" {
        counting::steps(machine, name).into_iter().for_each(&mut line);
    }
    if name == "booted" && machine.is_quick() {
        line(format!("step {name}/smt hitm check smt/scaling --json"));
        line(format!(
            "step {name}/pairs hitm run latency/core-to-core --quiet --out /tmp/pairs --budget 60s \
             --set placement.pairs_of_each=2 --set 'placement.together=[false,true]' \
             --set measure.min_repetitions=1 --set measure.max_repetitions=1 --set measure.retries=0% \
             --set 'measure.events=[\"task-clock\"]'"
        ));
        line(format!("step {name}/pairs/show hitm show /tmp/pairs --json"));
        line(format!("step {name}/pairs/records $b cat /tmp/pairs/records.jsonl"));
        line(format!("step {name}/quickstart hitm run quickstart --budget 8s --quiet --out /tmp/quickstart"));
        line(format!("step {name}/quickstart/show hitm show /tmp/quickstart --json"));
        let list = placing::list_text(&machine.online_cores(phase));
        line(format!(
            "watched {name}/watched hitm run /tmp/e.toml --quiet --out /tmp/watched \
             --set placement.policy={list} --set placement.workers=all --set measure.duration=2s"
        ));
    }
}
