//! The gpustat line: one line a GPU with its processes behind it, as gpustat 1.1.1 writes it, once or in a
//! loop. `line` writes it, `json` the same as JSON, `color` has the colors; what is looked up is here.
//!
//! NVML is asked only for what the flags show, all devices side by side. The processor load of the
//! processes is measured over one tenth of a second, once for all of them, and only when it is shown. In a
//! recording no time passes: there it is the share of its life that a process has computed.

pub mod color;
mod json;
mod line;
mod people;

use crate::driver::answers::{Process, Text};
use crate::driver::{Code, OpenError, calls};
use crate::exit::Exit;
use crate::gpu::{self, Gpu, System};
use crate::output::{complain, say};
use color::Palette;
use people::People;
use std::ops::ControlFlow;

/// What the flags ask for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// `--color` or `--no-color`; neither leaves it to the terminal.
    pub color: Option<bool>,
    /// `--id`: indexes in the order of the line, or what to say of a list that is none.
    pub ids: Option<Result<Vec<u32>, String>>,
    /// `-c`: the command of each process.
    pub command: bool,
    /// `-f`: a line for each process with its whole command line.
    pub full_command: bool,
    /// `-u`: the user of each process, beside its command.
    pub user: bool,
    /// `-p`: the number of each process.
    pub pid: bool,
    /// `-F`: the fan.
    pub fan: bool,
    /// `-e enc`: the encoder.
    pub encoder: bool,
    /// `-e dec`: the decoder.
    pub decoder: bool,
    /// `-P`: the power.
    pub power: bool,
    /// `-P limit`: the power limit behind it.
    pub limit: bool,
    /// `--json`.
    pub json: bool,
    /// `--no-header`.
    pub no_header: bool,
    /// `--no-processes`.
    pub no_processes: bool,
    /// `--debug`: what could not be read is told on standard error.
    pub debug: bool,
    /// `--gpuname-width`.
    pub name_width: Option<usize>,
}

/// The flags, and what they are shown on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// What to show.
    pub flags: Flags,
    /// The colors to show it in.
    pub palette: Palette,
    /// Whether text of others goes to a terminal and must not be able to steer it.
    pub clean: bool,
    /// Whether somebody reads standard error: then processes that are left out are told.
    pub watched: bool,
    /// Whether what is said on standard error may be colored.
    pub red: bool,
}

/// What stands in the place of a device that cannot be had; its neighbours are shown all the same.
fn placeholder(code: Code) -> Option<&'static str> {
    match code {
        Code::GPU_IS_LOST => Some("((GPU is lost))"),
        Code::UNKNOWN => Some("((Unknown Error))"),
        Code::NO_ANSWER => Some("((No answer))"),
        _ => None,
    }
}

/// The words for a code of the library that gpustat is built on, which has its own for three of them.
fn words(code: Code) -> &'static str {
    match code {
        Code::RESET_REQUIRED => "GPU requires restart",
        Code::OPERATING_SYSTEM => "The operating system has blocked the request.",
        Code::VERSION_MISMATCH => "RM has detected an NVML/RM version mismatch.",
        code => code.words(),
    }
}

/// Says why nothing can be shown, and with which status to end.
fn fail(options: &Options, reason: &str) -> Exit {
    let reason = if options.red { color::red(reason) } else { reason.to_owned() };
    say(&format!("Error on querying NVIDIA devices. Use --debug flag to see more details.\n{reason}\n"));
    Exit(1)
}

/// Says why there is no driver to ask, and with which status to end.
pub fn no_driver(options: &Options, error: &OpenError) -> Exit {
    match error {
        OpenError::Missing { .. } => fail(options, words(Code::LIBRARY_NOT_FOUND)),
        OpenError::Refused { code, .. } => fail(options, words(*code)),
        OpenError::Recording(error) => {
            complain(&error.to_string());
            Exit::BAD_ARGUMENT
        }
    }
}

/// A device at one tick. What was not asked for, or could not be had, is absent.
struct Row {
    index: u32,
    name: String,
    /// Out of service: the name says how, and nothing else is known.
    lost: Option<Code>,
    uuid: String,
    temperature: Option<i64>,
    fan: Option<u32>,
    load: Option<u32>,
    encoder: Option<u32>,
    decoder: Option<u32>,
    /// Watts.
    draw: Option<u32>,
    /// Watts.
    limit: Option<u32>,
    /// MiB in use, and in all.
    memory: Option<(u64, u64)>,
    /// None where the driver lists none, which is not the same as an empty list.
    processes: Option<Vec<Process>>,
    /// What failed, by the name that `--debug` has for it.
    failed: Vec<(String, Code)>,
}

