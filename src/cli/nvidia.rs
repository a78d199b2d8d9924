//! The drop-in's parser: what nvidia-smi 580 makes of a command line, and what it says of a wrong one.
//!
//! The rules, found by trying: options are looked for anywhere in the line, each with its value behind `=`
//! or as the next word, whatever that word is. What the line asks for then decides which options belong to
//! it. A word that does not is told in one of three ways: beside something that stands alone (`-h`, `-L`)
//! it is "not valid for this command", beside a `--query-*` it is "not recognized" with status 2, else it is
//! "not recognized" with 255. The switches that rsmi adds belong to everything.

use super::options::{self, Id, Takes};
use super::plan::Refusal;
use super::refusals::{self, fixed};
use super::typed::{Given, Typed, has, text};
use crate::exit::Exit;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// A part of the line: an option with its value, or a word that is none.
struct Piece {
    /// How it was typed, with the value if that stood behind `=`.
    word: String,
    given: Option<Given>,
}

impl Piece {
    fn id(&self) -> Option<Id> {
        Some(self.given.as_ref()?.option.id)
    }

    /// A `--format` without a value is an empty list of modifiers; every other option wants its value.
    fn lacks_value(&self) -> bool {
        let wants = |given: &Given| given.option.takes == Takes::Value && given.option.id != Id::Format;
        self.given.as_ref().is_some_and(|given| wants(given) && given.value.is_none())
    }
}

/// Reads a command line as nvidia-smi does; without the program's name.
///
/// # Errors
/// nvidia-smi's words for a wrong one.
pub(super) fn parse(args: Vec<OsString>) -> Result<Typed, Refusal> {
    if let Some(word) = options::WORDS.iter().find(|word| args.first().is_some_and(|first| first == **word)) {
        return Ok(Typed::word(word));
    }
    let pieces = pieces(args);
    let given: Vec<Given> = pieces.iter().filter_map(|piece| piece.given.clone()).collect();
    let mode = Mode::of(&given);
    if mode != Mode::Words {
        belongs(&pieces, mode)?;
        combines(&given)?;
    }
    let every = if mode.loops() { every(&given) } else { None };
    Ok(Typed::gather(&given, every))
}

/// Cuts the line into pieces.
fn pieces(args: Vec<OsString>) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(args.len());
    let mut args = args.into_iter().peekable();
    while let Some(arg) = args.next() {
        let (name, behind) = split(&arg);
        let word = arg.to_string_lossy().into_owned();
        let option = options::find(&name).filter(|option| option.takes != Takes::Nothing || behind.is_none());
        let given = option.map(|option| {
            let next = |args: &mut std::iter::Peekable<_>| match option.takes {
                Takes::Nothing => None,
                Takes::Value => args.next(),
                Takes::PerhapsValue => args.next_if(|next: &OsString| !is_option(next)),
            };
            Given { option, value: behind.or_else(|| next(&mut args)) }
        });
        pieces.push(Piece { word, given });
    }
    pieces
}

/// The name of an option, and what stands behind `=`.
fn split(arg: &OsStr) -> (String, Option<OsString>) {
    let bytes = arg.as_bytes();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match bytes.iter().position(|byte| *byte == b'=').and_then(|at| bytes.split_at_checked(at)) {
        Some((name, behind)) => (text(name), Some(OsStr::from_bytes(behind.get(1..).unwrap_or_default()).to_owned())),
        None => (text(bytes), None),
    }
}

/// True for a word that is an option; `-1` is a value.
fn is_option(word: &OsStr) -> bool {
    options::find(&split(word).0).is_some()
}

/// What kind of line it is; decides which options belong and how a word that does not is told.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Mode {
    /// `--help-query-*`: prints, whatever else is there.
    Words,
    /// A command that stands alone.
    Alone(Id),
    /// `--query-*`.
    Query,
    /// `-q`.
    Report,
    /// A change of the device.
    Setting,
    /// `--dtd`.
    Dtd,
    /// The first screen.
    Summary,
}

impl Mode {
    fn of(given: &[Given]) -> Mode {
        let any = |test: fn(Id) -> bool| given.iter().any(|given| test(given.option.id));
        if any(|id| matches!(id, Id::HelpQuery(_))) {
            return Mode::Words;
        }
        let alone = [Id::Help, Id::Version, Id::List, Id::ListExcluded];
        if let Some(id) = alone.into_iter().find(|id| has(given, *id)) {
            return Mode::Alone(id);
        }
        if has(given, Id::Dtd) && !has(given, Id::Report) {
            return Mode::Dtd;
        }
        if any(|id| matches!(id, Id::Query(_))) {
            return Mode::Query;
        }
        let others = [(Id::Report, Mode::Report), (Id::Setting, Mode::Setting)];
        others.into_iter().find(|(id, _)| has(given, *id)).map_or(Mode::Summary, |(_, mode)| mode)
    }

