//! Every machine answers through the library as it does by replay, every question that rsmi can put.

#![allow(clippy::indexing_slicing, clippy::print_stdout, reason = "a test may panic, and talks to its parent")]

mod common;

use common::{child, fixture, is_child, isolated, live, machines, replay};
use rsmi::driver::recording::{Frame, take};
use rsmi::driver::{By, Driver};

/// A recording of a driver. What the host adds to it is of no matter here.
fn recording(driver: &Driver) -> Frame {
    take(driver, &rsmi::host::System)
}

/// What a replay says and no library can: an error of code 0, which is success; a text with a NUL in it; a
/// page that the newer call gives no time; and, of a driver whose version cannot be read, values of which
/// nobody knows by what numbers it calls them.
fn without_contradictions(mut frame: Frame) -> Frame {
    let readable = frame.system.get("nvmlSystemGetDriverVersion").is_some_and(serde_json::Value::is_string);
    let renumbered = |key: &str| (251..=273).any(|id| key == format!("nvmlDeviceGetFieldValues({id},0)"));
    for (key, value) in frame.devices.iter_mut().flat_map(|device| &mut device.answers) {
        if *value == serde_json::json!({ "error": 0 }) {
            *value = 0.into();
        }
        if let Some((text, _)) = value.as_str().and_then(|text| text.split_once('\0')) {
            *value = text.into();
        }
        if key.starts_with("nvmlDeviceGetRetiredPages_v2") {
            for page in value.as_array_mut().into_iter().flatten().filter_map(serde_json::Value::as_object_mut) {
                page.entry("time").or_insert(0.into());
            }
        }
        if !readable && renumbered(key) {
            *value = serde_json::json!({ "error": 13 });
        }
    }
    frame
}

fn differences(a: &Frame, b: &Frame) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |place: &str, a: &rsmi::driver::recording::Answers, b: &rsmi::driver::recording::Answers| {
        let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        found.extend(
            keys.into_iter()
                .filter(|key| a.get(*key) != b.get(*key))
                .map(|key| format!("{place} {key}: {:?} through the library, {:?} by replay", a.get(key), b.get(key))),
        );
    };
    compare("system", &a.system, &b.system);
    assert_eq!(a.devices.len(), b.devices.len());
    for (at, (a, b)) in a.devices.iter().zip(&b.devices).enumerate() {
        assert_eq!(a.unreachable, b.unreachable, "device {at}");
        compare(&format!("device {at}"), &a.answers, &b.answers);
        assert_eq!(a.mig.keys().collect::<Vec<_>>(), b.mig.keys().collect::<Vec<_>>(), "device {at}");
        for (slot, answers) in &a.mig {
            compare(&format!("device {at} MIG {slot}"), answers, &b.mig[slot]);
        }
    }
    found
}

#[test]
fn through_the_library_as_by_replay() {
    let test = "through_the_library_as_by_replay";
    if is_child() {
        let (through, by_replay) = (recording(&live()), without_contradictions(recording(&replay())));
        let found = differences(&through, &by_replay);
        assert!(found.is_empty(), "{}", found.join("\n"));
        return;
    }
    for machine in machines() {
        // A machine of several frames, or one that refuses to start, is another test's.
        let refused = std::fs::read_to_string(&machine).expect("a machine").contains("\"refused\"");
        if !refused {
            isolated(test, &[("FAKE_NVML_MACHINE", machine.to_str().expect("a plain name"))], || ());
        }
    }
}

