//! Locks exclude, transactions end, what a worker tells adds up, and what cannot be is refused with its cure.

mod common;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use common::{kernel, lay_out, parameters, sample, verify};
use hitm_experiment::Value;
use hitm_experiment::record::Verification;
use hitm_kernels::time::OsTime;
use hitm_kernels::{Context, Notes, Registry, StopToken};

const MODELS: [&str; 5] = ["point", "range", "range-points", "queue-points", "queue-ranges"];

fn transaction(manager: &str, more: &[(&str, Value)]) -> Box<dyn hitm_kernels::Kernel> {
    let mut given = vec![("manager", Value::from(manager)), ("rows", 20.into()), ("timeout_ms", 5.into())];
    given.extend(more.iter().cloned());
    let given = given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let registry = Registry::built_in();
    let entry = registry.find("locking/transaction").expect("it is built in");
    entry.make(&given).unwrap_or_else(|faults| panic!("{manager}: {faults:?}"))
}

fn told(notes: &Notes, name: &str) -> u64 {
    notes.tallies.iter().find(|(tally, _)| *tally == name).unwrap_or_else(|| panic!("{name} is told")).1
}

#[test]
fn every_model_commits_all_that_is_asked_of_it() {
    for manager in MODELS {
        for more in [
            vec![],
            vec![("secondary", "on".into()), ("shared", 50.into()), ("order", "ascending".into())],
            vec![("span", 4.into()), ("retry", "same-keys".into()), ("work", 50.into())],
            vec![("deadlocks", "off".into()), ("timed", "off".into())],
        ] {
            let kernel = transaction(manager, &more);
            assert_eq!(verify(&*kernel, &vec![vec![20, 30]; 4]), Verification::Exact, "{manager} {more:?}");
        }
    }
}

#[test]
fn the_history_of_an_observation_keeps_the_laws() {
    for manager in MODELS {
        let kernel = transaction(manager, &[("shared", 30.into()), ("span", 3.into())]);
        let (samples, observations, verification) = sample(&*kernel, 4, 200);
        assert_eq!(verification, Verification::Exact, "{manager}");
        assert!(samples.iter().flatten().all(|key| (1..=20).contains(key)), "{manager}");
        let names: Vec<_> = observations.iter().map(|seen| seen.name.as_str()).collect();
        assert_eq!(names, ["hottest-key", "lock-conflicts"]);
        assert!(observations.iter().all(|seen| seen.count <= seen.of && seen.of > 0), "{manager}: {observations:?}");
    }
}

/// What is left out changes the cost and not the exclusion.
#[test]
fn managers_without_a_part_of_their_work_still_exclude() {
    let registry = Registry::built_in();
    let entry = registry.find("locking/transaction").expect("it is built in");
    let hitm_kernels::ParameterKind::Choice(parts) =
        &entry.parameters.iter().find(|parameter| parameter.name == "without").expect("a parameter").kind
    else {
        panic!("it is a choice")
    };
    let mut ran = 0;
    for manager in MODELS {
        for &without in *parts {
            let given = parameters([
                ("manager", manager.into()),
                ("without", without.into()),
                ("rows", 20.into()),
                ("timeout_ms", 5.into()),
            ]);
            match entry.make(&given) {
                Ok(kernel) => {
                    assert_eq!(sample(&*kernel, 3, 100).2, Verification::Exact, "{manager} without {without}");
                    ran += 1;
                }
                Err(faults) => assert!(faults.iter().all(|fault| !fault.cure.is_empty()), "{manager} {without}"),
            }
        }
    }
    assert!(ran >= 20, "{ran}");
}

