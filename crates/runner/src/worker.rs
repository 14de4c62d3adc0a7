//! One worker's life in one trial: pin, make its own part, meet, warm up, meet, run batches until the deadline, tell.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hitm_counters::{Calibration, Clock, Pass, ThreadEvents, Vocabulary, thread_cpu_ns};
use hitm_experiment::record::{EventCount, Histogram, Purpose, WorkerRecord};
use hitm_kernels::{Arena, Context, StopToken, Worker};
use hitm_machine::{pin, usage};

use crate::batches::{Batch, BatchLog, Pace};
use crate::start_line::{Broken, StartLine};
use crate::time::WorkerTime;

/// What all workers of a trial share besides the arena.
pub(crate) struct Common {
    pub clock: Clock,
    pub calibration: Calibration,
    pub stop: StopToken,
    pub warm_up_line: StartLine,
    pub start_line: StartLine,
    pub warm_up_ticks: u64,
    pub duration_ticks: u64,
    pub batch_ticks: u64,
    pub purpose: Purpose,
    /// Values that each worker keeps in an observation trial.
    pub samples: usize,
    pub pass: Pass,
}

/// One worker's part of a trial.
pub(crate) struct Assignment {
    pub index: usize,
    pub pu: u32,
    pub seed: u64,
}

/// What a worker has to tell after a trial.
pub(crate) struct Told {
    /// All but the stretches, which take all workers' batches to find.
    pub record: WorkerRecord,
    pub log: BatchLog,
    /// Operations done on the arena, warm-up included.
    pub total_operations: u64,
    /// The values it drew, in an observation trial.
    pub samples: Vec<u64>,
    /// What took how long within its operations.
    pub histograms: Vec<(&'static str, Histogram)>,
}

/// Why a worker did not finish, in a sentence; `None` when it only gave up because another failed.
pub(crate) type Failure = Option<String>;

/// Lives one worker's life on the calling thread. A panic of the kernel becomes a failure and lets the others go.
pub(crate) fn live(common: &Common, arena: &Arc<dyn Arena>, assignment: &Assignment) -> Result<Told, Failure> {
    let lived = catch_unwind(AssertUnwindSafe(|| work(common, arena.as_ref(), assignment)));
    let failure = match lived {
        Ok(Ok(told)) => return Ok(told),
        Ok(Err(Broken)) => None,
        Err(panic) => Some(format!("worker {} panicked: {}", assignment.index, panic_text(panic.as_ref()))),
    };
    common.stop.set();
    common.warm_up_line.break_up();
    common.start_line.break_up();
    Err(failure)
}

/// The text that a panic carries.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}

fn work(common: &Common, arena: &dyn Arena, assignment: &Assignment) -> Result<Told, Broken> {
    let &Assignment { index, pu, seed } = assignment;
    let clock = &common.clock;
    let pinned = pin::pin_current_thread(pu);
    let mut events = ThreadEvents::open(&common.pass, pinned.as_ref().ok().map(|()| pu));
    let (mut events_before, mut events_after) = (events.blank(), events.blank());
    let mut log = BatchLog::with_room(common.duration_ticks, common.batch_ticks);
    let mut samples = match common.purpose {
        Purpose::Timing => Vec::new(),
        Purpose::Observation => vec![0; common.samples],
    };
    let time = WorkerTime::new(*clock);
    let mut worker = arena.worker(Context { index, seed, stop: &common.stop, time: &time });
    let mut checksum = 0;
    events.enable();
    // Read once unused: the first read is slower than those that follow.
    events.snapshot(&mut events_before);
    let calibration_before_ticks = common.calibration.time(clock);

    common.warm_up_line.meet(clock, || ())?;
    let mut pace = Pace::new(common.batch_ticks);
    let warm_up_operations = match common.purpose {
        Purpose::Timing => warm_up(common, &time, worker.as_mut(), &mut pace, &mut checksum),
        Purpose::Observation => 0,
    };
    worker.take_notes();

    // Workers that wait for each other leave the warm-up together, by the stop token.
    common.stop.set();
    let start = common.start_line.meet(clock, || common.stop.clear())?;
    let deadline = start + common.duration_ticks;
    time.until(deadline);
    let pu_at_start = pin::current_pu();
    let switches_before = usage::thread_switches();
    let run_delay_before = usage::thread_run_delay_ns();
    let cpu_before = thread_cpu_ns();
    events.snapshot(&mut events_before);
    let mut now = clock.now();
    log.start_ticks = now.saturating_sub(start);
    match common.purpose {
        Purpose::Timing => {
            while now < deadline {
                let asked = pace.operations();
                let done = worker.run(asked);
                assert!(done.operations <= asked, "it says it did {} operations of {asked} asked", done.operations);
                checksum ^= done.value;
                let then = now;
                now = clock.now();
                log.push(Batch { end_ticks: now.saturating_sub(start), operations: done.operations });
                pace.learn(now.saturating_sub(then));
                if done.operations < asked {
                    break;
                }
            }
        }
        Purpose::Observation => {
            let kept = worker.sample(&mut samples);
            samples.truncate(kept);
            now = clock.now();
            log.push(Batch { end_ticks: now.saturating_sub(start), operations: kept as u64 });
        }
    }
    common.stop.set();
    events.snapshot(&mut events_after);
    let cpu_after = thread_cpu_ns();
    let switches_after = usage::thread_switches();
    let run_delay_after = usage::thread_run_delay_ns();
    let pu_at_end = pin::current_pu();
    let notes = worker.take_notes();
    drop(worker);

    let calibration_after_ticks = common.calibration.time(clock);
    let switches = switches_before.zip(switches_after);
    let between = |before: Option<u64>, after: Option<u64>| Some(after?.saturating_sub(before?));
    let mut counts = BTreeMap::new();
    let mut absent: BTreeMap<String, String> =
        events.unavailable().iter().map(|(event, why)| (event.name().to_owned(), why.reason())).collect();
    for (event, count) in events.counts(&events_before, &events_after) {
        let name = event.name().to_owned();
        match count {
            Ok(count) => {
                let count =
                    EventCount { value: count.value, enabled_ns: count.enabled_ns, running_ns: count.running_ns };
                counts.insert(name, count);
            }
            Err(why) => {
                absent.insert(name, why.reason());
            }
        }
    }
    let record = WorkerRecord {
        pu,
        pinned: pinned.is_ok(),
        unpinned: pinned.err().map_or(String::new(), |error| error.message()),
        pu_at_start,
        pu_at_end,
        start_ticks: log.start_ticks,
        end_ticks: log.end_ticks(),
        operations: log.operations(),
        checksum: format!("{:016x}", black_box(checksum)),
        stretches: Vec::new(),
        interruptions: 0,
        interrupted_ticks: 0,
        voluntary_switches: switches.map(|(before, after)| after.voluntary.saturating_sub(before.voluntary)),
        involuntary_switches: switches.map(|(before, after)| after.involuntary.saturating_sub(before.involuntary)),
        cpu_ns: between(cpu_before, cpu_after),
        run_delay_ns: between(run_delay_before, run_delay_after),
        tallies: notes.tallies.into_iter().map(|(name, sum)| (name.to_owned(), sum)).collect(),
        calibration_before_ticks,
        calibration_after_ticks,
        pmu: pmu(pu),
        events: counts,
        absent,
    };
    let total_operations = warm_up_operations + log.operations();
    Ok(Told { record, log, total_operations, samples, histograms: notes.histograms })
}

/// The core PMU of a PU where the machine has several kinds of core; empty where it has one.
fn pmu(pu: u32) -> String {
    match Vocabulary::here().cores() {
        [_] => String::new(),
        kinds => kinds.iter().find(|kind| kind.has(pu)).map_or(String::new(), |kind| kind.pmu.clone()),
    }
}

/// Runs until the warm-up's end while all others do, and settles the pace at what operations cost then. Returns the operations done.
fn warm_up(common: &Common, time: &WorkerTime, worker: &mut dyn Worker, pace: &mut Pace, checksum: &mut u64) -> u64 {
    let clock = &common.clock;
    let begin = clock.now();
    let (end, half) = (begin + common.warm_up_ticks, begin + common.warm_up_ticks / 2);
    time.until(end);
    let (mut total, mut now) = (0, begin);
    // What was done since half time, and when that began: operations are dearer once all run.
    let mut since = None;
    while now < end {
        let asked = pace.operations();
        let done = worker.run(asked);
        *checksum ^= done.value;
        total += done.operations;
        let then = now;
        now = clock.now();
        pace.learn(now.saturating_sub(then));
        if done.operations < asked {
            break;
        }
        if since.is_none() && now >= half {
            since = Some((total, now));
        }
    }
    if let Some((before, from)) = since {
        pace.settle(total - before, now.saturating_sub(from));
    }
    total
}
