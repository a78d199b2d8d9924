//! rsmi under the name nvidia-smi against what the real one, 580.159.04, printed of the same machines. It was
//! run over `tests/fake-nvml`; `tests/data/real/` holds what it said, and how to ask it again.
//!
//! Where rsmi means to differ, a line of the tables below says why; any other difference fails.

#![allow(clippy::indexing_slicing)]

mod common;

use common::{Run, all_fields, machine, root};
use serde_json::Value;
use std::collections::BTreeSet;

/// What a cell may be.
#[derive(Copy, Clone, Debug)]
enum Cell {
    /// This.
    Is(&'static str),
    /// A value: neither a reason in brackets nor a word for "none".
    Measured,
    /// NVML's words for an error, in brackets.
    Reason,
    /// Whatever.
    Any,
}

use Cell::{Any, Is, Measured, Reason};

impl Cell {
    fn fits(self, cell: &str) -> bool {
        let reason = cell.starts_with('[') && cell.ends_with(']');
        match self {
            Is(word) => cell == word,
            Measured => !reason && !["N/A", "(null)"].contains(&cell),
            Reason => reason,
            Any => true,
        }
    }
}

/// A difference that is meant: of these machines and fields (a `*` stands for any end of the name, or any
/// beginning), what the real one prints, what rsmi does, and why.
type Difference = (&'static str, &'static [&'static str], Cell, Cell, &'static str);

const EVERY: &[&str] = &["*"];
/// What an older call tells where the newer is not understood.
const FROM_OLDER_CALL: &[&str] = &[
    "memory.total",
    "memory.used",
    "memory.free",
    "pci.bus",
    "pci.bus_id",
    "pci.device",
    "pci.device_id",
    "pci.domain",
    "pci.sub_device_id",
    "gpu_bus_id",
    "temperature.gpu",
];
/// What only the newer call tells.
const FROM_NEWER_CALL: &[&str] = &["memory.reserved", "pci.baseClass", "pci.subClass"];
/// Reasons for slow clocks that the real one takes for impossible where it cannot ask.
const SLOW_CLOCKS: &[&str] = &[
    "*_reasons.applications_clocks_setting",
    "*_reasons.sw_power_cap",
    "*_reasons.hw_power_brake_slowdown",
    "*_reasons.sw_thermal_slowdown",
    "*_reasons.sync_boost",
];
/// Values whose type was not what a driver sends when this was measured.
const MISTYPED: &[&str] = &[
    "power_smoothing.*",
    "power.draw.average",
    "power.draw.instant",
    "gpu.power.draw.average",
    "gpu.power.draw.instant",
    "module.power.draw.average",
    "module.power.draw.instant",
];

const CELLS: &[Difference] = &[
    ("*", &["timestamp"], Measured, Measured, "the time of the run"),
    ("*", EVERY, Is("[Function Not Found]"), Is("[N/A]"), "a call that an older driver lacks is no error"),
    ("*", FROM_OLDER_CALL, Is("[Function Not Found]"), Measured, "an older call is asked instead"),
    ("probe-errors", FROM_OLDER_CALL, Is("[Argument version mismatch]"), Measured, "an older call is asked instead"),
    ("probe-errors", FROM_NEWER_CALL, Is("[Argument version mismatch]"), Is("[N/A]"), "the older call does not tell"),
    ("*", &["index"], Reason, Measured, "the number of a device is known without asking it"),
    ("*", EVERY, Is("[N/A]"), Is("[GPU is lost]"), "a lost GPU is named in every cell"),
    ("*", EVERY, Is("N/A"), Is("[GPU is lost]"), "a lost GPU is named in every cell"),
    ("*", &["platform.module_id"], Is("(null)"), Reason, "the error in the place of a null pointer"),
    ("probe-errors", SLOW_CLOCKS, Is("[N/A]"), Reason, "the error is not hidden"),
    (
        "probe-errors",
        &["enforced.power.limit", "gpu.power.current_limit"],
        Is("[N/A]"),
        Reason,
        "the real one asks its private table, which has none",
    ),
    (
        "*",
        &["pcie.link.gen.hostmax"],
        Is("[N/A]"),
        Any,
        "the real one asks its private table, which has none; rsmi asks the host",
    ),
    (
        "*",
        &["vgpu_driver_capability.heterogenous_multivGPU"],
        Is("[Unknown Error]"),
        Is("[N/A]"),
        "as over NVIDIA's own library, which answers the same error",
    ),
    (
        "probe-values",
        &["ecc.errors.uncorrected.aggregate.sram.parity", "ecc.errors.uncorrected.aggregate.sram.secded"],
        Measured,
        Measured,
        "the real one prints the volatile count of parity errors in both",
    ),
    (
        "probe-values",
        MISTYPED,
        Any,
        Any,
        "not comparable until measured again: the fake sent another type than drivers",
    ),
    // A machine that answers what no driver should.
    ("strange", MISTYPED, Measured, Any, "numbers that are no power"),
    ("strange", &["memory.*"], Is("0 MiB"), Is("17592186044416 MiB"), "the sum does not overflow"),
    ("strange", &["memory.*"], Is("[Argument version mismatch]"), Any, "an older call is asked instead"),
    ("strange", &["temperature.gpu"], Is("[Argument version mismatch]"), Reason, "an older call is asked instead"),
    ("strange", &["encoder.stats.*"], Is("-1"), Is("4294967295"), "NVML's counts have no sign"),
    ("strange", &["*.sync_boost"], Is("18446744073709551 us"), Is("[Unknown Error]"), "a negative time"),
    ("strange", &["temperature.memory"], Is("4294967295"), Is("N/A"), "NVML's number for this has no sign"),
    ("strange", &["pstate"], Is("P0"), Is("[Unknown Error]"), "an error of code 0 exists in a recording only"),
    ("strange", &["vbios_version"], Is(""), Is("\0"), "a text with a NUL exists in a recording only"),
    ("strange", &["index"], Measured, Measured, "the number of a device is its place"),
];

/// Whether the name is meant by a pattern.
fn is_meant(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.len() >= pattern.len() - 1 && name.starts_with(start) && name.ends_with(end),
        None => name == pattern,
    }
}

/// What the real one said to a command.
struct Said {
    status: i32,
    stdout: Vec<u8>,
    stderr: String,
}

/// What it said of a machine.
fn said(name: &str, command: &str) -> Said {
    let file = root().join("tests/data/real").join(name).with_extension("json");
    let said: Value = serde_json::from_slice(&std::fs::read(file).expect("what it said")).expect("JSON");
    let said = &said[command];
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let stdout = match said.get("columns") {
        Some(columns) => rows(&list(columns)).into_bytes(),
        None => list(&said["stdout"]).iter().map(line).collect::<Vec<_>>().join(&b'\n'),
    };
    Said {
        status: said["status"].as_i64().and_then(|status| i32::try_from(status).ok()).expect("a status"),
        stdout,
        stderr: said["stderr"].as_str().expect("a text").to_owned(),
    }
}

/// A line: text, or a list of bytes where it is not UTF-8.
fn line(line: &Value) -> Vec<u8> {
    match line.as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => serde_json::from_value(line.clone()).expect("bytes"),
    }
}

