//! Writes SVG: shapes with colours that a page can turn over for the dark, and text without any font of its own.

use std::fmt::Write;

use crate::text::xml;

/// The colours of Okabe and Ito (<https://jfly.uni-koeln.de/color/>), which readers with any colour vision tell apart;
/// the yellow is left out because it does not show on white.
pub(crate) const SERIES: [&str; 7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D"];

/// What a shape is drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Paint<'a> {
    /// Words to be read.
    Ink,
    /// Words beside.
    Muted,
    /// Lines behind.
    Grid,
    /// The axes.
    Axis,
    /// The ground.
    Ground,
    /// The colour of a series, by its number.
    Series(usize),
    /// A colour that stays what it is on any page.
    Fixed(&'a str),
}

impl Paint<'_> {
    /// The class that a page's style may use, and the colour where it does not.
    fn parts(&self) -> (String, &str) {
        match self {
            Paint::Ink => ("ink".to_owned(), "#1b1f24"),
            Paint::Muted => ("muted".to_owned(), "#57606a"),
            Paint::Grid => ("grid".to_owned(), "#e4e7eb"),
            Paint::Axis => ("axis".to_owned(), "#8c959f"),
            Paint::Ground => ("ground".to_owned(), "#ffffff"),
            Paint::Series(number) => (format!("c{}", number % SERIES.len()), SERIES[number % SERIES.len()]),
            Paint::Fixed(color) => (String::new(), color),
        }
    }

    pub(crate) fn fill(&self) -> String {
        let (class, color) = self.parts();
        if class.is_empty() { format!("fill=\"{color}\"") } else { format!("class=\"f-{class}\" fill=\"{color}\"") }
    }

    pub(crate) fn stroke(&self) -> String {
        let (class, color) = self.parts();
        let class = if class.is_empty() { String::new() } else { format!("class=\"s-{class}\" ") };
        format!("{class}fill=\"none\" stroke=\"{color}\"")
    }
}

/// Where a text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type<'a> {
    pub(crate) size: f64,
    pub(crate) bold: bool,
    pub(crate) anchor: Anchor,
    pub(crate) paint: Paint<'a>,
}

impl<'a> Type<'a> {
    pub(crate) fn new(size: f64, anchor: Anchor, paint: Paint<'a>) -> Self {
        Type { size, bold: false, anchor, paint }
    }
}

/// A picture being drawn.
pub(crate) struct Canvas {
    pub(crate) width: f64,
    pub(crate) height: f64,
    body: String,
}

/// A coordinate with two decimals at most.
pub(crate) fn n(value: f64) -> String {
    let text = format!("{:.2}", if value.is_finite() { value } else { 0.0 });
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

impl Canvas {
    pub(crate) fn new(width: f64) -> Self {
        Canvas { width, height: 0.0, body: String::new() }
    }

    /// Markup that the caller has escaped.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.body.push_str(markup);
    }

    pub(crate) fn rect(&mut self, [x, y, w, h]: [f64; 4], paint: Paint) {
        self.rect_titled([x, y, w, h], paint, "");
    }

    /// A rectangle with a text that shows when pointed at.
    pub(crate) fn rect_titled(&mut self, [x, y, w, h]: [f64; 4], paint: Paint, title: &str) {
        let (x, y, w, h) = (n(x), n(y), n(w.max(0.0)), n(h.max(0.0)));
        let _ = write!(self.body, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" {}", paint.fill());
        self.body.push_str(&if title.is_empty() {
            "/>".to_owned()
        } else {
            format!("><title>{}</title></rect>", xml(title))
        });
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), paint: Paint, width: f64, dash: &str) {
        self.stroke(&format!("M{} {}L{} {}", n(from.0), n(from.1), n(to.0), n(to.1)), paint, width, dash);
    }

    pub(crate) fn stroke(&mut self, path: &str, paint: Paint, width: f64, dash: &str) {
        let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        let _ = write!(
            self.body,
            "<path d=\"{path}\" {} stroke-width=\"{}\"{dash} stroke-linejoin=\"round\"/>",
            paint.stroke(),
            n(width)
        );
    }

    pub(crate) fn area(&mut self, path: &str, paint: Paint, opacity: f64) {
        let _ = write!(self.body, "<path d=\"{path}\" {} fill-opacity=\"{}\"/>", paint.fill(), n(opacity));
    }

    /// A text; `y` is its baseline.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), set: Type, text: &str) {
        let anchor = match set.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let bold = if set.bold { " font-weight=\"bold\"" } else { "" };
        let (x, y, size) = (n(x), n(y), n(set.size));
        let fill = set.paint.fill();
        let text = xml(text);
        let _ = write!(self.body, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{bold}{anchor} {fill}>{text}</text>");
    }

    /// The marker of a series, told apart by shape as well as colour, with a text that shows when pointed at.
    pub(crate) fn marker(&mut self, (x, y): (f64, f64), series: usize, title: &str) {
        let r = 4.4;
        let polygon = |points: &[(f64, f64)]| {
            let points: Vec<String> =
                points.iter().map(|(dx, dy)| format!("{} {}", n(x + dx * r), n(y + dy * r))).collect();
            format!("M{}Z", points.join("L"))
        };
        let path = match series % 7 {
            0 => format!("M{} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z", n(x - r), n(y), d = 2.0 * r),
            1 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            2 => polygon(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
            3 => polygon(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
            4 => polygon(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
            5 => polygon(&[
                (-1.2, -0.4),
                (-0.4, -0.4),
                (-0.4, -1.2),
                (0.4, -1.2),
                (0.4, -0.4),
                (1.2, -0.4),
                (1.2, 0.4),
                (0.4, 0.4),
                (0.4, 1.2),
                (-0.4, 1.2),
                (-0.4, 0.4),
                (-1.2, 0.4),
            ]),
            _ => polygon(&[(0.0, -1.2), (1.1, -0.4), (0.7, 1.0), (-0.7, 1.0), (-1.1, -0.4)]),
        };
        let title = if title.is_empty() { String::new() } else { format!("<title>{}</title>", xml(title)) };
        let _ = write!(self.body, "<path d=\"{path}\" {}>{title}</path>", Paint::Series(series).fill());
    }

    /// The whole picture, with its title and description for readers who do not see it.
    pub(crate) fn finish(self, title: &str, alt: &str) -> String {
        let (w, h) = (n(self.width), n(self.height));
        let ground = Paint::Ground.fill();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
             font-family=\"'DejaVu Sans', Verdana, 'Noto Sans', 'Liberation Sans', Arial, sans-serif\"><title>{}</title><desc>{}</desc>\
             <rect width=\"{w}\" height=\"{h}\" {ground}/>{}</svg>\n",
            xml(title),
            xml(alt),
            self.body
        )
    }
}

/// The dashes of a series' line.
pub(crate) fn dash(series: usize) -> &'static str {
    ["", "8 3", "2 3", "9 3 2 3", "5 2", "1 4", "12 4"][(series + series / 7) % 7]
}