impl Row {
    fn lost(index: u32, name: &str, code: Code) -> Self {
        Row {
            index,
            name: name.to_owned(),
            lost: Some(code),
            uuid: String::new(),
            temperature: None,
            fan: None,
            load: None,
            encoder: None,
            decoder: None,
            draw: None,
            limit: None,
            memory: None,
            processes: None,
            failed: vec![(format!("GPU {index}"), code)],
        }
    }
}

/// Everything at one tick, looked up and ready to be written.
struct Snapshot<'a> {
    rows: Vec<&'a Row>,
    people: &'a People,
    host: String,
    driver: Option<String>,
    now: crate::host::Moment,
}

/// The view, tick after tick.
pub struct View<'a> {
    system: &'a System<'a>,
    options: Options,
    /// The devices in the order in which they are shown, as places in `gpus`.
    order: Vec<usize>,
    gpus: Vec<Gpu<'a>>,
    /// True until the first tick was shown.
    first: bool,
}

impl<'a> View<'a> {
    /// A view on a machine.
    ///
    /// # Errors
    /// The status to end with where the devices cannot be counted or `--id` names none; it has been said
    /// why by then.
    pub fn new(system: &'a System<'a>, options: Options) -> Result<Self, Exit> {
        let indexes = indexes(system, &options.flags).map_err(|reason| fail(&options, &reason))?;
        let mut gpus: Vec<Gpu> = Vec::new();
        let mut order = Vec::new();
        for index in indexes {
            let place = gpus.iter().position(|gpu| gpu.index() == index).unwrap_or_else(|| {
                gpus.push(system.gpu(index));
                gpus.len() - 1
            });
            order.push(place);
        }
        Ok(View { system, options, order, gpus, first: true })
    }

    /// Looks, and writes what it sees. Breaks off where nothing can be shown any more.
    pub fn tick(&mut self, out: &mut Vec<u8>) -> ControlFlow<Exit, Exit> {
        gpu::tick(self.system, &self.gpus);
        let rows = match self.rows() {
            Ok(rows) => rows,
            Err(code) => return ControlFlow::Break(fail(&self.options, words(code))),
        };
        let flags = &self.options.flags;
        let listed = rows.iter().flat_map(|row| row.processes.iter().flatten()).map(|process| process.pid);
        let load = flags.json || flags.full_command;
        let moving = self.system.driver().recorded_host().is_none();
        let people = People::look_up(self.system.host(), listed, load, moving);
        let driver = (flags.json || flags.debug || !flags.no_header).then(|| self.system.ask(calls::DriverVersion));
        if flags.debug {
            self.debug(&rows, driver.as_ref().and_then(|answer| answer.as_ref().err()).copied());
        }
        // In a loop that redraws a screen a second remark would stand in the middle of it.
        if self.options.watched
            && std::mem::take(&mut self.first)
            && let Some(remark) = people.left_out()
        {
            complain(&remark);
        }
        let snapshot = Snapshot {
            rows: self.order.iter().filter_map(|place| rows.get(*place)).collect(),
            people: &people,
            host: self.system.host().name(),
            driver: driver.and_then(Result::ok).map(|text| text.lossy().into_owned()),
            now: self.system.host().now(),
        };
        let text = if flags.json { json::write(&snapshot) } else { line::write(&snapshot, &self.options) };
        out.extend_from_slice(text.as_bytes());
        // A lost device is no failure to gpustat. One that did not answer in time is something that gpustat
        // does not have: it would still be waiting.
        let silent = rows.iter().any(|row| row.lost == Some(Code::NO_ANSWER));
        ControlFlow::Continue(if silent { Exit::NO_ANSWER } else { Exit::SUCCESS })
    }

    /// A row for each device.
    ///
    /// # Errors
    /// The code of the first device that is neither whole nor known to be out of service: gpustat shows
    /// nothing at all then.
    fn rows(&self) -> Result<Vec<Row>, Code> {
        let options = &self.options;
        let rows = gpu::each(&self.gpus, |gpu| row(gpu, options));
        // The first of them as they were named.
        let first = self.order.iter().find_map(|place| rows.get(*place)?.as_ref().err().copied());
        first.map_or_else(|| Ok(rows.into_iter().flatten().collect()), Err)
    }

