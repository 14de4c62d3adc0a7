//! How often keys came by their rank, and what a fitted law says of it: a picture.

use crate::figure::canvas::{Anchor, Canvas, Paint, Type};
use crate::figure::font::{ellipsis, width};
use crate::figure::frame::{LABEL, MARGIN, SMALL, WIDTH, footnote, header};

/// Keys of some ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// Which ranks, such as `4..7`.
    pub label: String,
    /// The share of all keys that these got, 0 to 1.
    pub share: f64,
    /// The share that the law has for them, 0 to 1; `None` without a law.
    pub expected: Option<f64>,
}

/// The height of a bar with the room around it.
const ROW: f64 = 21.0;

/// Draws shares by rank as SVG: a bar for what came, a line across it for what the law says. `note` stands below.
pub fn svg(title: &str, subtitle: &str, ranks: &[Ranks], note: &str) -> String {
    let mut canvas = Canvas::new(WIDTH);
    let top = header(&mut canvas, title, subtitle) + LABEL;
    let room = ranks.iter().map(|row| width(&row.label, LABEL, false)).fold(width("rank", LABEL, false), f64::max);
    let (left, right) = (MARGIN + room.min(250.0) + 12.0, WIDTH - MARGIN - 60.0);
    let most = ranks.iter().flat_map(|row| [row.share, row.expected.unwrap_or(0.0)]).fold(0.0, f64::max);
    let at = |share: f64| if most > 0.0 { left + (right - left) * (share / most).clamp(0.0, 1.0) } else { left };
    canvas.text((left - 10.0, top), Type::new(SMALL, Anchor::End, Paint::Muted), "rank");
    canvas.text(
        (left, top),
        Type::new(LABEL, Anchor::Start, Paint::Ink),
        &format!("share of the draws, 0 to {}", percent(most)),
    );
    let mut y = top + 10.0;
    let bottom = y + ROW * ranks.len() as f64 - 4.0;
    for share in scale(most) {
        canvas.line((at(share), y), (at(share), bottom), Paint::Grid, 1.0, "");
        canvas.text((at(share), bottom + SMALL + 3.0), Type::new(SMALL, Anchor::Middle, Paint::Muted), &tick(share));
    }
    for row in ranks {
        let middle = y + ROW / 2.0 + LABEL * 0.36;
        let label = ellipsis(&row.label, LABEL, false, 250.0);
        canvas.text((left - 10.0, middle), Type::new(LABEL, Anchor::End, Paint::Ink), &label);
        let law = row.expected.map_or_else(String::new, |expected| format!(", {} by the law", percent(expected)));
        let told = format!("ranks {}: {}{law}", row.label, percent(row.share));
        // A bar of nothing still shows where it is.
        let bar = [left, y + 2.0, (at(row.share) - left).max(1.0), ROW - 6.0];
        canvas.rect_titled(bar, Paint::Series(0), &told);
        if let Some(expected) = row.expected {
            let x = at(expected);
            canvas.line((x, y), (x, y + ROW - 2.0), Paint::Ink, 2.0, "");
        }
        // Beside its bar; where the law's line stands there, beside that.
        let own = at(row.share) + 7.0;
        let text = width(&percent(row.share), SMALL, false) + 7.0;
        let law = row.expected.map(at).filter(|law| (own - 3.0..own + text).contains(law));
        let end = law.map_or(own, |law| law + 7.0);
        canvas.text((end, middle), Type::new(SMALL, Anchor::Start, Paint::Ink), &percent(row.share));
        y += ROW;
    }
    canvas.height = footnote(&mut canvas, y + SMALL + 10.0, note) + MARGIN;
    let alt = ranks.iter().map(|row| format!("{}: {}", row.label, percent(row.share))).collect::<Vec<_>>();
    canvas.finish(title, &alt.join("; "))
}

/// Two to five round shares from 0 to the largest.
fn scale(most: f64) -> Vec<f64> {
    if !(most > 0.0 && most.is_finite()) {
        return Vec::new();
    }
    let ten = 10.0_f64.powf(most.log10().floor());
    let step = [0.2, 0.5, 1.0, 2.0].map(|part| part * ten).into_iter().find(|step| most / step <= 5.0).unwrap_or(most);
    (0..=5).map(|i| f64::from(i) * step).filter(|share| *share <= most * (1.0 + 1e-9)).collect()
}

fn tick(share: f64) -> String {
    let percent = format!("{:.3}", share * 100.0);
    format!("{} %", percent.trim_end_matches('0').trim_end_matches('.'))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(label: &str, share: f64, expected: Option<f64>) -> Ranks {
        Ranks { label: label.to_owned(), share, expected }
    }

    #[test]
    fn a_bar_and_a_line_for_each_and_nothing_that_is_no_number() {
        let rows = [ranks("1", 0.25, Some(0.5)), ranks("2..3", 0.75, Some(0.5)), ranks("<4>", 0.0, None)];
        let picture = svg("Keys & \"ranks\"", "", &rows, "a note");
        assert_eq!(picture.matches("ranks 1: 25.0 %, 50.0 % by the law").count(), 1);
        assert!(picture.contains("a note") && picture.contains("&lt;4&gt;") && picture.contains("Keys &amp;"));
        for picture in [picture, svg("none", "", &[], ""), svg("zero", "", &[ranks("1", 0.0, None)], "")] {
            assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
            assert!(crate::png(&picture, 1.0).is_ok());
        }
    }

    #[test]
    fn scales_are_round_and_within() {
        let told = |most: f64| scale(most).into_iter().map(tick).collect::<Vec<_>>();
        assert_eq!(told(0.23), ["0 %", "5 %", "10 %", "15 %", "20 %"]);
        assert_eq!(told(1.0), ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]);
        assert_eq!(told(0.0), [""; 0]);
        for most in [1e-6, 0.017, 0.09, 0.34, 0.999] {
            let scale = scale(most);
            assert!((3..=6).contains(&scale.len()) && scale.iter().all(|share| *share <= most * 1.001), "{scale:?}");
        }
    }
}
