//! Text as a terminal shows it: how wide it is, and shorter where there is less room. Widths are columns of
//! the screen, of which a Chinese character takes two; a name is cut in its middle, since both of its ends
//! say something.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands for what was left out.
const GAP: &str = "…";

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { UnicodeWidthStr::width(text) }
}

/// The text in at most so many columns, its middle left out where it is longer.
pub(super) fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else { return String::new() };
    let tail_room = room / 2;
    let head = head(text, room - tail_room);
    let tail = tail(text, tail_room);
    format!("{head}{GAP}{tail}")
}

/// The longest start of a text that fits. A character that takes no column of its own stays with the one
/// before it, so all of them are measured together.
fn head(text: &str, columns: usize) -> &str {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        if width(text.get(..next).unwrap_or_default()) > columns {
            break;
        }
        end = next;
    }
    text.get(..end).unwrap_or_default()
}

fn tail(text: &str, columns: usize) -> &str {
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        let rest = text.get(at..).unwrap_or_default();
        if width(rest) > columns {
            break;
        }
        // An accent without its letter would land on the gap.
        if c.width().unwrap_or(0) > 0 {
            start = at;
        }
    }
    text.get(start..).unwrap_or_default()
}

/// Lines of at most so many columns, broken at spaces; those after the first are indented.
pub(super) fn wrap(text: &str, columns: usize, indent: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let word = shorten(word, columns.saturating_sub(width(indent)));
        if !line.trim().is_empty() && width(&line) + 1 + width(&word) > columns {
            lines.push(std::mem::replace(&mut line, format!("{indent}{word}")));
        } else if line.is_empty() {
            line = word;
        } else {
            line.push(' ');
            line.push_str(&word);
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_left_out() {
        assert_eq!(shorten("train.py", 8), "train.py");
        assert_eq!(shorten("train.py", 7), "tra….py");
        assert_eq!(shorten("train.py", 6), "tra…py");
        assert_eq!(shorten("train.py", 1), "…");
        assert_eq!(shorten("train.py", 0), "");
        assert_eq!(shorten("", 0), "");
    }

    #[test]
    fn columns_count_and_not_bytes() {
        assert_eq!(width("café-机"), 7);
        assert_eq!(shorten("机机机机", 8), "机机机机");
        assert_eq!(shorten("机机机机", 7), "机…机");
        for columns in 0..12 {
            for text in ["机器学习机器学习", "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}", "👩‍🚀👩‍🚀👩‍🚀", "ab机cd机ef"]
            {
                let short = shorten(text, columns);
                assert!(width(&short) <= columns, "{columns}: {short:?}");
            }
        }
        assert_eq!(shorten("e\u{301}e\u{301}e\u{301}e\u{301}", 3), "e\u{301}…e\u{301}");
    }

    #[test]
    fn notes_are_broken_at_spaces() {
        assert_eq!(wrap("one two three", 8, "  "), ["one two", "  three"]);
        assert_eq!(wrap("short", 80, "  "), ["short"]);
        assert!(wrap(&"x".repeat(90), 20, "  ").iter().all(|line| width(line) <= 20));
    }
}
