//! The lines for people: the header, a line for each device, and with `-f` a line for each process.

use super::color::{Ink, Palette};
use super::people::Person;
use super::{Flags, Options, Row, Snapshot};
use crate::format::terminal;
use std::borrow::Cow;

/// The width of the host's name where no device has a name to line up with.
const WITHOUT_NAMES: usize = 16;
/// Room that no name needs and no terminal has.
const WIDEST: usize = 32_768;

/// All lines.
pub(super) fn write(snapshot: &Snapshot, options: &Options) -> String {
    let longest = || snapshot.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let width = options.flags.name_width.unwrap_or_else(longest).min(WIDEST);
    let writer = Writer { flags: &options.flags, palette: options.palette, clean: options.clean, width };
    let mut text = String::new();
    if !options.flags.no_header {
        writer.header(snapshot, &mut text);
    }
    for row in &snapshot.rows {
        writer.row(row, snapshot, &mut text);
    }
    if snapshot.rows.is_empty() {
        text.push_str(&writer.palette.paint(Ink::Yellow, "(No GPUs are available)"));
        text.push('\n');
    }
    text
}

struct Writer<'a> {
    flags: &'a Flags,
    palette: Palette,
    clean: bool,
    /// Columns for the names; none when 0.
    width: usize,
}

impl Writer<'_> {
    /// Text of others, fit for where it goes.
    fn fit<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.clean { terminal::clean(text) } else { Cow::Borrowed(text) }
    }

    fn header(&self, snapshot: &Snapshot, text: &mut String) {
        let width = if self.width == 0 { WITHOUT_NAMES } else { self.width } + "[0]".len();
        let host = self.palette.paint(Ink::BoldWhite, format_args!("{:<width$}", self.fit(&snapshot.host)));
        let driver = self.palette.paint(Ink::BoldBlack, self.fit(snapshot.driver.as_deref().unwrap_or("None")));
        let line = format!("{host}  {}  {driver}", snapshot.now.asctime());
        text.push_str(line.trim());
        text.push('\n');
    }

    fn row(&self, row: &Row, snapshot: &Snapshot, text: &mut String) {
        let paint = |ink, text: String| self.palette.paint(ink, text);
        let value = |number: Option<i64>, width: usize| match number {
            Some(number) => format!("{number:>width$}"),
            None => format!("{:>width$}", if row.lost.is_some() { "?" } else { "??" }),
        };
        let small = |number: Option<u32>| value(number.map(i64::from), 3);
        text.push_str(&paint(Ink::Cyan, format!("[{}]", row.index)));
        text.push(' ');
        if self.width > 0 {
            let name = shorten(&self.fit(&row.name), self.width);
            let ink = if row.lost.is_some() { Ink::Red } else { Ink::Blue };
            text.push_str(&paint(ink, format!("{name:<0$}", self.width)));
            text.push_str(" |");
        }
        let warm = heat(row.temperature, 50, Ink::Red, Ink::BoldRed);
        text.push_str(&paint(warm, format!("{}°C", value(row.temperature, 3))));
        text.push_str(", ");
        if self.flags.fan {
            text.push_str(&paint(heat(row.fan, 30, Ink::Cyan, Ink::BoldCyan), format!("{} %", small(row.fan))));
            text.push_str(", ");
        }
        text.push_str(&paint(heat(row.load, 30, Ink::Green, Ink::BoldGreen), format!("{} %", small(row.load))));
        let codec = |label: &str, percent: Option<u32>| {
            let ink = heat(percent, 50, Ink::Green, Ink::BoldGreen);
            paint(Ink::Bold, label.to_owned()) + &paint(ink, format!("{} %", small(percent)))
        };
        let encoder = self.flags.encoder.then(|| codec("E: ", row.encoder));
        let decoder = self.flags.decoder.then(|| codec("D: ", row.decoder));
        let codecs: Vec<String> = encoder.into_iter().chain(decoder).collect();
        if !codecs.is_empty() {
            text.push_str(&format!(" ({})", codecs.join("  ")));
        }
        if self.flags.power {
            let ink = draw(row);
            text.push_str(&format!(",  {} ", paint(ink, small(row.draw))));
            text.push_str(&match self.flags.limit {
                true => format!("/ {} {}", paint(Ink::Magenta, small(row.limit)), paint(Ink::Magenta, "W".into())),
                false => paint(ink, "W".into()),
            });
        }
        let (used_ink, total_ink) =
            if row.lost.is_some() { (Ink::BoldBlack, Ink::BoldBlack) } else { (Ink::BoldYellow, Ink::Yellow) };
        let mib = |mib: u64| i64::try_from(mib).unwrap_or(i64::MAX);
        let used = paint(used_ink, value(row.memory.map(|(used, _)| mib(used)), 5));
        let total = paint(total_ink, value(row.memory.map(|(_, total)| mib(total)), 5));
        // A color that the next one replaces: it is there in the original, too.
        text.push_str(&format!(" | {}{used} / {total} MB", self.palette.ink(Ink::Cyan)));
        self.processes(row, snapshot, text);
        text.push('\n');
    }

    fn processes(&self, row: &Row, snapshot: &Snapshot, text: &mut String) {
        if self.flags.no_processes {
            return;
        }
        text.push_str(" |");
        let Some(processes) = &row.processes else {
            text.push_str(" (Not Supported)");
            return;
        };
        let known = processes.iter().filter_map(|process| Some((process, snapshot.people.get(process.pid)?)));
        let known: Vec<_> = known.collect();
        for (process, person) in &known {
            text.push(' ');
            text.push_str(&self.item(process.pid, mebibytes(process.used), person));
        }
        if self.flags.full_command {
            let last = known.len().saturating_sub(1);
            for (at, (process, person)) in known.iter().enumerate() {
                let branch = if at == last { '└' } else { '├' };
                text.push_str(&format!("\n{} {branch}─ ", self.palette.normal()));
                text.push_str(&self.details(process.pid, person));
            }
        }
    }

    /// A process behind its device: `user:command/pid(memory)`.
    fn item(&self, pid: u32, used: Option<u64>, person: &Person) -> String {
        let mut item = String::new();
        if !self.flags.command || self.flags.user {
            item.push_str(&self.palette.paint(Ink::BoldBlack, self.fit(person.user())));
        }
        if self.flags.command {
            if !item.is_empty() {
                item.push(':');
            }
            item.push_str(&self.palette.paint(Ink::Cyan, self.fit(&person.command())));
        }
        if self.flags.pid {
            item.push_str(&format!("/{pid}"));
        }
        let used = used.map_or("?".to_owned(), |mib| mib.to_string());
        item.push_str(&format!("({})", self.palette.paint(Ink::Yellow, format_args!("{used}M"))));
        item
    }

    /// A process on a line of its own: processor load, memory on the host and the whole command line.
    fn details(&self, pid: u32, person: &Person) -> String {
        let (normal, ink) = (self.palette.normal(), |ink| self.palette.ink(ink));
        let (load, resident) = (person.load.unwrap_or(0.0), short_size(person.resident().unwrap_or(0)));
        format!(
            "{pid:>6} {normal}({}{load:4.0}%{normal}, {}{resident:>6}{normal}){normal}: {}{}{normal}",
            ink(Ink::Green),
            ink(Ink::Yellow),
            ink(Ink::Dark),
            self.command_line(&person.words()),
        )
    }

    /// A command line with the program's name in another color.
    fn command_line(&self, words: &[String]) -> String {
        let Some((first, rest)) = words.split_first() else { return String::new() };
        let (folder, name) = folder_and_name(first);
        let (dark, cyan) = (self.palette.ink(Ink::Dark), self.palette.ink(Ink::Cyan));
        let rest: String = rest.iter().map(|word| format!(" {}", self.fit(word))).collect();
        format!("{dark}{}{cyan}{}{dark}{rest}", self.fit(&folder), self.fit(name))
    }
}

