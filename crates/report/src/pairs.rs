//! Experiments over pairs of PUs, such as core-to-core latency: cells that fill a matrix.

use std::collections::BTreeMap;

use hitm_analysis::{CellSummary, Estimate, Summary};
use hitm_experiment::Manifest;

use crate::names::{TIME, cell_label, varied};
use crate::number::Scale;

/// Parameters that only say which pair a cell is.
pub(crate) const PLACING: [&str; 5] = ["placement", "pair", "pairs", "pus", "relation"];

/// The cells of one matrix.
pub(crate) struct Matrix<'a> {
    /// What tells it from the run's other matrices; empty where there is one.
    pub(crate) label: String,
    /// The PUs of both axes, in order.
    pub(crate) pus: Vec<u32>,
    /// The cell of each ordered pair that was measured.
    pub(crate) cells: BTreeMap<(u32, u32), &'a CellSummary>,
}

impl<'a> Matrix<'a> {
    /// The cell of a pair, or that of the same two the other way round, and whether it is that.
    pub(crate) fn cell(&self, a: u32, b: u32) -> Option<(&'a CellSummary, bool)> {
        match self.cells.get(&(a, b)) {
            Some(cell) => Some((cell, false)),
            None => self.cells.get(&(b, a)).map(|cell| (*cell, true)),
        }
    }

    /// The pairs that have a time, with it.
    pub(crate) fn times(&self) -> Vec<((u32, u32), &'a Estimate)> {
        self.cells.iter().filter_map(|(pair, cell)| Some((*pair, cell.metrics.get(TIME)?))).collect()
    }

    /// One unit for all its times.
    pub(crate) fn scale(&self) -> Scale {
        let times = self.times();
        let unit = times.first().map_or("", |(_, estimate)| estimate.unit.as_str());
        Scale::common(unit, times.iter().map(|(_, estimate)| estimate.median)).unwrap_or_else(|| Scale::plain(unit))
    }

    /// Unordered pairs that have no cell either way.
    pub(crate) fn missing(&self) -> usize {
        let n = self.pus.len();
        let mut unordered: Vec<(u32, u32)> = self.cells.keys().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
        unordered.sort_unstable();
        unordered.dedup();
        (n * n.saturating_sub(1) / 2).saturating_sub(unordered.len())
    }
}

/// The matrices of these cells, one for each combination of what varies besides the pair. Cells of other than two
/// workers, or both on one PU, are left out.
pub(crate) fn matrices<'a>(cells: impl IntoIterator<Item = &'a CellSummary>, manifest: &Manifest) -> Vec<Matrix<'a>> {
    let names: Vec<String> = varied(manifest).into_iter().filter(|name| !PLACING.contains(&name.as_str())).collect();
    let mut matrices: Vec<Matrix<'a>> = Vec::new();
    for cell in cells {
        let [a, b] = cell.placement.pus[..] else { continue };
        if a == b {
            continue;
        }
        let label = if names.is_empty() { String::new() } else { cell_label(cell, &names) };
        let place = matrices.iter().position(|matrix| matrix.label == label).unwrap_or_else(|| {
            matrices.push(Matrix { label, pus: Vec::new(), cells: BTreeMap::new() });
            matrices.len() - 1
        });
        matrices[place].cells.insert((a, b), cell);
    }
    for matrix in &mut matrices {
        matrix.pus = matrix.cells.keys().flat_map(|(a, b)| [*a, *b]).collect();
        matrix.pus.sort_unstable();
        matrix.pus.dedup();
    }
    matrices
}

/// Whether the run is about pairs: every cell a pair of its own in its matrix, and the placement what varies.
pub(crate) fn is_matrix(summary: &Summary, manifest: &Manifest) -> bool {
    let places = varied(manifest).iter().any(|name| PLACING.contains(&name.as_str()));
    let asked = manifest.figures.iter().any(|figure| figure.kind == hitm_experiment::manifest::FigureKind::Matrix);
    let matrices = matrices(&summary.cells, manifest);
    let held: usize = matrices.iter().map(|matrix| matrix.cells.len()).sum();
    let pairs = matrices.iter().map(|matrix| matrix.cells.len()).max().unwrap_or(0);
    held == summary.cells.len() && held > 0 && (asked || (manifest.figures.is_empty() && places && pairs >= 3))
}
