//! Binds every name of an experiment to this machine before the first trial, and reports all problems at once.

use std::collections::{BTreeMap, HashMap};

use hitm_counters::{Clock, CountingPlan, Event, Pass};
use hitm_experiment::experiment::Oversubscribe;
use hitm_experiment::manifest::{CellPlacement, LineSize, Measure};
use hitm_experiment::plan::{KernelPlaces, Offer, Plan, PlannedCell};
use hitm_experiment::record::Purpose;
use hitm_experiment::{Experiment, Parameters, Problem};
use hitm_kernels::{Entry, Kernel, Registry};
use hitm_machine::usage;
use hitm_topology::{Placement, Policy, Topology, Within, place_within};

use crate::error::guarded;
use crate::events::{self, EventNames};
use crate::metrics;
use crate::offer::{bounds, offer};
use crate::trial::{Seeds, Trial};

/// An experiment whose every name is bound to this machine: all that its trials need.
pub struct Resolved {
    /// The question.
    pub experiment: Experiment,
    /// The cells and their order in each block.
    pub plan: Plan,
    /// The same cells, bound; the index is the same.
    pub cells: Vec<ResolvedCell>,
    /// The events to count, available or not.
    pub events: Vec<Event>,
    /// How they are counted together, by the processor's rules.
    pub counting: CountingPlan,
    /// The machine.
    pub topology: Topology,
    /// The size of a cache line that the arenas assume.
    pub line: LineSize,
}

/// The pass that counts nothing.
pub(crate) static NOTHING: Pass = Pass { events: Vec::new(), companions: Vec::new(), multiplex: false };

/// A cell bound to its kernel and its PUs.
pub struct ResolvedCell {
    /// As planned.
    pub planned: PlannedCell,
    /// The kernel's entry in the registry.
    pub entry: Entry,
    /// The kernel with the cell's parameters.
    pub kernel: Box<dyn Kernel>,
    /// Where the workers run.
    pub placement: CellPlacement,
}

impl Resolved {
    /// The method's settings.
    pub fn measure(&self) -> &Measure {
        &self.experiment.measure
    }

    /// A timing trial of a cell that counts no event.
    pub fn trial<'a>(&'a self, cell: usize, seeds: &'a Seeds, clock: Clock) -> Trial<'a> {
        Trial {
            kernel: self.cells[cell].kernel.as_ref(),
            placement: &self.cells[cell].placement,
            measure: self.measure(),
            purpose: Purpose::Timing,
            line_bytes: self.line.bytes as usize,
            seeds,
            pass: &NOTHING,
            clock,
        }
    }

    /// The seeds of one repetition of a cell in a run with this seed.
    pub fn seeds(&self, run: u64, cell: usize, repetition: u32) -> Seeds {
        let cell = &self.cells[cell];
        Seeds::new(run, &cell.planned.id, repetition, cell.placement.pus.len())
    }
}

/// Binds an experiment to the kernels of `registry`, the PUs of `topology` and the events of `names`. One with problems of its own
/// ([`hitm_experiment::Definition::check_all`]) may be given to find the others that it has.
///
/// # Errors
/// Everything that is wrong with it: unknown kernels, parameters, events and metrics, values out of range, combinations that a
/// kernel does not have, PUs that are not there, more workers than PUs where that was refused, more descriptors than there are.
pub fn resolve<'a>(
    experiment: Experiment,
    registry: &Registry,
    topology: Topology,
    names: impl Into<EventNames<'a>>,
) -> Result<Resolved, Vec<Problem>> {
    let mut problems = Vec::new();
    let (events, counting) = events::bind(&experiment, names.into()).unwrap_or_else(|more| {
        problems.extend(more);
        Default::default()
    });
    let known = metrics::metrics(&experiment, registry, &events);
    problems.extend(
        metrics::unknown_metric(&experiment, &known).or_else(|| metrics::absent_metric(&experiment, &counting)),
    );
    problems.extend(metrics::unknown_figures(&experiment, registry, known));
    // Without bounds that hold there is nothing to plan with, but the definition's other faults are told all the same.
    let bounds = bounds(&experiment).unwrap_or_else(|more| {
        problems.extend(more);
        Vec::new()
    });
    let offer = match offer(&experiment, &topology, &bounds) {
        Ok(offer) => offer,
        Err(more) => {
            problems.extend(more);
            self::offer(&experiment, &topology, &[]).unwrap_or_default()
        }
    };
    let fill = |kernel: &str, given: &Parameters, places: &KernelPlaces<'_>| fill(registry, kernel, given, places);
    let (plan, more) = experiment.plan_all(&offer, &fill);
    problems.extend(more);
    problems.extend(too_many_threads(&experiment, &plan));
    if topology.is_this_machine {
        problems.extend(events::room(&experiment, &plan, &counting).err());
    }
    let mut cells = Vec::with_capacity(plan.cells.len());
    // A fault that many cells share is one fault.
    let mut faults: BTreeMap<(String, String), Problem> = BTreeMap::new();
    let mut placements = Placements::new();
    let machine = Machine::new(&topology, &bounds, &offer);
    for planned in &plan.cells {
        match bind(planned, &experiment, registry, &machine, &mut placements) {
            Ok(cell) => cells.push(cell),
            Err(more) => {
                for problem in more {
                    faults.entry((problem.place.path.clone(), problem.message.clone())).or_insert(problem);
                }
            }
        }
    }
    problems.extend(faults.into_values());
    if !problems.is_empty() {
        return Err(problems);
    }
    let line = topology.line_size();
    let line = LineSize { bytes: line.bytes, source: line.source };
    Ok(Resolved { experiment, plan, cells, events, counting, topology, line })
}

