//! rsmi's own parser: clap reads the grammar of nvidia-smi, and whatever is wrong is told in one line that
//! names the culprit, the form that is accepted and, where one is near, what was probably meant.
//!
//! clap knows no long options behind one dash, so nvidia-smi's own spellings (`-lms`, `-pm`, `-i=0`) are
//! turned into the long ones first.

use super::nvidia::{DEFAULT_LOOP, DEFAULT_LOOP_MS};
use super::options::{self, Id, OPTIONS, Opt, Takes, WORDS};
use super::plan::Refusal;
use super::refusals;
use super::typed::{Given, Typed, has};
use crate::face::Face;
use crate::suggest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// Reads a command line; without the program's name.
///
/// # Errors
/// rsmi's words for a wrong one.
pub(super) fn parse(args: Vec<OsString>) -> Result<Typed, Refusal> {
    if let Some(word) = WORDS.iter().find(|word| args.first().is_some_and(|first| first == **word)) {
        return Ok(Typed::word(word));
    }
    let matches = grammar().try_get_matches_from(args.iter().map(|arg| long(arg)));
    let given = given(&matches.map_err(|error| wrong(explain(&error)))?);
    combines(&given)?;
    Ok(Typed::gather(&given, every(&given)?))
}

fn wrong(text: String) -> Refusal {
    refusals::wrong(Face::Rsmi, text)
}

/// A word with nvidia-smi's short spelling replaced by the long one.
fn long(arg: &OsStr) -> OsString {
    let bytes = arg.as_bytes();
    let end = bytes.iter().position(|byte| *byte == b'=').unwrap_or(bytes.len());
    let Some((name, behind)) = bytes.split_at_checked(end) else { return arg.to_owned() };
    match OPTIONS.iter().find(|option| !name.is_empty() && option.short.as_bytes() == name) {
        Some(option) => OsString::from_iter([OsStr::new(option.long), OsStr::from_bytes(behind)]),
        None => arg.to_owned(),
    }
}

/// The grammar, made from the table of options.
fn grammar() -> clap::Command {
    clap::Command::new("rsmi")
        .no_binary_name(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(OPTIONS.iter().map(argument))
}

fn argument(option: &'static Opt) -> Arg {
    let arg = Arg::new(option.long).long(option.long.trim_start_matches('-'));
    if option.takes == Takes::Nothing {
        return arg.action(ArgAction::Count);
    }
    let values = if option.takes == Takes::Value { 1..=1 } else { 0..=1 };
    // `--sort -memory.free` is a value that begins with a dash.
    let arg = arg.allow_hyphen_values(option.id == Id::Sort);
    // Appended, not overridden: -i can stand more than once, and of the others the last one counts.
    arg.action(ArgAction::Append).num_args(values).allow_negative_numbers(true).value_parser(value_parser!(OsString))
}

/// The options that clap found, in the order of the table.
fn given(matches: &ArgMatches) -> Vec<Given> {
    OPTIONS.iter().flat_map(|option| occurrences(matches, option)).collect()
}

fn occurrences(matches: &ArgMatches, option: &'static Opt) -> Vec<Given> {
    if option.takes == Takes::Nothing {
        let times = matches.get_count(option.long).into();
        return (0..times).map(|_: usize| Given { option, value: None }).collect();
    }
    let found = matches.get_occurrences::<OsString>(option.long).into_iter().flatten();
    let values: Vec<Option<OsString>> = found.map(|mut values| values.next().cloned()).collect();
    if option.id == Id::Devices && values.len() > 1 {
        let ids: Vec<OsString> = values.into_iter().flatten().collect();
        return vec![Given { option, value: Some(ids.join(OsStr::new(","))) }];
    }
    values.into_iter().map(|value| Given { option, value }).collect()
}

/// Puts clap's complaint into one line.
fn explain(error: &clap::Error) -> String {
    let culprit = context(error, ContextKind::InvalidArg);
    let option = culprit.split([' ', '=', '[']).next().unwrap_or_default().trim_end_matches('.');
    match error.kind() {
        ErrorKind::UnknownArgument if culprit.starts_with('-') => unknown_option(&culprit),
        ErrorKind::UnknownArgument => unknown_word(&culprit),
        ErrorKind::InvalidValue | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("option `{option}` needs a value, {}", form(option))
        }
        ErrorKind::TooManyValues => {
            let value = context(error, ContextKind::InvalidValue);
            format!("option `{option}` takes no value, but got `{value}`")
        }
        // Nothing else can come of this grammar; clap's own first line serves if it does.
        _ => error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    }
}

