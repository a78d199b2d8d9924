//! From a plan to its end: opens the source, chooses the devices and does what the plan says. One `match`
//! over what the program can do.

use crate::cli::plan::{Command, ListFields, Plan, Refusal, Source};
use crate::driver::{Driver, Progress, Watched, recording};
use crate::exit::Exit;
use crate::face::Face;
use crate::fields;
use crate::format::Style;
use crate::gpu::{self, Gpu, System, select};
use crate::host::{self, Host, Knows};
use crate::output::{Sink, WriteError, complain, say};
use crate::start::{self, Failure};
use crate::supervise::{self, Job};
use crate::views::summary::Summary;
use crate::views::{
    gpustat, list,
    query::{Asked, Query},
    report,
    table::Table,
    version,
};
use crate::watch::{self, Rhythm};
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::Path;

/// Does what the plan says, under a supervisor where the driver may not take for ever.
pub fn start(plan: Plan, arguments: Vec<OsString>) -> Exit {
    let asks_a_driver = matches!(plan.source, Source::Live(_)) && !matches!(plan.command, Command::Print(_));
    let watched = plan.timeout.filter(|_| asks_a_driver && plan.orders.is_none()).and_then(|limit| {
        let (loops, terminal) = (plan.output.every.is_some(), plan.terminal);
        supervise::run(&Job { arguments, limit, loops, terminal, errors: plan.errors, width: plan.width })
    });
    watched.unwrap_or_else(|| execute(plan))
}

/// Does what the plan says.
pub fn execute(plan: Plan) -> Exit {
    let face = plan.face;
    let continued = plan.orders.as_ref().is_some_and(|orders| orders.continued);
    let mut sink = match Sink::open(face, plan.output.file.as_deref(), continued) {
        Ok(sink) => sink,
        Err(error) => return cannot_create(face, plan.output.file.as_deref(), &error),
    };
    if let Command::Print(text) = &plan.command {
        return once(&mut sink, text.as_bytes(), Exit::SUCCESS);
    }
    match open(&plan) {
        Ok(driver) => {
            let exit = on_machine(plan, &driver, &Host(&driver), &mut sink);
            // The driver's library is left as it is: the end of the process tidies up just as well.
            std::mem::forget(driver);
            exit
        }
        // Which rsmi this is can be said without a driver.
        Err(_) if face == Face::Rsmi && matches!(plan.command, Command::Version) => {
            once(&mut sink, version::own().as_bytes(), Exit::SUCCESS)
        }
        Err(error) => match &plan.command {
            Command::Gpustat(options) => gpustat::no_driver(options, &error),
            _ => fail(face, start::failure(face, &error)),
        },
    }
}

fn on_machine(plan: Plan, driver: &Driver, host: &dyn Knows, sink: &mut Sink) -> Exit {
    let system = System::new(driver, host);
    let face = plan.face;
    let rhythm = Rhythm { every: plan.output.every, in_place: plan.output.in_place };
    match plan.command {
        Command::Print(text) => return once(sink, text.as_bytes(), Exit::SUCCESS),
        Command::Version => return once(sink, version_text(face, &system).as_bytes(), Exit::SUCCESS),
        Command::ListExcluded => return once(sink, &list::excluded(&system), Exit::SUCCESS),
        Command::Record { file, anonymize } => return record(driver, host, &file, anonymize, rhythm),
        // It finds its devices itself: their order counts, and none is no error.
        Command::Gpustat(options) => {
            return match gpustat::View::new(&system, options) {
                Ok(mut view) => each_tick_until(driver, rhythm, sink, |out| view.tick(out)),
                Err(exit) => exit,
            };
        }
        _ => {}
    }
    if face == Face::NvidiaSmi
        && let Some(bus_id) = plan.devices.as_deref().and_then(|list| select::stumbles(&system, list))
    {
        return fail(face, start::bad_bus_id(&bus_id));
    }
    let devices = match select::choose(&system, plan.devices.as_deref()) {
        Ok(devices) if devices.is_empty() && face == Face::NvidiaSmi && matches!(plan.command, Command::List) => {
            return once(sink, b"No devices found.\n", Exit::SUCCESS);
        }
        Ok(devices) if devices.is_empty() => return fail(face, start::no_devices(face, plan.devices.as_deref())),
        Ok(devices) => devices,
        Err(code) => return fail(face, start::refused(face, code)),
    };
    match plan.command {
        Command::List => {
            let mut out = Vec::new();
            let exit = list::write(&system, &devices, face, plan.output.terminal, &mut out);
            once(sink, &out, exit)
        }
        Command::Summary(options) => {
            let mut summary = Summary::new(&system, &devices, *options);
            each_tick(driver, rhythm, sink, |out| summary.tick(out))
        }
        Command::QueryGpu { asked, style } => query(&system, &devices, asked, style, rhythm, sink),
        Command::QueryList { fields, style } => match fields {
            ListFields::ComputeApps(fields) => query(&system, &devices, fields, style, rhythm, sink),
            ListFields::AccountedApps(fields) => query(&system, &devices, fields, style, rhythm, sink),
            ListFields::SupportedClocks(fields) => query(&system, &devices, fields, style, rhythm, sink),
            ListFields::RetiredPages(fields) => query(&system, &devices, fields, style, rhythm, sink),
            ListFields::RemappedRows(fields) => query(&system, &devices, fields, style, rhythm, sink),
        },
        Command::Table => {
            let mut table = Table::new(&system, &devices, plan.output.terminal);
            each_tick(driver, rhythm, sink, |out| table.tick(out))
        }
        Command::Report(sections) => {
            let gpus: Vec<Gpu> = devices.iter().map(|index| system.gpu(*index)).collect();
            each_tick(driver, rhythm, sink, |out| {
                gpu::tick(&system, &gpus);
                report::write(&system, &gpus, &sections, out)
            })
        }
        Command::Unbuilt(what) => fail(face, unbuilt(face, &what)),
        Command::Print(_) | Command::Version | Command::ListExcluded | Command::Record { .. } | Command::Gpustat(_) => {
            Exit::SUCCESS
        }
    }
}

