//! From a plan to its end: opens the source, chooses the devices and does what the plan says. One `match`
//! over what the program can do.

use crate::cli::plan::{Command, Face, Plan, Refusal, Source};
use crate::driver::{Driver, recording};
use crate::exit::Exit;
use crate::gpu::{Gpu, System, select};
use crate::host::{self, Host, Knows};
use crate::output::{Sink, WriteError, complain};
use crate::start::{self, Failure};
use crate::views::{list, query::Query, report, version};
use crate::watch::{self, Rhythm};
use std::path::Path;

/// Does what the plan says.
pub fn execute(plan: Plan) -> Exit {
    let face = plan.face;
    let mut sink = match Sink::open(face, plan.output.file.as_deref()) {
        Ok(sink) => sink,
        Err(error) => return cannot_create(face, plan.output.file.as_deref(), &error),
    };
    if let Command::Print(text) = &plan.command {
        return once(&mut sink, text.as_bytes(), Exit::SUCCESS);
    }
    match open(&plan.source) {
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
        Err(error) => fail(face, start::failure(face, &error)),
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
        _ => {}
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
        Command::QueryGpu { fields, style } => {
            let mut query = Query::new(&system, &devices, fields, style, rhythm.every.is_some());
            each_tick(driver, rhythm, sink, |out| query.tick(out))
        }
        Command::Report(sections) => {
            let gpus: Vec<Gpu> = devices.iter().map(|index| system.gpu(*index)).collect();
            each_tick(driver, rhythm, sink, |out| {
                system.tick();
                gpus.iter().for_each(Gpu::tick);
                report::write(&system, &gpus, &sections, out)
            })
        }
        Command::Unbuilt(what) => fail(face, unbuilt(face, &what)),
        Command::Print(_) | Command::Version | Command::ListExcluded | Command::Record { .. } => Exit::SUCCESS,
    }
}

/// The one honest line about what is not there yet.
fn unbuilt(face: Face, what: &str) -> Failure {
    let text = format!("{what} is not built yet");
    let text = if face == Face::NvidiaSmi { format!("rsmi: {text}\n") } else { text };
    Failure { text, exit: Exit::OTHER }
}

fn open(source: &Source) -> Result<Driver, crate::driver::OpenError> {
    match source {
        Source::Live(library) => Driver::live(library.as_deref()),
        Source::Replay(file) => Driver::replay(file),
        Source::Demo => Ok(Driver::demo()),
    }
}

fn version_text(face: Face, system: &System) -> String {
    match face {
        Face::NvidiaSmi => version::drop_in(system),
        Face::Rsmi => version::own() + &version::drop_in(system),
    }
}

/// Runs `show` once or in a loop, and moves a recorded machine on before each time but the first.
fn each_tick(driver: &Driver, rhythm: Rhythm, sink: &mut Sink, mut show: impl FnMut(&mut Vec<u8>) -> Exit) -> Exit {
    let mut first = true;
    watch::run(rhythm, sink, |out| {
        if !std::mem::take(&mut first) {
            driver.tick();
        }
        show(out)
    })
}

/// Writes a recording: one document, or in a loop one line a tick.
fn record(driver: &Driver, host: &dyn Knows, file: &Path, anonymize: bool, rhythm: Rhythm) -> Exit {
    let path = (file.as_os_str() != "-").then_some(file);
    let mut sink = match Sink::open(Face::Rsmi, path) {
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
        Face::Rsmi => {
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
        Face::Rsmi => format!("cannot create `{file}`: {}", host::words(error)),
    };
    let exit = if face == Face::NvidiaSmi { Exit::OTHER } else { Exit::WRITE_FAILED };
    fail(face, Failure { text, exit })
}
