//! What was typed, made into a plan: fields and formats are looked up, defaults filled in, and the
//! environment and the terminal asked, here and nowhere else.

use super::plan::{Command, Face, Format, Output, Plan, Refusal, Source, Style};
use super::refusals::{self, wrong};
use super::typed::{Kind, Task, Typed};
use super::{Surroundings, help, suggest, unbuilt};
use crate::fields::gpu::{GpuQuery, REGISTRY};
use crate::fields::{Field, UnknownField};
use crate::gpu::select::BusId;
use crate::views::report::Section;
use std::path::PathBuf;

/// The fields that rsmi shows when nothing is asked for: what a person looks for whose job ran out of memory.
const DEFAULT_FIELDS: &[&str] = &[
    "index",
    "name",
    "memory.used",
    "memory.free",
    "memory.total",
    "utilization.gpu",
    "temperature.gpu",
    "power.draw",
    "power.limit",
];

/// The words that `--format` accepts.
const FORMATS: &[&str] = &["table", "csv", "json", "noheader", "nounits"];

/// Makes a plan of a command line.
///
/// # Errors
/// What to say when a value in it means nothing.
pub(super) fn plan(face: Face, typed: Typed, surroundings: &Surroundings) -> Result<Plan, Refusal> {
    let source = source(face, &typed, surroundings)?;
    let color = color(face, &typed, surroundings)?;
    // Of a query nvidia-smi looks at fields and format before it looks at the loop; of what is not built
    // yet nothing but the loop can be looked at.
    let zero = || if typed.every.is_some_and(|every| every.is_zero()) { Err(loop_of_zero()) } else { Ok(()) };
    if !matches!(typed.task, Task::Query(..)) {
        zero()?;
    }
    let command = command(face, &typed, color, surroundings)?;
    zero()?;
    if face == Face::NvidiaSmi {
        typed.devices.as_deref().map_or(Ok(()), check_devices)?;
    }
    let table = matches!(&command, Command::QueryGpu { style, .. } if style.format == Format::Table);
    let terminal = to_terminal(&typed, surroundings);
    let in_place = face == Face::Rsmi && terminal && table && typed.every.is_some();
    let output = Output { file: typed.file, every: typed.every, terminal, in_place };
    Ok(Plan { face, source, devices: typed.devices, output, command })
}

/// True when somebody looks at the output as it comes.
fn to_terminal(typed: &Typed, surroundings: &Surroundings) -> bool {
    surroundings.stdout_is_terminal && typed.file.is_none()
}

fn loop_of_zero() -> Refusal {
    refusals::fixed(refusals::LOOP_OF_ZERO)
}

/// What nvidia-smi says of a list of devices that it cannot read; a name that nothing answers to is no
/// such case.
fn check_devices(list: &str) -> Result<(), Refusal> {
    if list.split(',').all(str::is_empty) {
        return Err(refusals::empty_devices());
    }
    let short = |name: &str| BusId::parse(name).filter(|_| !name.contains('.'));
    list.split(',').find_map(short).map_or(Ok(()), |bus_id| Err(refusals::short_bus_id(bus_id)))
}

/// What to do.
fn command(face: Face, typed: &Typed, color: bool, surroundings: &Surroundings) -> Result<Command, Refusal> {
    if let Some(file) = &typed.record {
        if typed.file.is_some() {
            return Err(wrong(face, "`--record` and `--filename` cannot be used together".to_owned()));
        }
        return match typed.task {
            Task::Summary => Ok(Command::Record { file: file.clone(), anonymize: typed.anonymize }),
            _ => Err(wrong(face, "`--record` cannot be used with another command".to_owned())),
        };
    }
    if typed.anonymize {
        return Err(wrong(face, "`--anonymize` needs `--record`, as in `--record=FILE --anonymize`".to_owned()));
    }
    let command = match &typed.task {
        Task::Help => Command::Print(help::usage(face)),
        Task::HelpQuery(Kind::Gpu) => Command::Print(help::fields(&REGISTRY)),
        Task::Version => Command::Version,
        Task::List => Command::List,
        Task::ListExcluded => Command::ListExcluded,
        Task::Query(Kind::Gpu, list) => query(face, parse(face, list)?, typed, color, surroundings)?,
        Task::Summary if face == Face::Rsmi => query(face, default_fields(), typed, color, surroundings)?,
        Task::Report { xml: false } if !typed.unit => match typed.sections.as_deref().and_then(sections) {
            Some(sections) => Command::Report(sections),
            None => Command::Unbuilt(unbuilt::name(&typed.task)),
        },
        other => Command::Unbuilt(unbuilt::name(other)),
    };
    refuse_idle_options(face, typed, &command)?;
    Ok(command)
}

/// The sections of a list, unless one of them is not built yet.
fn sections(list: &str) -> Option<Vec<Section>> {
    list.split(',').filter(|name| !name.is_empty()).map(Section::named).collect()
}

/// What prints once has no loop and no format. nvidia-smi's parser has refused both by now.
fn refuse_idle_options(face: Face, typed: &Typed, command: &Command) -> Result<(), Refusal> {
    let given = [("--loop", typed.every.is_some()), ("--format", typed.format.is_some())];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) if face == Face::Rsmi && !repeats(command) => {
            Err(wrong(face, format!("`{option}` goes with a query or the default table only")))
        }
        _ => Ok(()),
    }
}

