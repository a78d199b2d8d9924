//! One device at one tick. It asks the driver the first time that something needs an answer, and keeps the
//! answer, or the reason that there is none, until the next tick; what nobody needs is never asked. What
//! stays the same as long as the driver is loaded (names, ids) is kept across ticks.
//!
//! Here, too, live the choices between a newer call and the older one that stands in for it.

mod processes;
pub mod select;

pub use processes::Listed;

use crate::driver::answers::{Fabric, Memory, Pci, Process};
use crate::driver::{Code, Driver, Key, Question, Target, calls};
use crate::host;
use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is kept of one target's answers. Behind a lock, so that devices can be asked side by side.
#[derive(Default)]
struct Kept(Mutex<HashMap<Key, Answer>>);

struct Answer {
    fixed: bool,
    code: Option<Code>,
    answer: Box<dyn Any + Send>,
}

impl Kept {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Answer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask<Q: Question>(&self, driver: &Driver, target: Target, question: Q) -> Result<Q::Answer, Code> {
        let key = question.key();
        // Held during the call: of several threads with the same question one asks, and the others wait for it.
        let mut kept = self.lock();
        let known = kept.get(&key).and_then(|kept| kept.answer.downcast_ref::<Result<Q::Answer, Code>>().cloned());
        known.unwrap_or_else(|| {
            let answer = driver.ask(target, question);
            let code = answer.as_ref().err().copied();
            // A failed answer is asked for again at the next tick, whatever it was about.
            let fixed = Q::FIXED && code.is_none();
            kept.insert(key, Answer { fixed, code, answer: Box::new(answer.clone()) });
            answer
        })
    }

    fn tick(&self) {
        self.lock().retain(|_, kept| kept.fixed);
    }
}

/// The machine as a whole: what is asked of no device.
pub struct System<'a> {
    driver: &'a Driver,
    host: &'a dyn host::Knows,
    kept: Kept,
}

impl<'a> System<'a> {
    /// The machine that `driver` speaks for.
    pub fn new(driver: &'a Driver, host: &'a dyn host::Knows) -> Self {
        System { driver, host, kept: Kept::default() }
    }

    /// Its driver.
    pub fn driver(&self) -> &'a Driver {
        self.driver
    }

    /// Its host.
    pub fn host(&self) -> &'a dyn host::Knows {
        self.host
    }

    /// A device of it.
    pub fn gpu(&self, index: u32) -> Gpu<'a> {
        Gpu {
            driver: self.driver,
            host: self.host,
            target: Target::Device(index),
            index,
            kept: Kept::default(),
            touched: AtomicBool::new(false),
        }
    }

    fn tick(&self) {
        self.kept.tick();
    }

    /// Number of devices.
    ///
    /// # Errors
    /// NVML's return code, or an unknown error when it is no number of devices.
    pub fn count(&self) -> Result<u32, Code> {
        self.ask(calls::Count).and_then(Driver::plausible_count)
    }

    /// Puts a question, once a tick.
    ///
    /// # Errors
    /// NVML's return code.
    pub fn ask<Q: Question>(&self, question: Q) -> Result<Q::Answer, Code> {
        self.kept.ask(self.driver, Target::System, question)
    }
}

/// Begins a tick: what may have changed of the machine and of these devices is forgotten.
pub fn tick(system: &System, gpus: &[Gpu]) {
    system.tick();
    gpus.iter().for_each(Gpu::tick);
}

/// Does `work` for each device and gives the results in order: side by side the first time, one after the
/// other from then on.
///
/// Measured on two H200s (docs/several-gpus.md): getting hold of a device takes 6.6 ms and overlaps with
/// another's; most readings after that take a microsecond, or wait for each other in the driver, and a
/// thread would cost more than it saves.
pub fn each<'a, T: Send>(gpus: &[Gpu<'a>], work: impl Fn(&Gpu<'a>) -> T + Sync) -> Vec<T> {
    // Every device is marked, also behind one that is new.
    let mut warm = true;
    for gpu in gpus {
        warm &= gpu.touched.swap(true, Ordering::Relaxed);
    }
    let [first, others @ ..] = gpus else { return Vec::new() };
    if warm || others.is_empty() {
        return gpus.iter().map(work).collect();
    }
    std::thread::scope(|scope| {
        let handles: Vec<_> = others.iter().map(|gpu| (gpu, scope.spawn(|| work(gpu)))).collect();
        let mut results = vec![work(first)];
        // A thread ends without a result only if it panicked; the work is then done again here.
        results.extend(handles.into_iter().map(|(gpu, handle)| handle.join().unwrap_or_else(|_| work(gpu))));
        results
    })
}

/// What kind of MIG device has this name: NVML names it after its parent, `NVIDIA H100 80GB HBM3 MIG 3g.40gb`.
pub fn mig_profile(name: &str) -> &str {
    name.rsplit_once("MIG ").map_or(name, |(_, profile)| profile)
}

/// A device.
pub struct Gpu<'a> {
    driver: &'a Driver,
    host: &'a dyn host::Knows,
    target: Target,
    index: u32,
    kept: Kept,
    /// True once it was part of work on all devices, which then need no threads again.
    touched: AtomicBool,
}

