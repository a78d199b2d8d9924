//! What Python makes of a word, and how it shows one in a message: gpustat's command line is read by it.

/// An integer as `int()` reads it: decimal, with spaces around it, a sign, and single underscores between its
/// digits. One that is out of all bounds is at the bound.
pub(super) fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = without_underscores(digits)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = digits.parse::<i64>().unwrap_or(i64::MAX);
    Some(if negative { -number } else { number })
}

/// A number as `float()` reads it.
pub(super) fn float(text: &str) -> Option<f64> {
    without_underscores(text.trim())?.parse().ok()
}

/// The text without the underscores between digits; none where one stands elsewhere.
fn without_underscores(text: &str) -> Option<String> {
    let characters: Vec<char> = text.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit);
    let stray =
        |(at, character): (usize, &char)| *character == '_' && !(digit(at.checked_sub(1)) && digit(at.checked_add(1)));
    if characters.iter().enumerate().any(stray) {
        return None;
    }
    Some(characters.into_iter().filter(|character| *character != '_').collect())
}

/// A text as `repr()` shows it.
pub(super) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut shown = String::from(quote);
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            '\\' => shown.push_str("\\\\"),
            _ if character == quote => shown.extend(['\\', quote]),
            _ if character.is_control() => shown.push_str(&format!("\\x{:02x}", u32::from(character))),
            _ => shown.push(character),
        }
    }
    shown.push(quote);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_python_reads_them() {
        let cases = [("7", Some(7)), (" 007 ", Some(7)), ("+1_000", Some(1000)), ("-3", Some(-3)), ("1_", None)];
        for (text, number) in cases {
            assert_eq!(integer(text), number, "{text}");
        }
        for text in ["", "x", "1.5", "--1", "_1", "1__0", "0x10", "-"] {
            assert_eq!(integer(text), None, "{text}");
        }
        assert_eq!(integer("99999999999999999999"), Some(i64::MAX));
        assert_eq!([float("1e1"), float(" .5 "), float("1_0.5"), float("-2")], [10.0, 0.5, 10.5, -2.0].map(Some));
        assert_eq!(float("inf"), Some(f64::INFINITY));
        assert_eq!([float(""), float("1s"), float("_1")], [None; 3]);
    }

    #[test]
    fn texts_are_shown_as_python_shows_them() {
        let cases = [
            ("a", "'a'"),
            ("", "''"),
            ("it's", "\"it's\""),
            ("\"it's\"", "'\"it\\'s\"'"),
            ("a\\b\n\u{1b}", "'a\\\\b\\n\\x1b'"),
            ("caf\u{e9}", "'caf\u{e9}'"),
        ];
        for (text, shown) in cases {
            assert_eq!(quoted(text), shown);
        }
    }
}