fn repeats(command: &Command) -> bool {
    matches!(command, Command::QueryGpu { .. } | Command::Report(_) | Command::Unbuilt(_))
}

fn query(
    face: Face,
    fields: Vec<&'static Field<GpuQuery>>,
    typed: &Typed,
    color: bool,
    surroundings: &Surroundings,
) -> Result<Command, Refusal> {
    let mut style = style(face, typed.format.as_deref().unwrap_or_default())?;
    style.color = color && style.format == Format::Table;
    style.clean = to_terminal(typed, surroundings);
    style.width = surroundings.width.filter(|_| style.clean);
    Ok(Command::QueryGpu { fields, style })
}

/// Looks the fields of a list up.
fn parse(face: Face, list: &str) -> Result<Vec<&'static Field<GpuQuery>>, Refusal> {
    REGISTRY.parse(list).map_err(|UnknownField(name)| match face {
        Face::NvidiaSmi => refusals::fixed(&format!("Field \"{name}\" is not a valid field to query.\n\n")),
        Face::Rsmi => {
            let hint = suggest::hint(&name, REGISTRY.names());
            let rest = if hint.is_empty() { "; `rsmi --help-query-gpu` lists them" } else { "" };
            wrong(face, format!("unknown field `{name}`{hint}{rest}"))
        }
    })
}

fn default_fields() -> Vec<&'static Field<GpuQuery>> {
    DEFAULT_FIELDS.iter().filter_map(|name| REGISTRY.find(name)).collect()
}

/// Reads the list of `--format`: at most one format, and modifiers, in any order.
fn style(face: Face, list: &str) -> Result<Style, Refusal> {
    let default = if face == Face::Rsmi { Format::Table } else { Format::Csv };
    let quoted = face == Face::Rsmi;
    let mut style =
        Style { format: default, header: true, units: true, color: false, clean: false, quoted, width: None };
    let mut named = None;
    for word in list.split(',').filter(|word| !word.is_empty()) {
        let format = match word {
            "noheader" => {
                style.header = false;
                continue;
            }
            "nounits" => {
                style.units = false;
                continue;
            }
            "csv" => Format::Csv,
            "json" => Format::Json,
            "table" => Format::Table,
            _ => return Err(unknown_format(face, word)),
        };
        match named.replace((word, format)) {
            Some((other, before)) if before != format => return Err(two_formats(face, other, word)),
            _ => style.format = format,
        }
    }
    Ok(style)
}

fn unknown_format(face: Face, word: &str) -> Refusal {
    match face {
        Face::NvidiaSmi => refusals::fixed(refusals::UNKNOWN_MODIFIER),
        Face::Rsmi => wrong(face, suggest::none_of("format", word, FORMATS)),
    }
}

fn two_formats(face: Face, one: &str, other: &str) -> Refusal {
    match face {
        // To the real program the second one is a word that it does not know.
        Face::NvidiaSmi => refusals::fixed(refusals::UNKNOWN_MODIFIER),
        Face::Rsmi => wrong(face, format!("formats `{one}` and `{other}` cannot be used together")),
    }
}

/// Where answers come from: a switch first, then a variable, else the machine.
fn source(face: Face, typed: &Typed, surroundings: &Surroundings) -> Result<Source, Refusal> {
    let given = [("--replay", typed.replay.is_some()), ("--demo", typed.demo), ("--nvml", typed.nvml.is_some())];
    let mut given = given.into_iter().filter(|(_, given)| *given);
    if let (Some((one, _)), Some((other, _))) = (given.next(), given.next()) {
        return Err(wrong(face, format!("`{one}` and `{other}` cannot be used together")));
    }
    Ok(match typed {
        Typed { replay: Some(file), .. } => Source::Replay(file.clone()),
        Typed { demo: true, .. } => Source::Demo,
        Typed { nvml: Some(file), .. } => Source::Live(Some(file.clone())),
        _ => source_of_variables(surroundings),
    })
}

fn source_of_variables(surroundings: &Surroundings) -> Source {
    let path = |name| surroundings.set(name).map(PathBuf::from);
    match path("RSMI_REPLAY") {
        Some(file) => Source::Replay(file),
        None if surroundings.on("RSMI_DEMO") => Source::Demo,
        None => Source::Live(path("RSMI_NVML")),
    }
}

/// Whether to color: the switch, then `NO_COLOR`, then `CLICOLOR_FORCE`, then a terminal that can. The
/// drop-in colors nothing unasked: what reads it expects nvidia-smi's bytes.
fn color(face: Face, typed: &Typed, surroundings: &Surroundings) -> Result<bool, Refusal> {
    const WHEN: &[&str] = &["auto", "always", "never"];
    match typed.color.as_deref() {
        Some("always") => return Ok(true),
        Some("never") => return Ok(false),
        Some("auto") | None => {}
        Some(other) => return Err(wrong(face, suggest::none_of("color", other, WHEN))),
    }
    if face == Face::NvidiaSmi || surroundings.set("NO_COLOR").is_some() {
        return Ok(false);
    }
    if surroundings.on("CLICOLOR_FORCE") {
        return Ok(true);
    }
    let dumb = surroundings.set("TERM").is_some_and(|term| term == "dumb");
    Ok(!dumb && to_terminal(typed, surroundings))
}

#[cfg(test)]
mod tests;
