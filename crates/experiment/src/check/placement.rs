//! `[placement]`.

use crate::fields::{Fields, article};
use crate::placement::{
    MOST_WORKERS, OfEach, PairsSpec, PlacementSpec, PolicyKind, PolicySpec, RELATIONS, RULES, Spread, ThreadsSpec,
    Workers, is_relation,
};
use crate::problem::Problem;
use crate::suggest;
use crate::tree::{Node, Tree};
use crate::value::Value;

/// The most SMT threads of a core that can be asked for; no processor has as many.
const MOST_THREADS: i64 = 128;

pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> PlacementSpec {
    let mut fields = Fields::new(node);
    let within = texts(&mut fields, "within", "write what bounds the PUs, such as \"package:0\"").unwrap_or_default();
    let policies = policies(&mut fields);
    let workers = numbers(&mut fields, "workers", "one on each allowed PU");
    let pairs = pairs(&mut fields);
    let threads = threads(&mut fields);
    let ways: Vec<&str> =
        ["policy", "workers", "pairs", "threads_per_core"].into_iter().filter(|key| fields.has(key)).collect();
    exclude(&mut fields, node, &ways);
    for (key, owner) in [("pairs_of_each", "pairs"), ("together", "pairs"), ("cores", "threads_per_core")] {
        if fields.has(key) && !fields.has(owner) {
            let place = fields.place(key);
            fields.tell(
                place,
                format!("`{key}` says nothing without `{owner}`"),
                format!("write `{owner}`, or leave it out"),
            );
        }
    }
    problems.extend(fields.finish());
    let spread = match (pairs, threads) {
        (Some(pairs), _) => Spread::Pairs(pairs),
        (None, Some(threads)) => Spread::Threads(threads),
        (None, None) => Spread::Policies { policies, workers },
    };
    PlacementSpec { within, spread }
}

/// Tells of keys that stand for different ways of spreading workers.
fn exclude(fields: &mut Fields<'_>, node: &Node, ways: &[&str]) {
    let place = |key: &str| node.get(key).map(|entry| entry.node.place.clone()).unwrap_or_default();
    for key in ["policy", "workers"].into_iter().filter(|key| ways.contains(key)) {
        for owner in ["pairs", "threads_per_core"].into_iter().filter(|owner| ways.contains(owner)) {
            let told = match owner {
                "pairs" => format!("`{key}` cannot stand beside `pairs`: a pair is two workers on two PUs"),
                _ => format!("`{key}` cannot stand beside `threads_per_core`, which says where workers run"),
            };
            fields.tell(place(key), told, format!("leave `{key}` out, or `{owner}`"));
        }
    }
    if ways.contains(&"pairs") && ways.contains(&"threads_per_core") {
        let told = "`pairs` and `threads_per_core` are two ways of placing workers";
        fields.tell(place("threads_per_core"), told, "leave one of them out");
    }
}

fn policies(fields: &mut Fields<'_>) -> Vec<PolicySpec> {
    let known = format!("write {}, smt-N or a PU list such as \"0-3,8\"", RULES.join(", "));
    let Some(items) = items(fields, "policy", &known) else {
        return vec![PolicySpec { text: "cores".to_owned(), kind: PolicyKind::Rule }];
    };
    let mut found: Vec<PolicySpec> = Vec::new();
    for item in items {
        match &item.value {
            Tree::Scalar(Value::Text(text)) => match PolicySpec::parse(text) {
                Ok(policy) if found.contains(&policy) => {
                    fields.tell(item.place.clone(), format!("`policy` has {text} twice"), "write each policy once");
                }
                Ok(policy) => found.push(policy),
                Err((told, cure)) => fields.tell(item.place.clone(), told, cure),
            },
            Tree::Scalar(Value::Integer(pu)) => {
                fields.tell(item.place.clone(), "a policy is a string", format!("write \"{pu}\" for that PU"));
            }
            Tree::Invalid => {}
            _ => {
                let told = format!("a policy is a string, not {} {}", article(item.type_name()), item.type_name());
                fields.tell(item.place.clone(), told, known.as_str());
            }
        }
    }
    found
}

/// Whole numbers or `"all"`; `all` says what that is.
fn numbers(fields: &mut Fields<'_>, key: &'static str, all: &str) -> Vec<Workers> {
    let cure = format!("write whole numbers from 1 to {MOST_WORKERS}, or \"all\" for {all}");
    let Some(items) = items(fields, key, &cure) else {
        return vec![Workers::All];
    };
    let mut found = Vec::new();
    for item in items {
        let number = match &item.value {
            Tree::Scalar(Value::Integer(number)) if (1..=MOST_WORKERS as i64).contains(number) => {
                Workers::Exactly(*number as usize)
            }
            Tree::Scalar(Value::Text(word)) if word == "all" => Workers::All,
            Tree::Scalar(value) => {
                fields.tell(item.place.clone(), format!("there cannot be {value} {key}"), cure.as_str());
                continue;
            }
            Tree::Invalid => continue,
            _ => {
                let told = format!("a number of {key} is not {} {}", article(item.type_name()), item.type_name());
                fields.tell(item.place.clone(), told, cure.as_str());
                continue;
            }
        };
        if found.contains(&number) {
            fields.tell(item.place.clone(), format!("`{key}` has {number} twice"), "write each number once");
        } else {
            found.push(number);
        }
    }
    found
}

