//! The demo machine: four GPUs, so that everything can be tried where there is none. One trains a model, one
//! serves requests that come in waves, one is held by a notebook in which little happens, one is idle; short
//! jobs of others come and go beside them.
//!
//! All of it is a function of the time since the program was started, without chance and without memory of
//! earlier frames: the same time shows the same machine. What stands still is as a real H200 answered it
//! (`demo.json`, which tests/machines/derive.py makes); what moves is set here, in the types of the questions.

use super::answers::{Bar1, FieldValue, Memory, Pci, Platform, Process, Text, Utilization};
use super::calls::{self, Domain, scope};
use super::recording::{Answers, Device, Frame};
use super::{Question, code::Code};
use crate::host::{self, Moment};
use std::f64::consts::{PI, TAU};
use std::sync::LazyLock;
use std::time::Duration;

const MIB: u64 = 1 << 20;
/// Memory of a GPU, and what the driver keeps of it.
const TOTAL: u64 = 150_754_820_096;
const RESERVED: u64 = 644_939_776;
/// What the driver takes of a GPU that processes use, beside what it counts as theirs.
const SHARED: u64 = 9 * MIB;
/// Watts above which the power limit begins to slow the clocks.
const POWER_CAP: f64 = 655.0;
/// Greatest clock of the multiprocessors, the one at rest, and the step between settable ones, in MHz.
const FASTEST: f64 = 1980.0;
const RESTING: u32 = 345;
const CLOCK_STEP: f64 = 15.0;

/// One GPU with nothing on it. A test watches that it can be read.
static BASE: LazyLock<Frame> = LazyLock::new(|| serde_json::from_str(include_str!("demo.json")).unwrap_or_default());

/// The machine, this long after the program was started.
pub(super) fn frame(elapsed: Duration) -> Frame {
    let gpus = [training, serving, notebook, idle].map(|work| work(elapsed.as_secs_f64()));
    let mut frame = Frame { taken: Moment::now().to_string(), ..BASE.clone() };
    set(&mut frame.system, calls::Count, gpus.len() as u32);
    for job in gpus.iter().flat_map(|gpu| &gpu.jobs) {
        set(&mut frame.system, calls::ProcessName(job.pid), job.command.first().cloned().unwrap_or_default());
        frame.processes.insert(job.pid, job.host());
    }
    let empty = frame.devices.pop().unwrap_or_default();
    frame.devices = gpus.iter().zip(PLACES).map(|(gpu, place)| gpu.device(&empty, place, elapsed)).collect();
    frame
}

/// Where a GPU sits: index, PCI bus, module on the board.
type Place = (u32, u32, u8);
const PLACES: [Place; 4] = [(0, 0x1b, 2), (1, 0x43, 4), (2, 0x9d, 1), (3, 0xdf, 3)];

/// What a GPU does at one moment.
struct Gpu {
    /// Share of time in which it computes and in which its memory is read or written, in per cent.
    busy: f64,
    memory_busy: f64,
    jobs: Vec<Job>,
}

/// A process on a GPU.
struct Job {
    pid: u32,
    user: &'static str,
    command: Vec<Text>,
    /// Framebuffer that it holds, in MiB.
    held: f64,
    /// Seconds since it was started.
    age: f64,
    /// Memory on the host in MiB, and how many processor cores it keeps busy.
    resident: u64,
    cores: f64,
}

/// The training job: nearly always at full load, with steps in which memory swells a little.
fn training(t: f64) -> Gpu {
    let job = Job {
        pid: 41_207,
        user: "ada",
        command: words("python train.py --config llm-70b.yaml --shard 0"),
        held: 118_000.0 + 1_400.0 * wave(t, 31.0),
        age: 183_742.0 + t,
        resident: 48_213,
        cores: 7.6,
    };
    Gpu {
        busy: 98.6 + 1.2 * wave(t, 17.0) + 0.6 * wave(t, 5.3),
        memory_busy: 62.0 + 5.0 * wave(t, 23.0),
        jobs: vec![job],
    }
}

/// The server: requests in waves, and now and then a job that fills an index beside it.
fn serving(t: f64) -> Gpu {
    let server = Job {
        pid: 52_011,
        user: "serve",
        command: words("VLLM::EngineCore"),
        held: 92_000.0 + 6_000.0 * wave(t + 9.0, 53.0),
        age: 912_390.0 + t,
        resident: 9_882,
        cores: 1.9,
    };
    let mut busy = 46.0 + 32.0 * wave(t, 41.0) + 8.0 * wave(t, 13.0);
    let mut jobs = vec![server];
    if let Some(visit) = Visit::at(t, 70.0, 12.0, 40.0) {
        busy += 12.0 * visit.swell();
        jobs.push(Job {
            pid: visit.pid(60_104),
            user: "chen",
            command: words("python3 embed.py --batch 512 corpus.jsonl"),
            held: 3_000.0 + 11_000.0 * visit.swell(),
            age: visit.age,
            resident: 2_310,
            cores: 1.0,
        });
    }
    Gpu { busy, memory_busy: busy * 0.42, jobs }
}