/// Workers beyond what the kernel lets one process start would abort it in the middle of a trial.
fn too_many_threads(experiment: &Experiment, plan: &Plan) -> Option<Problem> {
    let most = usage::most_threads()?;
    let asked = plan.cells.iter().map(|cell| cell.workers).max()?;
    (asked > most).then(|| {
        Problem::new(
            experiment.place("placement.workers"),
            format!("{asked} workers are more threads than this system lets a process have ({most})"),
            format!("ask for at most {most}, or raise vm.max_map_count and kernel.threads-max with sysctl"),
        )
    })
}

fn fill(
    registry: &Registry,
    kernel: &str,
    given: &Parameters,
    places: &KernelPlaces<'_>,
) -> Result<Parameters, Vec<Problem>> {
    let Some(entry) = registry.find(kernel) else {
        let near = registry.suggest(kernel);
        let cure = near.map_or_else(|| "see `hitm list kernels`".to_owned(), |near| format!("did you mean {near:?}?"));
        return Err(vec![Problem::new(places.name(), format!("there is no kernel {kernel:?}"), cure)]);
    };
    entry.resolve(given).map_err(|faults| {
        let problem =
            |fault: hitm_kernels::Fault| Problem::new(places.parameter(&fault.parameter), fault.message, fault.cure);
        faults.into_iter().map(problem).collect()
    })
}

/// The placements found so far by policy, number of workers and pair: many cells have one, and finding it takes longer than all
/// else about a cell.
type Placements<'p> = HashMap<(&'p str, usize, Option<&'p [u32]>), Result<CellPlacement, Vec<Problem>>>;

fn bind<'p>(
    planned: &'p PlannedCell,
    experiment: &Experiment,
    registry: &Registry,
    machine: &Machine<'_>,
    placements: &mut Placements<'p>,
) -> Result<ResolvedCell, Vec<Problem>> {
    let entry = registry.find(&planned.kernel).expect("the plan was filled from this registry").clone();
    let mut problems = Vec::new();
    if !entry.workers.contains(&planned.workers) {
        let (least, most) = (entry.workers.start(), entry.workers.end());
        let range = if least == most { format!("exactly {least}") } else { format!("{least} to {most}") };
        problems.push(Problem::new(
            experiment.place("placement.workers"),
            format!("{} has {range} workers, not {}", entry.name, planned.workers),
            "change `placement.workers`, or write `pairs = \"all\"` below [placement] for a kernel of two",
        ));
    }
    let kernel = match guarded("being made", || (entry.build)(&planned.kernel_parameters())) {
        Ok(kernel) => kernel,
        Err(error) => {
            let place = experiment.place(&format!("kernel.{}", planned.kernel_index));
            problems.push(Problem::new(place, error.0, "mend the kernel, or give it other parameters"));
            return Err(problems);
        }
    };
    if let Err(refusal) = &kernel {
        let place = experiment.place(&format!("kernel.{}.{}", planned.kernel_index, refusal.parameter));
        problems.push(Problem::new(place, refusal.why.clone(), refusal.cure.clone()));
    }
    let placement = placements
        .entry((&planned.policy, planned.workers, planned.pus.as_deref()))
        .or_insert_with(|| placement(planned, experiment, machine));
    let placement = placement.clone().map_err(|more| problems.extend(more));
    match (kernel, placement, problems.is_empty()) {
        (Ok(kernel), Ok(placement), true) => Ok(ResolvedCell { planned: planned.clone(), entry, kernel, placement }),
        _ => Err(problems),
    }
}

fn placement(
    planned: &PlannedCell,
    experiment: &Experiment,
    machine: &Machine<'_>,
) -> Result<CellPlacement, Vec<Problem>> {
    let policy = planned.policy.clone();
    if let Some(pus) = &planned.pus {
        // The plan has chosen them out of what the machine offers.
        return Ok(CellPlacement { policy, pus: pus.clone(), oversubscribed: false, cores: Some(machine.cores(pus)) });
    }
    let at_policy = |message: String, cure: String| Problem::new(experiment.place("placement.policy"), message, cure);
    let parsed: Policy =
        policy.parse().map_err(|error: hitm_topology::PolicyError| vec![at_policy(error.message, error.cure)])?;
    let placed = place_within(machine.topology, &parsed, machine.bounds, planned.workers)
        .map_err(|faults| faults.iter().map(|fault| at_policy(fault.message(), fault.cure())).collect::<Vec<_>>())?;
    if placed.oversubscribed && experiment.oversubscribe == Oversubscribe::Refuse {
        return Err(vec![Problem::new(
            experiment.place("placement.workers"),
            format!("{} workers are more than the PUs of `{}`", planned.workers, planned.policy),
            "ask for fewer, or allow it with `measure.oversubscribe = \"allow\"`",
        )]);
    }
    let Placement { pus, oversubscribed, .. } = placed;
    Ok(CellPlacement { policy, cores: Some(machine.cores(&pus)), pus, oversubscribed })
}

/// What placing needs to know.
struct Machine<'m> {
    topology: &'m Topology,
    bounds: &'m [Within],
    /// Which of the offered cores a PU is of.
    core_of: HashMap<u32, usize>,
}

impl<'m> Machine<'m> {
    fn new(topology: &'m Topology, bounds: &'m [Within], offer: &Offer) -> Self {
        let cores = offer.cores.iter().enumerate();
        let core_of = cores.flat_map(|(core, pus)| pus.iter().map(move |pu| (*pu, core))).collect();
        Machine { topology, bounds, core_of }
    }

    /// How many cores these PUs are of.
    fn cores(&self, pus: &[u32]) -> usize {
        let mut cores: Vec<Option<&usize>> = pus.iter().map(|pu| self.core_of.get(pu)).collect();
        cores.sort_unstable();
        cores.dedup();
        cores.len()
    }
}