impl<'a> Gpu<'a> {
    /// The machine's host.
    pub fn host(&self) -> &'a dyn host::Knows {
        self.host
    }

    /// NVML's index of the device. It is known even when the device answers nothing.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Whether the device can be had at all.
    ///
    /// # Errors
    /// The code with which NVML refused its handle.
    pub fn reach(&self) -> Result<(), Code> {
        self.driver.reach(self.target)
    }

    fn tick(&self) {
        self.kept.tick();
    }

    /// Puts a question, once a tick.
    ///
    /// # Errors
    /// NVML's return code.
    pub fn ask<Q: Question>(&self, question: Q) -> Result<Q::Answer, Code> {
        self.kept.ask(self.driver, self.target, question)
    }

    /// Asks `newer`, and `older` where the library does not know the newer call.
    fn ask_either<N: Question, O: Question<Answer = N::Answer>>(&self, newer: N, older: O) -> Result<N::Answer, Code> {
        match self.ask(newer) {
            Err(code) if code.suggests_older_call() => self.ask(older),
            answer => answer,
        }
    }

    /// The code that says that the device is out of service, where this tick has met it: its handle was
    /// refused, or a call found it gone.
    pub fn condemned(&self) -> Option<Code> {
        let met = || self.kept.lock().values().filter_map(|kept| kept.code).find(|code| code.condemns_device());
        self.reach().err().or_else(met)
    }

    /// Framebuffer memory. Drivers before 510 have only the older call, in which `used` includes what the
    /// driver keeps for itself; some later ones export the newer and refuse it.
    pub fn memory(&self) -> Result<Memory, Code> {
        self.ask_either(calls::MemoryV2, calls::MemoryV1)
    }

    /// Place on the PCI bus.
    pub fn pci(&self) -> Result<Pci, Code> {
        self.ask_either(calls::PciExt, calls::PciV3)
    }

    /// Temperature of the chip in °C.
    pub fn temperature(&self) -> Result<i64, Code> {
        match self.ask(calls::TemperatureV) {
            Err(code) if code.suggests_older_call() => self.ask(calls::Temperature).map(i64::from),
            answer => answer.map(i64::from),
        }
    }

    /// Reasons for slow clocks that this device can have.
    pub fn supported_event_reasons(&self) -> Result<u64, Code> {
        self.ask_either(calls::SupportedThrottleReasons, calls::SupportedEventReasons)
    }

    /// Reasons for which the clocks are slow now.
    pub fn event_reasons(&self) -> Result<u64, Code> {
        self.ask_either(calls::CurrentThrottleReasons, calls::CurrentEventReasons)
    }

    /// Place in an NVLink fabric.
    pub fn fabric(&self) -> Result<Fabric, Code> {
        self.ask_either(calls::FabricInfoV, calls::FabricInfo)
    }

    /// Processes that compute, in the driver's order.
    pub fn compute_processes(&self) -> Result<Vec<Process>, Code> {
        self.ask_three(calls::ComputeProcessesV3, calls::ComputeProcessesV2, calls::ComputeProcessesV1)
    }

    /// Processes that draw, in the driver's order.
    pub fn graphics_processes(&self) -> Result<Vec<Process>, Code> {
        self.ask_three(calls::GraphicsProcessesV3, calls::GraphicsProcessesV2, calls::GraphicsProcessesV1)
    }

    /// Processes that compute through MPS, in the driver's order.
    pub fn mps_processes(&self) -> Result<Vec<Process>, Code> {
        self.ask_three(calls::MpsProcessesV3, calls::MpsProcessesV2, calls::MpsProcessesV1)
    }

    /// Asks the newest of three forms of a call that the library knows.
    fn ask_three<A, B, C>(&self, newest: A, older: B, oldest: C) -> Result<A::Answer, Code>
    where
        A: Question,
        B: Question<Answer = A::Answer>,
        C: Question<Answer = A::Answer>,
    {
        match self.ask_either(newest, older) {
            Err(code) if code.suggests_older_call() => self.ask(oldest),
            answer => answer,
        }
    }

    /// The MIG device in a slot of this one, unless the slot is empty.
    fn mig(&self, slot: u32) -> Option<Self> {
        let target = Target::Mig { device: self.index, slot };
        self.driver.reach(target).ok()?;
        Some(Gpu {
            driver: self.driver,
            host: self.host,
            target,
            index: self.index,
            kept: Kept::default(),
            touched: AtomicBool::new(true),
        })
    }

    /// Whether the device is split into MIG devices now.
    pub fn is_split(&self) -> bool {
        self.ask(calls::MigMode).is_ok_and(|mode| mode.current == 1)
    }

    /// The MIG devices of the device, in the order of their slots; none where it has no MIG.
    pub fn mig_devices(&self) -> Vec<Gpu<'a>> {
        let slots = self.ask(calls::MaxMigDevices).map_or(0, Driver::plausible_slots);
        (0..slots).filter_map(|slot| self.mig(slot)).collect()
    }

    /// Newest PCIe generation of the slot.
    pub fn slot_generation(&self) -> Result<u32, Code> {
        let bus_id = self.pci()?.bus_id;
        self.host.slot_generation(&bus_id.lossy()).ok_or(Code::NOT_SUPPORTED)
    }
}
