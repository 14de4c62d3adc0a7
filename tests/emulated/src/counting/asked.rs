//! What a guest runs to have its events counted.

use crate::machines::Machine;

/// Units of local work after each operation: as many steps of the same few instructions.
pub(crate) const WORK: [u64; 3] = [0, 200, 400];

/// Software events that the kernel counts for each thread, and a tracepoint.
pub(crate) const SOFTWARE: [&str; 3] = ["task-clock", "context-switches", "sched:sched_switch"];

/// What a user who is not root asks for.
pub(crate) const USERS: [&str; 4] = ["task-clock", "context-switches", "cpu-migrations", "cycles"];

/// An experiment of one worker on the last PU.
struct Asked<'a> {
    work: &'a [u64],
    repetitions: usize,
    events: Vec<&'a str>,
    multiplex: bool,
}

impl Asked<'_> {
    fn definition(&self, machine: &Machine) -> String {
        let Asked { work, repetitions, events, multiplex } = self;
        // With -icount a guest runs several times slower than its clock; without, a busy host leaves it few instructions. Batches are
        // long, so that what lies between them does not show in the instructions of an operation.
        let (duration, batch) = if machine.pmu.icount { (60, 10) } else { (300, 30) };
        let last = machine.pus() - 1;
        format!(
            r#"question = "What does the PMU count?"
reading = "No time, cycle or miss of an emulated machine means anything."
[kernel]
name = "sharing/counters"
op = "store"
work = {work:?}
[placement]
policy = "{last}"
workers = 1
[measure]
duration = "{duration}ms"
batch = "{batch}ms"
warm_up = "{batch}ms"
budget = "240s"
overlap = "0%"
retries = "0%"
min_repetitions = {repetitions}
max_repetitions = {repetitions}
multiplex = {multiplex}
events = {events:?}
"#
        )
    }
}

/// The lines of the script, in `phase`.
pub(crate) fn steps(machine: &Machine, phase: &str) -> Vec<String> {
    let pmu = machine.pmu;
    let all = || SOFTWARE.into_iter().chain(pmu.asked()).collect();
    let run = |name: &str, asked: &Asked<'_>, hitm: &str| {
        let (file, out) = (format!("/tmp/{name}.toml"), format!("/tmp/{name}"));
        let text = asked.definition(machine);
        vec![
            format!("$b cat >{file} <<'END'\n{text}END"),
            format!("step {phase}/{name} {}", hitm.replace("HITM", &format!("hitm run {file} --quiet --out {out}"))),
            format!("step {phase}/{name}/manifest $b cat {out}/manifest.json"),
            format!("step {phase}/{name}/records $b cat {out}/records.jsonl"),
            format!("step {phase}/{name}/show hitm show {out} --json"),
        ]
    };
    let mut lines = vec![
        format!("step {phase}/uarchs hitm list uarchs --json"),
        format!("step {phase}/doctor hitm doctor --look --json"),
    ];
    let passes = Asked { work: &WORK, repetitions: pmu.passes, events: all(), multiplex: false };
    lines.extend(run("passes", &passes, "HITM"));
    if pmu.opens() {
        let turns = Asked { work: &WORK[2..], repetitions: 1, events: all(), multiplex: true };
        lines.extend(run("turns", &turns, "HITM"));
        let user = Asked { work: &WORK[..1], repetitions: 1, events: USERS.to_vec(), multiplex: false };
        lines.extend(run("user", &user, "$b su user -s /bin/sh -c 'HITM'"));
        // Debian's kernels refuse users everything from level 3 on.
        lines.push("echo 3 >/proc/sys/kernel/perf_event_paranoid".into());
        lines.push(format!("step {phase}/user/doctor $b su user -s /bin/sh -c 'hitm doctor --look --json'"));
        lines.push("echo 2 >/proc/sys/kernel/perf_event_paranoid".into());
    }
    lines
}
