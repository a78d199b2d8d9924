//! Faults on request, noise by seed, counts and the trace.

#![allow(clippy::indexing_slicing, clippy::print_stdout, reason = "a test may panic, and talks to its parent")]

mod common;

use common::{child, folder, is_child, isolated, live};
use rsmi::driver::calls::{self, Domain};
use rsmi::driver::{Code, Target};

const FIRST: Target = Target::Device(0);
const SECOND: Target = Target::Device(1);

fn with_rules(test: &str, rules: &str, body: impl FnOnce()) {
    isolated(test, &[("FAKE_NVML_FAULTS", rules)], body);
}

#[test]
fn a_code_for_one_call_of_one_device() {
    let rules = "nvmlDeviceGetPowerUsage,gpu=1,nth=2 -> code 999; nvmlDeviceGetClockInfo(1) -> code 24";
    with_rules("a_code_for_one_call_of_one_device", rules, || {
        let live = live();
        let power = |target| live.ask(target, calls::PowerUsage);
        assert_eq!([power(SECOND), power(SECOND), power(SECOND)], [Ok(132201), Err(Code(999)), Ok(132201)]);
        assert_eq!([power(FIRST), power(FIRST)], [Ok(132200), Ok(132200)]);
        assert_eq!(live.ask(FIRST, calls::Clock(Domain::Sm)), Err(Code(24)));
        assert_eq!(live.ask(FIRST, calls::Clock(Domain::Graphics)), Ok(1980));
    });
}

#[test]
fn a_device_that_is_lost_on_the_way() {
    with_rules("a_device_that_is_lost_on_the_way", "*,gpu=1,nth=4+ -> code 15", || {
        let live = live();
        // The handle is the first call.
        assert_eq!(live.ask(SECOND, calls::PowerUsage), Ok(132201));
        assert_eq!(live.ask(SECOND, calls::TemperatureV), Ok(42));
        for _ in 0..3 {
            assert_eq!(live.ask(SECOND, calls::PowerUsage), Err(Code::GPU_IS_LOST));
            assert_eq!(live.ask(FIRST, calls::PowerUsage), Ok(132200));
        }
    });
}

#[test]
fn values_and_bytes_in_place_of_answers() {
    let rules = r#"nvmlDeviceGetName,gpu=0 -> value "semi;colon, comma"; nvmlDeviceGetName,gpu=1 -> bytes f8f800;
        nvmlDeviceGetPowerUsage -> bytes 0a000000ffffffff;
        nvmlDeviceGetUtilizationRates -> value {"gpu":101,"memory":0};
        nvmlDeviceGetFieldValues(186,0) -> value -5; nvmlDeviceGetMarginTemperature -> value {"error":21}"#;
    with_rules("values_and_bytes_in_place_of_answers", rules, || {
        let live = live();
        assert_eq!(live.ask(FIRST, calls::Name).map(|name| name.0), Ok(b"semi;colon, comma".to_vec()));
        assert_eq!(live.ask(SECOND, calls::Name).map(|name| name.0), Ok(b"\xf8\xf8".to_vec()));
        assert_eq!(live.ask(FIRST, calls::PowerUsage), Ok(10), "bytes beyond the number are cut off");
        assert_eq!(live.ask(FIRST, calls::UtilizationRates).map(|rates| rates.gpu), Ok(101));
        let power = live.ask(FIRST, calls::FieldValues(186, 0));
        assert_eq!(power, Ok(rsmi::driver::answers::FieldValue::Signed(-5)));
        assert_eq!(live.ask(FIRST, calls::MarginTemperature), Err(Code(21)));
    });
}

#[test]
fn a_list_that_grows_between_two_calls() {
    let rules = "nvmlDeviceGet*RunningProcesses_v3,gpu=0,nth=1-2 -> grow 100; nvmlDeviceGetAccountingPids -> grow 1";
    with_rules("a_list_that_grows_between_two_calls", rules, || {
        let live = live();
        let pids = |target| live.ask(target, calls::ComputeProcessesV3).map(|list| list.len());
        assert_eq!(pids(FIRST), Ok(202), "102, more than the first room; then 202");
        assert_eq!(pids(FIRST), Ok(202));
        assert_eq!(pids(SECOND), Ok(3));
        assert!(live.ask(FIRST, calls::AccountingPids).is_ok_and(|list| list.len() > 2));
    });
}

#[test]
fn a_call_that_takes_its_time() {
    with_rules("a_call_that_takes_its_time", "nvmlDeviceGetName,nth=1 -> delay 200; * -> delay 1", || {
        let (live, start) = (live(), std::time::Instant::now());
        assert!(live.ask(FIRST, calls::Name).is_ok());
        assert!(start.elapsed().as_millis() >= 200);
    });
}

