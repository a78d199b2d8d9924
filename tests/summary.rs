//! rsmi's own first screen on recorded machines: golden screens, frames at every width, JSON against its
//! schema, what can be sorted and chosen, and the screen in a loop.
//!
//! `RSMI_UPDATE=1 cargo test --test summary` writes the golden screens and the schema anew.

#![allow(clippy::indexing_slicing)]

mod common;
#[path = "common/terminal.rs"]
mod terminal;

use common::{Run, machines, root, wait};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;
use std::time::Duration;
use terminal::Terminal;
use unicode_width::UnicodeWidthStr;

const GOLDEN: [&str; 6] = ["h200x8", "h100-mig", "geforce", "lost-gpu", "gb10", "h200-odd-processes"];
const WIDTHS: [u16; 4] = [60, 80, 120, 200];

fn screen(machine: &str, width: u16, more: &[&str]) -> Output {
    Run::rsmi(more.iter().copied()).on(machine).with("COLUMNS", width.to_string()).output()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// Compares with a file, or writes it.
#[track_caller]
fn golden(file: &Path, found: &str) {
    if std::env::var_os("RSMI_UPDATE").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, found).expect("a file written");
    }
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        expected == found,
        "{} is not as it should be; if it should, write it with RSMI_UPDATE=1 cargo test --test summary\n\
         expected\n{expected}\nfound\n{found}",
        file.display()
    );
}

#[test]
fn screens_are_as_they_were() {
    for machine in GOLDEN {
        for width in WIDTHS {
            for (kind, color) in [("", "--color=never"), ("-color", "--color=always")] {
                let file = root().join(format!("tests/data/screens/{machine}-{width}{kind}.txt"));
                golden(&file, &text(&screen(machine, width, &[color])));
            }
        }
    }
}

#[test]
fn color_adds_nothing_but_color() {
    for machine in machines() {
        let plain = text(&screen(&machine, 120, &[]));
        let colored = text(&screen(&machine, 120, &["--color=always"]));
        assert!(!plain.contains('\u{1b}'), "{machine}: a pipe gets no color");
        assert_eq!(strip(&colored), plain, "{machine}");
    }
}

/// The text without its colors, which are all there may be.
fn strip(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('m').expect("a color");
        assert!(code.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{code:?}");
        // Plain black, white and bright yellow cannot be read on every ground.
        assert!(!["30", "37", "93", "97"].contains(&code), "{code}");
        plain.push_str(rest);
    }
    plain
}

#[test]
fn a_frame_is_whole_at_every_width() {
    for machine in machines() {
        for width in (60..=250).step_by(19).chain([61, 75, 76, 99, 120, 131, 250]) {
            let output = screen(&machine, width, &[]);
            let text = text(&output);
            check_frame(&text, width.into(), &format!("{machine} at {width}"));
        }
    }
}

#[track_caller]
fn check_frame(text: &str, width: usize, which: &str) {
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{which}: {text}");
    for line in text.lines() {
        let own = UnicodeWidthStr::width(line);
        assert!(own <= width, "{which}: {own} columns\n{text}");
        if line.starts_with(['┌', '├', '╞', '└', '│']) {
            assert_eq!(own, width, "{which}: a broken frame\n{text}");
            assert!(line.ends_with(['┐', '┤', '╡', '┘', '│']), "{which}: {line}");
        }
    }
}

#[test]
fn a_width_beyond_reason_is_not_a_frame_beyond_reason() {
    for (columns, expected) in [("1", 24), ("9999", 250), ("0", 24), ("", 120), ("wide", 120)] {
        let output = Run::rsmi([] as [&str; 0]).on("h200x8").with("COLUMNS", columns).output();
        check_frame(&text(&output), expected, columns);
    }
}

#[test]
fn header_and_units_can_be_left_out() {
    let output = text(&screen("h200x8", 100, &["--format=table,noheader"]));
    assert!(output.starts_with('┌') && !output.contains("GPU-Util") && !output.contains('╞'), "{output}");
    check_frame(&output, 100, "noheader");
    let output = text(&screen("h200x8", 100, &["--format=nounits"]));
    assert!(output.contains("118220 / 143771") && !output.contains("118220MiB"), "{output}");
}

#[test]
fn csv_is_a_line_a_gpu() {
    let output = text(&Run::rsmi(["-i", "6,7", "--format=csv"]).on("h200x8").output());
    let expected = "index, name, memory.used [MiB], memory.free [MiB], memory.total [MiB], utilization.gpu [%], \
                    temperature.gpu, power.draw [W], power.limit [W]\n";
    assert!(output.starts_with(expected), "{output}");
    assert_eq!(output.lines().count(), 3);
}

