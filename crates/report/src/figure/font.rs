//! How wide text is in DejaVu Sans, which the PNGs use and which is at least as wide as what browsers take instead.

/// Advance widths of U+0020 to U+007E in thousandths of an em, from the font's `hmtx` table.
const REGULAR: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
];

/// The same of DejaVu Sans Bold.
const BOLD: [u16; 95] = [
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696, 696, 696,
    696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995,
    837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500, 675, 716, 593, 716,
    678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712,
    365, 712, 838,
];

/// The width of a text in pixels at a font size.
pub(crate) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let table = if bold { &BOLD } else { &REGULAR };
    let advance = |c: char| match c {
        ' '..='~' => f64::from(table[c as usize - 32]),
        // A space at which no line is broken.
        '\u{a0}' => f64::from(table[0]),
        '–' => 500.0,
        'µ' => 740.0,
        '·' => 380.0,
        // Most of what is not ASCII is no wider than an em; better too much room than an overlap.
        _ => 1000.0,
    };
    text.chars().map(advance).sum::<f64>() * size / 1000.0
}

/// The text, or as much of its beginning as fits with an ellipsis.
pub(crate) fn ellipsis(text: &str, size: f64, bold: bool, room: f64) -> String {
    if width(text, size, bold) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if width(&kept, size, bold) + size > room {
            kept.pop();
            break;
        }
    }
    format!("{}…", kept.trim_end())
}

/// Lines that fit, at most `most`, the last with an ellipsis if there is more.
pub(crate) fn wrap(text: &str, size: f64, bold: bool, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.peek() {
        let longer = if line.is_empty() { (*word).to_owned() } else { format!("{line} {word}") };
        if line.is_empty() || width(&longer, size, bold) <= room {
            line = longer;
            words.next();
        } else if lines.len() + 1 == most {
            break;
        } else {
            lines.push(ellipsis(&std::mem::take(&mut line), size, bold, room));
        }
    }
    let rest: Vec<&str> = words.collect();
    if !rest.is_empty() {
        line = format!("{line} {}", rest.join(" "));
    }
    if !line.is_empty() {
        lines.push(ellipsis(&line, size, bold, room));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_fits() {
        let text = "a name of seventy-four characters that nobody would give to a parameter,!";
        for room in [20.0, 50.0, 100.0, 300.0] {
            assert!(width(&ellipsis(text, 12.0, false, room), 12.0, false) <= room);
            let lines = wrap(text, 12.0, true, room, 3);
            assert!(lines.len() <= 3 && lines.iter().all(|line| width(line, 12.0, true) <= room), "{lines:?}");
        }
        assert_eq!(wrap(text, 12.0, false, 2000.0, 2), vec![text]);
    }
}