    /// Tells of each thing that could not be read once, and then how often.
    fn debug(&self, rows: &[Row], driver: Option<Code>) {
        let shown = self.order.iter().filter_map(|place| rows.get(*place)).flat_map(|row| &row.failed);
        let driver = driver.map(|code| ("driver_version".to_owned(), code));
        let mut seen: Vec<(String, usize)> = Vec::new();
        for (column, code) in shown.chain(driver.as_ref()) {
            let message = format!("> An error while retrieving `{column}`: {}", words(*code));
            match seen.iter_mut().find(|(known, _)| *known == message) {
                Some((_, count)) => *count += 1,
                None => seen.push((message, 1)),
            }
        }
        let mut text: String = seen.iter().map(|(message, _)| format!("{message}\n")).collect();
        seen.iter().for_each(|(message, count)| text.push_str(&format!("{message} -> Total {count} occurrences.\n")));
        say(&format!("{text}\n"));
    }
}

/// The indexes that `--id` lists, as often and in the order that it does; all of them without it.
///
/// # Errors
/// The words for a list that is none, or the library's where it cannot count its devices.
fn indexes(system: &System, flags: &Flags) -> Result<Vec<u32>, String> {
    let all = || system.count().map(|count| (0..count).collect()).map_err(|code| words(code).to_owned());
    flags.ids.clone().unwrap_or_else(all)
}

/// Asks a device for what is shown.
fn row(gpu: &Gpu, options: &Options) -> Result<Row, Code> {
    let flags = &options.flags;
    let all = flags.json || flags.debug;
    let out_of_service = |code: Code| {
        let row = placeholder(code).map(|name| Row::lost(gpu.index(), name, code));
        row.ok_or(code)
    };
    let identity = || -> Result<(Text, Text), Code> {
        gpu.reach()?;
        let name = gpu.ask(calls::Name)?;
        Ok((name, if all { gpu.ask(calls::Uuid)? } else { Text::default() }))
    };
    let (name, uuid) = match identity() {
        Ok(identity) => identity,
        Err(code) => return out_of_service(code),
    };
    let mut failed = Vec::new();
    let temperature = keep(gpu.temperature(), "temperature", &mut failed);
    let fan = wanted(all || flags.fan, || keep(gpu.ask(calls::FanSpeed), "fan_speed", &mut failed));
    let memory = keep(gpu.memory(), "memory", &mut failed).map(|memory| (memory.used >> 20, memory.total >> 20));
    let load = keep(gpu.ask(calls::UtilizationRates), "utilization", &mut failed).map(|rates| rates.gpu);
    let encoder =
        wanted(all || flags.encoder, || keep(gpu.ask(calls::EncoderUtilization), "utilization_enc", &mut failed));
    let decoder =
        wanted(all || flags.decoder, || keep(gpu.ask(calls::DecoderUtilization), "utilization_dec", &mut failed));
    let draw = wanted(all || flags.power, || keep(gpu.ask(calls::PowerUsage), "power", &mut failed));
    // The color of the draw tells how near to the limit it is.
    let limit = all || flags.limit || (flags.power && options.palette.has_colors());
    let limit = wanted(limit, || keep(gpu.ask(calls::EnforcedPowerLimit), "power_limit", &mut failed));
    let processes = wanted(all || !flags.no_processes, || processes(gpu, &mut failed));
    // A device that was lost while it was asked is lost, whatever it said before that.
    if let Some(code) = gpu.condemned() {
        return out_of_service(code);
    }
    Ok(Row {
        index: gpu.index(),
        name: name.lossy().into_owned(),
        lost: None,
        uuid: uuid.lossy().into_owned(),
        temperature,
        fan,
        load,
        encoder,
        decoder,
        draw: draw.map(|milliwatts| milliwatts / 1000),
        limit: limit.map(|milliwatts| milliwatts / 1000),
        memory,
        processes,
        failed,
    })
}

/// An answer; a failure goes to the list.
fn keep<T>(answer: Result<T, Code>, column: &str, failed: &mut Vec<(String, Code)>) -> Option<T> {
    answer.map_err(|code| failed.push((column.to_owned(), code))).ok()
}

fn wanted<T>(wanted: bool, ask: impl FnOnce() -> Option<T>) -> Option<T> {
    if wanted { ask() } else { None }
}

/// The processes that compute, then those that only draw, in the driver's order and each once.
fn processes(gpu: &Gpu, failed: &mut Vec<(String, Code)>) -> Option<Vec<Process>> {
    let computing = keep(gpu.compute_processes(), "compute_processes", failed);
    let drawing = keep(gpu.graphics_processes(), "graphics_processes", failed);
    if computing.is_none() && drawing.is_none() {
        return None;
    }
    let mut seen = std::collections::BTreeSet::new();
    let both = computing.into_iter().chain(drawing).flatten();
    Some(both.filter(|process| seen.insert(process.pid)).collect())
}
