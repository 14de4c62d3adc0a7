//! `[placement]`.

use crate::fields::{Fields, article};
use crate::placement::{MOST_WORKERS, PolicyKind, PolicySpec, Workers};
use crate::problem::Problem;
use crate::tree::{Node, Tree};
use crate::value::Value;

pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> (Vec<PolicySpec>, Vec<Workers>) {
    let mut fields = Fields::new(node);
    let policies = policies(&mut fields);
    let workers = workers(&mut fields);
    if policies.iter().any(|policy| policy.kind == PolicyKind::Pairs) {
        if policies.len() > 1 {
            let place = node.get("policy").map(|entry| entry.node.place.clone()).unwrap_or_default();
            fields.tell(place, "`pairs` cannot stand beside other policies", "write policy = \"pairs\" alone");
        }
        if let Some(entry) = node.get("workers") {
            let place = entry.node.place.clone();
            fields.tell(place, "`pairs` always has two workers", "leave `workers` out");
        }
    }
    problems.extend(fields.finish());
    (policies, workers)
}

fn policies(fields: &mut Fields<'_>) -> Vec<PolicySpec> {
    let known = "write compact, cores, scatter, smt-N, pairs or a PU list such as \"0-3,8\"";
    let Some(items) = fields.items("policy") else {
        return vec![PolicySpec { text: "cores".to_owned(), kind: PolicyKind::Rule }];
    };
    if items.is_empty() {
        let place = fields.node("policy").map(|node| node.place.clone()).unwrap_or_default();
        fields.tell(place, "`policy` has no values", known);
    }
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
                fields.tell(item.place.clone(), told, known);
            }
        }
    }
    found
}

fn workers(fields: &mut Fields<'_>) -> Vec<Workers> {
    let cure = format!("write whole numbers from 1 to {MOST_WORKERS}, or \"all\" for one on each allowed PU");
    let Some(items) = fields.items("workers") else {
        return vec![Workers::All];
    };
    if items.is_empty() {
        let place = fields.node("workers").map(|node| node.place.clone()).unwrap_or_default();
        fields.tell(place, "`workers` has no values", cure.as_str());
    }
    let mut found = Vec::new();
    for item in items {
        let workers = match &item.value {
            Tree::Scalar(Value::Integer(number)) if (1..=MOST_WORKERS as i64).contains(number) => {
                Workers::Exactly(*number as usize)
            }
            Tree::Scalar(Value::Text(word)) if word == "all" => Workers::All,
            Tree::Scalar(value) => {
                fields.tell(item.place.clone(), format!("there cannot be {value} workers"), cure.as_str());
                continue;
            }
            Tree::Invalid => continue,
            _ => {
                let told = format!("a number of workers is not {} {}", article(item.type_name()), item.type_name());
                fields.tell(item.place.clone(), told, cure.as_str());
                continue;
            }
        };
        if found.contains(&workers) {
            fields.tell(item.place.clone(), format!("`workers` has {workers} twice"), "write each number once");
        } else {
            found.push(workers);
        }
    }
    found
}
