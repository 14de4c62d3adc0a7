//! Every column of every CSV stands in its document.

mod support;

use hitm_report::{comparisons_csv, csv, explanation_csv, records_csv};
use support::explained::{explained, records};

#[test]
fn every_column_stands_in_the_document() {
    let document = include_str!("../../../docs/csv.md");
    let run = explained();
    let (manifest, records) = records(true);
    let sheets = [
        csv(&run.summary, &run.manifest),
        comparisons_csv(&run.summary, &run.manifest),
        explanation_csv(&run.summary),
        records_csv(&manifest, &records[..1]),
    ];
    for sheet in sheets {
        for column in sheet.lines().next().unwrap().split(',') {
            let parameter = manifest.cells.iter().any(|cell| cell.parameters.contains_key(column));
            let name = column.trim_start_matches("before_").trim_start_matches("after_");
            let event = manifest.events.iter().find(|event| name.starts_with(&format!("event.{}", event.name)));
            let name = event.map_or(name.to_owned(), |event| name.replace(&event.name, "NAME"));
            assert!(parameter || document.contains(&format!("`{name}`")), "{column}");
        }
    }
    let quantities = explanation_csv(&run.summary);
    let mut reader = ::csv::Reader::from_reader(quantities.as_bytes());
    let place = reader.headers().unwrap().iter().position(|heading| heading == "quantity").unwrap();
    for row in reader.records().map(Result::unwrap).filter(|row| !row[place].is_empty()) {
        assert!(document.contains(&format!("`{}`", &row[place])), "{}", &row[place]);
    }
}
