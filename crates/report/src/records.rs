//! Raw records as CSV: one row a trial and worker, integers as read.

use std::collections::BTreeSet;
use std::fmt::Display;

use hitm_experiment::manifest::Manifest;
use hitm_experiment::record::{Histogram, Purpose, Record, Verification, Witness, WorkerRecord};

use crate::export::{ParameterColumns, Sheet, pus};

const TRIAL: [&str; 9] =
    ["trial", "cell", "cell_id", "repetition", "attempt", "purpose", "pass", "started_unix_ms", "took_ns"];
const WORKER: [&str; 19] = [
    "clock_hz",
    "worker",
    "pu",
    "pinned",
    "pu_at_start",
    "pu_at_end",
    "start_ticks",
    "end_ticks",
    "operations",
    "checksum",
    "stretches",
    "interruptions",
    "interrupted_ticks",
    "voluntary_switches",
    "involuntary_switches",
    "cpu_ns",
    "run_delay_ns",
    "calibration_before_ticks",
    "calibration_after_ticks",
];
const WITNESS: [&str; 5] = ["ping_pong_pus", "round_trips", "chunk_ticks", "steal_ticks", "throttled_periods"];
const LAST: [&str; 8] = [
    "verification",
    "verification_detail",
    "lost_expected",
    "lost_found",
    "observations",
    "tallies",
    "histograms",
    "absent",
];

/// Every trial's workers, one row each, with everything that the records hold. Stretches are
/// `start:end:operations` in ticks, separated by `;`; an event that was not counted has empty fields and its reason in
/// `absent`. Tallies and histograms are `name=number` and `name=ticks:count ticks:count`, separated by `;`.
pub fn records_csv<'a, I>(manifest: &Manifest, records: I) -> String
where
    I: IntoIterator<Item = &'a Record>,
    I::IntoIter: Clone,
{
    let records = records.into_iter();
    let columns = ParameterColumns::new(manifest.cells.iter().map(|cell| &cell.parameters));
    let mut events: BTreeSet<&str> = manifest.events.iter().map(|event| event.name.as_str()).collect();
    for worker in records.clone().flat_map(|record| &record.workers) {
        events.extend(worker.events.keys().map(String::as_str));
    }
    let mut sheet = Sheet::new();
    sheet.row(header(&columns, &events));
    for record in records {
        let cell = manifest.cells.get(record.cell);
        let empty = hitm_experiment::Parameters::new();
        let parameters = columns.values(cell.map_or(&empty, |cell| &cell.parameters));
        for (number, worker) in record.workers.iter().enumerate() {
            let mut row = trial_fields(record, cell.map_or("", |cell| cell.id.as_str()));
            row.extend(parameters.iter().cloned());
            row.push(crate::number::full(manifest.clock.hz));
            row.extend(worker_fields(number, worker));
            row.extend(witness_fields(&record.before));
            row.extend(witness_fields(&record.after));
            for event in &events {
                let count = worker.events.get(*event);
                row.push(optional(count.map(|count| count.value)));
                row.push(optional(count.map(|count| count.enabled_ns)));
                row.push(optional(count.map(|count| count.running_ns)));
            }
            row.extend(last_fields(record, worker));
            sheet.row(&row);
        }
    }
    sheet.text()
}

fn header(columns: &ParameterColumns, events: &BTreeSet<&str>) -> Vec<String> {
    let taken: Vec<&str> = TRIAL.iter().chain(&WORKER).chain(&LAST).copied().collect();
    let mut header: Vec<String> = TRIAL.map(str::to_owned).to_vec();
    header.extend(columns.headings(&taken));
    header.extend(WORKER.map(str::to_owned));
    for when in ["before", "after"] {
        header.extend(WITNESS.map(|name| format!("{when}_{name}")));
    }
    for event in events {
        header.extend(["", ".enabled_ns", ".running_ns"].map(|part| format!("event.{event}{part}")));
    }
    header.extend(LAST.map(str::to_owned));
    header
}

fn trial_fields(record: &Record, id: &str) -> Vec<String> {
    let purpose = match record.purpose {
        Purpose::Timing => "timing",
        Purpose::Observation => "observation",
    };
    vec![
        record.trial.to_string(),
        record.cell.to_string(),
        id.to_owned(),
        record.repetition.to_string(),
        record.attempt.to_string(),
        purpose.to_owned(),
        record.pass.to_string(),
        record.started_unix_ms.to_string(),
        record.took_ns.to_string(),
    ]
}

fn worker_fields(number: usize, worker: &WorkerRecord) -> Vec<String> {
    let stretches: Vec<String> =
        worker.stretches.iter().map(|s| format!("{}:{}:{}", s.start_ticks, s.end_ticks, s.operations)).collect();
    vec![
        number.to_string(),
        worker.pu.to_string(),
        worker.pinned.to_string(),
        optional(worker.pu_at_start),
        optional(worker.pu_at_end),
        worker.start_ticks.to_string(),
        worker.end_ticks.to_string(),
        worker.operations.to_string(),
        worker.checksum.clone(),
        stretches.join(";"),
        worker.interruptions.to_string(),
        worker.interrupted_ticks.to_string(),
        optional(worker.voluntary_switches),
        optional(worker.involuntary_switches),
        optional(worker.cpu_ns),
        optional(worker.run_delay_ns),
        worker.calibration_before_ticks.to_string(),
        worker.calibration_after_ticks.to_string(),
    ]
}

fn witness_fields(witness: &Witness) -> Vec<String> {
    let ping_pong = witness.ping_pong.as_ref();
    let chunks = ping_pong.map(|p| p.chunks.iter().map(u64::to_string).collect::<Vec<_>>().join(" "));
    vec![
        ping_pong.map_or(String::new(), |p| pus(&p.pus)),
        optional(ping_pong.map(|p| p.round_trips)),
        chunks.unwrap_or_default(),
        optional(witness.steal_ticks),
        optional(witness.throttled_periods),
    ]
}

fn last_fields(record: &Record, worker: &WorkerRecord) -> Vec<String> {
    let (is, detail, expected, found) = match &record.verification {
        Verification::Exact => ("exact", String::new(), None, None),
        Verification::Lost { expected, found } => ("lost", String::new(), Some(*expected), Some(*found)),
        Verification::Wrong { what } => ("wrong", what.clone(), None, None),
        Verification::Unverifiable { why } => ("unverifiable", why.clone(), None, None),
    };
    let observations: Vec<String> =
        record.observations.iter().map(|seen| format!("{}={}/{}", seen.name, seen.count, seen.of)).collect();
    let absent: Vec<String> = worker.absent.iter().map(|(event, reason)| format!("{event}: {reason}")).collect();
    let tallies: Vec<String> = worker.tallies.iter().map(|(name, sum)| format!("{name}={sum}")).collect();
    let histograms: Vec<String> = record.histograms.iter().map(|(name, histogram)| timed(name, histogram)).collect();
    vec![
        is.to_owned(),
        detail,
        optional(expected),
        optional(found),
        observations.join(";"),
        tallies.join(";"),
        histograms.join(";"),
        absent.join("; "),
    ]
}

fn timed(name: &str, histogram: &Histogram) -> String {
    let buckets: Vec<String> = histogram.iter().map(|[ticks, count]| format!("{ticks}:{count}")).collect();
    format!("{name}={}", buckets.join(" "))
}

fn optional(value: Option<impl Display>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
