//! Pages, figures and tables.

use std::fs;

use crate::support::{MOMENT, err, exits, experiment, folder, hitm, out};

#[test]
fn a_report_is_whole_and_reaches_for_nothing() {
    let folder = folder("report");
    let text = MOMENT.replace("op = [\"store\", \"fetch-add\"]", "op = \"fetch-add\"\nstride = [8, 64, 128]");
    let file = experiment(&folder, &text.replace("{ op = \"store\" }", "{ stride = 128 }"));
    let (run, pages) = (folder.join("run"), folder.join("pages"));
    exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(&run), 0);
    let written = out(&exits(hitm().arg("report").arg(&run).arg("--out").arg(&pages), 0));
    for name in ["report.html", "README.md", "cells.csv", "comparisons.csv"] {
        assert!(written.contains(name), "{written}");
    }
    let page = fs::read_to_string(pages.join("report.html")).unwrap();
    for part in ["src=\"http", "href=\"http", "url(http", "@import", "NaN", ">inf<"] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(page.contains("Does it run?") && page.contains("<svg"));
    let files = fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().path());
    let (mut svgs, mut pngs) = (0, 0);
    for path in files {
        let bytes = fs::read(&path).unwrap();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => svgs += usize::from(bytes.windows(4).any(|four| four == b"<svg")),
            Some("png") => pngs += usize::from(bytes.starts_with(b"\x89PNG\r\n")),
            _ => {}
        }
    }
    assert!(svgs > 0 && svgs == pngs, "{svgs} SVG, {pngs} PNG");
}

#[test]
fn shown_text_fits_and_exports_agree_with_it() {
    let folder = folder("shown");
    let file = experiment(&folder, MOMENT);
    let run = folder.join("run");
    exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(&run), 0);
    let shown = out(&exits(hitm().arg("show").arg(&run), 0));
    assert!(shown.contains("Does it run?") && shown.contains("fetch-add"));
    assert!(!shown.contains('\u{1b}'), "no colours with NO_COLOR");
    let markdown = out(&exits(hitm().arg("show").arg(&run).arg("--markdown"), 0));
    assert!(markdown.lines().any(|line| line.starts_with('|')));
    for what in ["cells", "comparisons", "records"] {
        let csv = out(&exits(hitm().arg("export").arg(&run).args(["--what", what]), 0));
        assert!(csv.lines().count() > 1, "{what}:\n{csv}");
        let json = out(&exits(hitm().arg("export").arg(&run).args(["--what", what, "--format", "json"]), 0));
        serde_json::from_str::<serde_json::Value>(&json).unwrap();
    }
}

#[test]
fn a_report_that_cannot_be_written_is_told() {
    let folder = folder("unwritable");
    let file = experiment(&folder, MOMENT);
    let run = folder.join("run");
    exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(&run), 0);
    let told = err(&exits(hitm().arg("report").arg(&run).args(["--out", "/proc/hitm-report"]), 1));
    assert!(told.contains("/proc/hitm-report") && told.contains("--out"), "{told}");
}
