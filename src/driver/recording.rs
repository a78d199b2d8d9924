//! A recording: every call's answer, or the error that came in its place, for every device of a machine,
//! with what the host knew of the processes. One JSON document a frame; several frames are JSON lines.
//! A person can read it, a bug report can carry it, and [`super::replay`] turns it into a machine again.
//!
//! Keys are the C functions with their arguments; an error is `{"error": 3}` with NVML's return code.

use super::calls::{self, AccountingPids, Visitor};
use super::{Driver, Key, Question, Target};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The format that this program writes and reads.
pub const FORMAT: u32 = 1;

/// Answers by question.
pub type Answers = BTreeMap<String, serde_json::Value>;

/// A machine at one moment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// Version of the format.
    pub rsmi_recording: u32,
    /// Where the recording comes from, for its readers.
    #[serde(default)]
    pub about: String,
    /// When it was taken: local time with its offset.
    pub taken: String,
    /// The host's name.
    #[serde(default)]
    pub host: String,
    /// Set when the library refused to start: nothing else can be answered then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<u32>,
    /// Answers about the machine as a whole.
    #[serde(default)]
    pub system: Answers,
    /// The devices in NVML's order.
    #[serde(default)]
    pub devices: Vec<Device>,
    /// What the host knew of the processes on the devices.
    #[serde(default)]
    pub processes: BTreeMap<u32, crate::host::Process>,
}

/// A device in a recording.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// NVML's return code when the device could not be had at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<u32>,
    /// Newest PCIe generation of the slot, which the host knows and NVML does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot_generation: Option<u32>,
    /// Answers about the device.
    #[serde(default)]
    pub answers: Answers,
    /// MIG devices by slot.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mig: BTreeMap<u32, Answers>,
}

/// Why a recording could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// The file could not be opened or read.
    Io(std::path::PathBuf, std::io::Error),
    /// It is not JSON, or not of this shape.
    Json(std::path::PathBuf, serde_json::Error),
    /// It was written by a newer rsmi.
    Format(std::path::PathBuf, u32),
    /// There is no frame in it.
    Empty(std::path::PathBuf),
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(file, error) => {
                write!(f, "cannot read recording `{}`: {}", file.display(), crate::host::words(error))
            }
            Self::Json(file, error) => write!(f, "`{}` is not a recording of rsmi: {error}", file.display()),
            Self::Format(file, format) => {
                write!(f, "`{}` is a recording of format {format}; this rsmi reads format {FORMAT}", file.display())
            }
            Self::Empty(file) => write!(f, "`{}` is empty: a recording has at least one frame", file.display()),
        }
    }
}

/// The error that stands where an answer would.
pub(super) fn error_value(code: super::Code) -> serde_json::Value {
    serde_json::json!({ "error": code.0 })
}

/// Collects the answers of one target.
struct Collector<'a> {
    driver: &'a Driver,
    target: Target,
    answers: Answers,
}

impl Collector<'_> {
    /// Asks and keeps the answer for the caller, too.
    fn keep<Q: Question>(&mut self, question: Q) -> Option<Q::Answer> {
        let answer = self.driver.ask(self.target, question);
        let json = match &answer {
            Ok(answer) => serde_json::to_value(answer).unwrap_or(serde_json::Value::Null),
            Err(code) => error_value(*code),
        };
        self.answers.insert(question.key().to_string(), json);
        answer.ok()
    }
}

impl Visitor for Collector<'_> {
    fn visit<Q: Question>(&mut self, question: Q) {
        self.keep(question);
    }
}

/// Asks everything and writes it down.
pub fn take(driver: &Driver, host: &dyn crate::host::Knows) -> Frame {
    let mut system = Collector { driver, target: Target::System, answers: Answers::new() };
    calls::walk_system(&mut system);
    let count = driver.ask(Target::System, calls::Count).and_then(Driver::plausible_count).unwrap_or(0);
    let devices: Vec<Device> = (0..count).map(|index| take_device(driver, host, index)).collect();
    let mut processes = BTreeMap::new();
    for pid in devices.iter().flat_map(listed).collect::<BTreeSet<u32>>() {
        system.keep(calls::ProcessName(pid));
        if let Some(known) = host.process(pid) {
            processes.insert(pid, known);
        }
    }
    Frame {
        rsmi_recording: FORMAT,
        about: String::new(),
        taken: host.now().to_string(),
        host: host.name(),
        refused: None,
        system: system.answers,
        devices,
        processes,
    }
}

