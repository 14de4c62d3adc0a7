//! The document of flags holds every flag as it is.

use hitm_analysis::flag;

#[test]
fn every_flag_stands_in_the_document() {
    let document = include_str!("../../../docs/flags.md");
    for definition in flag::TABLE {
        let disturbs = if definition.disturbs { "yes" } else { "" };
        let row = format!("| `{}` | {} | {} | {disturbs} |", definition.name, definition.meaning, definition.advice);
        assert!(document.lines().any(|line| line == row), "{row}");
    }
}
