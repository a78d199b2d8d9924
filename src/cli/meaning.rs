//! What was typed, made into a plan: fields and formats are looked up, defaults filled in, and the
//! environment and the terminal asked, here and nowhere else.

use super::plan::{Command, ListFields, Output, Plan, Refusal, Source};
use super::refusals::{self, wrong};
use super::typed::{Kind, Task, Typed};
use super::{Surroundings, choice, help, unbuilt};
use crate::face::Face;
use crate::fields::gpu::{GpuQuery, REGISTRY};
use crate::fields::{self, Field, Registry, UnknownField};
use crate::fields::{accounted_apps, compute_apps, remapped_rows, retired_pages, supported_clocks};
use crate::format::{Format, Style};
use crate::suggest;
use crate::views::gpustat::{self, color::Palette};
use crate::views::query::Asked;
use crate::views::report::Section;
use crate::views::summary;
use std::path::PathBuf;
use std::time::Duration;

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
    let table = matches!(&command, Command::QueryGpu { style, .. } | Command::QueryList { style, .. } if style.format == Format::Table);
    let timeout = timeout(face, &typed, surroundings)?;
    let terminal = to_terminal(&typed, surroundings);
    let redraws = table || is_screen(&command);
    let in_place = face != Face::NvidiaSmi && terminal && redraws && typed.every.is_some();
    let output = Output { file: typed.file, every: typed.every, terminal, in_place };
    Ok(Plan {
        face,
        source,
        devices: typed.devices,
        output,
        terminal: surroundings.stdout_is_terminal,
        errors: surroundings.stderr_is_terminal,
        width: surroundings.width,
        timeout,
        orders: surroundings.orders.clone(),
        command,
    })
}

/// True when somebody looks at the output as it comes.
fn to_terminal(typed: &Typed, surroundings: &Surroundings) -> bool {
    surroundings.stdout_is_terminal && typed.file.is_none()
}

/// How long a round may take: the switch, then the variable, then a generous limit for somebody who looks at
/// a terminal; a script that set none waits for as long as the driver takes. 0 is no limit.
fn timeout(face: Face, typed: &Typed, surroundings: &Surroundings) -> Result<Option<Duration>, Refusal> {
    const ON_A_TERMINAL: Duration = Duration::from_secs(30);
    let variable = || surroundings.set("RSMI_TIMEOUT").map(|value| value.to_string_lossy().into_owned());
    let Some(text) = typed.timeout.clone().or_else(variable) else {
        return Ok(surroundings.stdout_is_terminal.then_some(ON_A_TERMINAL));
    };
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match seconds {
        Some(limit) => Ok(Some(limit).filter(|limit| !limit.is_zero())),
        None => Err(wrong(face, format!("`--timeout` takes a number of seconds, not `{text}`; 0 is no limit"))),
    }
}

fn loop_of_zero() -> Refusal {
    refusals::fixed(refusals::LOOP_OF_ZERO)
}

/// What nvidia-smi says of a list of devices that it cannot read; a name that nothing answers to is no
/// such case.
fn check_devices(list: &str) -> Result<(), Refusal> {
    if list.split(',').all(str::is_empty) { Err(refusals::empty_devices()) } else { Ok(()) }
}

/// What to do.
fn command(face: Face, typed: &Typed, color: bool, surroundings: &Surroundings) -> Result<Command, Refusal> {
    if let Some(file) = &typed.record {
        if typed.file.is_some() {
            return Err(wrong(face, "`--record` and `--filename` cannot be used together".to_owned()));
        }
        return match typed.task {
            Task::Summary | Task::Gpustat(_) => Ok(Command::Record { file: file.clone(), anonymize: typed.anonymize }),
            _ => Err(wrong(face, "`--record` cannot be used with another command".to_owned())),
        };
    }
    if typed.anonymize {
        return Err(wrong(face, "`--anonymize` needs `--record`, as in `--record=FILE --anonymize`".to_owned()));
    }
    let command = match &typed.task {
        Task::Help => Command::Print(help::usage(face)),
        Task::HelpQuery(kind) => Command::Print(help_query(*kind)),
        Task::Version if face == Face::Gpustat => Command::Print(GPUSTAT_VERSION.to_owned()),
        Task::Version => Command::Version,
        Task::Gpustat(flags) => Command::Gpustat(gpustat(flags, typed, surroundings)),
        Task::List => Command::List,
        Task::ListExcluded => Command::ListExcluded,
        Task::Query(kind, list) => query(face, *kind, list, typed, color, surroundings)?,
        Task::Summary if face == Face::Rsmi => summary(face, typed, color, surroundings)?,
        Task::Summary => Command::Table,
        Task::Report { xml: false } if !typed.unit => match typed.sections.as_deref().and_then(sections) {
            Some(sections) => Command::Report(sections),
            None => Command::Unbuilt(unbuilt::name(&typed.task)),
        },
        other => Command::Unbuilt(unbuilt::name(other)),
    };
    refuse_idle_options(face, typed, &command)?;
    Ok(command)
}

