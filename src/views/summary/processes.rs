//! The processes: the keys by which they can be sorted and chosen, and their part of the frame.

use super::facts::{Facts, Process};
use super::grid::{Cell, Column, Grid, Room};
use super::theme::Paint;
use crate::driver::Code;
use crate::driver::answers::Text;
use crate::filter::Measure;
use crate::format::terminal::clean;
use crate::value::{Reading, Reason, Value, mib};
use std::borrow::Cow;

/// What a process can be sorted and chosen by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Key {
    /// Index of its device.
    Gpu,
    /// Its number.
    Pid,
    /// `C`, `G`, `C+G`, `M+C`.
    Type,
    /// Who started it.
    User,
    /// Memory on the device.
    UsedMemory,
    /// Per cent of one processor.
    Cpu,
    /// Memory on the host.
    HostMemory,
    /// Seconds since it was started.
    Time,
    /// Container that it runs in.
    Container,
    /// Its command line.
    Command,
}

/// The names of the keys; the first of each is the one that help tells.
const KEYS: &[(&str, Key, Measure)] = &[
    ("gpu", Key::Gpu, Measure::Plain),
    ("pid", Key::Pid, Measure::Plain),
    ("type", Key::Type, Measure::Plain),
    ("user", Key::User, Measure::Plain),
    ("used_memory", Key::UsedMemory, Measure::MiB),
    ("memory", Key::UsedMemory, Measure::MiB),
    ("used_gpu_memory", Key::UsedMemory, Measure::MiB),
    ("cpu", Key::Cpu, Measure::Percent),
    ("host_memory", Key::HostMemory, Measure::MiB),
    ("time", Key::Time, Measure::Second),
    ("container", Key::Container, Measure::Plain),
    ("command", Key::Command, Measure::Plain),
];

impl Key {
    /// The key of this name, and what it measures.
    pub fn find(name: &str) -> Option<(Self, Measure)> {
        KEYS.iter().find(|(known, ..)| *known == name).map(|(_, key, measure)| (*key, *measure))
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KEYS.iter().map(|(name, ..)| *name)
    }

    pub(super) fn read(self, process: &Process) -> Reading {
        const UNKNOWN: Reason = Reason::Code(Code::NOT_FOUND);
        let host = process.host.as_deref().ok_or(UNKNOWN);
        match self {
            Key::Gpu => Ok(Value::Number(process.gpu.into())),
            Key::Pid => Ok(Value::Number(process.listed.pid.into())),
            Key::Type => Ok(Value::Word(process.listed.kind())),
            Key::User => Ok(Value::Text(Text::from(host?.user.as_deref().ok_or(UNKNOWN)?))),
            Key::UsedMemory => process.memory(),
            Key::Cpu => process.cpu.map(Value::Amount).ok_or(UNKNOWN),
            Key::HostMemory => host?.resident.map(Value::Bytes).ok_or(UNKNOWN),
            Key::Time => host?.age.map(Value::Amount).ok_or(UNKNOWN),
            Key::Container => Ok(Value::Text(Text::from(host?.container.as_deref().ok_or(UNKNOWN)?))),
            Key::Command => process.command.as_ref().map(|text| Value::Text(text.as_str().into())).map_err(|why| *why),
        }
    }
}

/// A column: its key, and from which width of the screen on it is there.
struct Spec {
    key: Shown,
    from: usize,
    column: Column,
}

/// What a column shows; the instances of a split device are one column and no key.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Shown {
    Key(Key),
    Instances,
}

fn specs() -> Vec<Spec> {
    let spec = |key, from, title, right, room, rank| Spec { key, from, column: Column { title, right, room, rank } };
    let key = |key, from, title, right, room, rank| spec(Shown::Key(key), from, title, right, room, rank);
    vec![
        key(Key::Gpu, 0, "GPU", true, Room::Fixed, 1),
        spec(Shown::Instances, 0, "GI/CI", true, Room::Fixed, 60),
        key(Key::Pid, 0, "PID", true, Room::Fixed, 0),
        key(Key::Type, 72, "Type", false, Room::Fixed, 72),
        key(Key::User, 48, "User", false, Room::Between(5, 16), 48),
        key(Key::UsedMemory, 0, "GPU-Mem", true, Room::Fixed, 2),
        key(Key::Cpu, 88, "CPU", true, Room::Fixed, 88),
        key(Key::HostMemory, 98, "Host-Mem", true, Room::Fixed, 98),
        key(Key::Time, 56, "Time", true, Room::Fixed, 56),
        key(Key::Container, 110, "Container", false, Room::Between(9, 14), 110),
        key(Key::Command, 0, "Command", false, Room::Rest(10), 3),
    ]
}

