//! SVG to PNG, with the fonts that come with this crate: no system font is looked for.

use std::fmt;
use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};

/// Why there is no PNG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PngError(String);

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no PNG of this figure: {}", self.0)
    }
}

impl std::error::Error for PngError {}

/// The most pixels along a side.
const LARGEST: f64 = 16_384.0;

fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    FONTS
        .get_or_init(|| {
            let mut database = Database::new();
            database.load_font_data(include_bytes!("../../fonts/DejaVuSans.ttf").to_vec());
            database.load_font_data(include_bytes!("../../fonts/DejaVuSans-Bold.ttf").to_vec());
            database.set_sans_serif_family("DejaVu Sans");
            Arc::new(database)
        })
        .clone()
}

/// The parsed picture, its texts laid out in the bundled fonts.
pub(crate) fn tree(svg: &str) -> Result<Tree, PngError> {
    let options = Options { fontdb: fonts(), font_family: "DejaVu Sans".to_owned(), ..Options::default() };
    Tree::from_str(svg, &options).map_err(|error| PngError(error.to_string()))
}

/// Draws an SVG, `scale` pixels for each of its units: 2 suits screens and documents.
///
/// # Errors
/// [`PngError`] for text that is not SVG, or a scale at which the picture has no pixel or more than 16384 along a side.
pub fn png(svg: &str, scale: f64) -> Result<Vec<u8>, PngError> {
    let tree = tree(svg)?;
    let size = tree.size();
    let side = |length: f32| (f64::from(length) * scale).round();
    let (width, height) = (side(size.width()), side(size.height()));
    let fits = |side: f64| (1.0..=LARGEST).contains(&side);
    if !fits(width) || !fits(height) {
        return Err(PngError(format!(
            "{width} × {height} pixels; take a scale that gives 1 to {LARGEST} along each side"
        )));
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or_else(|| PngError("too many pixels".to_owned()))?;
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError(error.to_string()))
}