/// A worker's attempts are its commits and what came to nothing, and all of its time is parted.
#[test]
fn what_a_worker_tells_adds_up() {
    for manager in MODELS {
        let kernel = transaction(manager, &[]);
        let arena = lay_out(&*kernel, 1);
        let (stop, time) = (StopToken::default(), OsTime::lasting(Duration::from_secs(3600)));
        let mut worker = arena.worker(Context { index: 0, seed: 1, stop: &stop, time: &time });
        worker.run(10);
        worker.take_notes();
        let began = Instant::now();
        let done = worker.run(50);
        let wall = began.elapsed().as_nanos() as u64;
        let notes = worker.take_notes();
        assert_eq!(done.operations, 50);
        assert_eq!(told(&notes, "attempts"), 50, "{manager}: nobody is in the way of one worker");
        assert_eq!(told(&notes, "locks"), 150);
        let ticks =
            ["working", "locking", "waiting", "deadlocked", "timed_out", "cut_off"].map(|name| told(&notes, name));
        assert!(ticks.iter().sum::<u64>() <= wall, "{manager}: {ticks:?} of {wall}");
        assert!(ticks[1] > 0 && ticks[2..] == [0; 4], "{manager}: {ticks:?}");
        let latency = notes.histograms.iter().find(|(name, _)| *name == "latency").expect("it is told");
        assert_eq!(latency.1.iter().map(|[_, count]| count).sum::<u64>(), 50);
        assert!(latency.1.is_sorted_by(|one, other| one[0] < other[0]));
        let registry = Registry::built_in();
        let declared =
            registry.find("locking/transaction").expect("it is built in").tallies.iter().map(|tally| tally.name);
        let names = notes.tallies.iter().map(|(name, _)| *name).chain(notes.histograms.iter().map(|(name, _)| *name));
        assert_eq!(names.collect::<BTreeSet<_>>(), declared.collect(), "what is told is declared");
        assert_eq!(told(&worker.take_notes(), "attempts"), 0, "what was told is not told again");
    }
}

/// What is timed lies where it must: transactions that sleep for 3 ms take and hold that long, and so do the waits for them.
#[test]
fn histograms_hold_what_took_so_long() {
    for manager in MODELS {
        let kernel = transaction(
            manager,
            &[("rows", 1.into()), ("locks", 1.into()), ("think_us", 3000.into()), ("timeout_ms", 1000.into())],
        );
        let arena = lay_out(&*kernel, 2);
        let stop = StopToken::default();
        let notes: Vec<Notes> = std::thread::scope(|scope| {
            let worker = |index| {
                let (arena, stop) = (&*arena, &stop);
                scope.spawn(move || {
                    let time = OsTime::lasting(Duration::from_secs(3600));
                    let mut worker = arena.worker(Context { index, seed: 1, stop, time: &time });
                    worker.run(20);
                    worker.take_notes()
                })
            };
            [0, 1].map(worker).into_iter().map(|worker| worker.join().expect("no worker panics")).collect()
        });
        let of = |name: &str| -> Vec<[u64; 2]> {
            let all = notes.iter().flat_map(|notes| notes.histograms.iter().filter(|(told, _)| *told == name));
            all.flat_map(|(_, steps)| steps.clone()).collect()
        };
        // Two digits: a step stands for what is up to 1 % less.
        for name in ["hold", "latency"] {
            let steps = of(name);
            assert_eq!(steps.iter().map(|step| step[1]).sum::<u64>(), 40, "{manager} {name}");
            assert!(steps.iter().all(|step| step[0] >= 3_000_000), "{manager} {name}: {steps:?}");
        }
        let waits = of("wait");
        assert!(waits.iter().any(|step| step[0] >= 100_000), "{manager}: somebody waited for a sleeper: {waits:?}");
    }
}

/// Workers that all wait for each other come back when the trial is over, long before their timeout.
#[test]
fn a_wait_is_cut_off_when_the_trial_ends() {
    for manager in ["point", "range"] {
        let kernel = transaction(
            manager,
            &[("rows", 3.into()), ("deadlocks", "off".into()), ("timeout_ms", 3_600_000.into()), ("work", 2000.into())],
        );
        let arena = lay_out(&*kernel, 8);
        let stop = StopToken::default();
        let began = Instant::now();
        let (mut totals, mut cancelled) = (Vec::new(), 0);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..8)
                .map(|index| {
                    let (arena, stop) = (&*arena, &stop);
                    scope.spawn(move || {
                        let time = OsTime::lasting(Duration::from_millis(200));
                        let mut worker = arena.worker(Context { index, seed: index as u64, stop, time: &time });
                        let mut operations = 0;
                        // As a runner asks: batch by batch until the time is over, or one was cut off.
                        while Instant::now() < hitm_kernels::Time::ends(&time) {
                            let done = worker.run(10).operations;
                            operations += done;
                            if done < 10 {
                                break;
                            }
                        }
                        (operations, told(&worker.take_notes(), "cancelled"))
                    })
                })
                .collect();
            for worker in workers {
                let (done, cut_off) = worker.join().expect("no worker panics");
                totals.push(done);
                cancelled += cut_off;
            }
        });
        assert!(began.elapsed() < Duration::from_secs(600), "{manager}");
        assert!(cancelled > 0, "{manager}: without a search for deadlocks some wait for each other in the end");
        assert_eq!(arena.verify(&totals), Verification::Exact, "{manager}");
    }
}

