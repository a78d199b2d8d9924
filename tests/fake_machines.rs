//! Every recorded machine through NVML's C interface, played by the fake library: all that rsmi says of it
//! is what it says by replay.

#![allow(clippy::indexing_slicing)]

mod common;
#[path = "common/fake.rs"]
mod fake;

use common::{Run, machine, machines};
use fake::OnFake;
use std::path::PathBuf;
use std::process::Output;

/// Cells that no library can answer as a replay does, by machine and field, each with its reason.
const DIFFERENT: &[(&str, &str, &str)] = &[
    // What the slot can do is read from the host's own sysfs, and the fake plays no host.
    ("*", "pcie.link.gen.hostmax", "the host's, not the driver's"),
    // The driver's version cannot be read, so that nobody knows by which number it calls these.
    ("strange", "clocks_event_reasons_counters.sw_thermal_slowdown", "renumbered in 580.82"),
    ("strange", "clocks_event_reasons_counters.hw_thermal_slowdown", "renumbered in 580.82"),
    ("strange", "clocks_event_reasons_counters.hw_power_brake_slowdown", "renumbered in 580.82"),
];

/// The recording for the replay: what no library can say in C is there as the library says it.
fn sayable(name: &str) -> PathBuf {
    let mut frame = fake::frame(name);
    for device in frame["devices"].as_array_mut().into_iter().flatten() {
        let answers = device.get_mut("answers").and_then(serde_json::Value::as_object_mut);
        for answer in answers.into_iter().flat_map(|answers| answers.values_mut()) {
            // An error of code 0 is a success, with what lay there before.
            if *answer == serde_json::json!({ "error": 0 }) {
                *answer = 0.into();
            }
            // A text ends at its first NUL.
            if let Some((text, _)) = answer.as_str().and_then(|text| text.split_once('\0')) {
                *answer = text.into();
            }
        }
    }
    fake::write_machine(&format!("sayable-{name}"), &frame)
}

/// What is printed besides queries.
const OTHERS: &[&[&str]] = &[&[], &["-L"], &["--version"], &["-q", "-d", "MEMORY"], &["--id=0", "-L"]];

/// A query for all fields that are the same both ways.
fn query(name: &str) -> String {
    let differs = |field: &String| DIFFERENT.iter().any(|(on, which, _)| ["*", name].contains(on) && which == field);
    // An alias differs where its field does.
    let aliases = std::fs::read_to_string(common::root().join("tests/data/query-gpu-headers.tsv")).expect("headers");
    let canonical = |field: &String| {
        let line = aliases.lines().find(|line| line.split('\t').next() == Some(field)).expect("a known field");
        line.split('\t').nth(1).and_then(|header| header.split(" [").next()).unwrap_or(field).to_owned()
    };
    let same: Vec<String> =
        fake::fields().into_iter().filter(|field| !differs(field) && !differs(&canonical(field))).collect();
    assert!(same.len() > 230, "{name}: {} fields", same.len());
    format!("--query-gpu={}", same.join(","))
}

