//! The machine: the frames of the recording that `FAKE_NVML_MACHINE` names. With `FAKE_NVML_TICK=MS` the
//! frames follow one another by the clock, from the first call on, and the last one stays; without it the
//! first one stays.

use crate::handles::Place;
use rsmi::driver::recording::{Answers, FORMAT, Frame};
use std::time::{Duration, Instant};

/// The frames and how fast they go by.
pub struct Machine {
    frames: Vec<Frame>,
    tick: Option<Duration>,
    since: Instant,
}

impl Machine {
    /// Reads the recording that the environment names.
    pub fn from_environment() -> Result<Self, String> {
        let file = std::env::var_os("FAKE_NVML_MACHINE").ok_or("FAKE_NVML_MACHINE names no recording")?;
        let explain = |error: &dyn std::fmt::Display| format!("FAKE_NVML_MACHINE={}: {error}", file.to_string_lossy());
        let text = std::fs::read(&file).map_err(|error| explain(&error))?;
        let frames: Result<Vec<Frame>, _> = serde_json::Deserializer::from_slice(&text).into_iter().collect();
        let frames = frames.map_err(|error| explain(&error))?;
        if frames.is_empty() || frames.iter().any(|frame| frame.rsmi_recording != FORMAT) {
            return Err(explain(&"not a recording of the format that this library reads"));
        }
        let tick = match std::env::var("FAKE_NVML_TICK") {
            Err(_) => None,
            Ok(text) => Some(Duration::from_millis(text.parse().map_err(|_| format!("FAKE_NVML_TICK={text}"))?)),
        };
        Ok(Self { frames, tick, since: Instant::now() })
    }

    /// The frame of this moment.
    pub fn frame(&self) -> &Frame {
        let last = self.frames.len() - 1;
        let at = match self.tick {
            None => 0,
            Some(tick) => (self.since.elapsed().as_millis() / tick.as_millis().max(1)).min(last as u128) as usize,
        };
        self.frames.get(at).unwrap_or_else(|| unreachable!("a machine has a frame"))
    }

    /// The answers about a device, or the machine as a whole; the codes are those of rsmi's own replay.
    pub fn answers(&self, place: Option<Place>) -> Result<&Answers, u32> {
        let Some(place) = place else { return Ok(&self.frame().system) };
        let device = self.frame().devices.get(place.device as usize).ok_or(crate::code::INVALID_ARGUMENT)?;
        match (device.unreachable, place.slot) {
            (Some(code), _) => Err(code),
            (None, None) => Ok(&device.answers),
            (None, Some(slot)) => device.mig.get(&slot).ok_or(crate::code::NOT_FOUND),
        }
    }

    /// The first device, or MIG device, whose answer `key` passes `test`.
    pub fn find(&self, key: &str, mut test: impl FnMut(&serde_json::Value) -> bool) -> Option<Place> {
        let devices = (0u32..).zip(&self.frame().devices).filter(|(_, device)| device.unreachable.is_none());
        let all = devices.flat_map(|(index, device)| {
            let own = std::iter::once((Place { device: index, slot: None }, &device.answers));
            own.chain(device.mig.iter().map(move |(slot, mig)| (Place { device: index, slot: Some(*slot) }, mig)))
        });
        let mut passed = all.filter(|(_, answers)| answers.get(key).is_some_and(&mut test));
        passed.next().map(|(place, _)| place)
    }
}