#[test]
fn a_lost_gpu_is_a_row_and_a_status() {
    let output = screen("lost-gpu", 120, &[]);
    assert_eq!(output.status.code(), Some(15));
    assert!(output.stderr.is_empty(), "the row says it");
    assert!(text(&output).contains("│   3  GPU is lost; it has fallen off the bus, reboot the machine"));
    // Nobody sees a row in JSON.
    let output = screen("lost-gpu", 120, &["--format=json"]);
    assert_eq!(output.status.code(), Some(15));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("rsmi: GPU 3: GPU is lost"));
}

/// A machine as recorded, after an edit.
fn edited(name: &str, machine: &str, edit: impl Fn(&mut Value)) -> std::path::PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("summary-{name}.json"));
    let mut frame: Value =
        serde_json::from_slice(&std::fs::read(common::machine(machine)).expect("a recording")).expect("JSON");
    edit(&mut frame);
    std::fs::write(&file, frame.to_string()).expect("a file");
    file
}

#[test]
fn what_is_hidden_is_told_with_what_to_do() {
    // As an H200 answers inside of another PID namespace: memory in use, and an empty list.
    let file = edited("namespace", "h200-loaded", |frame| {
        let answers = frame["devices"][0]["answers"].as_object_mut().expect("answers");
        for (key, value) in answers.iter_mut() {
            if key.contains("ComputeRunningProcesses") {
                *value = json!([]);
            }
        }
    });
    let output = Run::rsmi([] as [&str; 0]).with("RSMI_REPLAY", &file).output();
    let shown = text(&output);
    assert!(shown.contains("No running processes found") && shown.contains("--pid=host"), "{shown}");
    let output = Run::rsmi(["--format=json"]).with("RSMI_REPLAY", &file).output();
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["gpus"][0]["memory_unlisted_mib"], json["gpus"][0]["memory_used_mib"]);
    // What the driver takes beside many small processes is no riddle.
    let shown = text(&screen("h200-odd-processes", 120, &[]));
    assert!(!shown.contains('!'), "{shown}");
    let shown = text(&screen("no-permission", 200, &[]));
    assert!(shown.contains("GPU 0 cannot be listed: Insufficient Permissions; run it as root"), "{shown}");
    let file = edited("unknown", "h200x8", |frame| frame["processes"] = json!({}));
    let shown = text(&Run::rsmi([] as [&str; 0]).with("RSMI_REPLAY", &file).with("COLUMNS", "250").output());
    assert!(shown.contains("! 9 processes are not to be found here (PID 41200, 41201, 41202, …)"), "{shown}");
}

#[test]
fn the_schema_is_the_one_in_the_documents() {
    let schema = serde_json::to_string_pretty(&rsmi::views::summary::schema()).expect("JSON") + "\n";
    golden(&root().join("docs/summary.schema.json"), &schema);
}

#[test]
fn json_of_every_machine_is_as_the_schema_says() {
    let schema = rsmi::views::summary::schema();
    for machine in machines() {
        let output = Run::rsmi(["--format=json"]).on(&machine).output();
        if output.stdout.is_empty() {
            assert!(!output.stderr.is_empty(), "{machine}");
            continue;
        }
        let json: Value = serde_json::from_slice(&output.stdout).expect("strict JSON");
        check(&json, &schema["allOf"][0], &schema, &machine);
        assert_eq!(json["gpus"].as_array().map(Vec::len), recorded(&machine), "{machine}");
    }
    // The checker does find what is wrong.
    let wrong = json!({"host": 5});
    let found = std::panic::catch_unwind(|| check(&wrong, &schema["allOf"][0], &schema, "wrong"));
    assert!(found.is_err());
}

fn recorded(machine: &str) -> Option<usize> {
    let frame: Value = serde_json::from_slice(&std::fs::read(common::machine(machine)).ok()?).ok()?;
    frame["devices"].as_array().map(Vec::len)
}

/// As much of JSON Schema as ours uses: types, properties, items and references.
fn check(value: &Value, schema: &Value, all: &Value, at: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix("#/$defs/").expect("a reference of ours");
        return check(value, &all["$defs"][name], all, at);
    }
    let types: BTreeSet<&str> = match &schema["type"] {
        Value::String(one) => BTreeSet::from([one.as_str()]),
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        other => panic!("{at}: no type but {other}"),
    };
    let own = match value {
        Value::Null => "null",
        Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Bool(_) => "boolean",
    };
    assert!(types.contains(own) || (own == "integer" && types.contains("number")), "{at}: {own} is none of {types:?}");
    if let Value::Array(items) = value {
        items
            .iter()
            .enumerate()
            .for_each(|(place, item)| check(item, &schema["items"], all, &format!("{at}[{place}]")));
    }
    if let Value::Object(object) = value {
        let properties = schema["properties"].as_object().expect("properties");
        for required in schema["required"].as_array().expect("required").iter().filter_map(Value::as_str) {
            assert!(object.contains_key(required), "{at} lacks {required}");
        }
        for (key, value) in object {
            check(value, properties.get(key).unwrap_or_else(|| panic!("{at} has {key}")), all, &format!("{at}.{key}"));
        }
    }
}

