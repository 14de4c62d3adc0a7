//! From a checked experiment to its cells, and to the order in which they are run.

mod bind;
mod cells;
mod pairs;
mod rounds;
mod spots;
mod spread;
mod threads;

use std::collections::{BTreeMap, HashSet};

use crate::compare::{Baseline, baselines};
use crate::experiment::Experiment;
use crate::manifest::{Compare, FigureSpec};
use crate::problem::{Place, Problem};
use crate::seed::{Streams, shuffle};
use crate::units::show_ns;
use crate::value::{Parameters, Value};
use bind::Known;
use cells::Combination;
use spots::Spots;

/// The most cells that a plan may have.
pub const MOST_CELLS: u128 = 1_000_000;

/// What trials that run at the same time take besides the timed stretch and the warm-up, nanoseconds: threads, witnesses, verification.
/// Of each trial its workers, and whether some share a PU. Seen to be 1 to 2 ms at 2 workers, some 50 µs more a worker, and some 6 ms a
/// worker where they take turns.
pub fn around_ns(trials: impl IntoIterator<Item = (usize, bool)>) -> u64 {
    let each = |(workers, turns)| workers as u64 * if turns { 6_000_000 } else { 50_000 };
    1_500_000 + trials.into_iter().map(each).sum::<u64>()
}

/// What a machine offers to a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// The PUs that the process may use, within what bounds the placement, by OS index.
    pub pus: Vec<u32>,
    /// Those of each core, cores that share something side by side.
    pub cores: Vec<Vec<u32>>,
    /// All pairs of them, ascending, where the experiment asks for pairs.
    pub pairs: Vec<OfferedPair>,
    /// How many PUs a policy of the experiment uses, by its text, where that is not all.
    pub room: BTreeMap<String, usize>,
}

impl Offer {
    /// What a machine offers whose PUs share a core or nothing.
    pub fn of_cores(cores: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let cores: Vec<Vec<u32>> = cores.into_iter().collect();
        let mut pus: Vec<u32> = cores.iter().flatten().copied().collect();
        pus.sort_unstable();
        let same_core = |a, b| cores.iter().any(|core| core.contains(&a) && core.contains(&b));
        let mut pairs = Vec::new();
        for (at, &a) in pus.iter().enumerate() {
            for &b in &pus[at + 1..] {
                let relation = if same_core(a, b) { "same-core" } else { "same-machine" };
                pairs.push(OfferedPair { pus: [a, b], relation: relation.to_owned() });
            }
        }
        Offer { pus, cores, pairs, room: BTreeMap::new() }
    }
}

/// Two PUs and what they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedPair {
    /// By OS index, the lower first.
    pub pus: [u32; 2],
    /// The closest thing that they share, such as `same-core` or `shared-l3`.
    pub relation: String,
}

/// Fills in the defaults of a kernel's parameters: given its name, its parameters as written and where they stand, it gives all of
/// its parameters, or everything that is wrong with them (an unknown kernel among it). Where something is wrong it is also asked
/// for no parameters, to learn which a kernel has.
pub type Fill<'a> = dyn Fn(&str, &Parameters, &KernelPlaces<'_>) -> Result<Parameters, Vec<Problem>> + 'a;

/// All cells of an experiment on one machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The cells, in the order of their definition: the first kernel's first, the last parameter's values fastest, then the
    /// policies, then the numbers of workers.
    pub cells: Vec<PlannedCell>,
    /// What the cells are compared with: as the experiment has it, without a headline whose value an override took from all cells.
    pub compare: Compare,
    /// The figures: as the experiment has them, without those whose `only` an override left no cell.
    pub figures: Vec<FigureSpec>,
    /// What the experiment asks for and the machine does not offer, a sentence each: no cell has it.
    pub left_out: Vec<String>,
    /// How many pairs of each relation are cells at most, where the experiment leaves that to the budget.
    pub pairs_of_each: Option<usize>,
    baselines: Vec<Option<usize>>,
}

/// One combination of the varied parameters, not placed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCell {
    /// The varied parameters as `name=value,…`, unique in the plan; the kernel's name where nothing varies.
    pub id: String,
    /// The kernel's name.
    pub kernel: String,
    /// Which of the experiment's kernels it is: `kernel.N` in places.
    pub kernel_index: usize,
    /// All parameters: the kernel's own with defaults filled in, `kernel`, `placement`, `workers`; of a pair `pus` (`0+1`), `relation`
    /// and `together` as well, and where cores are filled with SMT threads `threads_per_core` and `cores`.
    pub parameters: Parameters,
    /// Those of its parameters that vary in this plan, in the order of its id.
    pub varied: Vec<String>,
    /// The policy as written.
    pub policy: String,
    /// How many workers it has.
    pub workers: usize,
    /// The PUs, where the plan has chosen them; `None` where the policy is yet to choose.
    pub pus: Option<Vec<u32>>,
}

