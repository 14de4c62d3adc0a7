//! A description as JSON.

use hitm_keys::trace::describe::Evenness;
use serde_json::{Map, Value, json};

use super::About;

pub(in crate::commands::keys) fn json(about: &About) -> Value {
    let found = &about.found;
    let mut absent = Map::new();
    if found.hottest.is_none() {
        absent.insert("hottest".into(), json!(about.estimated_from()));
        absent.insert("top".into(), json!(about.estimated_from()));
    }
    if found.zipf.is_none() {
        absent.insert("zipf".into(), json!("no key, or the only one, came more than once"));
    }
    match found.together {
        None => drop(absent.insert("lockstep".into(), json!("there are no two threads with 128 keys each"))),
        Some(together) if together.best.is_none() => {
            drop(absent.insert("lockstep".into(), json!("no two threads have rows of keys in common")));
        }
        Some(_) => {}
    }
    let key = |&(key, times): &(u64, u64)| json!({"key": key, "times": times, "share": about.share(times)});
    let first = |&(keys, times): &(u64, u64)| json!({"keys": keys, "times": times, "share": about.share(times)});
    let mut before = 0;
    let octaves: Vec<Value> = (0..)
        .zip(&found.octaves)
        .map(|(octave, &(rank, times))| {
            let from = std::mem::replace(&mut before, rank);
            let expected = found.by_law.get(octave);
            json!({"first_rank": from + 1, "last_rank": rank, "times": times, "share": about.share(times), "zipf": expected})
        })
        .collect();
    let threads: Option<Vec<Value>> = about.threads.as_ref().map(|threads| {
        threads
            .iter()
            .map(|&(thread, keys)| json!({"thread": thread, "keys": keys, "share": about.share(keys)}))
            .collect()
    });
    json!({
        "name": about.name,
        "keys": found.keys,
        "range": {"low": found.range.low(), "high": found.range.high()},
        "counted": {"parts": found.counted.0, "of": found.counted.1, "estimate": found.is_estimate()},
        "distinct": found.distinct,
        "once": found.once,
        "repeats": found.keys.saturating_sub(found.distinct),
        "in_a_row": found.in_a_row,
        "hottest": found.hottest.as_ref().map(|hottest| hottest.iter().map(key).collect::<Vec<_>>()),
        "top": found.top.iter().map(first).collect::<Vec<_>>(),
        "working_set": found.working_set.map(|(percent, keys)| json!({"percent": percent, "keys": keys})),
        "windows": found.windows.iter().map(|window| json!({
            "length": window.length, "windows": window.windows, "least": window.least, "mean": window.mean, "most": window.most,
        })).collect::<Vec<_>>(),
        "octaves": octaves,
        "zipf": found.zipf.map(|zipf| json!({
            "theta": zipf.theta, "low": zipf.interval.map(|ends| ends.0), "high": zipf.interval.map(|ends| ends.1),
            "told": zipf.is_told(), "ranks": zipf.ranks, "distance": zipf.distance, "limit": zipf.limit, "alike": zipf.alike,
            "fits": zipf.fits() && found.even == Evenness::Skewed,
        })),
        "even": match found.even {
            Evenness::Even { .. } => Some(true),
            Evenness::Skewed => Some(false),
            Evenness::TooFew => None,
        },
        "threads": threads,
        "shared": about.share(found.shared),
        "compared": found.together.map(|together| json!({
            "threads": together.streams, "keys": together.keys, "in_lockstep": together.locked,
        })),
        "lockstep": found.together.and_then(|together| together.best).map(|pair| json!({
            "threads": [about.thread(pair.a), about.thread(pair.b)],
            "lag": pair.lag, "share": pair.share, "usual": pair.usual, "holds": pair.holds(),
        })),
        "absent": absent,
    })
}