#[test]
fn json_has_numbers_in_the_unit_of_their_key() {
    let output = Run::rsmi(["--format=json", "-i", "4"]).on("h200x8").output();
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let gpu = &json["gpus"][0];
    assert_eq!(gpu["memory_used_mib"], 96349);
    assert_eq!(gpu["power_limit_w"], 700.0);
    assert_eq!(gpu["compute_mode"], "Exclusive_Process");
    assert_eq!(gpu["fan_percent"], Value::Null);
    let process = &gpu["processes"][0];
    assert_eq!((&process["user"], &process["container"]), (&json!("bob"), &json!("3f9c1b7a20de")));
    assert_eq!(process["command"], "VLLM::EngineCore");
    let output = Run::rsmi(["--format=json"]).on("h100-mig").output();
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["gpus"][0]["mig"][3]["profile"], "1g.10gb");
    assert_eq!(json["gpus"][0]["processes"][0]["gpu_instance_id"], 2);
}

/// The pids on the screen, in order.
fn pids(machine: &str, more: &[&str]) -> Vec<u64> {
    let output = text(&screen(machine, 200, more));
    let below = output.lines().skip_while(|line| !line.starts_with('├')).skip(3);
    below.filter_map(|line| line.split_whitespace().nth(2)?.parse().ok()).collect()
}

#[test]
fn processes_are_sorted_and_chosen() {
    assert_eq!(pids("h200x8", &[]), [41200, 41201, 41202, 41203, 52011, 60233, 60871, 61002, 61344]);
    let sorted = pids("h200x8", &["--sort=-used_memory,-pid"]);
    assert_eq!(sorted, [41203, 41202, 41201, 41200, 52011, 60233, 61344, 60871, 61002]);
    assert_eq!(pids("h200x8", &["--sort", "-time", "--where", "time < 1h"]), [61002, 61344, 60871]);
    assert_eq!(pids("h200x8", &["--where=user = carol or container != null"]), [52011, 60233, 61344]);
    assert_eq!(pids("h200x8", &["--where", "used_memory > 90GiB and not gpu <= 1"]), [41202, 41203, 52011]);
    assert_eq!(pids("h200x8", &["--where", "command ~ ffmpeg", "--sort=gpu"]), [61344]);
    let none = text(&screen("h200x8", 100, &["--where=user = nobody"]));
    assert!(none.contains("No process meets the condition"), "{none}");
}

#[test]
fn gpus_are_sorted_and_chosen_by_their_fields() {
    let indexes = |more: &[&str]| -> Vec<u64> {
        let args = ["--format=json"].into_iter().chain(more.iter().copied());
        let output = Run::rsmi(args).on("h200x8").output();
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        json["gpus"].as_array().expect("a list").iter().filter_map(|gpu| gpu["index"].as_u64()).collect()
    };
    assert_eq!(indexes(&["--where", "memory.free > 20GiB", "--sort=-memory.free"]), [7, 6, 5, 4, 0, 1, 2, 3]);
    assert_eq!(indexes(&["--where", "compute_mode = Exclusive_Process"]), [4]);
    // The order of one and the condition of the other.
    assert_eq!(indexes(&["--where", "utilization.gpu < 50%", "--sort=-pid"]), [4, 5, 7]);
    let free = ["--query-gpu=index", "--where", "memory.used < 1GiB and utilization.gpu < 5", "--format=csv,noheader"];
    Run::rsmi(free).on("h200x8").stdout("7\n").check();
    Run::nvidia_smi(free).on("h200x8").stdout("7\n").check();
    let sorted = ["--query-gpu=index,name", "--where=index > 4", "--sort=-temperature.gpu", "--format=csv,noheader"];
    Run::rsmi(sorted).on("h200x8").stdout("6, NVIDIA H200\n5, NVIDIA H200\n7, NVIDIA H200\n").check();
    let apps = ["--query-compute-apps=pid", "--where=used_memory > 100GiB", "--sort=-pid", "--format=csv,noheader"];
    Run::rsmi(apps).on("h200x8").stdout("41203\n41202\n41201\n41200\n").check();
}