/// The notebook: much memory held, little done; and a plot that someone draws from time to time.
fn notebook(t: f64) -> Gpu {
    let kernel = Job {
        pid: 47_733,
        user: "bo",
        command: words("/opt/conda/bin/python -m ipykernel_launcher -f kernel-7.json"),
        held: 21_774.0,
        age: 41_005.0 + t,
        resident: 6_140,
        cores: 0.02,
    };
    let mut busy = 5.0 * wave(t, 37.0) + 4.0 * wave(t, 11.0) - 3.0;
    let mut jobs = vec![kernel];
    if let Some(visit) = Visit::at(t, 45.0, 30.0, 14.0) {
        busy = busy.max(0.0) + 21.0 * visit.swell();
        jobs.push(Job {
            pid: visit.pid(73_450),
            user: "chen",
            command: words("python3 plot.py --last 24h"),
            held: 540.0 + 900.0 * visit.swell(),
            age: visit.age,
            resident: 812,
            cores: 0.9,
        });
    }
    Gpu { busy, memory_busy: busy * 0.3, jobs }
}

/// Nobody is there.
fn idle(_: f64) -> Gpu {
    Gpu { busy: 0.0, memory_busy: 0.0, jobs: Vec::new() }
}

/// One of the jobs that come again and again, each time as another process.
struct Visit {
    /// How many there were before.
    number: u64,
    /// Seconds since it came, and for how many it stays.
    age: f64,
    stays: f64,
}

impl Visit {
    /// The job that is there at `t`, of those that come every `period` seconds from `first` on.
    fn at(t: f64, period: f64, first: f64, stays: f64) -> Option<Self> {
        let since = t - first;
        let age = since.rem_euclid(period);
        (since >= 0.0 && age < stays).then(|| Visit { number: (since / period) as u64, age, stays })
    }

    /// From nothing to one and back to nothing while it is there.
    fn swell(&self) -> f64 {
        (PI * self.age / self.stays).sin()
    }

    /// Another pid each time. The steps from the two first ones in use never meet.
    fn pid(&self, first: u32) -> u32 {
        first + 37 * (self.number % 100_000) as u32
    }
}

/// Between -1 and 1, once up and down in `period` seconds.
fn wave(t: f64, period: f64) -> f64 {
    (TAU * t / period).sin()
}

fn words(command: &str) -> Vec<Text> {
    command.split(' ').map(Text::from).collect()
}

fn percent(share: f64) -> u32 {
    share.round().clamp(0.0, 100.0) as u32
}

impl Job {
    fn used(&self) -> u64 {
        self.held as u64 * MIB
    }

    /// What a device's lists say of it.
    fn listed(&self) -> Process {
        Process { pid: self.pid, used: Some(self.used()), gpu_instance: None, compute_instance: None }
    }

    /// What the host knows of it.
    fn host(&self) -> host::Process {
        host::Process {
            command: self.command.clone(),
            user: Some(self.user.to_owned()),
            parent: Some(1),
            resident: Some(self.resident * MIB),
            cpu_time: Some((self.age * self.cores * 1000.0) as u64),
            age: Some(self.age as u64),
            container: None,
        }
    }
}

impl Gpu {
    fn used(&self) -> u64 {
        let held: u64 = self.jobs.iter().map(Job::used).sum();
        if held == 0 { 0 } else { held + SHARED }
    }

    /// Power follows the load, with some movement of its own that differs from GPU to GPU.
    fn watts(&self, t: f64, index: u32) -> f64 {
        let own = 1.0 + self.busy.clamp(0.0, 100.0) / 20.0;
        76.0 + 6.0 * self.busy.clamp(0.0, 100.0) + own * wave(t + f64::from(index), 7.1)
    }