#[test]
fn a_call_that_never_returns_and_the_trace_of_it() {
    let test = "a_call_that_never_returns_and_the_trace_of_it";
    if is_child() {
        let live = std::sync::Arc::new(live());
        let other = live.clone();
        std::thread::spawn(move || other.ask(SECOND, calls::PowerUsage));
        let file = std::env::var("FAKE_NVML_TRACE").expect("a trace");
        for _ in 0..200 {
            if std::fs::read_to_string(&file).is_ok_and(|text| text.contains("nvmlDeviceGetPowerUsage gpu=1 -> hang\n"))
            {
                assert!(live.ask(FIRST, calls::PowerUsage).is_ok(), "others go on");
                // The thread that hangs does not keep the process, and the library is never shut down.
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("the call did not hang");
    }
    let folder = folder("trace");
    let (trace, counts) = (folder.join("trace"), folder.join("counts-%p"));
    let rules = "nvmlDeviceGetPowerUsage,gpu=1 -> hang";
    let name = |path: &std::path::Path| path.to_str().expect("a plain name").to_owned();
    let (trace, counts) = (name(&trace), name(&counts));
    isolated(test, &[("FAKE_NVML_FAULTS", rules), ("FAKE_NVML_TRACE", &trace), ("FAKE_NVML_COUNTS", &counts)], || ());
    let trace = std::fs::read_to_string(trace).expect("a trace");
    assert!(trace.starts_with("nvmlInit_v2 -> 0\n"), "{trace}");
    assert!(trace.contains("nvmlDeviceGetHandleByIndex_v2(0) gpu=0 -> 0\n"), "{trace}");
    let files: Vec<_> = std::fs::read_dir(&folder).expect("the folder").flatten().map(|entry| entry.path()).collect();
    let counts = files.iter().find(|file| file.to_str().is_some_and(|name| name.contains("counts-"))).expect("counts");
    let counts: serde_json::Value = serde_json::from_slice(&std::fs::read(counts).expect("counts")).expect("JSON");
    assert_eq!(counts["calls"]["nvmlDeviceGetPowerUsage"], 2);
    assert_eq!(counts["gpus"]["1"]["nvmlDeviceGetPowerUsage"], 1);
    assert_eq!(counts["calls"]["nvmlInit_v2"], 1);
    std::fs::remove_dir_all(folder).expect("the test's own folder");
}

#[test]
fn a_call_that_ends_the_process() {
    let test = "a_call_that_ends_the_process";
    if is_child() {
        let _ = live().ask(FIRST, calls::Name);
        return;
    }
    let output = child(test, &[("FAKE_NVML_FAULTS", "nvmlDeviceGetName -> abort")]);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&output.status), Some(6));
}

#[test]
fn rules_that_cannot_be_read_are_no_rules() {
    let test = "rules_that_cannot_be_read_are_no_rules";
    if is_child() {
        let _ = fake_nvml::library_path().map(|path| rsmi::driver::Driver::live(Some(&path)));
        return;
    }
    let output = child(test, &[("FAKE_NVML_FAULTS", "nvmlDeviceGetName => code 3")]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("FAKE_NVML_FAULTS: cannot read `nvmlDeviceGetName => code 3`"), "{said}");
}

#[test]
fn noise_is_the_same_for_a_seed_and_hurts_nobody() {
    let test = "noise_is_the_same_for_a_seed_and_hurts_nobody";
    if is_child() {
        let library = fake_nvml::library_path().expect("the library is built");
        let Ok(driver) = rsmi::driver::Driver::live(Some(&library)) else { return println!("FRAME none") };
        let name = driver.ask(FIRST, calls::Name);
        let answers = format!(
            "{name:?} {:?} {:?} {:?} {:?} {:?}",
            driver.ask(FIRST, calls::ComputeProcessesV3),
            driver.ask(FIRST, calls::SupportedMemoryClocks).map(|list| list.len()),
            driver.ask(FIRST, calls::FieldValues(186, 0)),
            driver.ask(FIRST, calls::MemoryV2),
            driver.ask(FIRST, calls::RetiredPagesV2(calls::Cause::SingleBit)).map(|list| list.len()),
        );
        return println!("FRAME {answers}");
    }
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..24 {
        let seed = format!("{seed}:80");
        let frame = || {
            // The number of devices stays: rsmi makes room for as many as the driver claims.
            let rules = "nvmlDeviceGetCount_v2 -> value 3";
            let output = child(test, &[("FAKE_NVML_RANDOM", &seed), ("FAKE_NVML_FAULTS", rules)]);
            assert!(output.status.success(), "seed {seed}: {}", String::from_utf8_lossy(&output.stderr));
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            said.lines().find(|line| line.contains("FRAME")).expect("an answer").to_owned()
        };
        let first = frame();
        assert_eq!(first, frame(), "seed {seed}");
        seen.insert(first);
    }
    assert!(seen.len() > 12, "different seeds, different noise");
}
