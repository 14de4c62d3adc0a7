//! Which event explains the time lost: its sentence, its table, what has no row there and why, and all of it as CSV.

use std::collections::BTreeMap;

use hitm_analysis::{Estimate, EventExplanation, Explained, Explanation, Part, Standing, Summary};

use crate::number::{Scale, sentence_in};
use crate::table::{Entry, Kind, Table};
use crate::text::capital;
pub use csv::explanation_csv;

mod csv;

/// The events by what they account for, those that can explain something first.
pub(crate) fn ranked(explanation: &Explanation) -> Vec<&EventExplanation> {
    let mut events: Vec<&EventExplanation> = explanation.events.iter().collect();
    let first = |event: &EventExplanation| explanation.event.as_deref() == Some(event.name.as_str());
    let share = |event: &EventExplanation| event.share.as_ref().map_or(f64::NEG_INFINITY, |share| share.median);
    let order = |event: &EventExplanation| (!first(event), standing_order(event.standing));
    events.sort_by(|a, b| order(a).cmp(&order(b)).then(share(b).total_cmp(&share(a))));
    events
}

fn standing_order(standing: Standing) -> u8 {
    match standing {
        Standing::Candidate => 0,
        Standing::Beside => 1,
        Standing::NoCause => 2,
        Standing::Zero => 3,
        Standing::UnverifiedZero => 4,
        Standing::Absent => 5,
    }
}

/// A run's explanation, ready to be set: the sentence, and where an event was counted that may explain something, a table.
pub(crate) struct Told {
    pub(crate) sentence: String,
    pub(crate) table: Option<Table>,
    /// How to read the table, the events without a share and why; empty where there is no table.
    pub(crate) rest: String,
}

/// Tells a run's explanation; `None` where no event was asked for, or there is nothing that one could explain.
pub(crate) fn told(summary: &Summary) -> Option<Told> {
    let explanation = summary.explanation.as_ref().filter(|explanation| !explanation.sentence.is_empty())?;
    let candidates = explanation.events.iter().any(|event| event.standing == Standing::Candidate);
    let worth_it = candidates && explanation.verdict != Explained::NothingLost;
    Some(Told {
        sentence: explanation.sentence.clone(),
        table: worth_it.then(|| table(explanation)),
        rest: if worth_it { rest(explanation) } else { String::new() },
    })
}

/// An estimate that has no interval shows none.
pub(crate) fn honest(estimate: &Estimate) -> Estimate {
    if estimate.coverage > 0.0 { estimate.clone() } else { Estimate { n: 1, ..estimate.clone() } }
}

/// A coefficient: `0.97 [0.91 … 0.99]`.
pub(crate) fn coefficient(estimate: &Estimate) -> String {
    let Entry { text, interval } = coefficient_entry(estimate);
    if interval.is_empty() { text } else { format!("{text} {interval}") }
}

fn coefficient_entry(estimate: &Estimate) -> Entry {
    let Estimate { median, low, high, .. } = estimate;
    // No `-0.00`.
    let two = |value: f64| format!("{:.2}", if value.abs() < 0.005 { 0.0 } else { value });
    let interval = if estimate.coverage > 0.0 { format!("[{} … {}]", two(*low), two(*high)) } else { String::new() };
    Entry { text: two(*median), interval }
}

/// An event's name, with a word where its counts are no counts.
pub(crate) fn name(event: &EventExplanation) -> String {
    if event.scaled { format!("{} (scaled)", event.name) } else { event.name.clone() }
}

fn table(explanation: &Explanation) -> Table {
    let events: Vec<&EventExplanation> = ranked(explanation).into_iter().filter(|event| has_numbers(event)).collect();
    let mut table = Table { columns: Vec::new(), rows: vec![Vec::new(); events.len()] };
    table.add("event", Kind::Text, 0, events.iter().map(|event| Entry::text(name(event))));
    let share = if explanation.saved { "share of the time saved" } else { "share of the loss" };
    table.add_quantities(share, 0, &events, |event| event.share.clone());
    let some = |cost: &Option<Estimate>| cost.clone().filter(is_some_cost);
    table.add_quantities("one costs", 1, &events, |event| some(&event.cost));
    let parts: Vec<Entry> = events.iter().map(|event| Entry::text(part(event))).collect();
    table.add("cause or symptom", Kind::Text, 2, parts);
    table.add_quantities("unexplained", 4, &events, |event| event.residual.clone());
    let cycles = events.iter().find_map(|event| event.cost_cycles.as_ref()).map_or("", |cost| &cost.unit);
    table.add_quantities(&format!("cost in {cycles}"), 5, &events, |event| {
        // The heading names the unit.
        some(&event.cost_cycles).map(|cost| Estimate { unit: String::new(), ..cost })
    });
    let coefficients = |of: &dyn Fn(&EventExplanation) -> Option<&Estimate>| -> Vec<Entry> {
        let entry = |event: &&EventExplanation| of(event).map_or(Entry::text("–"), coefficient_entry);
        events.iter().map(entry).collect()
    };
    let over_cells = coefficients(&|event| event.over_cells.as_ref());
    let over_repetitions = coefficients(&|event| event.over_repetitions.as_ref());
    // With the event, its share, its cost and what it is one may do without them.
    table.add("Spearman over cells", Kind::Number, 6, over_cells);
    table.add("over repetitions", Kind::Number, 7, over_repetitions);
    table
}

impl Table {
    /// A column of one quantity of each event, where any has it.
    fn add_quantities(
        &mut self,
        title: &str,
        spare: u8,
        events: &[&EventExplanation],
        of: impl Fn(&EventExplanation) -> Option<Estimate>,
    ) {
        let honest: Vec<Option<Estimate>> = events.iter().map(|event| of(event).as_ref().map(honest)).collect();
        if honest.iter().any(Option::is_some) {
            self.add_estimates(title, spare, &honest.iter().map(Option::as_ref).collect::<Vec<_>>());
        }
    }
}