impl PlannedCell {
    /// Only the kernel's own parameters.
    pub fn kernel_parameters(&self) -> Parameters {
        let own = |name: &str| !crate::check::CELL_PARAMETERS.contains(&name);
        self.parameters
            .iter()
            .filter(|(name, _)| own(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

/// Where the parameters of one combination of a kernel were written.
pub struct KernelPlaces<'a> {
    experiment: &'a Experiment,
    kernel: usize,
    chosen: &'a [usize],
}

impl KernelPlaces<'_> {
    /// Where the kernel's name stands.
    pub fn name(&self) -> Place {
        self.experiment.place(&format!("kernel.{}.name", self.kernel))
    }

    /// Where a parameter's value of this combination stands; the kernel's table for one that is not written.
    pub fn parameter(&self, name: &str) -> Place {
        let path = format!("kernel.{}.{name}", self.kernel);
        let specs = &self.experiment.kernels[self.kernel].parameters;
        match specs.iter().position(|spec| spec.name == name) {
            Some(at) => self.experiment.element(&path, self.chosen[at]),
            None => self.experiment.place(&path),
        }
    }
}

impl Experiment {
    /// How many cells there are, without unfolding them.
    pub fn count(&self, offer: &Offer) -> u128 {
        let combinations = self.kernels.iter().map(|kernel| {
            kernel.parameters.iter().fold(1u128, |count, spec| count.saturating_mul(spec.values.len() as u128))
        });
        let combinations = combinations.fold(0u128, u128::saturating_add);
        combinations.saturating_mul(spread::count(self, offer))
    }

    /// Unfolds the experiment into its cells.
    ///
    /// # Errors
    /// All problems at once: what the machine does not offer, what `fill` refuses (each fault once, however many cells have it), cells
    /// that are there twice, a baseline that is not there or not the only one, figures of unknown parameters. More than
    /// [`MOST_CELLS`] are told and never unfolded.
    pub fn plan(&self, offer: &Offer, fill: &Fill<'_>) -> Result<Plan, Vec<Problem>> {
        let (plan, problems) = self.plan_all(offer, fill);
        if problems.is_empty() { Ok(plan) } else { Err(problems) }
    }

    /// The same, for a caller that goes on to bind what can be bound: the cells that nothing was found wrong with, beside all problems.
    /// The experiment may be one with problems itself ([`Definition::check_all`](crate::Definition::check_all)): faults that may only
    /// follow from another are not told, and a kernel with a fault of its own has no cells. With problems the plan is only good for finding
    /// more of them.
    pub fn plan_all(&self, offer: &Offer, fill: &Fill<'_>) -> (Plan, Vec<Problem>) {
        let mut problems = spread::check(self, offer);
        let mut spots = Spots::default();
        let mut combinations = Vec::new();
        let count = self.count(offer);
        if count <= MOST_CELLS {
            if problems.is_empty() && !self.refused("placement") {
                spots = spread::unfold(self, offer);
            }
            combinations = self.combinations(fill, &mut problems);
        }
        let mut faults = self.refused.clone();
        faults.add(&problems);
        if count > MOST_CELLS {
            problems.push(self.too_many(count));
        }
        combinations.retain(|one| !faults.touch(&format!("kernel.{}", one.kernel)));
        let before = problems.len();
        let cells = self.cells(&combinations, &spots.found, &mut problems);
        let twins = problems.len() > before;
        let refs: Vec<&Parameters> = cells.iter().map(|cell| &cell.parameters).collect();
        let found = baselines(&refs, &self.compare.baseline);
        let open = faults.touch("kernel") || faults.touch("placement") || count > MOST_CELLS;
        let mut known = match open {
            false => Known::of_cells(&cells),
            true => Known::of_definition(self, &faults, &spots.found, &self.names(fill)),
        };
        known.whole &= !twins;
        known.left_out = spots.left_out.iter().map(|left| (left.parameter, left.value.clone())).collect();
        let (compare, figures) = bind::check(self, &known, &cells, &found, &mut problems);
        let one = |found| if let Baseline::Cell(index) = found { Some(index) } else { None };
        let found = if compare.baseline == self.compare.baseline { found } else { baselines(&refs, &compare.baseline) };
        let left_out = spots.left_out.chunk_by(|a, b| (a.parameter, &a.why) == (b.parameter, &b.why));
        let left_out = left_out.map(spots::told).collect();
        let baselines = found.into_iter().map(one).collect();
        let pairs_of_each = pairs::affordable_here(self, offer);
        (Plan { baselines, left_out, pairs_of_each, cells, compare, figures }, problems)
    }

    /// The parameters of each kernel with their defaults; `None` for a kernel that is not known.
    fn names(&self, fill: &Fill<'_>) -> Vec<Option<Parameters>> {
        let mut found = Vec::with_capacity(self.kernels.len());
        for (index, kernel) in self.kernels.iter().enumerate() {
            let chosen = vec![0; kernel.parameters.len()];
            let places = KernelPlaces { experiment: self, kernel: index, chosen: &chosen };
            found.push(fill(&kernel.name, &Parameters::new(), &places).ok());
        }
        found
    }

    fn too_many(&self, count: u128) -> Problem {
        let trial_ns = (self.measure.duration_ns + self.measure.warm_up_ns) as f64;
        let time = count as f64 * f64::from(self.measure.min_repetitions) * trial_ns;
        let message = format!(
            "this plans {} cells, more than {}; {} trials of each would take {}",
            grouped(count),
            grouped(MOST_CELLS),
            self.measure.min_repetitions,
            show_ns(time)
        );
        Problem::new(self.place("kernel"), message, "vary fewer parameters at once, or give them fewer values")
    }

    fn combinations(&self, fill: &Fill<'_>, problems: &mut Vec<Problem>) -> Vec<Combination> {
        let mut told: HashSet<(String, String, String)> = HashSet::new();
        let mut found = Vec::new();
        for (index, kernel) in self.kernels.iter().enumerate() {
            if self.refused(&format!("kernel.{index}.name")) {
                continue;
            }
            let mut chosen = vec![0usize; kernel.parameters.len()];
            loop {
                let values = kernel.parameters.iter().zip(&chosen);
                let given = values.map(|(spec, &at)| (spec.name.clone(), spec.values[at].clone())).collect();
                let places = KernelPlaces { experiment: self, kernel: index, chosen: &chosen };
                match fill(&kernel.name, &given, &places) {
                    Ok(parameters) => found.push(Combination { kernel: index, parameters }),
                    Err(faults) => {
                        // What is the same for each value of a parameter, such as that there is no such parameter, is one fault.
                        let new = |p: &Problem| {
                            let parameter = p.place.path.trim_end_matches(|c: char| c.is_ascii_digit());
                            told.insert((p.place.source.clone(), parameter.to_owned(), p.message.clone()))
                        };
                        problems.extend(faults.into_iter().filter(new));
                    }
                }
                if !advance(&mut chosen, |at| kernel.parameters[at].values.len()) {
                    break;
                }
            }
        }
        found
    }
}

impl Plan {
    /// The index of a cell's baseline; `None` for a baseline itself and for a cell without one.
    pub fn baseline_of(&self, cell: usize) -> Option<usize> {
        self.baselines.get(cell).copied().flatten()
    }

    /// The order of the cells in repetition `k`: all of them once, shuffled by the seed. Cells of one group run at the same time; most
    /// are groups of one. Stable for ever.
    pub fn block(&self, k: u32, seed: u64) -> Vec<Vec<usize>> {
        let streams = Streams::new(seed);
        let (together, alone): (Vec<usize>, Vec<usize>) = (0..self.cells.len()).partition(|&cell| self.together(cell));
        let mut order: Vec<Vec<usize>> = alone.into_iter().map(|cell| vec![cell]).collect();
        order.extend(rounds::rounds(&self.cells, &together, streams.stream("rounds", u64::from(k))));
        shuffle(&mut order, streams.stream("block", u64::from(k)));
        order
    }

    fn together(&self, cell: usize) -> bool {
        self.cells[cell].parameters.get("together") == Some(&Value::Boolean(true))
    }
}

/// The next combination of indexes, the last one fastest; `false` after the last combination.
fn advance(chosen: &mut [usize], length: impl Fn(usize) -> usize) -> bool {
    for at in (0..chosen.len()).rev() {
        chosen[at] += 1;
        if chosen[at] < length(at) {
            return true;
        }
        chosen[at] = 0;
    }
    false
}

/// A count with its thousands apart.
fn grouped(count: u128) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