#[test]
fn the_right_driver_by_every_profile() {
    // What a profile has, it answers as recorded: strides, struct versions and field numbers differ, the
    // answers do not. What it lacks is "function not found".
    let test = "the_right_driver_by_every_profile";
    if is_child() {
        let profile = std::env::var("FAKE_NVML_DRIVER").expect("a profile");
        let profile = fake_nvml::profile::Profile::named(&profile).expect("a known one");
        let absent: Vec<&str> = profile.absent().collect();
        let folder = common::folder(&format!("profile-{}", profile.name));
        let file = fake_nvml::install(&folder, Some(profile.name)).expect("a library with fewer functions");
        let (soft, hard) = (recording(&live()), recording(&Driver::live(Some(&file)).expect("it starts")));
        std::fs::remove_dir_all(folder).expect("the test's own folder");
        assert!(differences(&soft, &hard).is_empty(), "hidden functions answer like absent ones");
        let wanted = recording(&replay());
        let not_found = serde_json::json!({ "error": 13 });
        for (key, value) in &soft.devices[0].answers {
            let symbol = key.split('(').next().expect("a name");
            let recorded = &wanted.devices[0].answers[key];
            let known = if absent.contains(&symbol) { &not_found } else { recorded };
            // Newer struct versions than the driver knows; and forms that the fixture leaves to be derived.
            let version = symbol.ends_with("InfoV") || symbol == "nvmlDeviceGetPlatformInfo";
            let derived = *recorded == not_found;
            assert!(value == known || version || derived, "{}: {key}: {value} for {known}", profile.name);
        }
        return;
    }
    for profile in &fake_nvml::profile::PROFILES {
        isolated(test, &[("FAKE_NVML_DRIVER", profile.name)], || ());
    }
}

#[test]
fn devices_are_found_by_what_identifies_them() {
    isolated("devices_are_found_by_what_identifies_them", &[], || {
        let (live, replay) = (live(), replay());
        for (by, text) in [
            (By::Uuid, "GPU-00000001-0000-0000-0000-00000000abcd"),
            (By::Uuid, "gpu-00000001-0000-0000-0000-00000000ABCD"),
            (By::Uuid, "GPU-00000009-0000-0000-0000-00000000abcd"),
            (By::Serial, "1650000000000"),
            (By::BusId, "00000000:1B:00.0"),
            (By::BusId, "00000000:2B:00.0"),
        ] {
            assert_eq!(live.find(by, text), replay.find(by, text), "{by:?} {text}");
        }
        assert_eq!(live.find(By::BusId, "1b:00.0"), Ok(1));
    });
}

#[test]
fn a_refused_start_has_its_code() {
    let test = "a_refused_start_has_its_code";
    if is_child() {
        let library = fake_nvml::library_path().expect("the library is built");
        let Err(rsmi::driver::OpenError::Refused { code, library }) = Driver::live(Some(&library)) else {
            panic!("the library should refuse");
        };
        assert_eq!((code.0, library.as_deref()), (18, Some("13.580.159.04")));
        return;
    }
    let mut machine: serde_json::Value =
        serde_json::from_slice(&std::fs::read(fixture()).expect("the fixture")).expect("JSON");
    machine["refused"] = 18.into();
    let folder = common::folder("refused");
    let file = folder.join("refused.json");
    std::fs::write(&file, machine.to_string()).expect("a file");
    let output = child(test, &[("FAKE_NVML_MACHINE", file.to_str().expect("a plain name"))]);
    std::fs::remove_dir_all(folder).expect("the test's own folder");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn frames_follow_the_clock() {
    let test = "frames_follow_the_clock";
    if is_child() {
        let live = live();
        let power = || live.ask(rsmi::driver::Target::Device(0), rsmi::driver::calls::PowerUsage);
        assert_eq!(power(), Ok(1000));
        std::thread::sleep(std::time::Duration::from_millis(700));
        assert_eq!(power(), Ok(2000));
        return;
    }
    let frame = |power: u32| {
        serde_json::json!({
            "rsmi_recording": 1, "taken": "2026-11-29T12:00:00.000", "system": { "nvmlDeviceGetCount_v2": 1 },
            "devices": [{ "answers": { "nvmlDeviceGetPowerUsage": power } }]
        })
    };
    let folder = common::folder("frames");
    let file = folder.join("frames.jsonl");
    std::fs::write(&file, format!("{}\n{}\n", frame(1000), frame(2000))).expect("a file");
    let variables = [("FAKE_NVML_MACHINE", file.to_str().expect("a plain name")), ("FAKE_NVML_TICK", "600")];
    isolated(test, &variables, || ());
    std::fs::remove_dir_all(folder).expect("the test's own folder");
}