/// What `gpustat --version` prints: callers look for the version of gpustat that they can expect.
const GPUSTAT_VERSION: &str = "gpustat 1.1.1\n";

/// The flags of gpustat, and what they are shown on. `--color` beats everything, then `NO_COLOR`; otherwise
/// there are colors on a terminal that can.
fn gpustat(flags: &gpustat::Flags, typed: &Typed, surroundings: &Surroundings) -> gpustat::Options {
    let name = surroundings.set("TERM").map(|name| name.to_string_lossy().into_owned());
    let quiet = surroundings.set("NO_COLOR").is_some();
    let terminal = to_terminal(typed, surroundings);
    let palette = match flags.color {
        Some(true) => Palette::forced(name.as_deref()),
        None if terminal && !quiet => Palette::of_terminal(name.as_deref()),
        _ => Palette::NONE,
    };
    let red = surroundings.stderr_is_terminal && !quiet && Palette::of_terminal(name.as_deref()).has_colors();
    gpustat::Options { flags: flags.clone(), palette, clean: terminal, watched: surroundings.stderr_is_terminal, red }
}

/// The sections of a list, unless one of them is not built yet.
fn sections(list: &str) -> Option<Vec<Section>> {
    list.split(',').filter(|name| !name.is_empty()).map(Section::named).collect()
}

/// What prints once has no loop and no format. nvidia-smi's parser has refused both by now.
fn refuse_idle_options(face: Face, typed: &Typed, command: &Command) -> Result<(), Refusal> {
    let chooses = [("--where", typed.condition.is_some()), ("--sort", typed.sort.is_some())];
    if let Some((option, _)) = chooses.into_iter().find(|(_, given)| *given)
        && !matches!(command, Command::QueryGpu { .. } | Command::QueryList { .. } | Command::Summary(_))
    {
        return Err(wrong(face, format!("`{option}` goes with a query or rsmi's own first screen only")));
    }
    let given = [("--loop", typed.every.is_some()), ("--format", typed.format.is_some())];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) if face == Face::Rsmi && !repeats(command) => {
            Err(wrong(face, format!("`{option}` goes with a query or the default table only")))
        }
        _ => Ok(()),
    }
}

fn repeats(command: &Command) -> bool {
    matches!(
        command,
        Command::Summary(_)
            | Command::QueryGpu { .. }
            | Command::QueryList { .. }
            | Command::Table
            | Command::Report(_)
            | Command::Unbuilt(_)
    )
}

/// A query with its fields and its format, of which the fields are looked at first.
fn query(
    face: Face,
    kind: Kind,
    list: &str,
    typed: &Typed,
    color: bool,
    surroundings: &Surroundings,
) -> Result<Command, Refusal> {
    let fields = match kind {
        Kind::Gpu => {
            let asked = asked(face, &REGISTRY, list, typed)?;
            return Ok(Command::QueryGpu { asked, style: query_style(face, typed, color, surroundings)? });
        }
        Kind::ComputeApps => ListFields::ComputeApps(asked(face, &compute_apps::REGISTRY, list, typed)?),
        Kind::AccountedApps => ListFields::AccountedApps(asked(face, &accounted_apps::REGISTRY, list, typed)?),
        Kind::SupportedClocks => ListFields::SupportedClocks(asked(face, &supported_clocks::REGISTRY, list, typed)?),
        Kind::RetiredPages => ListFields::RetiredPages(asked(face, &retired_pages::REGISTRY, list, typed)?),
        Kind::RemappedRows => ListFields::RemappedRows(asked(face, &remapped_rows::REGISTRY, list, typed)?),
    };
    Ok(Command::QueryList { fields, style: query_style(face, typed, color, surroundings)? })
}

