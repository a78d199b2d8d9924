//! The only place that touches NVML. The rest of the house puts a [`Question`] and gets its typed answer
//! or the [`Code`] that stands in its place; whether a live library, a recording of some machine or the
//! built-in demo machine answered makes no difference to it.
//!
//! - [`calls`] is the one table of questions, [`answers`] the types of their answers, [`code`] the codes.
//! - [`ffi`] asks the live library and is the only room with `unsafe`.
//! - [`recording`] is the file format and how a machine is written to it; [`replay`] answers from it.
//! - [`demo`] is a machine that moves with time, for looking around without a GPU.

pub mod answers;
pub mod calls;
pub mod code;
mod demo;
mod ffi;
mod progress;
pub mod recording;
mod replay;

pub use code::Code;
pub use ffi::By;
pub use progress::{Note, Progress};

use ffi::{Handle, Library};
use replay::Replay;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// What a question is about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// The machine as a whole.
    System,
    /// A device, by NVML's index.
    Device(u32),
    /// A MIG device: the slot that it takes on its parent.
    Mig {
        /// Index of the parent.
        device: u32,
        /// Slot, of which some may be empty.
        slot: u32,
    },
}

/// Which of the two parts of the table a question is in.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Asked of the machine as a whole.
    System,
    /// Asked of a device.
    Device,
}

/// A question with its arguments, as it is written in a recording: `nvmlDeviceGetClockInfo(1)`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    symbol: &'static str,
    arguments: [u32; 3],
    count: u8,
}

impl Key {
    /// The key for a C function and the numbers that it is given.
    pub fn new(symbol: &'static str, given: &[u32]) -> Self {
        let mut arguments = [0; 3];
        for (place, argument) in arguments.iter_mut().zip(given) {
            *place = *argument;
        }
        Key { symbol, arguments, count: given.len() as u8 }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.symbol)?;
        for (at, argument) in self.arguments.iter().take(self.count.into()).enumerate() {
            write!(f, "{}{argument}", if at == 0 { '(' } else { ',' })?;
        }
        if self.count > 0 { f.write_str(")") } else { Ok(()) }
    }
}

/// Something that NVML can be asked. All of them are in [`calls`].
pub trait Question: Copy + 'static {
    /// The type of the answer.
    type Answer: Clone + Serialize + DeserializeOwned + Send + 'static;
    /// The C function.
    const SYMBOL: &'static str;
    /// True when the answer stays the same as long as the driver is loaded.
    const FIXED: bool;
    /// Whether it is asked of the machine or of a device.
    const SCOPE: Scope;

    /// The question as a recording names it.
    fn key(self) -> Key;

    /// Puts the question to the live library.
    #[doc(hidden)]
    fn live(self, library: &Library, device: Option<Handle>) -> Result<Self::Answer, Code>;
}

/// A source of answers.
pub struct Driver {
    source: Source,
    watched: Option<Watched>,
}

/// How a driver is asked by a worker under a time limit.
pub struct Watched {
    /// Where each call is written down before it is made.
    pub progress: Progress,
    /// Devices that are not asked.
    pub skip: Vec<u32>,
}

impl Watched {
    /// Makes a call and keeps it written down until it comes back, unless it is about a device that is not
    /// to be asked.
    fn during<T>(&self, symbol: &str, target: Target, call: impl FnOnce() -> Result<T, Code>) -> Result<T, Code> {
        let device = match target {
            Target::System => None,
            Target::Device(device) | Target::Mig { device, .. } => Some(device),
        };
        match device {
            Some(device) if self.skip.contains(&device) => Err(Code::NO_ANSWER),
            _ => self.progress.during(symbol, device, call),
        }
    }
}

enum Source {
    Live(Box<Library>),
    Replay(Replay),
}

/// Why there is no driver to ask.
#[derive(Debug)]
pub enum OpenError {
    /// The library could not be loaded.
    Missing {
        /// The file that was looked for.
        file: String,
        /// The loader's words.
        detail: String,
    },
    /// The library was loaded and refused to start.
    Refused {
        /// Its return code.
        code: Code,
        /// Its own version, where it tells.
        library: Option<String>,
    },
    /// A recording could not be used.
    Recording(recording::ReadError),
}

/// The file that the system's dynamic linker is asked for.
pub const SYSTEM_LIBRARY: &str = "libnvidia-ml.so.1";

impl Driver {
    /// The machine's own driver, through the library at `file` or the system's.
    pub fn live(file: Option<&Path>) -> Result<Self, OpenError> {
        Self::live_watched(file, None)
    }

