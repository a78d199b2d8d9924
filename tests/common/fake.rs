//! rsmi on the fake NVML library: how to reach it, and what can be changed between there and a replay.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::indexing_slicing,
    reason = "a helper shared by several test programs"
)]

use crate::common::{Run, all_fields, machine};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The built library.
pub fn library() -> PathBuf {
    fake_nvml::library_path().expect("cargo builds the fake library with this test")
}

/// A folder of this test's own, which stays.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake").join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// A recording, as JSON to change.
pub fn frame(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(machine(name)).expect("a recording")).expect("JSON")
}

/// Writes a changed recording and gives its file.
pub fn write_machine(name: &str, frame: &Value) -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let folder = folder("machines");
    // Tests run side by side: a file is whole before it has its name.
    let begun = folder.join(format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst)));
    std::fs::write(&begun, frame.to_string()).expect("a file for the machine");
    let file = folder.join(format!("{name}.json"));
    std::fs::rename(begun, &file).expect("its name");
    file
}

/// A machine of the first `count` devices of another.
pub fn first_devices(name: &str, count: usize) -> Value {
    let mut frame = frame(name);
    frame["devices"].as_array_mut().expect("devices").truncate(count);
    frame["system"]["nvmlDeviceGetCount_v2"] = count.into();
    frame
}

/// All fields but the one that the clock answers.
pub fn fields() -> Vec<String> {
    all_fields().into_iter().filter(|name| name != "timestamp").collect()
}

/// The query for all of them.
pub fn query() -> String {
    format!("--query-gpu={}", fields().join(","))
}

pub trait OnFake {
    /// Through the fake library, which plays the machine in this file.
    fn through(self, machine: &Path) -> Self;
    /// With these rules.
    fn faults(self, rules: impl Into<OsString>) -> Self;
}

impl OnFake for Run {
    fn through(self, machine: &Path) -> Self {
        self.with("RSMI_NVML", library()).with("FAKE_NVML_MACHINE", machine)
    }

    fn faults(self, rules: impl Into<OsString>) -> Self {
        self.with("FAKE_NVML_FAULTS", rules)
    }
}
