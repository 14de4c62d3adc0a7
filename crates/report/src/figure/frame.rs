//! What all figures have around them: title, subtitle, legend; and the panel that says why there is no picture.

use super::canvas::{Anchor, Canvas, Paint, Type, dash};
use super::font::{ellipsis, width, wrap};

/// The width of every figure that does not need another.
pub(crate) const WIDTH: f64 = 760.0;
/// The margin around everything.
pub(crate) const MARGIN: f64 = 20.0;
pub(crate) const TITLE: f64 = 18.0;
pub(crate) const SMALL: f64 = 12.0;
pub(crate) const LABEL: f64 = 13.0;

/// Draws title and subtitle; returns the vertical position below them.
pub(crate) fn header(canvas: &mut Canvas, title: &str, subtitle: &str) -> f64 {
    let room = canvas.width - 2.0 * MARGIN;
    let mut y = MARGIN - 4.0;
    let bold = Type { bold: true, ..Type::new(TITLE, Anchor::Start, Paint::Ink) };
    for line in wrap(title, TITLE, true, room, 3) {
        y += TITLE * 1.25;
        canvas.text((MARGIN, y), bold, &line);
    }
    y += 3.0;
    for line in wrap(subtitle, SMALL, false, room, 3) {
        y += SMALL * 1.4;
        canvas.text((MARGIN, y), Type::new(SMALL, Anchor::Start, Paint::Muted), &line);
    }
    y + 14.0
}

/// How the line of a cost is drawn.
pub(crate) const COST_WIDTH: f64 = 1.5;
pub(crate) const COST_DASH: &str = "7 4";

/// A sign and its words in a legend.
pub(crate) enum Sign {
    /// A line with its marker.
    Line(usize),
    /// A filled square.
    Square(usize),
    /// A marker alone.
    Marker(usize),
    /// The line of a cost.
    Cost,
}

/// Draws a legend in rows below `y`; returns the position below it. Nothing for one series without a name.
pub(crate) fn legend(canvas: &mut Canvas, y: f64, entries: &[(Sign, String)]) -> f64 {
    if entries.iter().all(|(_, label)| label.is_empty()) {
        return y;
    }
    let (left, right) = (MARGIN, canvas.width - MARGIN);
    let (mut x, mut y) = (left, y + LABEL);
    for (sign, label) in entries {
        let sign_width = match sign {
            Sign::Line(_) => 50.0,
            Sign::Square(_) | Sign::Marker(_) => 20.0,
            Sign::Cost => 50.0,
        };
        let label = ellipsis(label, LABEL, false, right - left - sign_width);
        let whole = sign_width + width(&label, LABEL, false);
        if x > left && x + whole > right {
            (x, y) = (left, y + LABEL * 1.6);
        }
        match *sign {
            Sign::Line(series) => {
                canvas.line((x, y - 4.5), (x + 42.0, y - 4.5), Paint::Series(series), 2.2, dash(series));
                canvas.marker((x + 21.0, y - 4.5), series, "");
            }
            Sign::Marker(series) => canvas.marker((x + 6.0, y - 4.5), series, ""),
            Sign::Cost => canvas.line((x, y - 4.5), (x + 42.0, y - 4.5), Paint::Ink, COST_WIDTH, COST_DASH),
            Sign::Square(series) => canvas.rect([x, y - 11.0, 13.0, 13.0], Paint::Series(series)),
        }
        canvas.text((x + sign_width, y), Type::new(LABEL, Anchor::Start, Paint::Ink), &label);
        x += whole + 22.0;
    }
    y + 6.0
}

/// Words below a picture, such as what it does not show; returns the position below them.
pub(crate) fn footnote(canvas: &mut Canvas, y: f64, text: &str) -> f64 {
    let mut y = y;
    for line in wrap(text, SMALL, false, canvas.width - 2.0 * MARGIN, 3) {
        y += SMALL * 1.45;
        canvas.text((MARGIN, y), Type::new(SMALL, Anchor::Start, Paint::Muted), &line);
    }
    y
}

/// A panel in place of a picture that says why there is none.
pub(crate) fn nothing(title: &str, subtitle: &str, why: &str) -> Canvas {
    let mut canvas = Canvas::new(WIDTH);
    let top = header(&mut canvas, title, subtitle);
    let lines = wrap(why, LABEL, false, WIDTH - 4.0 * MARGIN, 5);
    let height = lines.len() as f64 * LABEL * 1.5 + 40.0;
    let [x, y, w, h] = [MARGIN, top, WIDTH - 2.0 * MARGIN, height];
    let border = format!("M{x} {y}h{w}v{h}h-{w}Z");
    canvas.stroke(&border, Paint::Axis, 1.0, "5 4");
    for (number, line) in lines.iter().enumerate() {
        let y = top + 20.0 + LABEL * (1.1 + 1.5 * number as f64);
        canvas.text((WIDTH / 2.0, y), Type::new(LABEL, Anchor::Middle, Paint::Ink), line);
    }
    canvas.height = top + height + MARGIN;
    canvas
}
