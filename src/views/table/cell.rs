//! The cells of the classic table: fixed widths counted in bytes, and nvidia-smi's ways to shorten what does
//! not fit and to say that there is nothing to show.

use crate::driver::Code;
use crate::driver::answers::Text;
use crate::format::terminal;

/// What stands in a cell whose call failed: a device that lacks something is told from one that is in trouble.
pub(super) fn missing(code: Code) -> &'static str {
    match code {
        Code::NOT_SUPPORTED | Code::NOT_FOUND | Code::NO_DATA => "N/A",
        _ => "ERR!",
    }
}

/// The same in a column of numbers, where `N/A` stands under their digits.
pub(super) fn missing_number(code: Code) -> String {
    match missing(code) {
        "N/A" => " N/A".to_owned(),
        other => other.to_owned(),
    }
}

/// Text of the driver's or of another process, made harmless where it goes to a terminal.
pub(super) fn text(text: &Text, terminal: bool) -> Vec<u8> {
    if terminal { terminal::clean(&text.lossy()).into_owned().into_bytes() } else { text.0.clone() }
}

/// The beginning of a text that is too long, with three dots for the rest.
pub(super) fn head(text: &[u8], width: usize) -> Vec<u8> {
    if text.len() <= width {
        return text.to_vec();
    }
    let kept = text.get(..width.saturating_sub(DOTS.len())).unwrap_or_default();
    [kept, DOTS].concat()
}

/// The end of a text that is too long, behind three dots: of a path the end says more.
pub(super) fn tail(text: &[u8], width: usize) -> Vec<u8> {
    if text.len() <= width {
        return text.to_vec();
    }
    let from = text.len() - width.saturating_sub(DOTS.len());
    [DOTS, text.get(from..).unwrap_or_default()].concat()
}

const DOTS: &[u8] = b"...";

/// Writes a cell at the left of its column; what does not fit is cut.
pub(super) fn left(out: &mut Vec<u8>, text: impl AsRef<[u8]>, width: usize) {
    let text = head(text.as_ref(), width);
    out.extend_from_slice(&text);
    out.resize(out.len() + width - text.len(), b' ');
}

/// Writes a cell at the right of its column; what does not fit is cut.
pub(super) fn right(out: &mut Vec<u8>, text: impl AsRef<[u8]>, width: usize) {
    let text = head(text.as_ref(), width);
    out.resize(out.len() + width - text.len(), b' ');
    out.extend_from_slice(&text);
}

/// Writes what stands between cells.
pub(super) fn plain(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_loses_its_end_or_its_beginning() {
        assert_eq!(head(b"exactly", 7), b"exactly");
        assert_eq!(head(b"NVIDIA GeForce RTX 2080 SUPER", 27), b"NVIDIA GeForce RTX 2080 ...");
        assert_eq!(head(b"118211MiB", 8), b"11821...");
        assert_eq!(tail(b"exactly-thirty-two-characters-ok", 32), b"exactly-thirty-two-characters-ok");
        assert_eq!(tail(b"exactly-thirty-three-characters-x", 32), b"...tly-thirty-three-characters-x");
    }

    #[test]
    fn cells_fill_their_columns() {
        let mut out = Vec::new();
        left(&mut out, "On", 4);
        right(&mut out, "7", 3);
        left(&mut out, "bad\u{fffd}".as_bytes(), 7);
        right(&mut out, "12345", 4);
        assert_eq!(out, "On    7bad\u{fffd} 1...".as_bytes());
    }

    #[test]
    fn only_a_terminal_is_spared_what_could_steer_it() {
        let odd = Text(b"\x1b[2Jbad\xff".to_vec());
        assert_eq!(text(&odd, false), odd.0);
        assert_eq!(text(&odd, true), "?[2Jbad\u{fffd}".as_bytes());
    }

    #[test]
    fn what_a_device_lacks_is_no_error() {
        assert_eq!([3, 6, 21].map(|code| missing(Code(code))), ["N/A"; 3]);
        assert_eq!([1, 4, 13, 15, 999].map(|code| missing(Code(code))), ["ERR!"; 5]);
        assert_eq!(missing_number(Code::NOT_SUPPORTED), " N/A");
        assert_eq!(missing_number(Code::UNKNOWN), "ERR!");
    }
}
