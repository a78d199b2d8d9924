//! Every recorded machine, with every field, in every format.

#![allow(clippy::indexing_slicing)]

mod common;

use common::{Run, all_fields, machine, machines, root};
use serde_json::Value;

/// Machines whose library refuses to start or that have no device: their exit status.
fn refusal(name: &str) -> Option<i32> {
    match name {
        "driver-not-loaded" => Some(9),
        "version-mismatch" => Some(18),
        "no-devices" => Some(6),
        _ => None,
    }
}

/// The exit status of a machine with a device out of service.
fn status(name: &str) -> i32 {
    match name {
        "lost-gpu" | "lost-gpu-late" | "probe-errors" | "probe-values" => 15,
        "unknown-error" => 255,
        _ => refusal(name).unwrap_or(0),
    }
}

fn frame(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(machine(name)).expect("a recording")).expect("JSON")
}

#[test]
fn every_machine_says_where_it_comes_from() {
    for name in machines() {
        let about = frame(&name)["about"].as_str().expect("a text").to_owned();
        assert!(about.len() > 40 && about.ends_with('.'), "{name}: {about:?}");
    }
}

#[test]
fn every_field_of_every_machine_is_strict_json() {
    let fields = format!("--query-gpu={}", all_fields().join(","));
    for name in machines() {
        let output = Run::rsmi([fields.as_str(), "--format=json"]).on(&name).output();
        assert_eq!(output.status.code(), Some(status(&name)), "{name}");
        if refusal(&name).is_some() {
            assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{name}");
            continue;
        }
        let rows: Vec<Value> = serde_json::from_slice(&output.stdout).expect("strict JSON");
        assert_eq!(rows.len(), frame(&name)["devices"].as_array().expect("devices").len(), "{name}");
        for (index, row) in rows.iter().enumerate() {
            let row = row.as_object().expect("an object");
            assert_eq!(row.len(), 214, "{name}: 255 names are 214 fields");
            assert_eq!(row["index"], index, "{name}: rows keep the driver's own numbers");
        }
    }
}

/// A missing value is never a number: what is null in JSON is in brackets or N/A in CSV, and the other way
/// around.
#[test]
fn csv_and_json_agree_on_every_cell_of_every_machine() {
    // One name for each field: an object has each key once.
    let mut fields = all_fields();
    let headers = std::fs::read_to_string(root().join("tests/data/query-gpu-headers.tsv")).expect("headers");
    let aliases: Vec<&str> = headers
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(name, header)| header.split(" [").next() != Some(*name))
        .map(|(name, _)| name)
        .collect();
    fields.retain(|field| !aliases.contains(&field.as_str()));
    let query = format!("--query-gpu={}", fields.join(","));
    for name in machines().into_iter().filter(|name| refusal(name).is_none()) {
        let json = Run::rsmi([query.as_str(), "--format=json"]).on(&name).output();
        let csv = Run::rsmi([query.as_str(), "--format=csv,noheader,nounits"]).on(&name).output();
        assert_eq!(json.status.code(), csv.status.code(), "{name}");
        let rows: Vec<Value> = serde_json::from_slice(&json.stdout).expect("strict JSON");
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.stdout.as_slice());
        let lines: Vec<csv::ByteRecord> = reader.byte_records().map(|line| line.expect("a record")).collect();
        assert_eq!(lines.len(), rows.len(), "{name}");
        for (line, row) in lines.iter().zip(&rows) {
            assert_eq!(line.len(), fields.len(), "{name}: {line:?}");
            for (field, cell) in fields.iter().zip(line) {
                let cell = String::from_utf8_lossy(cell);
                let cell = cell.strip_prefix(' ').unwrap_or(&cell);
                let missing = cell == "N/A" || (cell.starts_with('[') && cell.ends_with(']'));
                match &row[field] {
                    Value::Null => assert!(missing, "{name}: {field}: null, but {cell}"),
                    // A number of an enumeration that has no word yet.
                    Value::Number(_) if cell == "Unknown" => {}
                    Value::Number(number) => {
                        let cell: f64 = cell.parse().expect("a number in both");
                        let number = number.as_f64().expect("a number");
                        assert!((cell - number).abs() <= 1e-9 * cell.abs(), "{name}: {field}: {number} and {cell}");
                    }
                    Value::String(value) => assert_eq!(value, cell, "{name}: {field}"),
                    other => panic!("{name}: {field}: {other}"),
                }
            }
        }
    }
}