/// The output for all fields, out of its columns.
fn rows(columns: &[Value]) -> String {
    let headers = std::fs::read_to_string(root().join("tests/data/query-gpu-headers.tsv")).expect("the headers");
    let headers: Vec<(&str, &str)> = headers.lines().filter_map(|line| line.split_once('\t')).collect();
    let cells: Vec<&Vec<Value>> = headers
        .iter()
        .map(|(name, _)| {
            let column = columns.iter().find(|column| {
                column["fields"].as_array().expect("names").iter().any(|field| field.as_str() == Some(*name))
            });
            column.expect("every field is in a column")["cells"].as_array().expect("cells")
        })
        .collect();
    let mut lines = vec![headers.iter().map(|(_, header)| *header).collect::<Vec<_>>().join(", ")];
    for row in 0..cells[0].len() {
        lines.push(cells.iter().map(|cells| cells[row].as_str().expect("a text")).collect::<Vec<_>>().join(", "));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The machines of which the real one was asked.
fn measured() -> Vec<String> {
    let known = common::machines();
    let files = std::fs::read_dir(root().join("tests/data/real")).expect("the folder");
    let mut names: Vec<String> = files
        .map(|entry| entry.expect("an entry").path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "json"))
        .map(|file| file.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() > 20 && names.iter().all(|name| known.contains(name)), "{names:?}");
    names
}

fn recording(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(machine(name)).expect("a recording")).expect("JSON")
}

fn devices(name: &str) -> Vec<Value> {
    recording(name)["devices"].as_array().cloned().unwrap_or_default()
}