/// A near match where there is one, else where to look.
fn advice(word: &str, names: impl Iterator<Item = &'static str>) -> String {
    match suggest::nearest(word, names) {
        Some(name) => format!(", did you mean `{name}`?"),
        None => "; see `rsmi --help`".to_owned(),
    }
}

fn unknown_option(word: &str) -> String {
    let name = word.split('=').next().unwrap_or_default();
    let spellings = OPTIONS.iter().flat_map(|option| [option.short, option.long]).filter(|name| name.len() > 2);
    format!("unknown option `{name}`{}", advice(name, spellings))
}

fn unknown_word(word: &str) -> String {
    if WORDS.contains(&word) {
        return format!("command `{word}` must come first, as in `rsmi {word}`");
    }
    format!("unknown command `{word}`{}", advice(word, WORDS.iter().copied()))
}

/// The form in which an option's value is accepted.
fn form(option: &str) -> String {
    let value = match options::find(option).map(|option| option.id) {
        Some(Id::Query(_)) => "index,name",
        Some(Id::Format) => "csv,noheader",
        Some(Id::Devices) => "0",
        Some(Id::Display) => "MEMORY,POWER",
        Some(Id::Color) => "never",
        Some(Id::Timeout) => "10",
        Some(Id::Sort) => "-memory.free",
        Some(Id::Where) => "'memory.used < 1GiB'",
        Some(Id::File | Id::Record | Id::Replay | Id::Nvml | Id::Debug) => "FILE",
        _ => "VALUE",
    };
    format!("as in `{option}={value}`")
}

/// Refuses options that do not go together.
fn combines(given: &[Given]) -> Result<(), Refusal> {
    // Who asks for help gets it, whatever else was typed.
    if given.iter().any(|given| matches!(given.option.id, Id::Help | Id::HelpQuery(_))) {
        return Ok(());
    }
    let commands: Vec<&Opt> = given.iter().map(|given| given.option).filter(|option| is_command(option.id)).collect();
    if let [first, rest @ ..] = commands.as_slice()
        && let Some(other) = rest.iter().find(|other| other.id != first.id)
    {
        return Err(wrong(format!("`{}` and `{}` cannot be used together", first.long, other.long)));
    }
    let needs = [(Id::Xml, "--xml-format"), (Id::Display, "--display"), (Id::Unit, "--unit")];
    if let Some((_, name)) = needs.into_iter().find(|(id, _)| has(given, *id) && !has(given, Id::Report)) {
        return Err(wrong(format!("`{name}` needs `--query`")));
    }
    if has(given, Id::Xml) && has(given, Id::Display) {
        return Err(wrong("`--display` and `--xml-format` cannot be used together".to_owned()));
    }
    if let Some(list) = super::typed::text(given, Id::Display)
        && let Some(name) = options::unknown_section(&list)
    {
        return Err(wrong(suggest::none_of("section", name, options::SECTIONS)));
    }
    Ok(())
}

/// True for an option that says what to do, of which a line has one.
fn is_command(id: Id) -> bool {
    use Id::{Columns, Debug, List, ListExcluded, Query, Record, Report, Setting, Version};
    matches!(id, Columns | Debug | List | ListExcluded | Query(_) | Record | Report | Setting | Version)
}

/// The time between two rounds.
fn every(given: &[Given]) -> Result<Option<Duration>, Refusal> {
    if has(given, Id::Loop) && has(given, Id::LoopMs) {
        return Err(wrong("`--loop` and `--loop-ms` cannot be used together".to_owned()));
    }
    let Some(last) = given.iter().rev().find(|given| matches!(given.option.id, Id::Loop | Id::LoopMs)) else {
        return Ok(None);
    };
    let default = if last.option.id == Id::Loop { DEFAULT_LOOP } else { DEFAULT_LOOP_MS };
    let Some(value) = &last.value else { return Ok(Some(default)) };
    let text = value.to_string_lossy();
    let (unit, name) = if last.option.id == Id::Loop { (1.0, "seconds") } else { (1e-3, "milliseconds") };
    let time = text.parse::<f64>().ok().and_then(|number| Duration::try_from_secs_f64(number * unit).ok());
    match time.filter(|time| *time >= Duration::from_millis(1)) {
        Some(time) => Ok(Some(time)),
        None => Err(wrong(format!("`{}` takes a number of {name} greater than 0, not `{text}`", last.option.long))),
    }
}

fn context(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(" "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
