//! The library's state: everything that the environment says, read once, at the first call.

use crate::counters::Counters;
use crate::faults::Rule;
use crate::machine::Machine;
use crate::noise::Seed;
use crate::profile::{self, Profile};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::AtomicI64;

/// The state.
pub struct Fake {
    /// The machine, unless none was named.
    pub machine: Option<Machine>,
    /// Faults on request.
    pub rules: Vec<Rule>,
    /// Noise on request.
    pub seed: Option<Seed>,
    /// The driver that is played, where one was named.
    pub profile: Option<&'static Profile>,
    /// The functions that the played driver lacks.
    pub absent: BTreeSet<&'static str>,
    /// Bytes of a process entry of the third form.
    pub process_entry: usize,
    /// Call counts and trace.
    pub counters: Counters,
    /// Initializations less shutdowns.
    pub starts: AtomicI64,
}

static FAKE: OnceLock<Fake> = OnceLock::new();

/// The state, made at the first call.
pub fn fake() -> &'static Fake {
    FAKE.get_or_init(|| Fake::from_environment().unwrap_or_else(|why| crate::handles::abort(&why)))
}

/// The state, if there was a call.
pub fn started() -> Option<&'static Fake> {
    FAKE.get()
}

impl Fake {
    fn from_environment() -> Result<Self, String> {
        let set = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let profile = match set("FAKE_NVML_DRIVER") {
            None => None,
            Some(name) => Some(Profile::named(&name).ok_or_else(|| {
                let names = profile::PROFILES.each_ref().map(|profile| profile.name).join(", ");
                format!("FAKE_NVML_DRIVER={name}: the drivers are {names}")
            })?),
        };
        let process_entry = match set("FAKE_NVML_PROCESS_ENTRY") {
            None => profile.map_or(24, |profile| profile.process_entry),
            Some(text) => match text.parse() {
                Ok(size @ (24 | 32 | 40)) => size,
                _ => return Err(format!("FAKE_NVML_PROCESS_ENTRY={text}: 24, 32 or 40")),
            },
        };
        let seed = set("FAKE_NVML_RANDOM").map(|text| Seed::parse(&text).ok_or(format!("FAKE_NVML_RANDOM={text}")));
        Ok(Self {
            machine: if set("FAKE_NVML_MACHINE").is_some() { Some(Machine::from_environment()?) } else { None },
            rules: crate::faults::parse(&set("FAKE_NVML_FAULTS").unwrap_or_default())?,
            seed: seed.transpose()?,
            absent: profile.map(|profile| profile.absent().collect()).unwrap_or_default(),
            profile,
            process_entry,
            counters: Counters::from_environment()?,
            starts: AtomicI64::new(0),
        })
    }

    /// The version of the driver that is played, or that was recorded.
    pub fn driver_version(&self) -> Option<(u32, u32)> {
        if let Some(profile) = self.profile {
            return Some(profile.version());
        }
        let recorded = self.machine.as_ref()?.frame().system.get("nvmlSystemGetDriverVersion")?;
        profile::version(recorded.as_str()?)
    }

    /// Whether field values 251 to 273 go by the numbers from before driver 580.82.
    pub fn has_old_field_numbers(&self) -> bool {
        self.driver_version().is_some_and(|version| version < (580, 82))
    }

    /// Whether the driver that is played, if any, is at least of this version.
    pub fn is_since(&self, version: (u32, u32)) -> bool {
        self.profile.is_none_or(|profile| profile.version() >= version)
    }
}