    /// True when an option belongs to such a line.
    fn takes(self, id: Id) -> bool {
        let watching = matches!(id, Id::Devices | Id::File | Id::Loop | Id::LoopMs);
        id.is_added()
            || match self {
                Mode::Words => true,
                Mode::Alone(own) => id == own,
                Mode::Query => watching || matches!(id, Id::Query(_) | Id::Format),
                Mode::Report => watching || matches!(id, Id::Report | Id::Xml | Id::Unit | Id::Dtd | Id::Display),
                Mode::Setting => matches!(id, Id::Setting | Id::Devices | Id::ErrorOnWarning),
                Mode::Dtd => matches!(id, Id::Dtd | Id::File | Id::Unit),
                // The last three are looked at here only to be told that they need -q.
                Mode::Summary => watching || matches!(id, Id::Columns | Id::Debug | Id::Xml | Id::Display | Id::Unit),
            }
    }

    fn loops(self) -> bool {
        self.takes(Id::Loop) && self != Mode::Words
    }

    fn stranger(self, word: &str) -> Refusal {
        match self {
            Mode::Alone(_) => refusals::not_valid(word),
            Mode::Query => refusals::unknown_in_query(word, Exit::BAD_ARGUMENT),
            Mode::Dtd => refusals::unknown_in_query(word, Exit::OTHER),
            _ => refusals::unknown(word),
        }
    }
}

/// Refuses what does not belong to such a line.
fn belongs(pieces: &[Piece], mode: Mode) -> Result<(), Refusal> {
    let belongs = |piece: &&Piece| piece.id().is_some_and(|id| mode.takes(id));
    let times = |id| pieces.iter().filter(|piece| piece.id() == Some(id)).count();
    if let Mode::Alone(own) = mode {
        if let Some(piece) = pieces.iter().find(|piece| !belongs(piece)) {
            return Err(mode.stranger(&piece.word));
        }
        return if times(own) > 1 { Err(fixed(refusals::TWO_COMMANDS)) } else { Ok(()) };
    }
    if let Some(piece) = pieces.iter().find(|piece| piece.lacks_value()) {
        return Err(refusals::missing_value(&piece.word));
    }
    // Two -i make the real program believe that the device is to be changed.
    if times(Id::Devices) > 1 {
        let other = pieces.iter().find(|piece| piece.id() != Some(Id::Devices));
        return Err(
            other.map_or_else(refusals::no_modification, |piece| refusals::unknown_in_query(&piece.word, Exit::OTHER))
        );
    }
    match pieces.iter().find(|piece| !belongs(piece)) {
        Some(piece) => Err(mode.stranger(&piece.word)),
        None => Ok(()),
    }
}

/// Refuses options that belong to the line but not beside each other.
fn combines(given: &[Given]) -> Result<(), Refusal> {
    let mut queries = given.iter().map(|given| given.option.id).filter(|id| matches!(id, Id::Query(_)));
    let first = queries.next();
    if queries.any(|id| Some(id) != first) {
        return Err(fixed(refusals::TWO_QUERIES));
    }
    let report = has(given, Id::Report);
    if has(given, Id::Xml) && !report {
        return Err(fixed(refusals::XML_ALONE));
    }
    if has(given, Id::Display) && !report {
        return Err(fixed(refusals::SECTIONS_ALONE));
    }
    if has(given, Id::Unit) && !report {
        return Err(fixed(refusals::UNIT_ALONE));
    }
    if has(given, Id::Xml) && has(given, Id::Display) {
        return Err(fixed(refusals::XML_SECTIONS));
    }
    if has(given, Id::Unit) && has(given, Id::Display) {
        return Err(fixed(refusals::UNIT_SECTIONS));
    }
    match text(given, Id::Display) {
        Some(list) if report && options::unknown_section(&list).is_some() => Err(fixed(refusals::UNKNOWN_SECTION)),
        _ => Ok(()),
    }
}

/// The time between two rounds: the value that stands last, in seconds if `-l` is anywhere. A value that
/// is no whole number counts as none; a plain zero is kept, and refused once everything else is right.
fn every(given: &[Given]) -> Option<Duration> {
    let is_loop = |given: &&Given| matches!(given.option.id, Id::Loop | Id::LoopMs);
    let last = given.iter().rev().find(is_loop)?;
    let number = last.value.as_deref().and_then(OsStr::to_str).and_then(|text| text.trim().parse::<u32>().ok());
    Some(match (number, has(given, Id::Loop)) {
        (None, true) => DEFAULT_LOOP,
        (None, false) => DEFAULT_LOOP_MS,
        (Some(number), true) => Duration::from_secs(number.into()),
        (Some(number), false) => Duration::from_millis(number.into()),
    })
}

/// The time between two rounds of `-l` when none is given.
pub(super) const DEFAULT_LOOP: Duration = Duration::from_secs(5);
/// The same of `-lms`.
pub(super) const DEFAULT_LOOP_MS: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests;
