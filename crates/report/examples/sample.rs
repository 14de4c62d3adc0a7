//! Writes reports of made-up runs into a folder, to look at: `cargo run -p hitm-report --example sample -- FOLDER`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::{env, fs, io};

use hitm_report::{Extra, Style, figures, html, markdown, png, readme, terminal};
use support::Run;

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).unwrap_or_else(|| "sample".to_owned());
    let mut runs = vec![
        ("shared-state".to_owned(), support::shared_state()),
        ("stride".to_owned(), support::stride()),
        ("explained".to_owned(), support::explained::explained()),
        ("multiplexed".to_owned(), support::explained::multiplexed()),
        ("without-pmu".to_owned(), support::explained::without_pmu()),
        ("pairs-16".to_owned(), support::pairs(16, true)),
        ("pairs-48".to_owned(), support::pairs(48, false)),
        ("pairs-192".to_owned(), support::pairs(192, true)),
        ("workers".to_owned(), support::workers()),
        ("hostile".to_owned(), support::hostile()),
    ];
    let degenerate = support::degenerate().into_iter();
    runs.extend(degenerate.map(|(name, run)| (format!("degenerate-{}", name.replace(' ', "-")), run)));
    for (name, Run { summary, manifest }) in runs {
        let folder = Path::new(&folder).join(name);
        fs::create_dir_all(&folder)?;
        let figures = figures(&summary, &manifest);
        for figure in &figures {
            fs::write(folder.join(format!("{}.svg", figure.name)), &figure.svg)?;
            let png = png(&figure.svg, 1.5).map_err(io::Error::other)?;
            fs::write(folder.join(format!("{}.png", figure.name)), png)?;
        }
        fs::write(folder.join("report.html"), html(&summary, &manifest, &figures, &Extra::default()))?;
        fs::write(folder.join("report.md"), markdown(&summary, &manifest))?;
        fs::write(folder.join("README.md"), readme(&summary, &manifest))?;
        fs::write(folder.join("terminal.txt"), terminal(&summary, &manifest, Style { color: false, width: 120 }))?;
    }
    Ok(())
}
