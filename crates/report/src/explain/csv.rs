//! What explains a loss as CSV.

use hitm_analysis::{Estimate, Part, Standing, Summary};

use crate::export::{Sheet, numbers};

/// Every event asked for against the time: a row for each of its numbers, and one with the reason where it has none. Just the heading where
/// no event was asked for.
pub fn explanation_csv(summary: &Summary) -> String {
    let mut sheet = Sheet::new();
    sheet.row([
        "event",
        "kind",
        "role",
        "part",
        "standing",
        "scaled",
        "quantity",
        "unit",
        "value",
        "low",
        "high",
        "n",
        "independent",
        "coverage",
        "comparisons",
        "reason",
        "too_dear",
    ]);
    for event in summary.explanation.iter().flat_map(|explanation| &explanation.events) {
        let quantities = [
            ("share", &event.share),
            ("residual", &event.residual),
            ("cost", &event.cost),
            ("cost-cycles", &event.cost_cycles),
            ("spearman-over-cells", &event.over_cells),
            ("pearson-over-cells", &event.over_cells_pearson),
            ("spearman-over-repetitions", &event.over_repetitions),
            ("pearson-over-repetitions", &event.over_repetitions_pearson),
        ];
        let mut row = |quantity: &str, estimate: Option<&Estimate>| {
            let mut fields = vec![event.name.clone(), event.kind.clone(), event.role.clone()];
            fields.extend([
                part(event.part).to_owned(),
                standing(event.standing).to_owned(),
                event.scaled.to_string(),
                quantity.to_owned(),
            ]);
            let mut values = numbers(estimate);
            // Without an interval its ends are no numbers.
            if estimate.is_some_and(|estimate| estimate.coverage == 0.0) {
                values[2..4].fill(String::new());
            }
            fields.extend(values);
            fields.extend([event.comparisons.to_string(), event.why.clone(), event.too_dear.clone()]);
            sheet.row(&fields);
        };
        let known: Vec<_> = quantities.iter().filter(|(_, estimate)| estimate.is_some()).collect();
        known.iter().for_each(|(quantity, estimate)| row(quantity, estimate.as_ref()));
        if known.is_empty() {
            row("", None);
        }
    }
    sheet.text()
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Candidate => "candidate",
        Standing::Beside => "beside",
        Standing::NoCause => "no-cause",
        Standing::UnverifiedZero => "unverified-zero",
        Standing::Zero => "zero",
        Standing::Absent => "absent",
    }
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Cause => "cause",
        Part::Symptom => "symptom",
        Part::Unknown => "unknown",
        Part::Neither => "neither",
    }
}
