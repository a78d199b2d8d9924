//! Answers from recorded frames, or from a function that makes a frame for a moment (the demo machine).
//! A recording of several frames moves on by one each tick and stays at its last.

use super::recording::{Answers, FORMAT, Frame, ReadError};
use super::{By, Code, Question, Target, calls};
use crate::driver::answers::{Pci, Text};
use serde::de::DeserializeOwned;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(super) struct Replay {
    source: Source,
    current: Mutex<(usize, Arc<Frame>)>,
}

enum Source {
    Recorded(Vec<Arc<Frame>>),
    Moving { make: fn(Duration) -> Frame, since: Instant },
}

impl Replay {
    /// Reads a recording; `-` is standard input.
    pub(super) fn open(file: &Path) -> Result<Self, ReadError> {
        let text = read(file).map_err(|error| ReadError::Io(file.to_owned(), error))?;
        let mut frames = Vec::new();
        for frame in serde_json::Deserializer::from_slice(&text).into_iter::<Frame>() {
            let frame = frame.map_err(|error| ReadError::Json(file.to_owned(), error))?;
            if frame.rsmi_recording != FORMAT {
                return Err(ReadError::Format(file.to_owned(), frame.rsmi_recording));
            }
            frames.push(Arc::new(frame));
        }
        let first = frames.first().cloned().ok_or_else(|| ReadError::Empty(file.to_owned()))?;
        Ok(Self { source: Source::Recorded(frames), current: Mutex::new((0, first)) })
    }

    /// A machine whose frames are made as time goes by.
    pub(super) fn moving(make: fn(Duration) -> Frame) -> Self {
        let first = Arc::new(make(Duration::ZERO));
        Self { source: Source::Moving { make, since: Instant::now() }, current: Mutex::new((0, first)) }
    }

    /// The frame that answers now.
    pub(super) fn frame(&self) -> Arc<Frame> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// The next frame, or the last again.
    pub(super) fn tick(&self) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        match &self.source {
            Source::Recorded(frames) => {
                if let Some(next) = frames.get(current.0 + 1) {
                    *current = (current.0 + 1, next.clone());
                }
            }
            Source::Moving { make, since } => current.1 = Arc::new(make(since.elapsed())),
        }
    }

    /// The code with which the recorded library refused to start.
    pub(super) fn start_error(&self) -> Option<Code> {
        self.frame().refused.map(Code)
    }

    pub(super) fn library_version(&self) -> Option<String> {
        let version = lookup::<Text>(&self.frame().system, calls::NvmlVersion::SYMBOL).ok()?;
        Some(version.lossy().into_owned())
    }

    pub(super) fn ask<Q: Question>(&self, target: Target, question: Q) -> Result<Q::Answer, Code> {
        let frame = self.frame();
        lookup(answers(&frame, target)?, &question.key().to_string())
    }

    pub(super) fn reach(&self, target: Target) -> Result<(), Code> {
        answers(&self.frame(), target).map(|_| ())
    }

    pub(super) fn find(&self, by: By, text: &str) -> Result<u32, Code> {
        let frame = self.frame();
        let same = |answers: &Answers| {
            match by {
                By::Uuid => lookup::<Text>(answers, calls::Uuid::SYMBOL),
                By::Serial => lookup::<Text>(answers, calls::Serial::SYMBOL),
                By::BusId => lookup::<Pci>(answers, calls::PciV3::SYMBOL).map(|pci| pci.bus_id),
            }
            .is_ok_and(|found| found.lossy() == text)
        };
        let place = frame.devices.iter().position(|device| device.unreachable.is_none() && same(&device.answers));
        place.map(|place| place as u32).ok_or(Code::NOT_FOUND)
    }
}

fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_end(&mut text)?;
    } else {
        std::fs::File::open(file)?.read_to_end(&mut text)?;
    }
    Ok(text)
}

/// The answers about a target, or why it cannot be had.
fn answers(frame: &Frame, target: Target) -> Result<&Answers, Code> {
    let device = match target {
        Target::System => return Ok(&frame.system),
        Target::Device(index) | Target::Mig { device: index, .. } => {
            frame.devices.get(index as usize).ok_or(Code::INVALID_ARGUMENT)?
        }
    };
    match (device.unreachable, target) {
        (Some(code), _) => Err(Code(code)),
        (None, Target::Mig { slot, .. }) => device.mig.get(&slot).ok_or(Code::NOT_FOUND),
        (None, _) => Ok(&device.answers),
    }
}

/// One recorded answer in its type. A question that was not recorded is one that the machine's library
/// did not know; an answer of the wrong type is an unknown error, as from a driver that talks nonsense.
fn lookup<T: DeserializeOwned>(answers: &Answers, key: &str) -> Result<T, Code> {
    let value = answers.get(key).ok_or(Code::FUNCTION_NOT_FOUND)?;
    if let Some(code) = value.get("error").and_then(serde_json::Value::as_u64) {
        return Err(Code(u32::try_from(code).unwrap_or(Code::UNKNOWN.0)));
    }
    T::deserialize(value).map_err(|_| Code::UNKNOWN)
}