/// Runs a query, once or in a loop.
fn query<Q: fields::Query>(
    system: &System,
    devices: &[u32],
    asked: Asked<Q>,
    style: Style,
    rhythm: Rhythm,
    sink: &mut Sink,
) -> Exit {
    let mut query = Query::new(system, devices, asked, style, rhythm.every.is_some());
    each_tick(system.driver(), rhythm, sink, |out| query.tick(out))
}

/// The one honest line about what is not there yet.
fn unbuilt(face: Face, what: &str) -> Failure {
    let text = format!("{what} is not built yet");
    let text = if face == Face::NvidiaSmi { format!("rsmi: {text}\n") } else { text };
    Failure { text, exit: Exit::OTHER }
}

fn open(plan: &Plan) -> Result<Driver, crate::driver::OpenError> {
    match &plan.source {
        Source::Live(library) => {
            let watched = plan.orders.as_ref().and_then(|orders| {
                Some(Watched { progress: Progress::open(&orders.progress)?, skip: orders.skip.clone() })
            });
            Driver::live_watched(library.as_deref(), watched)
        }
        Source::Replay(file) => Driver::replay(file),
        Source::Demo => Ok(Driver::demo()),
    }
}

fn version_text(face: Face, system: &System) -> String {
    match face {
        Face::NvidiaSmi => version::drop_in(system),
        Face::Rsmi | Face::Gpustat => version::own() + &version::drop_in(system),
    }
}

/// Runs `show` once or in a loop, and moves a recorded machine on before each time but the first.
fn each_tick(driver: &Driver, rhythm: Rhythm, sink: &mut Sink, mut show: impl FnMut(&mut Vec<u8>) -> Exit) -> Exit {
    each_tick_until(driver, rhythm, sink, |out| ControlFlow::Continue(show(out)))
}

/// The same for what can end a loop.
fn each_tick_until(
    driver: &Driver,
    rhythm: Rhythm,
    sink: &mut Sink,
    mut show: impl FnMut(&mut Vec<u8>) -> ControlFlow<Exit, Exit>,
) -> Exit {
    let mut first = true;
    watch::run(rhythm, sink, |out| {
        if !std::mem::take(&mut first) {
            driver.tick();
        }
        driver.round(true);
        let exit = show(out);
        driver.round(false);
        exit
    })
}

/// Writes a recording: one document, or in a loop one line a tick.
fn record(driver: &Driver, host: &dyn Knows, file: &Path, anonymize: bool, rhythm: Rhythm) -> Exit {
    let path = (file.as_os_str() != "-").then_some(file);
    let mut sink = match Sink::open(Face::Rsmi, path, false) {
        Ok(sink) => sink,
        Err(error) => return cannot_create(Face::Rsmi, path, &error),
    };
    each_tick(driver, rhythm, &mut sink, |out| {
        let mut frame = recording::take(driver, host);
        if anonymize {
            recording::anonymize(&mut frame);
        }
        // Writing plain data to memory cannot fail.
        let _ = match rhythm.every {
            None => serde_json::to_writer_pretty(&mut *out, &frame),
            Some(_) => serde_json::to_writer(&mut *out, &frame),
        };
        out.push(b'\n');
        Exit::SUCCESS
    })
}

/// Writes a text and ends with `exit`, or as a failed write ends.
fn once(sink: &mut Sink, text: &[u8], exit: Exit) -> Exit {
    sink.write(text).map_or_else(|WriteError(failed)| failed, |()| exit)
}

/// Reports a command line that means nothing.
pub fn refuse(refusal: Refusal) -> Exit {
    fail(refusal.face, Failure { text: refusal.text, exit: refusal.exit })
}

/// Says why nothing is done: nvidia-smi on standard output, rsmi on standard error.
fn fail(face: Face, failure: Failure) -> Exit {
    match face {
        Face::NvidiaSmi => once(&mut Sink::standard(face), failure.text.as_bytes(), failure.exit),
        // What gpustat says itself has its line end; what rsmi adds does not, and names the speaker.
        Face::Gpustat if failure.text.ends_with('\n') => {
            say(&failure.text);
            failure.exit
        }
        Face::Rsmi | Face::Gpustat => {
            complain(&failure.text);
            failure.exit
        }
    }
}

fn cannot_create(face: Face, file: Option<&Path>, error: &std::io::Error) -> Exit {
    let file = file.unwrap_or(Path::new("-")).display();
    let text = match face {
        Face::NvidiaSmi if file.to_string().is_empty() => "Failed to create log file \n\n".to_owned(),
        Face::NvidiaSmi => format!("Failed to create the log file {file}\n\n"),
        Face::Rsmi | Face::Gpustat => format!("cannot create `{file}`: {}", host::words(error)),
    };
    let exit = if face == Face::NvidiaSmi { Exit::OTHER } else { Exit::WRITE_FAILED };
    fail(face, Failure { text, exit })
}