/// The part of the frame that shows the processes. `seen` remembers which of the columns that not every
/// machine needs have been shown, so that they stay.
pub(super) fn grid(facts: &Facts, processes: &[Process], width: usize, units: bool, seen: &mut Seen) -> Grid {
    seen.instances |= processes.iter().any(|process| process.listed.gpu_instance.is_some());
    seen.containers |= processes.iter().any(|process| container(process).is_some());
    let specs: Vec<Spec> = specs()
        .into_iter()
        .filter(|spec| match spec.key {
            Shown::Instances => seen.instances,
            Shown::Key(Key::Container) => seen.containers && width >= spec.from,
            Shown::Key(_) => width >= spec.from,
        })
        .collect();
    let shown: Vec<Shown> = specs.iter().map(|spec| spec.key).collect();
    let columns: Vec<Column> = specs.into_iter().map(|spec| spec.column).collect();
    let rows = if processes.is_empty() {
        vec![vec![Cell::new(why_none(facts), Paint::Quiet).over(columns.len().saturating_sub(1))]]
    } else {
        processes.iter().map(|process| shown.iter().map(|key| cell(process, *key, units)).collect()).collect()
    };
    Grid { columns, rows }
}

/// Columns that are shown once something is in them.
#[derive(Default)]
pub(super) struct Seen {
    instances: bool,
    containers: bool,
}

fn container(process: &Process) -> Option<&str> {
    process.host.as_ref()?.container.as_deref()
}

fn why_none(facts: &Facts) -> &'static str {
    let refused = |card: &super::facts::Card| card.listed.is_err() && card.sick.is_none();
    match facts.cards.iter().any(refused) {
        true => "Processes cannot be listed",
        false if facts.cards.iter().any(|card| card.listed.as_ref().is_ok_and(|listed| !listed.is_empty())) => {
            "No process meets the condition"
        }
        false => "No running processes found",
    }
}

fn cell(process: &Process, shown: Shown, units: bool) -> Cell {
    let number = |instance: Option<u32>| instance.map_or("-".to_owned(), |number| number.to_string());
    let Shown::Key(key) = shown else {
        let listed = &process.listed;
        return Cell::plain(format!("{}/{}", number(listed.gpu_instance), number(listed.compute_instance)));
    };
    let unit = |unit: &'static str| if units { unit } else { "" };
    match (key, key.read(process)) {
        (Key::UsedMemory, Ok(value)) => Cell::plain(text(&value) + unit("MiB")),
        (Key::HostMemory, Ok(Value::Bytes(bytes))) if units => Cell::plain(short_memory(bytes)),
        (Key::HostMemory, Ok(value)) => Cell::plain(text(&value)),
        (Key::Cpu, Ok(value)) => {
            let paint = if value.number() == Some(0.0) { Paint::Quiet } else { Paint::Plain };
            Cell::new(text(&value) + unit("%"), paint)
        }
        (Key::Time, Ok(Value::Amount(seconds))) if units => Cell::plain(duration(seconds)),
        (_, Ok(value)) => Cell::plain(text(&value)),
        (Key::Container, Err(_)) => Cell::default(),
        (Key::Command, Err(reason)) => Cell::new(reason.words(), Paint::Quiet),
        (_, Err(_)) => Cell::new("N/A", Paint::Quiet),
    }
}

fn text(value: &Value) -> String {
    let plain = value.plain();
    let lossy: Cow<str> = String::from_utf8_lossy(&plain);
    clean(&lossy).into_owned()
}

/// Memory in three digits: `512MiB`, `47.1GiB`.
fn short_memory(bytes: u64) -> String {
    match mib(bytes) {
        mib @ 0..1000 => format!("{mib}MiB"),
        mib @ 1000..102_400 => format!("{:.1}GiB", mib as f64 / 1024.0),
        mib @ 102_400..1_024_000 => format!("{}GiB", mib / 1024),
        mib => format!("{}TiB", mib / (1024 * 1024)),
    }
}

/// A time in its two greatest units: `42s`, `12m05s`, `5h12m`, `2d03h`.
fn duration(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{minutes}m{:02}s", seconds % 60),
        3600..86_400 => format!("{hours}h{:02}m", minutes % 60),
        _ if days < 1000 => format!("{days}d{:02}h", hours % 24),
        _ => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_memory_are_short() {
        let times = [0, 59, 60, 3599, 3600, 86_399, 86_400, 183_742, 86_400_000].map(duration);
        assert_eq!(times, ["0s", "59s", "1m00s", "59m59s", "1h00m", "23h59m", "1d00h", "2d03h", "2y"]);
        let sizes = [0, 1, 999 << 20, 1000 << 20, 50_554_994_688, 200 << 30, 5 << 40].map(short_memory);
        assert_eq!(sizes, ["0MiB", "1MiB", "999MiB", "1.0GiB", "47.1GiB", "200GiB", "5TiB"]);
        assert!(duration(u64::MAX).len() <= 15 && short_memory(u64::MAX).len() <= 11);
    }

    #[test]
    fn names_of_keys_are_told_apart() {
        let mut names: Vec<_> = Key::names().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        // A name that is also a field of a GPU would mean two things in one condition.
        assert!(names.iter().all(|name| crate::fields::gpu::REGISTRY.find(name).is_none()));
    }
}
