//! The cells of a plan from the combinations of its kernels' parameters, and what they are called.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::PlannedCell;
use super::spots::Spot;
use crate::experiment::Experiment;
use crate::problem::Problem;
use crate::value::{Parameters, Value};

/// One combination of one kernel's parameters, defaults filled in.
pub(super) struct Combination {
    pub kernel: usize,
    pub parameters: Parameters,
}

impl Experiment {
    /// All cells, in the order of their definition; two that cannot be told apart are a problem.
    pub(super) fn cells(
        &self,
        combinations: &[Combination],
        spots: &[Spot],
        problems: &mut Vec<Problem>,
    ) -> Vec<PlannedCell> {
        let varied = self.varied(combinations);
        let kernels: HashSet<&str> = self.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        let naming = naming(spots);
        let mut cells = Vec::with_capacity(combinations.len() * spots.len());
        for combination in combinations {
            let name = &self.kernels[combination.kernel].name;
            for spot in spots {
                let mut parameters = combination.parameters.clone();
                parameters.insert("kernel".to_owned(), name.as_str().into());
                parameters.insert("placement".to_owned(), spot.policy.as_str().into());
                parameters.insert("workers".to_owned(), Value::Integer(spot.workers as i64));
                let mut names: Vec<&str> = Vec::new();
                names.extend((kernels.len() > 1).then_some("kernel"));
                names.extend(
                    varied.iter().map(String::as_str).filter(|name| combination.parameters.contains_key(*name)),
                );
                for (name, value) in &spot.parameters {
                    parameters.insert((*name).to_owned(), value.clone());
                }
                names.extend(&naming);
                let id: Vec<String> = names.iter().map(|name| format!("{name}={}", parameters[*name])).collect();
                let id = if id.is_empty() { name.clone() } else { id.join(",") };
                cells.push(PlannedCell {
                    id,
                    kernel: name.clone(),
                    kernel_index: combination.kernel,
                    varied: names.into_iter().map(str::to_owned).collect(),
                    parameters,
                    policy: spot.policy.clone(),
                    workers: spot.workers,
                    pus: spot.pus.clone(),
                });
            }
        }
        self.refuse_twins(&cells, problems);
        cells
    }

    fn refuse_twins(&self, cells: &[PlannedCell], problems: &mut Vec<Problem>) {
        let mut owners: HashMap<&str, usize> = HashMap::with_capacity(cells.len());
        let mut told = HashSet::new();
        for cell in cells {
            let owner = *owners.entry(&cell.id).or_insert(cell.kernel_index);
            if owner != cell.kernel_index && told.insert((owner, cell.kernel_index)) {
                let place = self.place(&format!("kernel.{}", cell.kernel_index));
                let message = format!("the cell {} is there twice: kernel {owner} has it too", cell.id);
                problems.push(Problem::new(place, message, "let the kernels differ in a parameter"));
            }
        }
    }

    /// The kernels' parameters that have more than one value, or that some cells of a kernel lack: as written first.
    fn varied(&self, combinations: &[Combination]) -> Vec<String> {
        let mut first: HashMap<&str, &Value> = HashMap::new();
        let mut shape: HashMap<&str, &Parameters> = HashMap::new();
        let mut varied: BTreeSet<&str> = BTreeSet::new();
        for Combination { kernel, parameters } in combinations {
            for (name, value) in parameters {
                if *first.entry(name).or_insert(value) != value {
                    varied.insert(name);
                }
            }
            let like = *shape.entry(&self.kernels[*kernel].name).or_insert(parameters);
            varied.extend(parameters.keys().filter(|name| !like.contains_key(*name)).map(String::as_str));
            varied.extend(like.keys().filter(|name| !parameters.contains_key(*name)).map(String::as_str));
        }
        let written = self.kernels.iter().flat_map(|kernel| &kernel.parameters).map(|spec| spec.name.as_str());
        let mut names: Vec<String> = Vec::new();
        for name in written {
            if varied.remove(name) {
                names.push(name.to_owned());
            }
        }
        names.extend(varied.into_iter().map(str::to_owned));
        names
    }
}

/// The names of what varies from spot to spot, as far as it tells them apart.
fn naming(spots: &[Spot]) -> Vec<&'static str> {
    let Some(first) = spots.first() else { return Vec::new() };
    let value = |spot: &Spot, name: &str| match name {
        "placement" => spot.policy.as_str().into(),
        "workers" => Value::Integer(spot.workers as i64),
        _ => spot
            .parameters
            .iter()
            .find(|(own, _)| *own == name)
            .map_or(Value::Boolean(false), |(_, value)| value.clone()),
    };
    // A pair is always named.
    let varies = |name: &&&str| **name == "pus" || spots.iter().any(|spot| value(spot, name) != value(first, name));
    first.naming.iter().filter(varies).copied().collect()
}