/// The real nvidia-smi was asked for all fields a moment after each recording of the H200 was made.
#[test]
fn the_h200_answers_as_its_nvidia_smi_did() {
    // What moves within that moment.
    let moving = [
        "timestamp",
        "power.draw",
        "power.draw.average",
        "power.draw.instant",
        "clocks.current.graphics",
        "clocks.current.sm",
        "clocks.current.video",
        "temperature.gpu",
        "temperature.gpu.tlimit",
        "temperature.memory",
        "utilization.gpu",
        "utilization.memory",
    ];
    let query = format!("--query-gpu={}", all_fields().join(","));
    for name in ["h200", "h200-loaded", "h200-odd-processes", "h200-ordinary-user"] {
        let real = std::fs::read_to_string(root().join("tests/data").join(name).with_extension("csv")).expect("CSV");
        let ours = Run::nvidia_smi([query.as_str(), "--format=csv"]).on(name).output();
        let ours = String::from_utf8(ours.stdout).expect("UTF-8");
        let cells = |text: &str, line: usize| -> Vec<String> {
            text.lines().nth(line).expect("a line").split(", ").map(str::to_owned).collect()
        };
        assert_eq!(cells(&ours, 0), cells(&real, 0), "{name}: headers");
        for ((header, ours), real) in cells(&ours, 0).iter().zip(cells(&ours, 1)).zip(cells(&real, 1)) {
            let field = header.split(" [").next().expect("a name");
            if moving.contains(&field) {
                // Same shape: a number where it has a number.
                let shape = |cell: &str| cell.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
                assert_eq!(shape(&ours), shape(&real), "{name}: {header}");
            } else {
                assert_eq!(ours, real, "{name}: {header}");
            }
        }
    }
}

/// A machine recorded from its replay is the same machine.
#[test]
fn a_recording_of_a_replay_is_the_recording() {
    // The strange machine holds answers of the wrong type on purpose; they come back as errors.
    for name in machines().into_iter().filter(|name| refusal(name).is_none() && name != "strange") {
        let output = Run::rsmi(["--record", "-"]).on(&name).output();
        let again: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let before = frame(&name);
        assert_eq!(again["taken"], before["taken"], "{name}");
        for (one, other) in
            again["devices"].as_array().expect("devices").iter().zip(before["devices"].as_array().expect("devices"))
        {
            assert_eq!(one["unreachable"], other["unreachable"], "{name}");
            let answers = other["answers"].as_object().cloned().unwrap_or_default();
            for (key, answer) in &answers {
                // What is asked for each item of a list is not asked where there is no list.
                if key.starts_with("nvmlDeviceGetSupportedGraphicsClocks(") && answer.get("error").is_some() {
                    continue;
                }
                assert_eq!(one["answers"].get(key), Some(answer), "{name}: {key}");
            }
        }
    }
}

#[test]
fn an_anonymous_recording_names_nobody() {
    let output = Run::rsmi(["--record", "-", "--anonymize"]).on("h200-odd-processes").output();
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for secret in ["GPU-1a2b3c4d", "1650000000001", "we,ird", "exactly-thirty", "/tmp/odd", "\"vm\"", "root", "nobody"]
    {
        assert!(!text.contains(secret), "{secret} is still there");
    }
    // Sizes and pids stay: they are what a report is about.
    assert!(text.contains("150754820096"), "{text}");
}

#[test]
fn one_lost_gpu_is_one_row_and_its_neighbours_are_whole() {
    if !machine("lost-gpu").exists() {
        panic!("the machine with a lost GPU is missing");
    }
    let query = "--query-gpu=index,name,memory.used";
    let output = Run::nvidia_smi([query, "--format=csv,noheader"]).on("lost-gpu").output();
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(text.lines().count(), 8);
    for (index, line) in text.lines().enumerate() {
        if index == 3 {
            assert_eq!(line, "3, [GPU is lost], [GPU is lost]");
        } else {
            assert!(line.starts_with(&format!("{index}, NVIDIA")) && line.ends_with(" MiB"), "{line}");
        }
    }
    assert_eq!(output.status.code(), Some(15));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("rsmi: GPU 3: GPU is lost"), "{stderr}");
    // A neighbour alone is healthy.
    let neighbour = Run::nvidia_smi([query, "--format=csv,noheader", "-i", "2"]).on("lost-gpu").output();
    assert_eq!(neighbour.status.code(), Some(0));
    assert!(neighbour.stderr.is_empty());
}

#[test]
fn start_up_failures_are_told_apart() {
    let own = |name: &str, status: i32, needle: &str| {
        let output = Run::rsmi(["-L"]).on(name).output();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{name}: {stderr}");
        assert!(
            output.stdout.is_empty() && stderr.contains(needle) && stderr.contains("rsmi --demo"),
            "{name}: {stderr}"
        );
    };
    own("driver-not-loaded", 9, "kernel driver is not loaded");
    own("version-mismatch", 18, "the NVML library is of version");
    own("no-devices", 6, "has no GPU");
    let missing = Run::rsmi(["-L", "--nvml", "/nonexistent/libnvidia-ml.so.1"]).output();
    assert_eq!(missing.status.code(), Some(12));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("/nonexistent/libnvidia-ml.so.1"));
    let real = "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display Driver is properly installed and present in your system.\nPlease also try adding directory that contains libnvidia-ml.so to your system PATH.\n";
    Run::nvidia_smi(["-L", "--nvml", "/nonexistent/libnvidia-ml.so.1"]).stdout(real).status(12).check();
}
