//! gpustat's parser: what gpustat 1.1.1 makes of a command line, and what it says of a wrong one.
//!
//! gpustat leaves its command line to Python's argparse, and so the rules are argparse's: a long option can
//! be cut short as long as only one begins so, short ones without a value can be run together, and a value
//! stands behind `=`, directly behind the letter, or as the next word unless that looks like an option. All
//! words are sorted into options and others before anything is done, and an option takes effect in its turn:
//! `-h` ends the line wherever it stands, unless an option before it is wrong.
//!
//! The switches that rsmi adds are known by their whole names only: they make no short form ambiguous.

use super::options::{self, Id, OPTIONS, Takes};
use super::plan::Refusal;
use super::python::{self, quoted};
use super::typed::{Given, Task, Typed};
use crate::exit::Exit;
use crate::face::Face;
use crate::views::gpustat::Flags;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// What stands before the line that says what is wrong.
const USAGE: &str = "usage: gpustat [options], and `gpustat --help` tells which there are\n";

/// What an option does.
#[derive(Copy, Clone)]
enum Does {
    Help,
    Color,
    NoColor,
    Ids,
    All,
    Command,
    FullCommand,
    User,
    Pid,
    Fan,
    Codec,
    Power,
    Json,
    Interval,
    NoHeader,
    NameWidth,
    Debug,
    NoProcesses,
    Version,
    /// Something that rsmi adds.
    Added(&'static options::Opt),
}

/// An option: its spellings, and whether a value follows.
#[derive(Copy, Clone)]
struct Opt {
    does: Does,
    spellings: &'static [&'static str],
    takes: Takes,
}

const fn row(does: Does, spellings: &'static [&'static str], takes: Takes) -> Opt {
    Opt { does, spellings, takes }
}

use Takes::{Nothing, PerhapsValue, Value};

/// gpustat's options in its own order, which is the order in which an ambiguous one lists them.
static KNOWN: &[Opt] = &[
    row(Does::Help, &["-h", "--help"], Nothing),
    row(Does::Color, &["--force-color", "--color"], Nothing),
    row(Does::NoColor, &["--no-color"], Nothing),
    row(Does::Ids, &["--id"], Value),
    row(Does::All, &["-a", "--show-all"], Nothing),
    row(Does::Command, &["-c", "--show-cmd"], Nothing),
    row(Does::FullCommand, &["-f", "--show-full-cmd"], Nothing),
    row(Does::User, &["-u", "--show-user"], Nothing),
    row(Does::Pid, &["-p", "--show-pid"], Nothing),
    row(Does::Fan, &["-F", "--show-fan-speed", "--show-fan"], Nothing),
    row(Does::Codec, &["-e", "--show-codec"], PerhapsValue),
    row(Does::Power, &["-P", "--show-power"], PerhapsValue),
    row(Does::Json, &["--json"], Nothing),
    row(Does::Interval, &["-i", "--interval", "--watch"], PerhapsValue),
    row(Does::NoHeader, &["--no-header"], Nothing),
    row(Does::NameWidth, &["--gpuname-width"], Value),
    row(Does::Debug, &["--debug"], Nothing),
    row(Does::NoProcesses, &["--no-processes"], Nothing),
    row(Does::Version, &["-v", "--version"], Nothing),
];

/// The values that `-e` and `-P` take.
const CODECS: &[&str] = &["", "enc", "dec", "enc,dec"];
const POWERS: &[&str] = &["", "draw", "limit", "draw,limit", "limit,draw"];

/// The time between two rounds of `-i` without a value, and the least there is.
const DEFAULT_INTERVAL: f64 = 1.0;
const LEAST_INTERVAL: f64 = 0.1;

/// Reads a command line as gpustat does; without the program's name.
///
/// # Errors
/// argparse's words for a wrong one.
pub(super) fn parse(args: Vec<OsString>) -> Result<Typed, Refusal> {
    let mut line = Line::sort(args)?;
    let mut seen = Seen::default();
    let mut at = 0;
    while at < line.words.len() {
        at = line.consume(at, &mut seen)?;
        if let Some(task) = seen.alone.take() {
            return Ok(typed(&[], None, task));
        }
    }
    if !line.strangers.is_empty() {
        return Err(error(&format!("unrecognized arguments: {}", line.strangers.join(" "))));
    }
    seen.finish()
}

