//! Pictures written where they were asked for.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::problems::CliError;
use crate::stderr::tell;

/// Pixels of a PNG per unit of its SVG, the first that the picture's size allows.
const PNG_SCALES: [f64; 3] = [2.0, 1.0, 0.5];

/// Writes a picture as `--svg`, as `--png`, or as both.
pub(crate) fn write(picture: &str, svg: Option<&Path>, png: Option<&Path>) -> Result<(), CliError> {
    if let Some(file) = svg {
        write_file(file, picture.as_bytes(), "--svg")?;
    }
    if let Some(file) = png {
        let drawn = PNG_SCALES.iter().map(|scale| hitm_report::png(picture, *scale));
        let drawn = drawn.reduce(Result::or).expect("there is a scale");
        let drawn = drawn.map_err(|error| CliError::Failed {
            message: error.to_string(),
            cure: "draw it as --svg, which has no limit".to_owned(),
        })?;
        write_file(file, &drawn, "--png")?;
    }
    Ok(())
}

fn write_file(file: &Path, bytes: &[u8], argument: &str) -> Result<(), CliError> {
    whole(file, bytes).map_err(|error| CliError::Failed {
        message: format!("{} cannot be written: {error}", file.display()),
        cure: format!("give another file to {argument}"),
    })?;
    wrote(file);
    Ok(())
}

/// The file whole or not at all; what is no plain file, such as /dev/stdout, is written as it is.
fn whole(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if file.metadata().is_ok_and(|there| !there.is_file()) {
        return fs::write(file, bytes);
    }
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hitm-").permissions(fs::Permissions::from_mode(0o666));
    let mut draft = builder.tempfile_in(folder)?;
    draft.write_all(bytes)?;
    draft.persist(&file).map_err(|error| error.error)?;
    Ok(())
}

/// Pictures that would take each other's place, or that of the file that is drawn: the flag, and what is wrong with it.
pub(crate) fn clashes(
    read: Option<&Path>,
    svg: Option<&Path>,
    png: Option<&Path>,
) -> Vec<(&'static str, &'static str)> {
    let over_read = |picture: &Path| read.is_some_and(|read| same_file(picture, read));
    let pictures = [("--svg", svg), ("--png", png)];
    let taken = pictures.into_iter().filter(|(_, picture)| picture.is_some_and(over_read));
    let mut clashes: Vec<_> =
        taken.map(|(flag, _)| (flag, "it would take the place of the file that is read")).collect();
    if svg.is_some_and(|svg| png.is_some_and(|png| svg == png || same_file(svg, png))) {
        clashes.push(("--png", "it would take the place of --svg"));
    }
    clashes
}

/// Whether both are there and one file.
pub(crate) fn same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other && one.is_file(),
        _ => false,
    }
}

/// Standard output is the command's: what was written is told beside it.
pub(crate) fn wrote(file: &Path) {
    tell(format!("wrote {}", file.display()));
}