    /// The device in a recording, made from one on which nothing happens.
    fn device(&self, empty: &Device, (index, bus, module): Place, elapsed: Duration) -> Device {
        let t = elapsed.as_secs_f64();
        let mut device = empty.clone();
        let answers = &mut device.answers;
        identify(answers, index, bus, module);
        self.hold(answers);
        let watts = self.watts(t, index);
        heat(answers, watts, index);
        let slowed = (watts - POWER_CAP).max(0.0);
        let at_rest = percent(self.busy) == 0;
        let clock = ((FASTEST - 3.0 * slowed) / CLOCK_STEP).round() * CLOCK_STEP;
        for domain in [Domain::Graphics, Domain::Sm] {
            set(answers, calls::Clock(domain), if at_rest { RESTING } else { clock as u32 });
        }
        // Bits of NVML: 1 nothing to do, 4 held back by the power limit.
        let reasons = if at_rest { 1 } else { u64::from(slowed > 0.0) * 4 };
        set(answers, calls::CurrentThrottleReasons, reasons);
        set(answers, calls::CurrentEventReasons, reasons);
        set(
            answers,
            calls::UtilizationRates,
            Utilization { gpu: percent(self.busy), memory: percent(self.memory_busy) },
        );
        if !self.jobs.is_empty() {
            // Nanoseconds for which the power limit has held it back so far.
            let held_back = 25_260_083_264 + (elapsed.as_nanos() / 20) as u64;
            set(answers, calls::FieldValues(74, scope::GPU), FieldValue::Unsigned(held_back));
        }
        device
    }

    /// Memory and the processes that hold it.
    fn hold(&self, answers: &mut Answers) {
        let used = self.used();
        let free = TOTAL.saturating_sub(RESERVED + used);
        set(answers, calls::MemoryV2, Memory { total: TOTAL, reserved: Some(RESERVED), free, used });
        set(answers, calls::MemoryV1, Memory { total: TOTAL, reserved: None, free, used: used + RESERVED });
        let aperture = 262_144 * MIB;
        let mapped = used + 2 * MIB;
        set(answers, calls::Bar1Memory, Bar1 { total: aperture, free: aperture.saturating_sub(mapped), used: mapped });
        let list: Vec<Process> = self.jobs.iter().map(Job::listed).collect();
        set(answers, calls::ComputeProcessesV3, list.clone());
        set(answers, calls::ComputeProcessesV2, list.clone());
        set(answers, calls::ComputeProcessesV1, list);
    }
}

/// What tells the GPUs apart; nobody should take it for a real board.
fn identify(answers: &mut Answers, index: u32, bus: u32, module: u8) {
    set(answers, calls::Index, index);
    set(answers, calls::Uuid, format!("GPU-de300000-0000-0000-0000-{index:012}").into());
    set(answers, calls::Serial, format!("{index:013}").into());
    let pci = Pci {
        domain: 0,
        bus,
        device: 0,
        device_id: 0x2335_10de,
        subsystem_id: 0x18bf_10de,
        bus_id: format!("00000000:{bus:02X}:00.0").into(),
        base_class: None,
        sub_class: None,
    };
    set(answers, calls::PciExt, Pci { base_class: Some(3), sub_class: Some(2), ..pci.clone() });
    set(answers, calls::PciV3, pci);
    set(answers, calls::ModuleId, module.into());
    let platform = Platform {
        fabric_guid: [0; 16],
        chassis_serial: Text::default(),
        slot: 0,
        tray: 0,
        host: 1,
        peer_type: 0,
        module,
    };
    set(answers, calls::PlatformInfo, platform);
}

/// Power and the temperatures that go with it.
fn heat(answers: &mut Answers, watts: f64, index: u32) {
    let milliwatts = (watts * 1000.0) as u32;
    set(answers, calls::PowerUsage, milliwatts);
    for id in [185, 186] {
        set(answers, calls::FieldValues(id, scope::GPU), FieldValue::Unsigned(milliwatts.into()));
    }
    let chip = (26.0 + watts * 0.056 + f64::from(index)).round();
    set(answers, calls::Temperature, chip as u32);
    set(answers, calls::TemperatureV, chip as i32);
    set(answers, calls::MarginTemperature, 87 - chip as i32);
    set(answers, calls::FieldValues(82, scope::GPU), FieldValue::Unsigned((chip + 2.0 + watts / 110.0) as u64));
}