/// The places of devices that cannot be had: the real one prints no row of them.
fn unreachable(name: &str) -> BTreeSet<usize> {
    devices(name)
        .iter()
        .enumerate()
        .filter(|(_, device)| device.get("unreachable").is_some())
        .map(|(at, _)| at)
        .collect()
}

/// The status with which rsmi tells of a device out of service, where the real one is silent or says another.
fn sick(name: &str) -> Option<i32> {
    let codes: Vec<u64> = devices(name).iter().filter_map(|device| device["unreachable"].as_u64()).collect();
    let lost = |device: &Value| device.to_string().contains("{\"error\":15}");
    match codes.first() {
        Some(15) => Some(15),
        Some(_) => Some(255),
        None => devices(name).iter().any(lost).then_some(15),
    }
}

/// The cells of a query, by rows. A device's name may hold commas and line ends; it is replaced first.
fn table(name: &str, output: &[u8]) -> Vec<Vec<String>> {
    let mut text = String::from_utf8_lossy(output).into_owned();
    for device in devices(name) {
        if let Some(title) = device["answers"]["nvmlDeviceGetName"].as_str().filter(|title| title.contains(", ")) {
            text = text.replace(title, "a name with a comma");
        }
    }
    text.lines().map(|line| line.split(", ").map(str::to_owned).collect()).collect()
}

#[test]
fn every_cell_is_that_of_nvidia_smi_or_differs_for_a_reason() {
    let fields = all_fields();
    let query = format!("--query-gpu={}", fields.join(","));
    let (mut unexcused, mut used) = (Vec::new(), BTreeSet::new());
    for name in measured() {
        let real = said(&name, "all");
        let ours = Run::nvidia_smi([query.as_str(), "--format=csv"]).on(&name).output();
        // Of a device out of service rsmi tells by its status and on standard error.
        assert_eq!(ours.status.code(), Some(sick(&name).unwrap_or(real.status)), "{name}");
        if sick(&name).is_none() {
            assert_eq!(String::from_utf8_lossy(&ours.stderr), real.stderr, "{name}");
        }
        if real.status != 0 {
            assert_eq!(ours.stdout, real.stdout, "{name}");
            continue;
        }
        let (real, mut ours) = (table(&name, &real.stdout), table(&name, &ours.stdout));
        for at in unreachable(&name).into_iter().rev() {
            ours.remove(at + 1);
        }
        assert_eq!(ours[0], real[0], "{name}: headers");
        assert_eq!(ours.len(), real.len(), "{name}: rows");
        for (row, (ours, real)) in ours.iter().zip(&real).enumerate().skip(1) {
            assert_eq!((ours.len(), real.len()), (fields.len(), fields.len()), "{name}: {real:?}\n{ours:?}");
            for ((field, ours), real) in fields.iter().zip(ours).zip(real) {
                let excuse = CELLS.iter().position(|(machines, names, theirs, own, _)| {
                    is_meant(machines, &name)
                        && names.iter().any(|pattern| is_meant(pattern, field))
                        && theirs.fits(real)
                        && own.fits(ours)
                });
                match excuse {
                    _ if ours == real => {}
                    Some(place) => drop(used.insert(place)),
                    None => unexcused.push(format!("{name}, row {row}: {field}: {real:?}, but rsmi says {ours:?}")),
                }
            }
        }
    }
    assert!(unexcused.is_empty(), "{} cells differ:\n{}", unexcused.len(), unexcused.join("\n"));
    let idle: Vec<&Difference> =
        CELLS.iter().enumerate().filter(|(place, _)| !used.contains(place)).map(|(_, entry)| entry).collect();
    assert!(idle.is_empty(), "no cell differs so any more: {idle:#?}");
}

/// Other commands, by the name that they have in `tests/data/real/`. One that is not built yet is passed over
/// until it is; `plain` joins them when the table of the real one is here.
const COMMANDS: &[(&str, &[&str])] = &[
    ("L", &["-L"]),
    ("memory", &["-q", "-d", "MEMORY"]),
    ("i1", &["-i", "1", "--query-gpu=index,name", "--format=csv"]),
    ("apps", &["--query-compute-apps=gpu_uuid,pid,name,used_memory", "--format=csv"]),
];

