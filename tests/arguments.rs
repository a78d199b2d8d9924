//! Command lines that the real nvidia-smi 580.159 was given on an H200, and what it said: the drop-in must
//! say the same, to the byte, with the same status. `data/arguments.json` is a measurement.

#![allow(clippy::indexing_slicing)]

mod common;

use common::{Run, root};
use serde_json::Value;

#[test]
fn the_drop_in_answers_every_line_as_the_real_one_did() {
    let text = std::fs::read(root().join("tests/data/arguments.json")).expect("the measurement");
    let rows: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    assert!(rows.len() > 90, "{}", rows.len());
    for row in rows {
        let args: Vec<String> = serde_json::from_value(row["args"].clone()).expect("a list of words");
        let stdout = row["stdout"].as_str().expect("text").to_owned();
        let status = row["status"].as_i64().expect("a number") as i32;
        Run::nvidia_smi(args).on("h200").stdout(stdout).status(status).check();
    }
}

#[test]
fn the_word_nvidia_smi_is_the_same_as_the_name() {
    let line = ["nvidia-smi", "--query-gpu=bogus", "--format=csv"];
    Run::rsmi(line).on("h200").stdout("Field \"bogus\" is not a valid field to query.\n\n").status(2).check();
}

/// rsmi's own face: one line that names the culprit, the accepted form and a near match.
#[test]
fn rsmi_says_in_one_line_what_is_wrong() {
    let rows: &[(&[&str], &str)] = &[
        (&["--query-gpu=temprature.gpu"], "unknown field `temprature.gpu`, did you mean `temperature.gpu`?"),
        (&["--query-gpu=INDEX"], "unknown field `INDEX`, did you mean `index`?"),
        (&["--query-gpu=index, name"], "unknown field ` name`, did you mean `name`?"),
        (&["--query-gpu=memory_used"], "unknown field `memory_used`, did you mean `memory.used`?"),
        (&["--query-gpu=zzzzzzzz"], "unknown field `zzzzzzzz`; `rsmi --help-query-gpu` lists them"),
        (
            &["--query-gpu=index", "--format=jsn"],
            "unknown format `jsn`, did you mean `json`? accepted: table, csv, json, noheader, nounits",
        ),
        (&["--qery-gpu=index"], "unknown option `--qery-gpu`, did you mean `--query-gpu`?"),
        (&["--frobnicate"], "unknown option `--frobnicate`; see `rsmi --help`"),
        (&["-l", "0"], "`--loop` takes a number of seconds greater than 0, not `0`"),
        (&["-lms", "abc"], "`--loop-ms` takes a number of milliseconds greater than 0, not `abc`"),
        (&["--query-gpu"], "option `--query-gpu` needs a value, as in `--query-gpu=index,name`"),
        (&["-L", "--query-gpu=index"], "`--list-gpus` and `--query-gpu` cannot be used together"),
        (&["--demo", "--replay", "x"], "`--replay` and `--demo` cannot be used together"),
        (
            &["--replay", "/nonexistent.json", "-L"],
            "cannot read recording `/nonexistent.json`: No such file or directory",
        ),
        (
            &["--replay", "Cargo.toml", "-L"],
            "`Cargo.toml` is not a recording of rsmi: expected value at line 1 column 2",
        ),
        (&["--color=sometimes", "--demo"], "unknown color `sometimes`, accepted: auto, always, never"),
    ];
    for (args, line) in rows {
        Run::rsmi(*args).stderr(&format!("rsmi: {line}\n")).status(2).check();
    }
}

#[test]
fn rsmi_says_which_device_is_not_there() {
    Run::rsmi(["-i", "9", "--query-gpu=index"])
        .on("h200")
        .stderr("rsmi: no device is called `9`; accepted are index, UUID, serial number and PCI bus id, and `rsmi -L` lists them\n")
        .status(6)
        .check();
}

#[test]
fn a_file_that_cannot_be_made_is_named() {
    Run::rsmi(["--query-gpu=index", "-f", "/nonexistent/x"])
        .on("h200")
        .stderr("rsmi: cannot create `/nonexistent/x`: No such file or directory\n")
        .status(1)
        .check();
    Run::nvidia_smi(["--query-gpu=index", "-f", "/nonexistent/x"])
        .on("h200")
        .stdout("Failed to create the log file /nonexistent/x\n\n")
        .status(255)
        .check();
}
