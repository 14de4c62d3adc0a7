//! Names beside points so that none lies on another or on what is drawn.

use crate::figure::canvas::Anchor;
use crate::figure::frame::SMALL;

/// A part of the picture; y grows downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Box {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Box {
    pub fn around(x: f64, y: f64, half: f64) -> Box {
        Box { left: x - half, right: x + half, top: y - half, bottom: y + half }
    }

    fn meets(&self, other: &Box) -> bool {
        self.left <= other.right && other.left <= self.right && self.top <= other.bottom && other.top <= self.bottom
    }

    fn holds(&self, other: &Box) -> bool {
        self.left <= other.left && other.right <= self.right && self.top <= other.top && other.bottom <= self.bottom
    }
}

/// What is taken already.
pub(super) struct Labels {
    whole: Box,
    taken: Vec<Box>,
}

impl Labels {
    pub fn new(whole: Box) -> Labels {
        Labels { whole, taken: Vec::new() }
    }

    pub fn keep_clear(&mut self, part: Box) {
        self.taken.push(part);
    }

    /// A place for a text beside a point: its baseline and how it is held there; `None` where there is none free.
    pub fn place(&mut self, x: f64, y: f64, width: f64) -> Option<((f64, f64), Anchor)> {
        let middle = SMALL * 0.36;
        let (up, down) = (-10.0, 9.0 + SMALL * 0.8);
        let places = [
            (10.0, middle, Anchor::Start),
            (-10.0, middle, Anchor::End),
            (0.0, up, Anchor::Middle),
            (0.0, down, Anchor::Middle),
            (8.0, up, Anchor::Start),
            (-8.0, up, Anchor::End),
            (8.0, down, Anchor::Start),
            (-8.0, down, Anchor::End),
        ];
        for (dx, dy, anchor) in places {
            let (x, y) = (x + dx, y + dy);
            let left = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - width / 2.0,
                Anchor::End => x - width,
            };
            let part = Box { left, right: left + width, top: y - SMALL, bottom: y + SMALL * 0.3 };
            if self.whole.holds(&part) && !self.taken.iter().any(|taken| taken.meets(&part)) {
                self.taken.push(part);
                return Some(((x, y), anchor));
            }
        }
        None
    }
}

/// The names of points that lie on each other: `workers=2, 4` of `workers=2` and `workers=4`.
pub(super) fn together(names: &[&str]) -> String {
    let parts: Vec<Option<(&str, &str)>> = names.iter().map(|name| name.split_once('=')).collect();
    let first = parts.first().copied().flatten();
    let same = |(name, _): (&str, &str)| {
        parts.iter().all(|part| part.is_some_and(|(other, value)| other == name && !value.contains(['=', ','])))
    };
    match first.filter(|first| names.len() > 1 && same(*first)) {
        Some((name, _)) => {
            let values: Vec<&str> = parts.iter().flatten().map(|(_, value)| *value).collect();
            format!("{name}={}", values.join(", "))
        }
        None => names.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_each_other_are_named_together() {
        assert_eq!(together(&["workers=2", "workers=4"]), "workers=2, 4");
        assert_eq!(together(&["workers=2"]), "workers=2");
        assert_eq!(together(&["a=1, b=2", "a=1, b=3"]), "a=1, b=2; a=1, b=3");
        assert_eq!(together(&["some", "workers=4"]), "some; workers=4");
    }

    #[test]
    fn names_go_round_their_points_and_never_over_each_other() {
        let mut labels = Labels::new(Box { left: 0.0, right: 300.0, top: 0.0, bottom: 100.0 });
        labels.keep_clear(Box::around(100.0, 50.0, 5.0));
        let places: Vec<_> = std::iter::from_fn(|| labels.place(100.0, 50.0, 60.0)).collect();
        assert_eq!((places[0].1, places[1].1), (Anchor::Start, Anchor::End));
        assert_eq!(places.len(), 2, "above and below there is no room beside these: {places:?}");
        assert_eq!(labels.place(295.0, 50.0, 400.0), None, "wider than the picture");
    }
}
