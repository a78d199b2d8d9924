//! What was called: a count for each function and device, written to `FAKE_NVML_COUNTS` when the library is
//! shut down and when the process ends, and one line a call to `FAKE_NVML_TRACE` at once.
//!
//! rsmi never shuts the library down, so the end of the process is caught in the library's own list of
//! finishers. A process that is killed, or that leaves through `_exit`, runs none: its trace is whole, its
//! counts are missing.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Calls by device (none for calls about the machine) and function.
type Counts = BTreeMap<(Option<u32>, &'static str), u64>;

/// The counts and where they go.
pub struct Counters {
    counts: Mutex<Counts>,
    file: Option<String>,
    trace: Option<Mutex<File>>,
}

impl Counters {
    /// Takes the files from the environment; `%p` in a name becomes the process id.
    pub fn from_environment() -> Result<Self, String> {
        let trace = match named("FAKE_NVML_TRACE") {
            None => None,
            Some(name) => {
                let file = File::options().create(true).append(true).open(&name);
                Some(Mutex::new(file.map_err(|error| format!("FAKE_NVML_TRACE={name}: {error}"))?))
            }
        };
        Ok(Self { counts: Mutex::default(), file: named("FAKE_NVML_COUNTS"), trace })
    }

    /// Counts a call and tells how many there were of its kind with this one.
    pub fn count(&self, symbol: &'static str, gpu: Option<u32>) -> u64 {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry((gpu, symbol)).or_default();
        *count += 1;
        *count
    }

    /// Notes how a call ended.
    pub fn trace(&self, key: &str, gpu: Option<u32>, end: &dyn std::fmt::Display) {
        if let Some(file) = &self.trace {
            let gpu = gpu.map_or(String::new(), |gpu| format!(" gpu={gpu}"));
            let line = format!("{key}{gpu} -> {end}\n");
            // A trace that cannot be written must not change what the caller sees.
            let _ = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        }
    }

    /// Writes the counts so far.
    pub fn write(&self) {
        let Some(file) = &self.file else { return };
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
        let mut gpus: BTreeMap<u32, BTreeMap<&str, u64>> = BTreeMap::new();
        for ((gpu, symbol), count) in counts.iter() {
            *calls.entry(symbol).or_default() += count;
            if let Some(gpu) = gpu {
                gpus.entry(*gpu).or_default().insert(symbol, *count);
            }
        }
        let json = serde_json::json!({ "calls": calls, "gpus": gpus });
        let _ = std::fs::write(file, format!("{json}\n"));
    }
}

fn named(variable: &str) -> Option<String> {
    let name = std::env::var(variable).ok().filter(|name| !name.is_empty())?;
    Some(name.replace("%p", &std::process::id().to_string()))
}

extern "C" fn finish() {
    if let Some(fake) = crate::fake::started() {
        fake.counters.write();
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static FINISHER: extern "C" fn() = finish;
