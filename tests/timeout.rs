//! Calls into the driver that never come back: what is known is printed, what hangs is named, and the
//! caller has its answer within the limit and a second.

#![allow(clippy::indexing_slicing)]

mod common;

use common::{Run, machine, wait};
use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

/// The program on the fake library, with one machine and its faults.
fn on_the_fake(args: &[&str], name: &str, faults: &str) -> Run {
    let library = fake_nvml::library_path().expect("cargo builds the fake with the tests");
    let args = ["--nvml", library.to_str().expect("UTF-8")].into_iter().chain(args.iter().copied());
    Run::rsmi(args).with("FAKE_NVML_MACHINE", machine(name)).with("FAKE_NVML_FAULTS", faults)
}

const QUERY: [&str; 2] = ["--query-gpu=index,temperature.gpu", "--format=csv,noheader"];

#[test]
fn a_hung_call_costs_its_gpu_the_row_and_nobody_else() {
    let begin = Instant::now();
    let args = [QUERY[0], QUERY[1], "--timeout=0.5"];
    let output = on_the_fake(&args, "h200x8", "nvmlDeviceGetTemperatureV,gpu=2 -> hang").output();
    assert!(begin.elapsed() < Duration::from_millis(1500), "{:?}", begin.elapsed());
    let healthy = on_the_fake(&QUERY, "h200x8", "").output();
    let (ours, healthy) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&healthy.stdout));
    for (index, (ours, healthy)) in ours.lines().zip(healthy.lines()).enumerate() {
        assert_eq!(ours, if index == 2 { "2, [No answer]" } else { healthy });
    }
    assert_eq!(ours.lines().count(), 8);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "rsmi: no answer from nvmlDeviceGetTemperatureV on GPU 2 within 0.5 s\n"
    );
    assert_eq!(output.status.code(), Some(124));
}

#[test]
fn three_hung_gpus_are_three_rows() {
    let faults = "nvmlDeviceGetTemperatureV,gpu=1 -> hang;nvmlDeviceGetHandleByIndex_v2,gpu=4 -> hang";
    let begin = Instant::now();
    let output = on_the_fake(&[QUERY[0], QUERY[1], "--timeout=0.4"], "h200x8", faults).output();
    assert!(begin.elapsed() < Duration::from_millis(1400), "{:?}", begin.elapsed());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches("[No answer]").count(), 2, "{text}");
    assert_eq!(text.lines().count(), 8, "{text}");
    assert_eq!(output.status.code(), Some(124));
}

#[test]
fn a_hung_start_is_named() {
    for face in [QUERY, ["-L", "--color=never"]] {
        let begin = Instant::now();
        let output = on_the_fake(&[face[0], face[1], "--timeout=0.3"], "h200", "nvmlInit* -> hang").output();
        assert!(begin.elapsed() < Duration::from_millis(1300), "{:?}", begin.elapsed());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "rsmi: no answer from nvmlInit_v2 within 0.3 s\n");
        assert!(output.stdout.is_empty());
        assert_eq!(output.status.code(), Some(124));
    }
}

/// Every call that a full query makes hangs once.
#[test]
fn each_call_in_turn_hangs_and_is_named() {
    let counts = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("timeout-counts.json");
    let fields = format!("--query-gpu={}", common::all_fields().join(","));
    let run = on_the_fake(&[&fields, "--format=json"], "two-h200", "").with("FAKE_NVML_COUNTS", &counts);
    assert_eq!(run.output().status.code(), Some(0));
    let counted: serde_json::Value = serde_json::from_slice(&std::fs::read(&counts).expect("counts")).expect("JSON");
    let symbols: Vec<&String> =
        counted["calls"].as_object().expect("an object").keys().filter(|key| key.starts_with("nvmlDevice")).collect();
    assert!(symbols.len() > 60, "{counted}");
    // A few in each run of the tests; all of them with RSMI_TEST_FULL set.
    let step = if std::env::var_os("RSMI_TEST_FULL").is_some() { 1 } else { 9 };
    for symbol in symbols.iter().step_by(step).filter(|symbol| !symbol.contains("Count")) {
        let faults = format!("{symbol},gpu=1 -> hang");
        let output = on_the_fake(&[&fields, "--format=json", "--timeout=0.25"], "two-h200", &faults).output();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(stderr, format!("rsmi: no answer from {symbol} on GPU 1 within 0.25 s\n"));
        let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).expect("strict JSON");
        assert_eq!((rows.len(), output.status.code()), (2, Some(124)), "{symbol}");
        assert_eq!(rows[0]["name"], "NVIDIA H200", "{symbol}");
    }
}

#[test]
fn a_loop_goes_on_without_the_gpu_that_hangs() {
    // The fifth reading of one GPU never comes back.
    let args = [QUERY[0], "--format=csv", "--timeout=0.3", "-lms", "30"];
    let mut child = on_the_fake(&args, "two-h200", "nvmlDeviceGetTemperatureV,gpu=1,nth=5+ -> hang").start();
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let seen: Vec<String> = (0..24).map(|_| lines.next().expect("a line").expect("UTF-8")).collect();
    assert_eq!(seen.iter().filter(|line| *line == "index, temperature.gpu").count(), 1, "{seen:?}");
    assert!(seen.iter().any(|line| line == "1, [No answer]"), "{seen:?}");
    assert!(seen.last().is_some_and(|line| line.starts_with(['0', '1'])), "{seen:?}");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal sent");
    assert_eq!(wait(&mut child, Duration::from_secs(5)).code(), Some(0));
    let mut stderr = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("UTF-8");
    assert_eq!(stderr, "rsmi: no answer from nvmlDeviceGetTemperatureV on GPU 1 within 0.3 s\n");
}

/// A reader that waits for the end of the output must not wait for the worker that hangs.
#[test]
fn nobody_waits_for_the_worker_that_hangs() {
    let args = [QUERY[0], QUERY[1], "--timeout=0.3"];
    let mut child = on_the_fake(&args, "h200", "nvmlDeviceGetTemperatureV -> hang").start();
    let begin = Instant::now();
    let mut text = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("an end");
    assert!(begin.elapsed() < Duration::from_millis(1300), "{:?}", begin.elapsed());
    assert_eq!(wait(&mut child, Duration::from_secs(5)).code(), Some(124));
    assert_eq!(text, "0, [No answer]\n");
}

#[test]
fn a_limit_changes_nothing_for_a_healthy_driver() {
    for args in [&QUERY[..], &["-L"], &["--query-gpu=bogus"], &["-i", "9", "--query-gpu=index"], &["--version"]] {
        let with: Vec<&str> = args.iter().copied().chain(["--timeout=20"]).collect();
        let (one, other) = (on_the_fake(args, "lost-gpu", "").output(), on_the_fake(&with, "lost-gpu", "").output());
        assert_eq!(String::from_utf8_lossy(&one.stdout), String::from_utf8_lossy(&other.stdout), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&one.stderr), String::from_utf8_lossy(&other.stderr), "{args:?}");
        assert_eq!(one.status.code(), other.status.code(), "{args:?}");
    }
}

#[test]
fn a_limit_that_is_no_number_is_refused() {
    Run::rsmi(["-L", "--timeout=soon"])
        .stderr("rsmi: `--timeout` takes a number of seconds, not `soon`; 0 is no limit\n")
        .status(2)
        .check();
}