/// Machines on which a command says something else as a whole, and why.
const OUTPUTS: &[(&str, &str, &str)] = &[
    ("memory", "empty-answers", "a GPU without a place on the bus is no reason to give up"),
    ("i1", "empty-answers", "there is no GPU 1, and GPU 0 is not asked"),
    ("memory", "lost-gpu", "a lost GPU is shown, where the real one leaves it out"),
    ("memory", "lost-gpu-late", "a lost GPU is shown as any other"),
    ("memory", "unknown-error", "a GPU that cannot be had is shown, where the real one leaves it out"),
    ("apps", "driver-390", "an older call is asked instead"),
    ("apps", "driver-450", "an older call is asked instead"),
    ("i1", "unknown-error", "a GPU that cannot be had is a row, where the real one leaves it out"),
];

/// Lines of rsmi's that the real one has not: of this command and these machines, and why.
const ADDED: &[(&str, &str, &str, &str)] = &[
    ("apps", "lost-gpu", "[GPU is lost], *", "a lost GPU is a row"),
    ("apps", "unknown-error", "[Unknown Error], *", "a GPU that cannot be had is a row"),
];

/// Lines that differ: of this command and these machines, what the real one's line and rsmi's look like, and why.
const LINES: &[(&str, &str, &str, &str, &str)] = &[
    ("L", "probe-errors", "*Function Not Found)", "*N/A)", "a call that an older driver lacks is no error"),
    ("memory", "*", "Timestamp *", "Timestamp *", "the time of the run"),
    ("memory", "*", "*: Function Not Found", "*: N/A", "a call that an older driver lacks is no error"),
    ("memory", "*", "*: Function Not Found", "        * MiB", "an older call is asked instead"),
    ("memory", "strange", "        * MiB", "        * MiB", "neither sum nor difference overflows"),
    ("memory", "strange", "*: Argument version mismatch", "        *", "an older call is asked instead"),
    ("apps", "empty-answers", "[Function Not Found], *", "[N/A], *", "a call that an older driver lacks is no error"),
    ("apps", "probe-errors", "[Function Not Found], *", "[N/A], *", "a call that an older driver lacks is no error"),
    (
        "apps",
        "strange",
        "*, [Function Not Found], 0 MiB",
        "*, [N/A], 0 MiB",
        "a call that an older driver lacks is no error",
    ),
    (
        "apps",
        "probe-errors",
        "[Insufficient Size], [U*",
        "[Insufficient Size], [I*",
        "how NVML says that there are more",
    ),
    ("i1", "strange", "4294967295, *", "1, *", "the number of a device is its place"),
];

#[test]
fn every_line_is_that_of_nvidia_smi_or_differs_for_a_reason() {
    let mut unexcused = Vec::new();
    for name in measured() {
        for (command, args) in COMMANDS {
            let real = said(&name, command);
            let ours = Run::nvidia_smi(args.iter().copied()).on(&name).output();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let (stdout, stderr) = (text(&ours.stdout), text(&ours.stderr));
            if format!("{stdout}{stderr}").contains("is not built yet") {
                continue;
            }
            let status = ours.status.code();
            if OUTPUTS.iter().any(|(known, on, _)| known == command && is_meant(on, &name)) {
                assert!(status != Some(real.status) || stdout != text(&real.stdout), "{command} on {name} is the same");
                continue;
            }
            // Of a device out of service rsmi tells by its status and on standard error.
            if (status, &stderr) != (Some(real.status), &real.stderr)
                && sick(&name).is_none_or(|sick| status != Some(sick))
            {
                unexcused
                    .push(format!("{name}, {command}: {} {:?}, but {status:?} {stderr:?}", real.status, real.stderr));
            }
            let real = text(&real.stdout);
            let (theirs, mut own): (Vec<&str>, Vec<&str>) = (real.split('\n').collect(), stdout.split('\n').collect());
            own.retain(|own| {
                !ADDED.iter().any(|(known, on, ours, _)| known == command && is_meant(on, &name) && is_meant(ours, own))
            });
            if theirs.len() != own.len() {
                unexcused.push(format!("{name}, {command}: {} lines, but {}", theirs.len(), own.len()));
            }
            for (theirs, own) in theirs.into_iter().zip(own).filter(|(theirs, own)| theirs != own) {
                let excused = LINES.iter().any(|(known, on, real, ours, _)| {
                    known == command && is_meant(on, &name) && is_meant(real, theirs) && is_meant(ours, own)
                });
                if !excused {
                    unexcused.push(format!("{name}, {command}: {theirs:?}, but rsmi says {own:?}"));
                }
            }
        }
    }
    assert!(unexcused.is_empty(), "{} differences:\n{}", unexcused.len(), unexcused.join("\n"));
}