#[test]
fn what_is_wrong_is_told_in_one_line_with_status_2() {
    let cases: &[(&[&str], &str)] = &[
        (&["--where=usr = bob"], "`--where`: unknown field `usr`, did you mean `user`?"),
        (&["--sort=memroy.used"], "`--sort`: unknown field `memroy.used`, did you mean `memory.used`?"),
        (
            &["--where=user = bob and memory.used > 5"],
            "`--where` speaks of GPUs or of processes, not of both as in `user = bob and memory.used > 5`",
        ),
        (
            &["--query-gpu=index", "--where=user = bob"],
            "`--where`: unknown field `user`; `rsmi --help-query-gpu` lists them",
        ),
        (
            &["--query-gpu=index", "--where=power.draw < 5GiB"],
            "`--where`: `power.draw` cannot be compared in `GiB`; accepted: W, kW, mW",
        ),
        (&["--where"], "option `--where` needs a value, as in `--where='memory.used < 1GiB'`"),
        (&["-L", "--where=index = 1"], "`--where` goes with a query or rsmi's own first screen only"),
        (&["--format=csv", "--sort=pid"], "`--sort`: unknown field `pid`; `rsmi --help-query-gpu` lists them"),
    ];
    for (args, message) in cases {
        Run::rsmi(args.iter().copied()).on("h200x8").stderr(&format!("rsmi: {message}\n")).status(2).check();
    }
}

#[test]
fn many_processes_are_no_trouble() {
    let file = edited("many", "sixteen", |frame| {
        let devices = frame["devices"].as_array_mut().expect("devices");
        let mut known = serde_json::Map::new();
        for (place, device) in devices.iter_mut().enumerate() {
            let pids = (0..5000).filter(|n| n % 16 == place).map(|n| 100_000 + n);
            let list: Vec<Value> = pids.clone().map(|pid| json!({"pid": pid, "used": 1_048_576})).collect();
            for version in ["", "_v2", "_v3"] {
                device["answers"][format!("nvmlDeviceGetComputeRunningProcesses{version}")] = json!(list);
            }
            known.extend(pids.map(|pid| {
                let command = ["python3", "train.py", "--some-rather-long-option=with-its-value", "机器学习"];
                (pid.to_string(), json!({"command": command, "user": "ada", "age": 100, "cpu_time": 5000}))
            }));
        }
        frame["processes"] = Value::Object(known);
    });
    let shown = text(&Run::rsmi([] as [&str; 0]).with("RSMI_REPLAY", &file).output());
    check_frame(&shown, 120, "many");
    assert_eq!(shown.matches("train.py").count(), 5000);
}

#[test]
fn in_a_loop_the_frame_follows_the_terminal_and_its_columns_stay() {
    // Processes that go: the second frame has none.
    let full = edited("full", "h200x8", |_| {});
    let empty = edited("empty", "h200x8", |frame| {
        for device in frame["devices"].as_array_mut().expect("devices") {
            for (key, value) in device["answers"].as_object_mut().expect("answers").iter_mut() {
                if key.contains("RunningProcesses") {
                    *value = json!([]);
                }
            }
        }
    });
    let both = Path::new(env!("CARGO_TARGET_TMPDIR")).join("summary-both.json");
    let read = |file: &Path| std::fs::read_to_string(file).expect("a file");
    std::fs::write(&both, format!("{}\n{}\n", read(&full), read(&empty))).expect("a file");
    let mut terminal = Terminal::new(120, 50);
    let run = Run::rsmi(["-lms", "60", "--timeout=0"]).with("RSMI_REPLAY", &both).with("TERM", "xterm");
    let mut child = terminal.spawn(run.command());
    let frames = terminal.frames(2);
    for frame in &frames {
        check_frame(frame.trim_end(), 120, "in a loop");
    }
    let heading = |frame: &str| frame.lines().find(|line| line.contains("PID")).map(str::to_owned);
    assert!(frames[1].contains("No running processes found"), "{}", frames[1]);
    assert_eq!(heading(&frames[0]), heading(&frames[1]));
    terminal.resize(80, 24);
    let narrow = terminal.frames(4).pop().expect("a frame");
    check_frame(narrow.trim_end(), 80, "after a resize");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .expect("a signal");
    assert_eq!(wait(&mut child, Duration::from_secs(10)).code(), Some(0));
}

#[test]
fn a_screen_that_is_too_low_says_how_much_is_missing() {
    let mut terminal = Terminal::new(100, 24);
    let run = Run::rsmi(["-l", "5", "--timeout=0"]).on("h200x8").with("TERM", "xterm");
    let mut child = terminal.spawn(run.command());
    let frame = terminal.frames(1).pop().expect("a frame");
    check_frame(frame.trim_end(), 100, "low");
    assert!(frame.contains("more processes") && frame.trim_end().ends_with('┘'), "{frame}");
    assert!(frame.lines().count() < 24, "{frame}");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM)
        .expect("a signal");
    wait(&mut child, Duration::from_secs(10));
}