/// `cause: transfer`, `symptom: stall`.
fn part(event: &EventExplanation) -> String {
    let of = |part: &str| match event.role.as_str() {
        "" => part.to_owned(),
        role => format!("{part}: {role}"),
    };
    match event.part {
        Part::Cause => of("cause"),
        Part::Symptom => of("symptom"),
        Part::Unknown => "unknown to hitm".to_owned(),
        Part::Neither => of("neither"),
    }
}

/// A cost that may as well be nothing, or less, is none; its numbers are in the CSV.
fn is_some_cost(cost: &Estimate) -> bool {
    cost.low > 0.0
}

/// Whether an event has a row: what was not counted and what never moved has none.
fn has_numbers(event: &EventExplanation) -> bool {
    !matches!(event.standing, Standing::Absent | Standing::UnverifiedZero | Standing::Zero)
}

/// What must be known to read the table.
fn rest(explanation: &Explanation) -> String {
    let mut sentences = Vec::new();
    if explanation.alone {
        sentences.push("Without a baseline cells are held against the same with one worker.".to_owned());
    }
    if let Some(fastest) = &explanation.fastest {
        sentences.push(capital(&format!("against {fastest}, the fastest cell.")));
    }
    let named = explanation.event.as_deref();
    sentences.push(match named {
        Some(event) => format!("In order: {event} as told above, then by share, then what can have none."),
        None if explanation.events.iter().any(|event| event.share.is_some()) => {
            "In order: by share, then what can have none.".to_owned()
        }
        None => String::new(),
    });
    sentences.extend(within(explanation));
    let too_dear = explanation.events.iter().filter(|event| named != Some(&event.name) && !event.too_dear.is_empty());
    sentences.extend(too_dear.map(|event| format!("Of {} {}.", event.name, event.too_dear)));
    sentences.extend(without_share(explanation));
    if explanation.events.iter().any(|event| event.share.is_some() || event.cost.is_some()) {
        sentences.push(
            "Shares and costs are upper bounds: they hold all that rises with the event, counted or not.".to_owned(),
        );
    }
    if explanation.events.iter().any(|event| event.scaled) {
        sentences.push("Scaled counts are estimates: their events shared a counter.".to_owned());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

/// What it means that the event named does not rise with the time over repetitions; nothing where it does.
fn within(explanation: &Explanation) -> Option<String> {
    let event = explanation.event.as_deref().filter(|_| explanation.verdict == Explained::Explained)?;
    let rho = explanation.of(event)?.over_repetitions.as_ref()?;
    match rho.coverage > 0.0 {
        true if rho.low > 0.0 => None,
        true => Some(format!(
            "Over repetitions {event} does not rise with the time ({}): it tells why cells differ from each other, and not why one cell’s \
             repetitions do.",
            coefficient(rho)
        )),
        false => Some("Over repetitions nothing is told: too few of them are independent.".to_owned()),
    }
}

/// The events without a share, those with one reason together.
fn without_share(explanation: &Explanation) -> Option<String> {
    let mut by_reason: BTreeMap<(u8, &str), Vec<&str>> = BTreeMap::new();
    for event in explanation.events.iter().filter(|event| event.share.is_none()) {
        let reason = match event.standing {
            // Its reason stands with the rest of what is absent.
            Standing::Absent => "not counted (see what is absent)",
            // That of all of them is the answer.
            Standing::Candidate if explanation.verdict == Explained::TooFew => continue,
            _ => event.why.as_str(),
        };
        by_reason.entry((standing_order(event.standing), reason)).or_default().push(&event.name);
    }
    let told = by_reason.into_iter().map(|((_, reason), names)| format!("{}: {reason}", names.join(", ")));
    let told = told.collect::<Vec<_>>().join("; ");
    (!told.is_empty()).then(|| format!("Without a share: {told}."))
}

/// What a scatter plot says of its event, in a sentence or two; empty where nothing is known of it.
pub(crate) fn of_event(explanation: &Explanation, event: &EventExplanation) -> String {
    let mut sentences = Vec::new();
    let quantity = |estimate: &Estimate| {
        let scale = Scale::of(&estimate.unit, estimate.median);
        sentence_in(&honest(estimate), &scale)
    };
    let cost = event.cost.as_ref().map(|cost| match &event.cost_cycles {
        Some(cycles) => format!("One {} costs {}, {}", event.name, quantity(cycles), quantity(cost)),
        None => format!("One {} costs {}", event.name, quantity(cost)),
    });
    let what = if explanation.saved { "time saved" } else { "loss" };
    let share = event.share.as_ref().map(|share| format!("{} of the {what}", quantity(share)));
    match (cost, share) {
        (Some(cost), Some(share)) if !event.too_dear.is_empty() => {
            sentences.push(format!("{cost}, and that would account for {share}, but {}.", event.too_dear));
        }
        (Some(cost), Some(share)) => sentences.push(format!("{cost}, and that accounts for {share}.")),
        (Some(cost), None) => sentences.push(format!("{cost}; {}.", event.why)),
        (None, Some(share)) => sentences.push(format!("It accounts for {share}.")),
        (None, None) if !event.why.is_empty() => sentences.push(format!("{}.", capital(&event.why))),
        (None, None) => {}
    }
    if let Some(rho) = &event.over_cells {
        sentences.push(format!("Spearman's coefficient over {} cells is {}.", rho.n, coefficient(rho)));
    }
    sentences.join(" ")
}