/// The folder, with one slash at its end unless it is all slashes, and the name in it.
fn folder_and_name(path: &str) -> (Cow<'_, str>, &str) {
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    match folder.trim_end_matches('/') {
        "" => (Cow::Borrowed(folder), name),
        trimmed => (Cow::Owned(format!("{trimmed}/")), name),
    }
}

/// A color by whether a number has reached a mark; grey for none.
fn heat<T: PartialOrd + From<u8>>(number: Option<T>, mark: u8, below: Ink, from: Ink) -> Ink {
    match number {
        None => Ink::BoldBlack,
        Some(number) if number < T::from(mark) => below,
        Some(_) => from,
    }
}

/// The color of the power draw: by its share of the limit, where both are known.
fn draw(row: &Row) -> Ink {
    match (row.draw, row.limit) {
        _ if row.lost.is_some() => Ink::BoldBlack,
        (_, None) => Ink::BoldMagenta,
        (None, _) | (_, Some(0)) => Ink::BoldBlack,
        (Some(draw), Some(limit)) if f64::from(draw) / f64::from(limit) < 0.4 => Ink::Magenta,
        _ => Ink::BoldMagenta,
    }
}

/// MiB in so many bytes; none of nothing, which is how NVML's lists say that it is not known.
pub(super) fn mebibytes(used: Option<u64>) -> Option<u64> {
    used.filter(|bytes| *bytes > 0).map(|bytes| bytes >> 20)
}

/// A name that fits: its end behind an ellipsis where it is too long.
fn shorten(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    std::iter::once('…').chain(name.chars().skip(length - width.saturating_sub(1))).collect()
}

/// A size of at most four digits with its unit.
fn short_size(bytes: u64) -> String {
    let units = ["B", "KB", "MB", "GB", "TB", "PB"];
    let mut size = bytes;
    let mut unit = 0;
    while size > 9999 && unit < units.len() - 1 {
        size >>= 10;
        unit += 1;
    }
    format!("{size}{}", units.get(unit).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_end() {
        let cases = [(19, "GeForce GTX TITAN 0"), (10, "…X TITAN 0"), (2, "…0"), (1, "…"), (40, "GeForce GTX TITAN 0")];
        for (width, expected) in cases {
            assert_eq!(shorten("GeForce GTX TITAN 0", width), expected);
        }
        assert_eq!(shorten("ΩΩΩ", 2), "…Ω");
    }

    #[test]
    fn sizes_have_at_most_four_digits() {
        let cases = [
            (0, "0B"),
            (9999, "9999B"),
            (10_000, "9KB"),
            (61_865_984, "59MB"),
            (1 << 30, "1024MB"),
            (u64::MAX, "16383PB"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(short_size(bytes), expected);
        }
    }

    #[test]
    fn paths_are_cut_as_pythons_are() {
        for (path, folder, name) in [
            ("a", "", "a"),
            ("/a", "/", "a"),
            ("//a", "//", "a"),
            ("/a//b", "/a/", "b"),
            ("d/", "d/", ""),
            ("", "", ""),
        ] {
            assert_eq!(folder_and_name(path), (Cow::Borrowed(folder), name), "{path}");
        }
    }
}
