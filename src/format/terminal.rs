//! What may reach a terminal. A process chooses its own name, and a name can hold sequences that recolor
//! the screen, move the cursor, fill the clipboard or turn the writing direction around; on a screen each
//! such character is shown as a question mark. Machine formats carry text whole.

use std::borrow::Cow;

/// The text with everything that is not plainly visible replaced.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_unsafe) {
        text.chars().map(|c| if is_unsafe(c) { '?' } else { c }).collect()
    } else {
        Cow::Borrowed(text)
    }
}

/// Cleans what stands in `out` from `start` on; bytes that are not UTF-8 become U+FFFD.
pub fn clean_bytes(start: usize, out: &mut Vec<u8>) {
    let text = out.split_off(start);
    out.extend_from_slice(clean(&String::from_utf8_lossy(&text)).as_bytes());
}

fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Line and paragraph separators, zero-width and bidirectional controls, and tags.
            '\u{2028}' | '\u{2029}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_as_question_marks() {
        assert_eq!(clean("\u{1b}[31mred\u{1b}[0m"), "?[31mred?[0m");
        assert_eq!(clean("\u{1b}]52;c;QQ==\u{7}x"), "?]52;c;QQ==?x");
        assert_eq!(clean("\u{9b}2J"), "?2J");
        assert_eq!(clean("two\nlines\r\ttab\u{7f}"), "two?lines??tab?");
        assert_eq!(clean("abc\u{202e}cba"), "abc?cba");
    }

    #[test]
    fn visible_text_stays() {
        for text in ["", "python3 train.py --lr 1e-4", "caf\u{e9}-\u{673a}"] {
            assert!(matches!(clean(text), Cow::Borrowed(same) if same == text));
        }
    }
}
