//! The colors of gpustat, byte for byte.

/// A color of gpustat's; the bold ones are what terminals show as bright.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Ink {
    Bold,
    Red,
    BoldRed,
    Green,
    BoldGreen,
    Yellow,
    BoldYellow,
    Blue,
    Magenta,
    BoldMagenta,
    Cyan,
    BoldCyan,
    BoldBlack,
    BoldWhite,
    /// A dark blue of the 256 colors.
    Dark,
}

/// The sequences that a terminal understands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Palette {
    colors: bool,
    normal: &'static str,
}

impl Palette {
    /// No color at all.
    pub const NONE: Palette = Palette { colors: false, normal: "" };

    /// The one for `--color`, whatever the output is. Its end of a color is one that `watch` can read.
    pub fn forced(terminal: Option<&str>) -> Self {
        Palette { colors: terminal.is_none_or(|name| name.is_empty() || knows_colors(name)), normal: "\u{1b}[0;10m" }
    }

    /// The one for a terminal of this name.
    pub fn of_terminal(terminal: Option<&str>) -> Self {
        match terminal {
            Some(name) if knows_colors(name) => {
                // The terminals of this kind also leave the set of line drawing characters so.
                let shifts = ["linux", "screen", "tmux"].iter().any(|kind| name.starts_with(kind));
                Palette { colors: true, normal: if shifts { "\u{1b}[m\u{f}" } else { XTERM_NORMAL } }
            }
            _ => Palette::NONE,
        }
    }

    /// Whether there are any.
    pub fn has_colors(self) -> bool {
        self.colors
    }

    /// What ends a color.
    pub(super) fn normal(self) -> &'static str {
        self.normal
    }

    /// What begins a color.
    pub(super) fn ink(self, ink: Ink) -> &'static str {
        match ink {
            _ if !self.colors => "",
            Ink::Bold => "\u{1b}[1m",
            Ink::Red => "\u{1b}[31m",
            Ink::BoldRed => "\u{1b}[1m\u{1b}[31m",
            Ink::Green => "\u{1b}[32m",
            Ink::BoldGreen => "\u{1b}[1m\u{1b}[32m",
            Ink::Yellow => "\u{1b}[33m",
            Ink::BoldYellow => "\u{1b}[1m\u{1b}[33m",
            Ink::Blue => "\u{1b}[34m",
            Ink::Magenta => "\u{1b}[35m",
            Ink::BoldMagenta => "\u{1b}[1m\u{1b}[35m",
            Ink::Cyan => "\u{1b}[36m",
            Ink::BoldCyan => "\u{1b}[1m\u{1b}[36m",
            Ink::BoldBlack => "\u{1b}[1m\u{1b}[30m",
            Ink::BoldWhite => "\u{1b}[1m\u{1b}[37m",
            Ink::Dark => "\u{1b}[38;5;24m",
        }
    }

    /// A text in a color.
    pub(super) fn paint(self, ink: Ink, text: impl std::fmt::Display) -> String {
        format!("{}{text}{}", self.ink(ink), self.normal)
    }
}

const XTERM_NORMAL: &str = "\u{1b}(B\u{1b}[m";

/// Those that are in use and know none are few.
fn knows_colors(terminal: &str) -> bool {
    !["", "dumb", "unknown"].contains(&terminal)
        && !terminal.starts_with("vt1")
        && !terminal.starts_with("vt2")
        && !terminal.ends_with("-m")
}

/// A text in red, for an error on a terminal.
pub(super) fn red(text: &str) -> String {
    format!("\u{1b}[31m{text}{XTERM_NORMAL}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_without_colors_gets_none() {
        assert_eq!(Palette::of_terminal(None), Palette::NONE);
        for name in ["", "dumb", "vt100", "xterm-m"] {
            assert_eq!(Palette::of_terminal(Some(name)), Palette::NONE, "{name}");
        }
        assert_eq!(
            Palette::of_terminal(Some("xterm-256color")).paint(Ink::Cyan, "[0]"),
            "\u{1b}[36m[0]\u{1b}(B\u{1b}[m"
        );
        assert_eq!(Palette::of_terminal(Some("screen")).normal(), "\u{1b}[m\u{f}");
    }

    #[test]
    fn forced_colors_are_there_without_a_terminal() {
        for name in [None, Some(""), Some("xterm")] {
            assert_eq!(Palette::forced(name).paint(Ink::BoldRed, 7), "\u{1b}[1m\u{1b}[31m7\u{1b}[0;10m");
        }
        assert_eq!(Palette::forced(Some("dumb")).paint(Ink::BoldRed, 7), "7\u{1b}[0;10m");
    }
}
