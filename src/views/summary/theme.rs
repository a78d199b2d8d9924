//! What colors mean here, chosen once. They are the terminal's own 16, which its user has made readable on
//! its ground; plain white, black and bright yellow are not among them. A color only repeats what a number,
//! a word or a bar says.

use owo_colors::Style;

/// What a piece of text is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Paint {
    /// Nothing in particular.
    #[default]
    Plain,
    /// A heading.
    Title,
    /// What does not apply, or is at rest.
    Quiet,
    /// At work, and well.
    Good,
    /// Worth a look.
    Warn,
    /// Needs a look.
    Bad,
    /// A name of something smaller inside something greater.
    Part,
}

/// How each kind of text is shown.
pub(super) struct Theme {
    styled: Option<[Style; 6]>,
}

impl Theme {
    /// The theme of a screen with or without colors.
    pub(super) fn new(color: bool) -> Self {
        let style = Style::new;
        Theme {
            styled: color.then(|| {
                [
                    style().bold(),
                    style().dimmed(),
                    style().green(),
                    style().yellow().bold(),
                    style().red().bold(),
                    style().cyan(),
                ]
            }),
        }
    }

    /// Adds a text to a line.
    pub(super) fn write(&self, text: &str, paint: Paint, out: &mut String) {
        match self.style(paint) {
            Some(style) if !text.trim_end().is_empty() => {
                // Blanks at the end are no part of it: a background or an underline would show them.
                let shown = text.trim_end();
                out.push_str(&style.style(shown).to_string());
                out.push_str(text.get(shown.len()..).unwrap_or_default());
            }
            _ => out.push_str(text),
        }
    }

    fn style(&self, paint: Paint) -> Option<Style> {
        let [title, quiet, good, warn, bad, part] = self.styled?;
        match paint {
            Paint::Plain => None,
            Paint::Title => Some(title),
            Paint::Quiet => Some(quiet),
            Paint::Good => Some(good),
            Paint::Warn => Some(warn),
            Paint::Bad => Some(bad),
            Paint::Part => Some(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_color_nothing_but_text_is_written() {
        let mut out = String::new();
        Theme::new(false).write("86C ", Paint::Bad, &mut out);
        assert_eq!(out, "86C ");
        out.clear();
        Theme::new(true).write("86C ", Paint::Bad, &mut out);
        assert!(out.starts_with('\u{1b}') && out.ends_with("\u{1b}[0m "), "{out:?}");
        out.clear();
        Theme::new(true).write("plain", Paint::Plain, &mut out);
        assert_eq!(out, "plain");
    }
}
