//! Any file as a recording: it is read, or there is a sentence about it. What was read can be asked everything,
//! and a recording of it is one that can be read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rsmi::driver::{Driver, OpenError, recording};
use std::path::PathBuf;
use std::sync::LazyLock;

/// In memory: the target is slow enough.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| PathBuf::from(format!("/dev/shm/rsmi-fuzz-{}", std::process::id())));

fn open(bytes: &[u8]) -> Result<Driver, OpenError> {
    std::fs::write(&*FILE, bytes).expect("a file in memory");
    Driver::replay(&FILE)
}

fuzz_target!(|data: &[u8]| {
    match open(data) {
        Err(OpenError::Recording(error)) => assert!(!error.to_string().is_empty()),
        Err(_) => {}
        Ok(driver) => {
            let mut frame = recording::take(&driver, &rsmi::host::Host(&driver));
            let text = serde_json::to_vec(&frame).expect("plain data");
            assert!(open(&text).is_ok());
            recording::anonymize(&mut frame);
            let text = serde_json::to_vec(&frame).expect("plain data");
            assert!(open(&text).is_ok());
            driver.tick();
        }
    }
});
