//! Pictures written where they were asked for.

use std::fs;
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
    fs::write(file, bytes).map_err(|error| CliError::Failed {
        message: format!("{} cannot be written: {error}", file.display()),
        cure: format!("give another file to {argument}"),
    })?;
    wrote(file);
    Ok(())
}

/// Standard output is the command's: what was written is told beside it.
pub(crate) fn wrote(file: &Path) {
    tell(format!("wrote {}", file.display()));
}