    /// The same under a time limit.
    pub fn live_watched(file: Option<&Path>, watched: Option<Watched>) -> Result<Self, OpenError> {
        let file = file.map_or(SYSTEM_LIBRARY.as_ref(), Path::as_os_str);
        let opened = match &watched {
            None => Library::open(file),
            Some(watched) => watched.progress.during("nvmlInit_v2", None, || Library::open(file)),
        };
        match opened {
            Ok(library) => Ok(Driver { source: Source::Live(Box::new(library)), watched }),
            Err(ffi::Failure::Missing(detail)) => {
                Err(OpenError::Missing { file: file.to_string_lossy().into_owned(), detail })
            }
            Err(ffi::Failure::Refused { code, library }) => Err(OpenError::Refused { code, library }),
        }
    }

    /// The machine in a recording; `-` is standard input.
    pub fn replay(file: &Path) -> Result<Self, OpenError> {
        let replay = Replay::open(file).map_err(OpenError::Recording)?;
        match replay.start_error() {
            None => Ok(Driver { source: Source::Replay(replay), watched: None }),
            Some(code) => Err(OpenError::Refused { code, library: replay.library_version() }),
        }
    }

    /// The built-in machine that moves with time.
    pub fn demo() -> Self {
        Driver { source: Source::Replay(Replay::moving(demo::frame)), watched: None }
    }

    /// Puts a question.
    ///
    /// # Errors
    /// NVML's return code. A function that the driver's library lacks, and a question that a recording
    /// does not answer, are both [`Code::FUNCTION_NOT_FOUND`].
    pub fn ask<Q: Question>(&self, target: Target, question: Q) -> Result<Q::Answer, Code> {
        match &self.source {
            Source::Live(library) => {
                let device = self.handle(library, target)?;
                self.during(Q::SYMBOL, target, || question.live(library, device))
            }
            Source::Replay(replay) => replay.ask(target, question),
        }
    }

    /// The index of the device that `text` identifies.
    pub fn find(&self, by: By, text: &str) -> Result<u32, Code> {
        match &self.source {
            Source::Live(library) => {
                self.during("nvmlDeviceGetHandleByUUID", Target::System, || library.index_by(by, text))
            }
            Source::Replay(replay) => replay.find(by, text),
        }
    }

    /// Whether the device can be had at all (`nvmlDeviceGetHandleByIndex_v2`, or the same for MIG).
    pub fn reach(&self, target: Target) -> Result<(), Code> {
        match &self.source {
            Source::Live(library) => self.handle(library, target).map(|_| ()),
            Source::Replay(replay) => replay.reach(target),
        }
    }

    /// A number of devices, unless no machine has so many: nobody makes room for nonsense.
    ///
    /// # Errors
    /// An unknown error for nonsense.
    pub fn plausible_count(count: u32) -> Result<u32, Code> {
        if count > 4096 { Err(Code::UNKNOWN) } else { Ok(count) }
    }

    /// A number of slots for MIG devices. A GPU has seven; a greater number is looked through up to a bound.
    pub fn plausible_slots(slots: u32) -> u32 {
        slots.min(64)
    }

    /// Makes a call of the live library, under the eyes of a supervisor where there is one.
    fn during<T>(&self, symbol: &str, target: Target, call: impl FnOnce() -> Result<T, Code>) -> Result<T, Code> {
        match &self.watched {
            None => call(),
            Some(watched) => watched.during(symbol, target, call),
        }
    }

    fn handle(&self, library: &Library, target: Target) -> Result<Option<Handle>, Code> {
        self.during("nvmlDeviceGetHandleByIndex_v2", target, || live_handle(library, target))
    }

    /// Tells a supervisor that a round begins, or is over.
    pub fn round(&self, begins: bool) {
        if let Some(watched) = &self.watched {
            if begins { watched.progress.begin() } else { watched.progress.rest() }
        }
    }

    /// Moves a recording of several frames, or the demo machine, to the next tick. Of the live driver, devices
    /// that could not be had are asked for again.
    pub fn tick(&self) {
        match &self.source {
            Source::Live(library) => library.tick(),
            Source::Replay(replay) => replay.tick(),
        }
    }

    /// The frame that answers now, which also knows the machine's host; none for the live driver.
    pub fn recorded_host(&self) -> Option<std::sync::Arc<recording::Frame>> {
        match &self.source {
            Source::Live(_) => None,
            Source::Replay(replay) => Some(replay.frame()),
        }
    }
}

fn live_handle(library: &Library, target: Target) -> Result<Option<Handle>, Code> {
    match target {
        Target::System => Ok(None),
        Target::Device(index) => library.handle(index).map(Some),
        Target::Mig { device, slot } => library.mig_handle(device, slot).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_like_calls() {
        assert_eq!(calls::Name.key().to_string(), "nvmlDeviceGetName");
        assert_eq!(calls::Clock(calls::Domain::Sm).key().to_string(), "nvmlDeviceGetClockInfo(1)");
        assert_eq!(calls::FieldValues(185, 1).key().to_string(), "nvmlDeviceGetFieldValues(185,1)");
    }
}
