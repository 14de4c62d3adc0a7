//! Laws of scaling are found in what they made, and data that none of them made is told as such.

use hitm_analysis::scaling::{Coefficients, Finding, Intervals, Law, NoFit, Residuals, Scaling, Value, scaling};
use hitm_experiment::seed::Streams;

const WORKERS: [f64; 8] = [1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0];

/// A number near 0, evenly between −1 and 1.
fn noise(streams: &Streams, index: u64) -> f64 {
    streams.stream("noise", index) as f64 / u64::MAX as f64 * 2.0 - 1.0
}

/// Throughput as `of` has it, with so much noise, in so many repetitions.
fn measured(of: impl Fn(f64) -> f64, off: f64, repetitions: u32) -> Vec<Value> {
    let streams = Streams::new(7);
    let mut values = Vec::new();
    for repetition in 0..repetitions {
        for workers in WORKERS {
            let throughput = of(workers) * (1.0 + off * noise(&streams, values.len() as u64));
            values.push(Value { workers, repetition, throughput });
        }
    }
    values
}

fn fitted(values: &[Value]) -> Scaling {
    scaling(values, "op/s", Residuals::Relative, 1).expect("there are enough")
}

fn usl(alpha: f64, beta: f64) -> impl Fn(f64) -> f64 {
    move |n| Coefficients { lambda: 1.1e8, alpha, beta }.throughput(n)
}

#[test]
fn each_law_is_the_best_of_what_it_made() {
    for (alpha, beta, best, finding) in [
        (0.0, 0.0, Law::Linear, Finding::Linear),
        (0.05, 0.0, Law::Amdahl, Finding::Saturating),
        (0.02, 4e-5, Law::Usl, Finding::Peaking),
    ] {
        let found = fitted(&measured(usl(alpha, beta), 0.02, 12));
        assert_eq!((found.best, found.finding), (Some(best), finding));
        assert_eq!(found.intervals, Intervals::Repetitions);
        assert_eq!(found.peak.is_some(), best == Law::Usl);
    }
}

/// Noise of ±2 %: the intervals hold the truth, and not all that there is.
#[test]
fn intervals_hold_the_truth() {
    let found = fitted(&measured(usl(0.02, 4e-5), 0.02, 20));
    let law = &found.fits[2];
    for (name, estimate, truth) in [
        ("lambda", &law.lambda, 1.1e8),
        ("alpha", law.alpha.as_ref().unwrap(), 0.02),
        ("beta", law.beta.as_ref().unwrap(), 4e-5),
        ("peak", &found.peak.as_ref().unwrap().workers, (0.98_f64 / 4e-5).sqrt()),
    ] {
        assert!(estimate.low <= truth && truth <= estimate.high, "{name}: {estimate:?}");
        assert!(estimate.high - estimate.low < 0.3 * truth, "{name}: {estimate:?}");
    }
    let peak = found.peak.unwrap();
    assert!(peak.measured && (peak.throughput / usl(0.02, 4e-5)(156.5) - 1.0).abs() < 0.02);
    assert_eq!(fitted(&measured(usl(0.02, 4e-5), 0.02, 20)), fitted(&measured(usl(0.02, 4e-5), 0.02, 20)), "seeded");
}

#[test]
fn speed_up_and_efficiency_are_against_one_worker() {
    let found = fitted(&measured(usl(0.05, 0.0), 0.0, 6));
    assert!(found.one_is_measured);
    for point in &found.points {
        let speed_up = point.workers / (1.0 + 0.05 * (point.workers - 1.0));
        assert!((point.speed_up.median - speed_up).abs() < 1e-9 * speed_up, "{point:?}");
        assert!((point.efficiency.median - speed_up / point.workers).abs() < 1e-9, "{point:?}");
    }
    // 10 and 16 threads of akopytov/sysbench#286: 1.0102 times as much, an efficiency of 0.631 against ten.
    let values = measured(usl(0.05, 0.0), 0.0, 6).into_iter().filter(|value| value.workers > 1.0).collect::<Vec<_>>();
    let without = fitted(&values);
    assert!(!without.one_is_measured, "no need of one worker");
    assert!((without.points[0].speed_up.median - 2.0 / 1.05).abs() < 1e-3, "{:?}", without.points[0]);
}

#[test]
fn better_than_linear_is_told_as_such() {
    let found = fitted(&measured(|n| 10.0 * n.powf(1.15), 0.01, 12));
    assert_eq!((found.finding, found.peak), (Finding::Superlinear, None));
}

/// A single series: the intervals are those of its residuals.
#[test]
fn one_value_each_is_enough() {
    let found = fitted(&measured(usl(0.02, 4e-5), 0.02, 1));
    assert_eq!((found.best, found.intervals), (Some(Law::Usl), Intervals::Residuals));
    let alpha = found.fits[2].alpha.as_ref().unwrap();
    assert!(alpha.low <= 0.02 && 0.02 <= alpha.high && alpha.low < alpha.high, "{alpha:?}");
    let three: Vec<Value> = measured(usl(0.02, 4e-5), 0.02, 1)[..3].to_vec();
    let found = fitted(&three);
    assert_eq!((found.best, found.finding, found.intervals), (None, Finding::Undecided, Intervals::Residuals));
    assert_eq!(found.fits[2].lambda.coverage, 0.0, "three points and three coefficients leave nothing open");
    assert_eq!(scaling(&three[..2], "op/s", Residuals::Relative, 1), Err(NoFit::TooFew(2)));
    assert_eq!(scaling(&[], "op/s", Residuals::Relative, 1), Err(NoFit::TooFew(0)));
}

/// Whatever was measured, no number is none.
#[test]
fn every_number_is_one() {
    let strange: [&dyn Fn(f64) -> f64; 6] =
        [&|_| 1.0, &|n| 1.0 / n, &|n| 1e-300 * n, &|n| 1e300 / n, &|n| if n > 5.0 { 1e-9 } else { 1e9 }, &|n| {
            n * n * n
        }];
    for (index, of) in strange.into_iter().enumerate() {
        for repetitions in [1, 8] {
            let found = match scaling(&measured(of, 0.0, repetitions), "op/s", Residuals::Absolute, 1) {
                Ok(found) => found,
                Err(why) => {
                    assert_eq!(why, NoFit::NotFound);
                    continue;
                }
            };
            let json = serde_json::to_value(&found).unwrap();
            assert!(all_numbers(&json), "{index}: {json}");
        }
    }
}

/// JSON writes what is no number as null.
fn all_numbers(json: &serde_json::Value) -> bool {
    match json {
        serde_json::Value::Object(map) => map.iter().all(|(name, value)| {
            let may_be_absent = ["low", "high", "alpha", "beta", "aicc", "best", "peak"].contains(&name.as_str());
            (may_be_absent && value.is_null()) || all_numbers(value)
        }),
        serde_json::Value::Array(values) => values.iter().all(all_numbers),
        other => !other.is_null(),
    }
}
