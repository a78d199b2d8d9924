//! What was typed: the options as they stand, whatever they mean. Both parsers make one of these.

use super::options::{Id, Opt};
use crate::views::gpustat;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// The queries that take a list of fields.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Gpu,
    SupportedClocks,
    ComputeApps,
    AccountedApps,
    RetiredPages,
    RemappedRows,
}

/// One option that was typed.
#[derive(Clone)]
pub(super) struct Given {
    pub(super) option: &'static Opt,
    pub(super) value: Option<OsString>,
}

/// What a command line asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Task {
    /// Nothing in particular: the first screen.
    Summary,
    /// `-col`.
    Columns,
    Help,
    HelpQuery(Kind),
    Version,
    List,
    ListExcluded,
    /// `--query-KIND=fields`.
    Query(Kind, String),
    /// The gpustat line.
    Gpustat(gpustat::Flags),
    /// `-q`.
    Report {
        xml: bool,
    },
    /// `--dtd` alone.
    Dtd,
    /// An option that changes the device, by its long spelling.
    Setting(&'static str),
    /// `--debug`.
    Debug,
    /// A command that is a word.
    Word(&'static str),
}

/// A command line, read.
#[derive(Debug)]
pub(super) struct Typed {
    pub(super) task: Task,
    pub(super) devices: Option<String>,
    pub(super) file: Option<PathBuf>,
    pub(super) every: Option<Duration>,
    /// The sections that `-d` names.
    pub(super) sections: Option<String>,
    /// `-u`.
    pub(super) unit: bool,
    pub(super) format: Option<String>,
    pub(super) replay: Option<PathBuf>,
    pub(super) record: Option<PathBuf>,
    pub(super) nvml: Option<PathBuf>,
    pub(super) demo: bool,
    pub(super) anonymize: bool,
    pub(super) color: Option<String>,
    pub(super) timeout: Option<String>,
    /// `--sort` and `--where`.
    pub(super) sort: Option<String>,
    pub(super) condition: Option<String>,
}

impl Typed {
    /// Gathers what was given; of an option that stands twice the last one counts.
    pub(super) fn gather(given: &[Given], every: Option<Duration>) -> Typed {
        Typed {
            task: task(given),
            devices: text(given, Id::Devices),
            file: path(given, Id::File),
            every,
            sections: text(given, Id::Display),
            unit: has(given, Id::Unit),
            format: text(given, Id::Format),
            replay: path(given, Id::Replay),
            record: path(given, Id::Record),
            nvml: path(given, Id::Nvml),
            demo: has(given, Id::Demo),
            anonymize: has(given, Id::Anonymize),
            color: text(given, Id::Color),
            timeout: text(given, Id::Timeout),
            sort: text(given, Id::Sort),
            condition: text(given, Id::Where),
        }
    }

    /// The line that is one of the commands that are a word. Its own options are not read yet.
    pub(super) fn word(word: &'static str) -> Typed {
        Typed { task: Task::Word(word), ..Typed::gather(&[], None) }
    }
}

/// What the options ask for when they ask for more than one thing: help first, then what lists, then
/// queries. The order is nvidia-smi's as far as it shows: `-h -L` and `-L -q` complain of the second.
fn task(given: &[Given]) -> Task {
    let flags = [
        (Id::Help, Task::Help),
        (Id::Version, Task::Version),
        (Id::List, Task::List),
        (Id::ListExcluded, Task::ListExcluded),
    ];
    if let Some(kind) = given.iter().find_map(|given| match given.option.id {
        Id::HelpQuery(kind) => Some(kind),
        _ => None,
    }) {
        return Task::HelpQuery(kind);
    }
    if let Some((_, task)) = flags.into_iter().find(|(id, _)| has(given, *id)) {
        return task;
    }
    if let Some((kind, fields)) = given.iter().rev().find_map(query) {
        return Task::Query(kind, fields);
    }
    if has(given, Id::Report) {
        return Task::Report { xml: has(given, Id::Xml) };
    }
    rest(given)
}

/// What is left when nothing is printed, listed or queried.
fn rest(given: &[Given]) -> Task {
    if let Some(setting) = given.iter().find(|given| given.option.id == Id::Setting) {
        return Task::Setting(setting.option.long);
    }
    let flags = [(Id::Columns, Task::Columns), (Id::Dtd, Task::Dtd), (Id::Debug, Task::Debug)];
    flags.into_iter().find(|(id, _)| has(given, *id)).map_or(Task::Summary, |(_, task)| task)
}

fn query(given: &Given) -> Option<(Kind, String)> {
    match given.option.id {
        Id::Query(kind) => Some((kind, lossy(given.value.as_deref()))),
        _ => None,
    }
}

/// True when an option was given.
pub(super) fn has(given: &[Given], id: Id) -> bool {
    given.iter().any(|given| given.option.id == id)
}

/// The value of an option that was given last.
pub(super) fn value(given: &[Given], id: Id) -> Option<&OsStr> {
    given.iter().rev().find(|given| given.option.id == id)?.value.as_deref()
}

fn path(given: &[Given], id: Id) -> Option<PathBuf> {
    value(given, id).map(PathBuf::from)
}

/// The value as text.
pub(super) fn text(given: &[Given], id: Id) -> Option<String> {
    value(given, id).map(|value| lossy(Some(value)))
}

fn lossy(value: Option<&OsStr>) -> String {
    value.unwrap_or_default().to_string_lossy().into_owned()
}