/// The text with its moments covered: the clock of the live machine moves. rsmi's own screen begins with the
/// host's name and ends with what the host knows of processes, neither of which the fake plays.
fn still(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let own_screen = text.lines().nth(1).is_some_and(|line| line.starts_with('┌'));
    let text = if own_screen {
        text.lines().skip(1).take_while(|line| !line.contains("  PID")).collect::<Vec<_>>().join("\n").into()
    } else {
        text
    };
    let line = |line: &str| match line.split_once("Timestamp") {
        Some((before, _)) => format!("{before}Timestamp"),
        // `Sun Nov 29 17:04:03 2026` alone, above a table.
        None if line.trim_end().len() == 24 && line.matches(':').count() == 2 => "a moment".to_owned(),
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn compare(what: &str, through: &Output, replayed: &Output) {
    let (a, b) = (still(&through.stdout), still(&replayed.stdout));
    for (number, (a, b)) in a.lines().zip(b.lines()).enumerate() {
        for (cell, (a, b)) in a.split(", ").zip(b.split(", ")).enumerate() {
            assert_eq!(a, b, "{what}: line {number}, cell {cell}: through the library, and by replay");
        }
    }
    assert_eq!(a, b, "{what}: standard output");
    assert_eq!(still(&through.stderr), still(&replayed.stderr), "{what}: standard error");
    assert_eq!(through.status.code(), replayed.status.code(), "{what}: exit status");
}

#[test]
fn every_machine_is_the_same_through_the_library_as_by_replay() {
    for name in machines() {
        let query = query(&name);
        let lines: [(&str, Vec<&str>); 2] =
            [("json", vec![&query, "--format=json"]), ("csv", vec![&query, "--format=csv"])];
        for (what, line) in lines {
            let run = || if what == "csv" { Run::nvidia_smi(line.clone()) } else { Run::rsmi(line.clone()) };
            let through = run().through(&machine(&name)).output();
            compare(&format!("{name}: {what}"), &through, &run().with("RSMI_REPLAY", sayable(&name)).output());
        }
        for line in OTHERS {
            for run in [Run::nvidia_smi as fn(Vec<&'static str>) -> Run, Run::rsmi] {
                let through = run(line.to_vec()).through(&machine(&name)).output();
                compare(
                    &format!("{name}: {line:?}"),
                    &through,
                    &run(line.to_vec()).with("RSMI_REPLAY", sayable(&name)).output(),
                );
            }
        }
    }
}

/// The list of differences holds nothing that is the same: what is left out of the comparison is needed.
#[test]
fn what_is_said_to_differ_does() {
    for (on, field, why) in DIFFERENT {
        let names = if *on == "*" { machines() } else { vec![(*on).to_owned()] };
        let differs = |name: &String| {
            let query = format!("--query-gpu={field}");
            let cell = |run: Run| run.output().stdout;
            cell(Run::rsmi([query.as_str(), "--format=csv"]).on(name))
                != cell(Run::rsmi([query.as_str(), "--format=csv"]).through(&machine(name)))
        };
        assert!(names.iter().any(differs), "{on}: {field} ({why})");
    }
}

/// Cells that an older driver's calls answer otherwise, and are not simply missing.
const OLDER: &[(&str, &str)] = &[
    ("driver_version", "the driver's own"),
    ("memory.used", "the older call counts what the driver keeps for itself"),
];

/// What a driver does not have is `[N/A]`, and the rest is as ever; whether a call is there and answers
/// "function not found" or is not in the library at all makes no difference.
#[test]
fn every_driver_prints_what_it_has() {
    let fields = fake::fields();
    let query = [fake::query(), "--format=csv,noheader".to_owned()];
    let cells = |run: Run| -> Vec<String> {
        let output = run.output();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
        String::from_utf8_lossy(&output.stdout).trim_end().split(", ").map(str::to_owned).collect()
    };
    let now = cells(Run::nvidia_smi(query.clone()).through(&machine("h200-loaded")));
    let mut lacking = Vec::new();
    for profile in &fake_nvml::profile::PROFILES {
        let run =
            || Run::nvidia_smi(query.clone()).through(&machine("h200-loaded")).with("FAKE_NVML_DRIVER", profile.name);
        let folder = fake::folder(&format!("hidden-{}", profile.name));
        let hidden = fake_nvml::install(&folder, Some(profile.name)).expect("a library with fewer functions");
        let (soft, hard) = (cells(run()), cells(run().with("RSMI_NVML", &hidden)));
        // It is large, and made anew next time.
        std::fs::remove_file(hidden).expect("the test's own file");
        assert_eq!(soft, hard, "{}", profile.name);
        assert_eq!(soft.len(), fields.len(), "{}", profile.name);
        for ((field, cell), now) in fields.iter().zip(&soft).zip(&now) {
            let older = OLDER.iter().any(|(which, _)| which == field);
            assert!(cell == now || cell == "[N/A]" || older, "{}: {field}: `{cell}` in place of `{now}`", profile.name);
        }
        lacking.push(soft.iter().zip(&now).filter(|(cell, now)| cell != now).count());
    }
    // The newer the driver, the less is missing.
    assert!(lacking.windows(2).all(|pair| pair[0] >= pair[1]), "{lacking:?}");
    assert!(lacking[0] > 30 && lacking.last().is_some_and(|last| *last < 5), "{lacking:?}");
}