/// What a query asks for.
fn asked<Q: fields::Query>(
    face: Face,
    registry: &'static Registry<Q>,
    list: &str,
    typed: &Typed,
) -> Result<Asked<Q>, Refusal> {
    Ok(Asked { fields: parse(face, registry, list)?, choice: choice::of_query(face, typed, registry)? })
}

/// The columns of the summary's screen in a pipe, where nothing tells how many there are.
const IN_A_PIPE: u16 = 120;

/// rsmi's own first screen; in CSV a line a GPU, which is a query.
fn summary(face: Face, typed: &Typed, color: bool, surroundings: &Surroundings) -> Result<Command, Refusal> {
    let mut style = query_style(face, typed, color, surroundings)?;
    if style.format == Format::Csv {
        let asked = Asked { fields: default_fields(), choice: choice::of_query(face, typed, &REGISTRY)? };
        return Ok(Command::QueryGpu { asked, style });
    }
    let variable = || surroundings.set("COLUMNS")?.to_str()?.parse().ok();
    style.width = style.width.or_else(variable).or(Some(IN_A_PIPE));
    let choice::Summary { gpus, processes } = choice::of_summary(face, typed)?;
    let looped = typed.every.is_some();
    let in_place = looped && style.clean && style.format == Format::Table;
    Ok(Command::Summary(Box::new(summary::Options { style, looped, in_place, gpus, processes })))
}

/// True for a screen that a loop draws over the one before.
fn is_screen(command: &Command) -> bool {
    match command {
        Command::Summary(options) => options.in_place,
        command => matches!(command, Command::Gpustat(_)),
    }
}

/// What `--help-query-*` prints.
fn help_query(kind: Kind) -> String {
    match kind {
        Kind::Gpu => help::fields(&REGISTRY),
        Kind::ComputeApps => help::fields(&compute_apps::REGISTRY),
        Kind::AccountedApps => help::fields(&accounted_apps::REGISTRY),
        Kind::SupportedClocks => help::fields(&supported_clocks::REGISTRY),
        Kind::RetiredPages => help::fields(&retired_pages::REGISTRY),
        Kind::RemappedRows => help::fields(&remapped_rows::REGISTRY),
    }
}

/// How the records of a query are written.
fn query_style(face: Face, typed: &Typed, color: bool, surroundings: &Surroundings) -> Result<Style, Refusal> {
    let mut style = style(face, typed.format.as_deref().unwrap_or_default())?;
    style.color = color && style.format == Format::Table;
    // Another process has written the header by now.
    let continued = surroundings.orders.as_ref().is_some_and(|orders| orders.continued);
    style.header &= !(continued && style.format == Format::Csv);
    style.clean = to_terminal(typed, surroundings);
    style.width = surroundings.width.filter(|_| style.clean);
    Ok(style)
}

/// Looks the fields of a list up.
fn parse<Q: fields::Query>(face: Face, registry: &Registry<Q>, list: &str) -> Result<Vec<&'static Field<Q>>, Refusal> {
    registry.parse(list).map_err(|UnknownField(name)| match face {
        Face::NvidiaSmi => refusals::fixed(&format!("Field \"{name}\" is not a valid field to query.\n\n")),
        Face::Rsmi | Face::Gpustat => {
            let hint = suggest::hint(&name, registry.names());
            let rest = format!("; `rsmi --help-{}` lists them", registry.switch);
            wrong(face, format!("unknown field `{name}`{hint}{}", if hint.is_empty() { &rest } else { "" }))
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
        Face::Rsmi | Face::Gpustat => wrong(face, suggest::none_of("format", word, FORMATS)),
    }
}

fn two_formats(face: Face, one: &str, other: &str) -> Refusal {
    match face {
        // To the real program the second one is a word that it does not know.
        Face::NvidiaSmi => refusals::fixed(refusals::UNKNOWN_MODIFIER),
        Face::Rsmi | Face::Gpustat => wrong(face, format!("formats `{one}` and `{other}` cannot be used together")),
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