/// Keys of a trace are locked in its order, by each worker those that are its own.
#[test]
fn a_trace_is_locked_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.keys");
    let mut writer = hitm_keys::trace::Writer::create(&path).unwrap();
    (0..90).for_each(|i| writer.push(hitm_keys::trace::Access { key: 7 * i, thread: Some(i % 3) }).unwrap());
    writer.finish().unwrap();
    let trace = ("trace", Value::from(path.to_str().unwrap()));
    for manager in MODELS {
        let kernel = transaction(manager, &[trace.clone(), ("streams", "thread".into())]);
        let (samples, _, verification) = sample(&*kernel, 3, 60);
        assert_eq!(verification, Verification::Exact, "{manager}");
        for (worker, keys) in samples.iter().enumerate() {
            let own: Vec<u64> = (0..30).map(|i| 7 * (3 * i + worker as u64)).collect();
            assert_eq!(*keys, [&own[..], &own[..]].concat(), "{manager}: after its last key comes its first");
        }
        assert!(kernel.inputs().contains_key("trace"), "a run does not go on with another");
    }
    let setting = hitm_kernels::Setting { workers: 4, line_bytes: 64, seed: 7, common_seed: 5 };
    let kernel = transaction("point", &[trace.clone(), ("streams", "thread".into())]);
    assert!(kernel.lay_out(&setting).err().expect("three threads are not four").contains("partition"));
    let registry = Registry::built_in();
    let entry = registry.find("locking/transaction").expect("it is built in");
    let faults = entry.make(&parameters([trace, ("dist", "sysbench-1.0.20/special".into())])).err().expect("both");
    assert!(faults[0].parameter == "trace" && faults[0].cure.contains("dist"), "{faults:?}");
}

#[test]
fn what_cannot_be_is_refused_with_its_cure() {
    let registry = Registry::built_in();
    let entry = registry.find("locking/transaction").expect("it is built in");
    for (given, parameter) in [
        (vec![("rows", Value::from(0))], "rows"),
        (vec![("timeout_ms", 0.into())], "timeout_ms"),
        (vec![("rows", 5.into()), ("locks", 6.into())], "locks"),
        (vec![("rows", 5.into()), ("span", 6.into())], "span"),
        (vec![("locks", 1000.into()), ("span", 10_000.into())], "span"),
        (vec![("manager", "pessimistic".into())], "manager"),
        (vec![("manager", "point".into()), ("without", "request-mutex".into())], "without"),
        (vec![("manager", "queue-points".into()), ("without", "all".into())], "without"),
    ] {
        let given = given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let faults = entry.make(&given).err().unwrap_or_else(|| panic!("{given:?} cannot be"));
        assert!(
            faults.iter().any(|fault| fault.parameter == parameter && !fault.cure.is_empty()),
            "{given:?}: {faults:?}"
        );
    }
}

#[test]
fn plain_locks_lose_no_passage() {
    for lock in ["mutex", "reader-writer", "ticket", "mcs"] {
        for shared in [0, 50, 100] {
            let kernel =
                kernel("locking/simple", [("lock", lock.into()), ("shared", shared.into()), ("inside", 3.into())]);
            assert_eq!(verify(&*kernel, &vec![vec![100, 1, 400]; 4]), Verification::Exact, "{lock} {shared}");
        }
    }
}
