//! The values of a heat map and their colors.

use hitm_analysis::Estimate;

use crate::figure::Trust;
use crate::figure::axis::reach;
use crate::figure::data::value;
use crate::names::Index;
use crate::number::Scale;
use crate::pairs::Matrix;

/// Light to dark in one direction of lightness, so that it also reads in grey and with any colour vision: YlGnBu of
/// ColorBrewer (<https://colorbrewer2.org>).
const COLORS: [[u8; 3]; 9] = [
    [255, 255, 217],
    [237, 248, 177],
    [199, 233, 180],
    [127, 205, 187],
    [65, 182, 196],
    [29, 145, 192],
    [34, 94, 168],
    [37, 52, 148],
    [8, 29, 88],
];

/// The luminance above which numbers are dark: both inks have about the same contrast there.
const INK_TURNS: f64 = 0.19;

/// The values of a matrix.
pub(crate) struct Heat {
    /// Value by place, row by row; `None` where nothing was measured.
    pub(crate) values: Vec<Option<Estimate>>,
    pub(crate) size: usize,
    pub(crate) mirrored: bool,
    pub(crate) scale: Scale,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Heat {
    pub(crate) fn new(index: &Index, y: &str, matrix: &Matrix) -> Self {
        let size = matrix.pus.len();
        let mut mirrored = false;
        let mut values = Vec::with_capacity(size * size);
        for a in &matrix.pus {
            for b in &matrix.pus {
                let found = matrix.cell(*a, *b).filter(|_| a != b);
                let estimate = found.and_then(|(cell, turned)| Some((value(index, cell, y).ok()??, turned)));
                mirrored |= estimate.as_ref().is_some_and(|(_, turned)| *turned);
                values.push(estimate.map(|(estimate, _)| estimate));
            }
        }
        let medians = || values.iter().flatten().map(|estimate| estimate.median);
        let unit = values.iter().flatten().next().map_or("", |estimate| estimate.unit.as_str()).to_owned();
        let (low, high) = reach(&medians().collect::<Vec<_>>());
        let scale = Scale::common(&unit, medians()).unwrap_or_else(|| Scale::of(&unit, high));
        Heat { values, size, mirrored, scale, low, high }
    }

    /// From 0 at the least value to 1 at the largest; all the same where there is one value.
    pub(crate) fn share(&self, value: f64) -> f64 {
        if self.high > self.low { ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0) } else { 0.4 }
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> Option<&Estimate> {
        self.values.get(row * self.size + column)?.as_ref()
    }

    pub(crate) fn trust(&self) -> Option<Trust> {
        let ns = || self.values.iter().flatten().map(|estimate| estimate.n);
        let with_interval = self.values.iter().flatten().filter(|estimate| estimate.n > 1);
        let coverage = with_interval.map(|estimate| estimate.coverage).fold(1.0, f64::min);
        Some(Trust { n: (ns().min()?, ns().max()?), coverage })
    }
}

/// The color of a share of the scale, as its parts and as SVG writes it.
pub(crate) fn color(share: f64) -> ([u8; 3], String) {
    let place = share.clamp(0.0, 1.0) * (COLORS.len() - 1) as f64;
    let lower = (place.floor() as usize).min(COLORS.len() - 2);
    let part = place - lower as f64;
    let mix = |i: usize| {
        let (a, b) = (f64::from(COLORS[lower][i]), f64::from(COLORS[lower + 1][i]));
        (a + (b - a) * part).round() as u8
    };
    let rgb = [mix(0), mix(1), mix(2)];
    (rgb, format!("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]))
}

/// The relative luminance of WCAG 2 (<https://www.w3.org/TR/WCAG22/#dfn-relative-luminance>).
fn luminance(rgb: [u8; 3]) -> f64 {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2])
}

/// The ink in which a number shows on a color.
pub(crate) fn ink(on: [u8; 3]) -> &'static str {
    if luminance(on) > INK_TURNS { "#111111" } else { "#ffffff" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_show_on_every_color() {
        for share in 0..=100 {
            let (rgb, _) = color(f64::from(share) / 100.0);
            let ink = if ink(rgb) == "#ffffff" { 1.0 } else { luminance([0x11; 3]) };
            let (light, dark) = (luminance(rgb).max(ink), luminance(rgb).min(ink));
            assert!((light + 0.05) / (dark + 0.05) >= 4.0, "{share}");
        }
    }
}