/// An answer to a question; that its type is the question's keeps this machine true to the table.
fn set<Q: Question>(answers: &mut Answers, question: Q, answer: Q::Answer) {
    let value = serde_json::to_value(answer).unwrap_or_else(|_| super::recording::error_value(Code::UNKNOWN));
    answers.insert(question.key().to_string(), value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn at(seconds: f64) -> Frame {
        frame(Duration::from_secs_f64(seconds))
    }

    fn told<Q: Question>(answers: &Answers, question: Q) -> Q::Answer {
        let value = answers.get(&question.key().to_string()).expect("answered").clone();
        serde_json::from_value(value).expect("of the question's type")
    }

    /// Every second of five minutes.
    fn seconds() -> impl Iterator<Item = f64> {
        (0..300).map(f64::from)
    }

    #[test]
    fn the_base_answers_all_that_a_real_one_answers() {
        let real = include_str!("../../tests/machines/h200.json");
        let real: Frame = serde_json::from_str(real).expect("a recording");
        let shown = at(0.0);
        for device in &shown.devices {
            assert_eq!(device.slot_generation, Some(5));
            for key in real.devices.first().expect("a device").answers.keys() {
                assert!(device.answers.contains_key(key), "{key}");
            }
        }
        for key in real.system.keys() {
            assert!(shown.system.contains_key(key), "{key}");
        }
    }

    #[test]
    fn four_gpus_that_differ_and_move() {
        let (now, later) = (at(0.0), at(3.0));
        assert_eq!((now.devices.len(), told(&now.system, calls::Count)), (4, 4));
        let load = |frame: &Frame| -> Vec<u32> {
            frame.devices.iter().map(|device| told(&device.answers, calls::UtilizationRates).gpu).collect()
        };
        assert!(matches!(load(&now)[..], [96..=100, 20..=80, 0..=15, 0]), "{:?}", load(&now));
        assert_ne!(load(&now), load(&later));
        assert!(now.processes.len() >= 3);
        for (device, after) in now.devices.iter().zip(&later.devices) {
            let power = |device: &Device| told(&device.answers, calls::PowerUsage);
            assert_ne!(power(device), power(after));
        }
        for pair in now.devices.windows(2) {
            let id = |device: &Device| told(&device.answers, calls::Uuid);
            assert_ne!(pair.first().map(id), pair.last().map(id));
        }
    }

    #[test]
    fn numbers_stay_within_their_bounds_and_add_up() {
        for t in seconds().chain([31_536_000.0]) {
            for device in &at(t).devices {
                let answers = &device.answers;
                let load = told(answers, calls::UtilizationRates);
                assert!(load.gpu <= 100 && load.memory <= 100, "{t}: {load:?}");
                let memory = told(answers, calls::MemoryV2);
                let reserved = memory.reserved.expect("told by this call");
                assert_eq!(memory.used + memory.free + reserved, memory.total, "{t}");
                let older = told(answers, calls::MemoryV1);
                assert_eq!((older.used, older.free), (memory.used + reserved, memory.free), "{t}");
                let held: u64 =
                    told(answers, calls::ComputeProcessesV3).iter().filter_map(|process| process.used).sum();
                assert!(memory.used >= held, "{t}");
                assert!((60_000..=700_000).contains(&told(answers, calls::PowerUsage)), "{t}");
                assert!((25..=80).contains(&told(answers, calls::TemperatureV)), "{t}");
                assert!((300..=1980).contains(&told(answers, calls::Clock(Domain::Sm))), "{t}");
            }
        }
    }

    #[test]
    fn readings_move_smoothly() {
        let readings = |t: f64| -> Vec<(i64, i64)> {
            let of = |device: &Device| {
                let load = told(&device.answers, calls::UtilizationRates).gpu;
                (i64::from(load), i64::from(told(&device.answers, calls::PowerUsage)))
            };
            at(t).devices.iter().map(of).collect()
        };
        let mut last = readings(0.0);
        for t in (1..1000).map(|tenth| f64::from(tenth) / 10.0) {
            let now = readings(t);
            for (before, after) in last.iter().zip(&now) {
                assert!((before.0 - after.0).abs() <= 4 && (before.1 - after.1).abs() <= 15_000, "{t}");
            }
            last = now;
        }
    }

    #[test]
    fn processes_come_and_go_and_are_themselves_while_they_live() {
        let mut seen: BTreeMap<u32, (host::Process, f64)> = BTreeMap::new();
        let mut gone = 0;
        for t in seconds() {
            let shown = at(t);
            let listed: Vec<u32> = shown
                .devices
                .iter()
                .flat_map(|device| told(&device.answers, calls::ComputeProcessesV3))
                .map(|it| it.pid)
                .collect();
            assert_eq!(listed.len(), shown.processes.len(), "a process is on one GPU, and the host knows it");
            for (pid, process) in shown.processes {
                assert!(listed.contains(&pid));
                let name = told(&shown.system, calls::ProcessName(pid));
                assert_eq!(Some(&name), process.command.first());
                if let Some((before, last)) = seen.insert(pid, (process.clone(), t)) {
                    assert_eq!((before.user, before.command), (process.user, process.command));
                    assert!(before.age <= process.age && before.cpu_time <= process.cpu_time);
                    assert!(t - last <= 1.0, "process {pid} came back");
                }
            }
            gone = seen.values().filter(|(_, last)| *last < t).count();
        }
        assert!(gone > 4, "{gone}");
    }

    #[test]
    fn the_same_time_shows_the_same_machine() {
        let shown =
            |frame: Frame| serde_json::to_string(&(frame.system, frame.devices, frame.processes)).expect("written");
        assert_eq!(shown(at(12.5)), shown(at(12.5)));
    }
}
