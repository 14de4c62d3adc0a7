//! The document of events holds the catalogue as it is.

use hitm_counters::catalogue::{UarchEvent, logical, uarchs};

const DOCUMENT: &str = include_str!("../../../docs/events.md");

/// Logical events whose absence is worth a row: the sides of a conflict.
const TOLD: [&str; 5] =
    ["load-transfer-local", "store-transfer", "upgrade-to-writable", "memory-ordering-clears", "ll-sc-failures"];

fn code(event: &UarchEvent) -> String {
    if event.config1 == 0 {
        format!("{:#x}", event.config)
    } else {
        format!("{:#x}, {:#x}", event.config, event.config1)
    }
}

/// All rows that must stand there; all that are missing are told at once, so that they can be pasted.
fn rows() -> Vec<String> {
    let mut rows = Vec::new();
    for row in logical() {
        rows.push(format!("| `{}` | {} | {} | {} | {} |", row.name, row.role.name(), row.unit, row.meaning, row.traps));
    }
    for row in logical() {
        for uarch in uarchs() {
            if let Some(event) = uarch.logical(&row.name) {
                let (name, code) = (&event.name, code(event));
                rows.push(format!("| `{}` | {} | `{name}` | `{code}` | {} |", row.name, uarch.name, event.meaning));
            }
        }
    }
    for name in TOLD {
        for uarch in uarchs() {
            if let Some(absent) = uarch.absent.get(name) {
                let instead = if absent.instead.is_empty() { String::new() } else { format!("`{}`", absent.instead) };
                rows.push(format!("| `{name}` | {} | {} | {instead} |", uarch.name, absent.why));
            }
        }
    }
    for uarch in uarchs() {
        let names: Vec<String> = uarch.contention.iter().map(|name| format!("`{name}`")).collect();
        rows.push(format!("| {} | {} | {} |", uarch.name, uarch.title, names.join(", ")));
    }
    rows
}

#[test]
fn every_row_of_the_catalogue_stands_in_the_document() {
    let missing: Vec<String> = rows().into_iter().filter(|row| !DOCUMENT.lines().any(|line| line == row)).collect();
    assert!(missing.is_empty(), "not in docs/events.md:\n{}", missing.join("\n"));
}

#[test]
fn the_document_has_no_row_that_the_catalogue_has_not() {
    let rows = rows();
    let heads = ["| event |", "| microarchitecture |", "| --- |"];
    for line in DOCUMENT.lines().filter(|line| line.starts_with('|')) {
        let head = heads.iter().any(|head| line.starts_with(head));
        assert!(head || rows.iter().any(|row| row == line), "{line}");
    }
}
