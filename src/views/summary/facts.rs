//! What the summary knows of a machine at one tick. A device is asked only for what is shown, devices side by
//! side; a process that several devices list is looked up on the host once.

use crate::driver::answers::{Memory, Text};
use crate::driver::{Code, calls};
use crate::fields::Field;
use crate::fields::gpu::{GpuQuery, REGISTRY, Row};
use crate::filter::Choice;
use crate::gpu::{self, Gpu, Listed, System};
use crate::host::{self, Moment};
use crate::value::{Reading, Reason, Value};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Readings of a device, each by the name of its query field, so that they are what a query gives.
macro_rules! items {
    ($($(#[$doc:meta])* $name:ident = $field:literal;)*) => {
        /// A reading of a device.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub(super) enum Item { $($(#[$doc])* $name),* }

        /// Every reading with its field.
        pub(super) const ITEMS: &[(Item, &str)] = &[$((Item::$name, $field)),*];
    };
}

items! {
    Uuid = "uuid";
    Serial = "serial";
    Name = "name";
    BusId = "pci.bus_id";
    Fan = "fan.speed";
    Temperature = "temperature.gpu";
    State = "pstate";
    Draw = "power.draw";
    Limit = "enforced.power.limit";
    Total = "memory.total";
    Reserved = "memory.reserved";
    Used = "memory.used";
    Free = "memory.free";
    Busy = "utilization.gpu";
    MemoryBusy = "utilization.memory";
    Mig = "mig.mode.current";
    Ecc = "ecc.mode.current";
    Errors = "ecc.errors.uncorrected.volatile.total";
    Persistence = "persistence_mode";
    Compute = "compute_mode";
}

/// A device.
pub(super) struct Card {
    pub(super) index: u32,
    readings: Vec<Reading>,
    /// Set when it is out of service.
    pub(super) sick: Option<Code>,
    pub(super) parts: Vec<Part>,
    pub(super) listed: Result<Vec<Listed>, Code>,
}

/// A MIG device.
pub(super) struct Part {
    /// Its place among those that there are.
    pub(super) place: usize,
    pub(super) gpu_instance: Result<u32, Code>,
    pub(super) compute_instance: Result<u32, Code>,
    /// What its kind is called: `3g.40gb`.
    pub(super) profile: String,
    pub(super) uuid: Result<Text, Code>,
    pub(super) memory: Result<Memory, Code>,
}

/// A process on a device.
#[derive(Clone)]
pub(super) struct Process {
    pub(super) gpu: u32,
    pub(super) listed: Listed,
    /// What the host knows of it.
    pub(super) host: Option<Arc<host::Process>>,
    /// Its command line, or the words for its absence.
    pub(super) command: Result<String, Reason>,
    /// Share of one processor that it took: since it was started, or in a loop since the tick before.
    pub(super) cpu: Option<u64>,
}

/// A machine.
pub(super) struct Facts {
    pub(super) now: Moment,
    pub(super) host: String,
    pub(super) driver: Result<String, Code>,
    pub(super) cuda: Result<String, Code>,
    pub(super) cards: Vec<Card>,
    pub(super) processes: Vec<Process>,
}

/// The readings that are shown.
#[derive(Clone, Debug)]
pub(super) struct Wanted(Vec<Option<&'static Field<GpuQuery>>>);

impl Wanted {
    pub(super) fn new(wanted: impl Fn(Item) -> bool) -> Self {
        Wanted(ITEMS.iter().map(|(item, field)| REGISTRY.find(field).filter(|_| wanted(*item))).collect())
    }
}

impl Card {
    /// A reading; one that was not wanted does not apply.
    pub(super) fn get(&self, item: Item) -> Reading {
        self.readings.get(item as usize).cloned().unwrap_or(Err(Reason::NotApplicable))
    }

    /// Its value as a number in the unit of its field.
    pub(super) fn number(&self, item: Item) -> Option<f64> {
        self.get(item).ok()?.number()
    }

    /// Memory in use as a part of all.
    pub(super) fn memory_share(&self) -> Option<f64> {
        share(self.number(Item::Used)?, self.number(Item::Total)?)
    }

    /// True when a cell holds this word.
    pub(super) fn says(&self, item: Item, word: &str) -> bool {
        self.get(item).is_ok_and(|value| *value.plain() == *word.as_bytes())
    }
}

/// A part of a whole, from 0 to 1; a driver that talks nonsense gets none.
pub(super) fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| (part / whole).clamp(0.0, 1.0))
}

/// What is remembered of the processes from tick to tick.
#[derive(Default)]
pub(super) struct Before {
    taken: Option<Instant>,
    cpu_time: HashMap<u32, u64>,
}

/// Asks the machine. `choice` says which of its devices are looked at.
pub(super) fn take(
    system: &System,
    gpus: &[Gpu],
    choice: &Choice<&'static Field<GpuQuery>>,
    wanted: &Wanted,
    before: &mut Before,
) -> Facts {
    let now = system.host().now();
    let cards = gpu::each(gpus, |gpu| card(system, gpu, wanted, now)).into_iter().zip(gpus).collect();
    let chosen: Vec<(Card, &Gpu)> = choice.apply(cards, |(_, gpu), field| (field.get)(&Row { gpu, system, now }));
    let cards: Vec<Card> = chosen.into_iter().map(|(card, _)| card).collect();
    let instant = Instant::now();
    let pids = cards.iter().filter_map(|card| card.listed.as_ref().ok()).flatten().map(|listed| listed.pid);
    let known = look_up(system.host(), pids);
    let since = before.taken.replace(instant).map(|then| instant - then);
    let mut processes = Vec::new();
    for card in &cards {
        let listed = card.listed.as_deref().unwrap_or_default();
        processes.extend(listed.iter().map(|listed| {
            let host = known.get(&listed.pid).cloned().flatten();
            let cpu = host.as_ref().and_then(|host| cpu(host, before.cpu_time.get(&listed.pid).copied(), since));
            let command = command(system, listed.pid, host.as_deref());
            Process { gpu: card.index, listed: *listed, host, command, cpu }
        }));
    }
    before.cpu_time = known.iter().filter_map(|(pid, host)| Some((*pid, host.as_ref()?.cpu_time?))).collect();
    let text = |answer: Result<Text, Code>| answer.map(|text| text.lossy().into_owned());
    Facts {
        now,
        host: system.host().name(),
        driver: text(system.ask(calls::DriverVersion)),
        cuda: system.ask(calls::CudaVersion).map(crate::views::version::cuda_version),
        cards,
        processes,
    }
}

fn card(system: &System, gpu: &Gpu, wanted: &Wanted, now: Moment) -> Card {
    let row = Row { gpu, system, now };
    let read =
        |field: &Option<&'static Field<GpuQuery>>| field.map_or(Err(Reason::NotApplicable), |field| (field.get)(&row));
    let readings = wanted.0.iter().map(read).collect();
    // Only a device in MIG mode has parts; the others are not asked how many they could have.
    let parts = if gpu.is_split() { gpu.mig_devices() } else { Vec::new() };
    let parts = parts.iter().enumerate().map(|(place, mig)| part(place, mig)).collect();
    let listed = gpu.processes();
    Card { index: gpu.index(), readings, sick: gpu.condemned(), parts, listed }
}

fn part(place: usize, mig: &Gpu) -> Part {
    let name = mig.ask(calls::Name).map(|name| name.lossy().into_owned()).unwrap_or_default();
    Part {
        place,
        gpu_instance: mig.ask(calls::GpuInstanceId),
        compute_instance: mig.ask(calls::ComputeInstanceId),
        profile: gpu::mig_profile(&name).to_owned(),
        uuid: mig.ask(calls::Uuid),
        memory: mig.memory(),
    }
}

/// Looks each process up once. Where there are many they are looked up side by side: reading `/proc` is all
/// that the summary waits for then.
fn look_up(host: &dyn host::Knows, pids: impl Iterator<Item = u32>) -> HashMap<u32, Option<Arc<host::Process>>> {
    /// Fewer are read before a thread is started.
    const PORTION: usize = 128;
    let mut pids: Vec<u32> = pids.collect();
    pids.sort_unstable();
    pids.dedup();
    let one = |pid: &u32| (*pid, host.process(*pid).map(Arc::new));
    if pids.len() <= PORTION {
        return pids.iter().map(one).collect();
    }
    // Counting processors reads files of its own: not for a few processes.
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let portion = pids.len().div_ceil(threads).max(PORTION);
    std::thread::scope(|scope| {
        let work: Vec<_> = pids
            .chunks(portion)
            .map(|pids| (pids, scope.spawn(move || pids.iter().map(one).collect::<Vec<_>>())))
            .collect();
        // A thread ends without a result only if it panicked; what it should have read is then not known.
        let join = |(pids, handle): (&[u32], std::thread::ScopedJoinHandle<Vec<_>>)| {
            handle.join().unwrap_or_else(|_| pids.iter().map(|pid| (*pid, None)).collect())
        };
        work.into_iter().flat_map(join).collect()
    })
}

/// Per cent of one processor. A time that went backwards is another process under the same number.
fn cpu(host: &host::Process, before: Option<u64>, since: Option<Duration>) -> Option<u64> {
    let used = host.cpu_time?;
    let (used, wall) = match (before, since) {
        (Some(before), Some(since)) if used >= before && since >= Duration::from_millis(1) => {
            (used - before, u64::try_from(since.as_millis()).ok()?)
        }
        _ => (used, host.age?.saturating_mul(1000)),
    };
    (wall > 0).then(|| used.saturating_mul(100) / wall)
}

/// The command line, else the name that the driver knows.
fn command(system: &System, pid: u32, host: Option<&host::Process>) -> Result<String, Reason> {
    let words = host.map(|host| host.command.as_slice()).unwrap_or_default();
    if !words.is_empty() {
        let words: Vec<_> = words.iter().map(Text::lossy).collect();
        return Ok(words.join(" "));
    }
    Ok(system.ask(calls::ProcessName(pid))?.lossy().into_owned())
}

impl Process {
    /// What it holds on the device, as a reading.
    pub(super) fn memory(&self) -> Reading {
        self.listed.used.map(Value::Bytes).ok_or(Reason::Code(Code::NOT_SUPPORTED))
    }
}
