//! What the operating system knows and NVML does not tell: the clock, the host's name, and the processes
//! behind the pids that a device lists. A process can vanish between two reads and `/proc` can be hidden
//! from the caller; both are ordinary answers here. Whatever is Linux's own is in [`proc`].

mod clock;
mod proc;

pub use clock::Moment;

use crate::driver::Driver;
use crate::driver::answers::Text;
use crate::driver::recording::Frame;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A process as the host sees it. What could not be read is absent.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Process {
    /// Its command line, word by word; empty for a kernel thread and for a process that has ended.
    #[serde(default)]
    pub command: Vec<Text>,
    /// Name of its real user, or the user's number where it has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Process that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// Memory that it holds on the host, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident: Option<u64>,
    /// Processor time that it has used, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_time: Option<u64>,
    /// Seconds since it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age: Option<u64>,
    /// Container or pod that it runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
}

/// Someone to ask about the host: the running system, or a recording.
pub trait Knows: Sync {
    /// The local time.
    fn now(&self) -> Moment;
    /// The host's name.
    fn name(&self) -> String;
    /// A process, unless it is gone or hidden.
    fn process(&self, pid: u32) -> Option<Process>;
    /// Newest PCIe generation that the slot of the device with this bus id can use.
    fn slot_generation(&self, bus_id: &str) -> Option<u32>;
}

/// The operating system's words for an error, without the number that the standard library adds.
pub fn words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.as_str(), |(words, _)| words).to_owned()
}

/// Version of the kernel driver that is loaded, whether or not the library can talk to it.
pub fn kernel_driver_version() -> Option<String> {
    proc::kernel_driver_version()
}

/// The running system.
pub struct System;

impl Knows for System {
    fn now(&self) -> Moment {
        Moment::now()
    }

    fn name(&self) -> String {
        proc::host_name()
    }

    fn process(&self, pid: u32) -> Option<Process> {
        proc::process(pid)
    }

    fn slot_generation(&self, bus_id: &str) -> Option<u32> {
        proc::slot_generation(bus_id)
    }
}

impl Knows for Arc<Frame> {
    fn now(&self) -> Moment {
        Moment::parse(&self.taken).unwrap_or_else(Moment::now)
    }

    fn name(&self) -> String {
        self.host.clone()
    }

    fn process(&self, pid: u32) -> Option<Process> {
        self.processes.get(&pid).cloned()
    }

    fn slot_generation(&self, bus_id: &str) -> Option<u32> {
        let of = |device: &crate::driver::recording::Device| {
            let recorded = device.answers.get(<crate::driver::calls::PciV3 as crate::driver::Question>::SYMBOL)?;
            Some(recorded.get("bus_id")?.as_str()? == bus_id)
        };
        self.devices.iter().find(|device| of(device) == Some(true))?.slot_generation
    }
}

/// The host of the machine that a driver speaks for: the running system, or what the recorded frame that
/// answers now says of its host, so that the host of a recording moves on together with its devices.
pub struct Host<'a>(pub &'a Driver);

impl Host<'_> {
    fn ask<T>(&self, question: impl Fn(&dyn Knows) -> T) -> T {
        self.0.recorded_host().map_or_else(|| question(&System), |frame| question(&frame))
    }
}

impl Knows for Host<'_> {
    fn now(&self) -> Moment {
        self.ask(|host| host.now())
    }

    fn name(&self) -> String {
        self.ask(|host| host.name())
    }

    fn process(&self, pid: u32) -> Option<Process> {
        self.ask(|host| host.process(pid))
    }

    fn slot_generation(&self, bus_id: &str) -> Option<u32> {
        self.ask(|host| host.slot_generation(bus_id))
    }
}