fn take_device(driver: &Driver, host: &dyn crate::host::Knows, index: u32) -> Device {
    let target = Target::Device(index);
    if let Err(code) = driver.reach(target) {
        return Device { unreachable: Some(code.0), ..Device::default() };
    }
    let mut all = Collector { driver, target, answers: Answers::new() };
    calls::walk_device(&mut all);
    for pid in all.keep(AccountingPids).unwrap_or_default() {
        all.keep(calls::AccountingStats(pid));
    }
    for memory in all.keep(calls::SupportedMemoryClocks).unwrap_or_default() {
        all.keep(calls::SupportedGraphicsClocks(memory));
    }
    let slots = all.keep(calls::MaxMigDevices).map_or(0, Driver::plausible_slots);
    let bus_id = driver.ask(target, calls::PciV3).map(|pci| pci.bus_id.lossy().into_owned());
    Device {
        unreachable: None,
        slot_generation: bus_id.ok().and_then(|bus_id| host.slot_generation(&bus_id)),
        answers: all.answers,
        mig: (0..slots).filter_map(|slot| Some((slot, take_mig(driver, index, slot)?))).collect(),
    }
}

/// A MIG device, unless its slot is empty.
fn take_mig(driver: &Driver, device: u32, slot: u32) -> Option<Answers> {
    let target = Target::Mig { device, slot };
    driver.reach(target).ok()?;
    let mut all = Collector { driver, target, answers: Answers::new() };
    calls::walk_device(&mut all);
    all.keep(calls::GpuInstanceId);
    all.keep(calls::ComputeInstanceId);
    all.keep(calls::MigAttributes);
    Some(all.answers)
}

/// The processes that a device's lists name.
fn listed(device: &Device) -> Vec<u32> {
    let lists = device.answers.iter().filter(|(key, _)| key.contains("RunningProcesses"));
    lists
        .filter_map(|(_, list)| list.as_array())
        .flatten()
        .filter_map(|process| process.get("pid")?.as_u64())
        .filter_map(|pid| u32::try_from(pid).ok())
        .collect()
}

/// Replaces what names a machine or its users, alike wherever it stands: serial numbers, UUIDs, host and
/// user names and command lines. Sizes, times, pids and models stay.
pub fn anonymize(frame: &mut Frame) {
    frame.host = "host".to_owned();
    let mut names = BTreeMap::new();
    for (index, device) in frame.devices.iter_mut().enumerate() {
        let own = std::iter::once(&mut device.answers).chain(device.mig.values_mut());
        for (part, answers) in own.enumerate() {
            replace_text(answers, Key::new(calls::Uuid::SYMBOL, &[]), |old| {
                let prefix = if old.starts_with("MIG-") { "MIG" } else { "GPU" };
                format!("{prefix}-{index:08x}-{part:04x}-0000-0000-000000000000")
            });
            replace_text(answers, Key::new(calls::Serial::SYMBOL, &[]), |_| format!("{:013}", 1_000_000 + index));
            replace_text(answers, Key::new(calls::Hostname::SYMBOL, &[]), |_| "host".to_owned());
            if let Some(serial) = answers.get_mut(calls::PlatformInfo::SYMBOL).and_then(|p| p.get_mut("chassis_serial"))
            {
                *serial = serde_json::Value::String(String::new());
            }
        }
    }
    for (pid, process) in &mut frame.processes {
        let place = names.len() + 1;
        process.user =
            process.user.take().map(|user| names.entry(user).or_insert_with(|| format!("user{place}")).clone());
        process.command = vec![super::answers::Text::from(format!("command-{pid}"))];
        let key = Key::new(calls::ProcessName::SYMBOL, &[*pid]);
        replace_text(&mut frame.system, key, |_| format!("command-{pid}"));
    }
}

fn replace_text(answers: &mut Answers, key: Key, new: impl FnOnce(&str) -> String) {
    if let Some(value) = answers.get_mut(&key.to_string())
        && let Some(old) = value.as_str()
    {
        *value = serde_json::Value::String(new(old));
    }
}
