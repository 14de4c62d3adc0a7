//! How throughput scales, as text: what was found, each number of workers, each law.

use hitm_analysis::Estimate;
use hitm_analysis::scaling::{Finding, Fit, Intervals, Law, Scaling};

use crate::number::{ABSENT, Scale, percent, quantity, sentence_in, significant, trim};
use crate::table::{Entry, Kind, Table};
use crate::terminal::Style;
use crate::terminal::grid::draw;
use crate::text::{capital, wrap};

/// The finding in a sentence, a row for each number of workers, and a row for each law.
pub fn scaling(scaling: &Scaling, style: Style) -> String {
    let style = Style { width: style.width.max(20), ..style };
    let mut paragraphs = vec![wrap(&finding(scaling), style.width).join("\n")];
    paragraphs.push(draw(&points(scaling), style).text.trim_end().to_owned());
    paragraphs.push(draw(&laws(scaling), style).text.trim_end().to_owned());
    paragraphs.push(wrap(&notes(scaling), style.width).join("\n"));
    paragraphs.join("\n\n") + "\n"
}

/// What the data is like, in a sentence.
pub fn finding(scaling: &Scaling) -> String {
    let most = scaling.points.last().map_or(0.0, |point| point.workers);
    let plain = |estimate: &Option<Estimate>| {
        estimate.as_ref().map_or(ABSENT.to_owned(), |estimate| sentence_in(estimate, &Scale::plain("")))
    };
    let usl = &scaling.fits[Law::Usl as usize];
    let amdahl = &scaling.fits[Law::Amdahl as usize];
    let text = match scaling.finding {
        Finding::Superlinear => {
            "workers do more together than each would alone (superlinear): no law of contention describes that; look for \
             what the first of them pays for all, such as a cache that grows with the workers."
                .to_owned()
        }
        Finding::Linear => {
            format!("throughput grows linearly up to {} workers, as far as can be told.", short(most))
        }
        Finding::Saturating if scaling.best == Some(Law::Amdahl) => format!(
            "throughput nears a limit, {} times one worker: contention α is {}, and no coherency can be told.",
            limit(amdahl),
            plain(&amdahl.alpha)
        ),
        Finding::Saturating => format!(
            "throughput grows ever less: contention α is {}, coherency β {}.",
            plain(&usl.alpha),
            plain(&usl.beta)
        ),
        Finding::Peaking => {
            let peak = scaling.peak.as_ref().map_or(String::new(), |peak| {
                let workers = sentence_in(&peak.workers, &Scale::plain(""));
                let beyond = if peak.measured { "" } else { ", more than were measured" };
                let top = quantity(peak.throughput, &scaling.fits[0].lambda.unit);
                format!("{workers} workers ({top}){beyond}")
            });
            format!(
                "throughput peaks at {peak}, and falls beyond: contention α is {}, coherency β {}.",
                plain(&usl.alpha),
                plain(&usl.beta)
            )
        }
        Finding::Undecided => format!(
            "{} numbers of workers are too few to tell the laws apart (six are enough); by the Universal Scalability Law \
             contention α is {}, coherency β {}.",
            scaling.points.len(),
            plain(&usl.alpha),
            plain(&usl.beta)
        ),
    };
    capital(&text)
}

/// Amdahl's limit, 1/α.
fn limit(amdahl: &Fit) -> String {
    match amdahl.alpha.as_ref().map(|alpha| alpha.median) {
        Some(alpha) if alpha > 0.0 => short(1.0 / alpha),
        _ => ABSENT.to_owned(),
    }
}

fn points(scaling: &Scaling) -> Table {
    let points = &scaling.points;
    let mut table = Table { columns: Vec::new(), rows: vec![Vec::new(); points.len()] };
    table.add("workers", Kind::Number, 0, points.iter().map(|point| Entry::text(short(point.workers))));
    let all = |of: fn(&hitm_analysis::scaling::ScalingPoint) -> &Estimate| {
        points.iter().map(|point| Some(of(point))).collect::<Vec<_>>()
    };
    table.add_estimates("throughput", 0, &all(|point| &point.throughput));
    table.add_estimates("speed-up", 0, &all(|point| &point.speed_up));
    table.add_estimates("efficiency", 0, &all(|point| &point.efficiency));
    let law = scaling.best.unwrap_or(Law::Usl);
    let fitted = scaling.fits[law as usize].coefficients();
    let off = points.iter().map(|point| {
        let share = point.throughput.median / fitted.throughput(point.workers) - 1.0;
        let sign = if share > 0.0 { "+" } else { "" };
        Entry::text(format!("{sign}{}", trim(&format!("{:.1}", share * 100.0))))
    });
    table.add(&format!("off {}, %", law.title()), Kind::Number, 1, off);
    table
}

fn laws(scaling: &Scaling) -> Table {
    let fits = &scaling.fits;
    let mut table = Table { columns: Vec::new(), rows: vec![Vec::new(); fits.len()] };
    let name = |fit: &Fit| match scaling.best == Some(fit.law) {
        true => format!("{} (best)", fit.law.title()),
        false => fit.law.title().to_owned(),
    };
    table.add("law", Kind::Text, 0, fits.iter().map(|fit| Entry::text(name(fit))));
    let plain = |estimate: Option<&Estimate>| {
        Entry::text(estimate.map_or(ABSENT.to_owned(), |estimate| sentence_in(estimate, &Scale::plain(""))))
    };
    table.add_estimates("λ", 0, &fits.iter().map(|fit| Some(&fit.lambda)).collect::<Vec<_>>());
    table.add("α", Kind::Number, 0, fits.iter().map(|fit| plain(fit.alpha.as_ref())));
    table.add("β", Kind::Number, 0, fits.iter().map(|fit| plain(fit.beta.as_ref())));
    let criterion = |fit: &Fit| fit.aicc.map_or(ABSENT.to_owned(), |aicc| format!("{aicc:.1}"));
    table.add("AICc", Kind::Number, 1, fits.iter().map(|fit| Entry::text(criterion(fit))));
    table.add("error", Kind::Number, 1, fits.iter().map(|fit| Entry::text(percent(fit.error))));
    table
}

fn notes(scaling: &Scaling) -> String {
    let one = match scaling.one_is_measured {
        true => "Speed-up is against one worker as measured",
        false => "One worker was not measured: speed-up is against λ of the Universal Scalability Law",
    };
    let intervals = match scaling.intervals {
        Intervals::Repetitions => "the laws' intervals are of repetitions drawn again",
        Intervals::Residuals => {
            "the laws' intervals are of their residuals drawn again, since there are too few repetitions"
        }
        Intervals::None => "the laws have no intervals, since there is too little that they do not go through",
    };
    format!("{one}; {intervals}.")
}

fn short(number: f64) -> String {
    trim(&significant(number, 4)).to_owned()
}