fn pairs(fields: &mut Fields<'_>) -> Option<PairsSpec> {
    let known = format!("write \"all\", or relations out of {} and shared-l1, shared-l2, …", RELATIONS.join(", "));
    let of_each = of_each(fields);
    let together = together(fields);
    let places: Vec<_> = fields.items("pairs").unwrap_or_default().iter().map(|item| item.place.clone()).collect();
    let words = texts(fields, "pairs", &known)?;
    if words == ["all"] {
        return Some(PairsSpec { relations: None, of_each, together });
    }
    for (word, place) in words.iter().zip(places).filter(|(word, _)| !is_relation(word)) {
        let near = suggest::closest(word, RELATIONS.into_iter().chain(["shared-l2", "shared-l3"]));
        let (told, cure) = match (word.as_str(), near) {
            ("all", _) => ("`all` cannot stand beside relations".to_owned(), known.clone()),
            (_, Some(near)) => (format!("PUs have no relation `{word}`"), format!("did you mean `{near}`?")),
            (_, None) => (format!("PUs have no relation `{word}`"), known.clone()),
        };
        fields.tell(place, told, cure);
    }
    Some(PairsSpec { relations: Some(words), of_each, together })
}

fn of_each(fields: &mut Fields<'_>) -> OfEach {
    let cure = "write \"all\", \"budget\" for as many as it has time for, or a whole number from 1 to 1000000";
    let Some(node) = fields.node("pairs_of_each") else { return OfEach::All };
    match &node.value {
        Tree::Scalar(Value::Text(word)) if word == "all" => OfEach::All,
        Tree::Scalar(Value::Text(word)) if word == "budget" => OfEach::Budget,
        Tree::Scalar(Value::Integer(number)) if (1..=1_000_000).contains(number) => OfEach::Exactly(*number as usize),
        Tree::Scalar(value) => {
            fields.tell(node.place.clone(), format!("`pairs_of_each` cannot be {value}"), cure);
            OfEach::All
        }
        _ => {
            let told = format!("`pairs_of_each` is a number, not {} {}", article(node.type_name()), node.type_name());
            fields.tell(node.place.clone(), told, cure);
            OfEach::All
        }
    }
}

fn together(fields: &mut Fields<'_>) -> Vec<bool> {
    let cure = "write false for one pair at a time, true for disjoint pairs at the same time, or [false, true]";
    let Some(items) = items(fields, "together", cure) else { return vec![false] };
    let mut found = Vec::new();
    for item in items {
        match &item.value {
            Tree::Scalar(Value::Boolean(value)) if found.contains(value) => {
                fields.tell(item.place.clone(), format!("`together` has {value} twice"), "write each once");
            }
            Tree::Scalar(Value::Boolean(value)) => found.push(*value),
            Tree::Invalid => {}
            _ => fields.tell(item.place.clone(), "`together` is true or false", cure),
        }
    }
    found
}

fn threads(fields: &mut Fields<'_>) -> Option<ThreadsSpec> {
    let cores = numbers(fields, "cores", "all that have as many threads");
    let cure = format!("write whole numbers from 1 to {MOST_THREADS}, such as [1, 2, 4, 8]");
    let items = items(fields, "threads_per_core", &cure)?;
    let mut per_core = Vec::new();
    for item in items {
        match &item.value {
            Tree::Scalar(Value::Integer(number)) if (1..=MOST_THREADS).contains(number) => {
                let number = *number as usize;
                if per_core.contains(&number) {
                    let told = format!("`threads_per_core` has {number} twice");
                    fields.tell(item.place.clone(), told, "write each number once");
                } else {
                    per_core.push(number);
                }
            }
            Tree::Invalid => {}
            _ => fields.tell(item.place.clone(), "a core has a whole number of threads", cure.as_str()),
        }
    }
    Some(ThreadsSpec { per_core, cores })
}

/// A key's items; that there are none is told.
fn items<'a>(fields: &mut Fields<'a>, key: &'static str, cure: &str) -> Option<&'a [Node]> {
    let items = fields.items(key)?;
    if items.is_empty() {
        let place = fields.node(key).map(|node| node.place.clone()).unwrap_or_default();
        fields.tell(place, format!("`{key}` has no values"), cure);
    }
    Some(items)
}

/// A key's texts, each once.
fn texts(fields: &mut Fields<'_>, key: &'static str, cure: &str) -> Option<Vec<String>> {
    let items = items(fields, key, cure)?;
    let mut found: Vec<String> = Vec::new();
    for item in items {
        match &item.value {
            Tree::Scalar(Value::Text(text)) if found.contains(text) => {
                fields.tell(item.place.clone(), format!("`{key}` has {text} twice"), "write each once");
            }
            Tree::Scalar(Value::Text(text)) => found.push(text.clone()),
            Tree::Invalid => {}
            _ => {
                let told = format!("`{key}` holds strings, not {} {}", article(item.type_name()), item.type_name());
                fields.tell(item.place.clone(), told, cure);
            }
        }
    }
    Some(found)
}