/// A mistake, as argparse tells it.
pub(super) fn error(text: &str) -> Refusal {
    refusal(format!("{USAGE}gpustat: error: {text}\n"), Exit::BAD_ARGUMENT)
}

fn refusal(text: String, exit: Exit) -> Refusal {
    Refusal { face: Face::Gpustat, text, exit }
}

fn typed(given: &[Given], every: Option<Duration>, task: Task) -> Typed {
    Typed { task, ..Typed::gather(given, every) }
}

/// How argparse names an option in a message.
fn name(option: &Opt) -> String {
    option.spellings.join("/")
}

fn wrong(option: &Opt, text: &str) -> Refusal {
    error(&format!("argument {}: {text}", name(option)))
}

/// What a word is.
enum Word {
    /// An option, with what stands behind `=` or the letter; the value of an unknown one is none.
    Option(Option<(Opt, &'static str, Option<OsString>)>),
    /// Two dashes, behind which nothing is an option.
    Dashes,
    Other,
}

/// The line in its words.
struct Line {
    args: Vec<OsString>,
    words: Vec<Word>,
    /// What nothing was made of.
    strangers: Vec<String>,
}

impl Line {
    fn sort(args: Vec<OsString>) -> Result<Self, Refusal> {
        let mut words = Vec::with_capacity(args.len());
        let mut ended = false;
        for arg in &args {
            let word = match arg {
                _ if ended => Word::Other,
                arg if arg == "--" => {
                    ended = true;
                    Word::Dashes
                }
                arg => word(arg)?,
            };
            words.push(word);
        }
        Ok(Line { args, words, strangers: Vec::new() })
    }

    /// Takes the word at a place, with the value behind it; gives the place of the next.
    fn consume(&mut self, at: usize, seen: &mut Seen) -> Result<usize, Refusal> {
        let found = match self.words.get_mut(at) {
            Some(Word::Option(found)) => found.take(),
            _ => None,
        };
        let Some((mut option, _, mut behind)) = found else {
            self.strangers.extend(self.args.get(at).map(|arg| arg.to_string_lossy().into_owned()));
            return Ok(at + 1);
        };
        let mut bundle = vec![];
        let mut spelt = found_spelling(self.args.get(at));
        let (value, next) = loop {
            match (behind, option.takes) {
                (Some(value), Value | PerhapsValue) => break (Some(value), at + 1),
                (None, takes) => break self.value_behind(at, takes, &option)?,
                (Some(rest), Nothing) => {
                    let text = rest.to_string_lossy().into_owned();
                    let ignored = || wrong(&option, &format!("ignored explicit argument {}", quoted(&text)));
                    let letter = text.chars().next().filter(|_| !spelt).ok_or_else(ignored)?;
                    let short = format!("-{letter}");
                    let follower = KNOWN.iter().find(|known| known.spellings.contains(&short.as_str()));
                    let follower = *follower.ok_or_else(ignored)?;
                    bundle.push(option);
                    option = follower;
                    spelt = false;
                    let rest = rest.as_bytes().get(letter.len_utf8()..).unwrap_or_default();
                    behind = Some(OsStr::from_bytes(rest).to_owned()).filter(|rest| !rest.is_empty());
                }
            }
        };
        bundle.iter().try_for_each(|flag| seen.take(flag, None))?;
        seen.take(&option, value)?;
        Ok(next)
    }

    /// The value of an option as the next word, and the place behind it.
    fn value_behind(&self, at: usize, takes: Takes, option: &Opt) -> Result<(Option<OsString>, usize), Refusal> {
        let next = match self.words.get(at + 1) {
            Some(Word::Other) => self.args.get(at + 1).cloned(),
            _ => None,
        };
        match (takes, next) {
            (Nothing, _) | (PerhapsValue, None) => Ok((None, at + 1)),
            (_, Some(value)) => Ok((Some(value), at + 2)),
            (Value, None) => Err(wrong(option, "expected one argument")),
        }
    }
}

/// True where an option was spelt with two dashes.
fn found_spelling(arg: Option<&OsString>) -> bool {
    arg.is_some_and(|arg| arg.as_bytes().starts_with(b"--"))
}

/// Finds out what a word is.
fn word(arg: &OsStr) -> Result<Word, Refusal> {
    let bytes = arg.as_bytes();
    if bytes.len() < 2 || bytes.first() != Some(&b'-') {
        return Ok(Word::Other);
    }
    let equals = bytes.iter().position(|byte| *byte == b'=').unwrap_or(bytes.len());
    let (head, tail) = bytes.split_at_checked(equals).unwrap_or((bytes, b""));
    let (head, tail) = (String::from_utf8_lossy(head), tail.get(1..).map(|tail| OsStr::from_bytes(tail).to_owned()));
    if let Some(option) = exact(&head) {
        let (option, spelling) = option;
        return Ok(Word::Option(Some((option, spelling, tail))));
    }
    let mut matches: Vec<(Opt, &'static str, Option<OsString>)> = Vec::new();
    for option in KNOWN {
        for spelling in option.spellings {
            if head.starts_with("--") {
                if spelling.starts_with(head.as_ref()) {
                    matches.push((*option, spelling, tail.clone()));
                }
            } else if bytes.get(..2) == Some(spelling.as_bytes()) {
                let behind = OsStr::from_bytes(bytes.get(2..).unwrap_or_default()).to_owned();
                matches.push((*option, spelling, Some(behind)));
            }
        }
    }
    if matches.len() > 1 {
        let listed: Vec<&str> = matches.iter().map(|(_, spelling, _)| *spelling).collect();
        let arg = arg.to_string_lossy();
        return Err(error(&format!("ambiguous option: {arg} could match {}", listed.join(", "))));
    }
    Ok(match matches.pop() {
        Some(found) => Word::Option(Some(found)),
        None if is_negative_number(&arg.to_string_lossy()) || bytes.contains(&b' ') => Word::Other,
        None => Word::Option(None),
    })
}

/// The option with exactly this spelling.
fn exact(word: &str) -> Option<(Opt, &'static str)> {
    let known = KNOWN.iter().flat_map(|option| option.spellings.iter().map(move |spelling| (*option, *spelling)));
    known.into_iter().find(|(_, spelling)| *spelling == word).or_else(|| {
        // gpustat has a `--color` of its own.
        let added = OPTIONS.iter().find(|option| option.id.is_added() && option.id != Id::Color && option.long == word);
        added.map(|option| {
            (
                Opt { does: Does::Added(option), spellings: std::slice::from_ref(&option.long), takes: option.takes },
                option.long,
            )
        })
    })
}

/// `-1` and `-.5` are values.
fn is_negative_number(word: &str) -> bool {
    let Some(number) = word.strip_prefix('-') else { return false };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match number.split_once('.') {
        None => !number.is_empty() && digits(number),
        Some((whole, part)) => digits(whole) && digits(part) && !part.is_empty(),
    }
}

/// What has taken effect so far.
#[derive(Default)]
struct Seen {
    flags: Flags,
    all: bool,
    codec: String,
    power: String,
    interval: f64,
    added: Vec<Given>,
    /// Set by what ends the line.
    alone: Option<Task>,
}

impl Seen {
    fn take(&mut self, option: &Opt, value: Option<OsString>) -> Result<(), Refusal> {
        if self.alone.is_some() {
            return Ok(());
        }
        let text = value.as_deref().map(|value| value.to_string_lossy().into_owned());
        match option.does {
            Does::Help => self.alone = Some(Task::Help),
            Does::Version => self.alone = Some(Task::Version),
            Does::Color => self.color(option, true)?,
            Does::NoColor => self.color(option, false)?,
            Does::Ids => self.flags.ids = text.as_deref().map(indexes),
            Does::All => self.all = true,
            Does::Command => self.flags.command = true,
            Does::FullCommand => self.flags.full_command = true,
            Does::User => self.flags.user = true,
            Does::Pid => self.flags.pid = true,
            Does::Fan => self.flags.fan = true,
            Does::Codec => self.codec = choice(option, text, "enc,dec", CODECS)?,
            Does::Power => self.power = choice(option, text, "draw,limit", POWERS)?,
            Does::Json => self.flags.json = true,
            Does::Interval => {
                let number = |text: &str| {
                    let number = python::float(text);
                    number.ok_or_else(|| wrong(option, &format!("invalid float value: {}", quoted(text))))
                };
                self.interval = text.as_deref().map_or(Ok(DEFAULT_INTERVAL), number)?;
            }
            Does::NoHeader => self.flags.no_header = true,
            Does::NameWidth => self.flags.name_width = Some(width(option, text.as_deref().unwrap_or_default())?),
            Does::Debug => self.flags.debug = true,
            Does::NoProcesses => self.flags.no_processes = true,
            Does::Added(option) => self.added.push(Given { option, value }),
        }
        Ok(())
    }

    fn color(&mut self, option: &Opt, color: bool) -> Result<(), Refusal> {
        match self.flags.color.replace(color) {
            Some(other) if other != color => {
                let opposite = |known: &&Opt| match known.does {
                    Does::Color => !color,
                    Does::NoColor => color,
                    _ => false,
                };
                let other = KNOWN.iter().find(opposite).map(name).unwrap_or_default();
                Err(wrong(option, &format!("not allowed with argument {other}")))
            }
            _ => Ok(()),
        }
    }

    /// What the whole line means.
    fn finish(mut self) -> Result<Typed, Refusal> {
        if self.all {
            let flags = &mut self.flags;
            (flags.command, flags.user, flags.pid, flags.fan) = (true, true, true, true);
            self.codec = "enc,dec".to_owned();
            self.power = "draw,limit".to_owned();
        }
        self.flags.encoder = self.codec.contains("enc");
        self.flags.decoder = self.codec.contains("dec");
        self.flags.power = !self.power.is_empty();
        self.flags.limit = self.power.contains("limit");
        // What is no number is greater than nothing, too.
        let every = (self.interval > 0.0).then(|| {
            let seconds = self.interval.max(LEAST_INTERVAL);
            Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(u32::MAX.into()))
        });
        if every.is_some() && self.flags.json {
            return Err(refusal("Error: --json and --interval/-i can't be used together.\n".to_owned(), Exit(1)));
        }
        Ok(typed(&self.added, every, Task::Gpustat(self.flags)))
    }
}

/// One of a few values; without one `all`.
fn choice(option: &Opt, text: Option<String>, all: &str, choices: &[&str]) -> Result<String, Refusal> {
    let text = text.unwrap_or_else(|| all.to_owned());
    if choices.contains(&text.as_str()) {
        return Ok(text);
    }
    let listed: Vec<String> = choices.iter().map(|choice| quoted(choice)).collect();
    Err(wrong(option, &format!("invalid choice: {} (choose from {})", quoted(&text), listed.join(", "))))
}

fn width(option: &Opt, text: &str) -> Result<usize, Refusal> {
    match python::integer(text) {
        Some(number) if number < 0 => Err(wrong(option, "Only non-negative integers are allowed.")),
        Some(number) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
        None => Err(wrong(option, &format!("invalid nonnegative_int value: {}", quoted(text)))),
    }
}

/// The indexes in a list; a number that is no index is left to the driver to refuse.
///
/// A list that is none is an error only once there is a driver to ask.
fn indexes(list: &str) -> Result<Vec<u32>, String> {
    let index = |word: &str| match python::integer(word) {
        Some(number) => Ok(u32::try_from(number).unwrap_or(u32::MAX)),
        None => Err(format!("invalid literal for int() with base 10: {}", quoted(word))),
    };
    list.split(',').map(index).collect()
}

#[cfg(test)]
mod tests;
