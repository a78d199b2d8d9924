//! rsmi under the name gpustat against gpustat 1.1.1: what that printed on recorded machines, kept in
//! `tests/data/gpustat` (its `make.py` asks it again), and side by side with it over the fake library, with
//! processes of this host on the devices. And what only rsmi does.

#![allow(clippy::indexing_slicing)]

mod common;
#[path = "common/fake.rs"]
mod fake;

use common::{Run, link, root, wait};
use fake::{OnFake, folder, frame, library, write_machine};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn gpustat<'a>(args: impl IntoIterator<Item = &'a str>) -> Run {
    Run::named_as("gpustat", args).with("TERM", "xterm-256color")
}

#[test]
fn every_line_is_gpustats_on_every_machine() {
    let mut compared = 0;
    for file in std::fs::read_dir(root().join("tests/data/gpustat")).expect("the kept lines") {
        let file = file.expect("a file").path();
        if file.extension() != Some(OsStr::new("json")) {
            continue;
        }
        let machine = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let runs: Vec<Value> = serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("JSON");
        for run in runs {
            let text = |key: &str| run[key].as_str().expect("a text").to_owned();
            let args = run["args"].as_array().expect("a list").iter().map(|arg| arg.as_str().expect("a text"));
            gpustat(args)
                .on(&machine)
                .stdout(text("stdout"))
                .stderr(&text("stderr"))
                .status(run["status"].as_i64().expect("a number") as i32)
                .check();
            compared += 1;
        }
    }
    assert!(compared > 350, "{compared}");
}

#[test]
fn names_that_are_no_text_are_shown_all_the_same() {
    let output = gpustat(["-cp", "-f"]).on("h200-odd-processes").output();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains(" bad\u{fffd}\u{fffd}utf/542(622M) "), "{text}");
    assert!(text.contains("): bad\u{fffd}\u{fffd}utf 104 30\n"), "{text}");
    // Into a pipe text goes whole, and what it does to a terminal is the reader's affair.
    assert!(text.contains(" \u{1b}[31mred\u{1b}[0m/544("), "{text}");
    let json = gpustat(["--json"]).on("h200-odd-processes").output();
    assert!(json.stdout.is_ascii());
    let json: Value = serde_json::from_slice(&json.stdout).expect("strict JSON");
    let commands: Vec<&str> =
        json["gpus"][0]["processes"].as_array().expect("a list").iter().filter_map(|p| p["command"].as_str()).collect();
    assert!(commands.contains(&"bad\u{fffd}\u{fffd}utf") && commands.contains(&"two\nlines"), "{commands:?}");
}

#[test]
fn rsmi_speaks_gpustat_as_a_word_too() {
    let output = gpustat(["-a"]).on("h200x8").output();
    Run::rsmi(["gpustat", "-a"]).on("h200x8").stdout(output.stdout).check();
    let help = Run::rsmi(["gpustat", "--help"]).output();
    let help = String::from_utf8(help.stdout).expect("UTF-8");
    for flag in ["--id", "-a,", "-c,", "-f,", "-u,", "-p,", "-F,", "-e,", "-P,", "--json", "-i,", "--no-header"] {
        assert!(help.contains(flag), "{flag}");
    }
}

#[test]
fn a_library_that_is_missing_is_told_in_gpustats_words() {
    let first = "Error on querying NVIDIA devices. Use --debug flag to see more details.\n";
    gpustat(["--json", "--nvml=/nonexistent"])
        .stderr(&format!("{first}NVML Shared Library Not Found\n"))
        .status(1)
        .check();
    gpustat(["--replay=/nonexistent"])
        .stderr("rsmi: cannot read recording `/nonexistent`: No such file or directory\n")
        .status(2)
        .check();
}

/// What a run writes to a terminal that is both its outputs.
fn on_terminal(run: Run) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::io::Read;
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal to use");
    let name = ptsname(&master, Vec::new()).expect("its name").into_string().expect("UTF-8");
    let slave = std::fs::OpenOptions::new().read(true).write(true).open(name).expect("its other end");
    let mut command = run.command();
    command.stdout(slave.try_clone().expect("a copy")).stderr(slave);
    let mut child = command.spawn().expect("a start");
    // Its own copies of the terminal's end would keep it open.
    drop(command);
    let mut text = Vec::new();
    // Linux ends a terminal that nobody writes to any more with an error.
    let _ = std::fs::File::from(master).read_to_end(&mut text);
    wait(&mut child, Duration::from_secs(5));
    String::from_utf8(text).expect("UTF-8").replace("\r\n", "\n")
}

#[test]
fn a_terminal_gets_colors_and_nothing_that_steers_it() {
    let forced = gpustat(["--color", "-a"]).on("h200x8").output();
    let forced = String::from_utf8(forced.stdout).expect("UTF-8");
    assert_eq!(on_terminal(gpustat(["-a"]).on("h200x8")), forced.replace("\u{1b}[0;10m", "\u{1b}(B\u{1b}[m"));
    let odd = on_terminal(gpustat(["-cf", "--no-color"]).on("h200-odd-processes"));
    assert!(odd.contains(" ?[31mred?[0m(624M) ") && odd.contains(" two?lines(620M) "), "{odd}");
    assert!(odd.contains("): ?[31mred?[0m 106 30\n") && !odd.contains('\u{1b}'), "{odd}");
    let plain = on_terminal(gpustat(["-a"]).on("h200x8").with("NO_COLOR", "1"));
    assert!(!plain.contains('\u{1b}'), "{plain}");
}

/// Also where a worker asks the driver for a process that watches over the time.
#[test]
fn a_terminal_is_told_of_processes_that_are_left_out() {
    let machine = common::machine("h200-odd-processes");
    for run in [gpustat(["-c"]), gpustat(["-c", "--timeout=0"])] {
        let text = on_terminal(run.through(&machine).with("NO_COLOR", "1"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        let remark = lines.iter().find(|line| line.starts_with("rsmi: ")).expect("a remark");
        assert!(remark.starts_with("rsmi: 13 processes are left out (pid 538, ") && remark.contains(", …)"), "{text}");
    }
    // Into a pipe it says nothing.
    assert!(gpustat(["-c"]).through(&machine).output().stderr.is_empty());
    assert!(!on_terminal(gpustat(["--no-processes"]).through(&machine)).contains("rsmi"));
}

#[test]
fn an_error_on_a_terminal_is_red() {
    let first = "Error on querying NVIDIA devices. Use --debug flag to see more details.\n";
    let red = format!("{first}\u{1b}[31mInvalid Argument\u{1b}(B\u{1b}[m\n");
    for run in [gpustat(["--id", "9"]), gpustat(["--id", "9", "--timeout=0"])] {
        assert_eq!(on_terminal(run.through(&common::machine("h200"))), red);
    }
    let plain = on_terminal(gpustat(["--id", "9"]).on("h200").with("NO_COLOR", "1"));
    assert_eq!(plain, format!("{first}Invalid Argument\n"));
}

/// Which functions a run called, on all devices.
fn called(args: &[&str]) -> BTreeSet<String> {
    let counts = folder("gpustat").join(format!("counts-{}.json", args.concat()));
    let _ = std::fs::remove_file(&counts);
    let run = gpustat(args.iter().copied()).through(&common::machine("h200x8"));
    assert_eq!(run.with("FAKE_NVML_COUNTS", &counts).output().status.code(), Some(0));
    let counts: Value = serde_json::from_slice(&std::fs::read(&counts).expect("counts")).expect("JSON");
    counts["calls"].as_object().expect("an object").keys().cloned().collect()
}

#[test]
fn nothing_is_asked_that_no_flag_shows() {
    let flags = [
        ("FanSpeed", "-F"),
        ("EncoderUtilization", "-eenc"),
        ("DecoderUtilization", "-edec"),
        ("PowerUsage", "-Pdraw"),
        ("EnforcedPowerLimit", "-Plimit"),
        ("UUID", "--json"),
    ];
    let plain = called(&[]);
    for (call, flag) in flags {
        let function = format!("nvmlDeviceGet{call}");
        assert!(!plain.contains(&function), "{plain:?}");
        assert!(called(&[flag]).contains(&function), "{flag}");
    }
    assert!(!called(&["-Pdraw"]).contains("nvmlDeviceGetEnforcedPowerLimit"));
    let bare = called(&["--no-processes", "--no-header"]);
    assert!(!bare.iter().any(|call| call.contains("Processes")), "{bare:?}");
}

#[test]
fn a_loop_repeats_blocks_into_a_pipe() {
    let mut child = gpustat(["-i", "0.1", "--id", "0"]).on("h200x8").start();
    let mut lines = Vec::new();
    {
        use std::io::BufRead;
        let out = child.stdout.take().expect("a pipe");
        lines.extend(std::io::BufReader::new(out).lines().take(6).map(|line| line.expect("a line")));
    }
    // The reader is gone: that ends it quietly.
    assert_eq!(wait(&mut child, Duration::from_secs(5)).code(), Some(0));
    assert_eq!(lines[0..2], lines[2..4]);
    assert_eq!(lines[0..2], lines[4..6]);
    assert!(lines[0].starts_with("hgx-01 ") && lines[1].starts_with("[0] NVIDIA H200 | "), "{lines:?}");
}

#[test]
fn a_loop_ends_where_nothing_can_be_shown() {
    let mut child = gpustat(["-i", "--id", "9"]).on("h200").start();
    assert_eq!(wait(&mut child, Duration::from_secs(5)).code(), Some(1));
}

#[test]
fn a_device_that_is_lost_on_the_way_is_said_to_be_lost() {
    let run = gpustat(["--no-header"]).through(&common::machine("two-h200"));
    let output = run.faults("nvmlDeviceGetUtilizationRates,gpu=1 -> code 15").output();
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("[1] ((GPU is lost)) |  ?°C,")), "{text}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_could_not_be_read_is_told_once_and_counted() {
    let words = "> An error while retrieving `fan_speed`: Not Supported";
    let output = gpustat(["--debug", "--no-header"]).on("h200x8").output();
    let expected = format!("{words}\n{words} -> Total 8 occurrences.\n\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
}

/// Eight devices whose processes are this host's: the load is measured once for all, and only when shown.
#[test]
fn load_is_measured_once_and_only_when_it_is_shown() {
    let sleepers = sleepers();
    let machine = machine_with(&sleepers, "gpustat-time");
    let time = |args: &[&str]| {
        let begin = Instant::now();
        assert_eq!(gpustat(args.iter().copied()).through(&machine).output().status.code(), Some(0));
        begin.elapsed()
    };
    let (plain, full) = (time(&[]), time(&["-f"]));
    assert!(full >= Duration::from_millis(100), "{full:?}");
    assert!(full < plain + Duration::from_millis(500), "{plain:?} {full:?}");
}

#[test]
fn a_process_that_computes_is_seen_to_compute() {
    let sleepers = sleepers();
    let machine = machine_with(&sleepers, "gpustat-load");
    let busy = sleepers.0.len() - 2;
    // On a crowded host it may not get its turn in every tenth of a second.
    let loads = (0..20).map(|_| {
        let output = gpustat(["--json"]).through(&machine).output();
        let json: Value = serde_json::from_slice(&output.stdout).expect("strict JSON");
        let processes = json["gpus"][0]["processes"].as_array().expect("a list").clone();
        let load = |place: usize| processes[place]["cpu_percent"].as_f64().expect("a number");
        (load(busy), load(0))
    });
    assert!(loads.into_iter().any(|(busy, idle)| busy >= 10.0 && idle == 0.0));
}

/// Processes of this host with odd names, until they are dropped.
struct Sleepers(Vec<Child>);

impl Drop for Sleepers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

const ODD: &[&[u8]] = &[
    b"sleep",
    b"/usr/local/bin/sleep",
    b"we,ird \"na me",
    b"two\nlines",
    b"caf\xc3\xa9-\xe6\x9c\xba",
    b"\x1b[31mred\x1b[0m",
    b"a//b",
    b"/",
    b"./deep/folder/with/a name/sleep",
    b"it's {brace} %percent",
    b"\xe2\x94\x9c tree",
    b"",
];

fn sleepers() -> Sleepers {
    let start = |name: &&[u8]| {
        let mut command = Command::new("sleep");
        command.arg0(OsStr::from_bytes(name)).arg("300").stdin(Stdio::null());
        command.spawn().expect("sleep starts")
    };
    let mut sleepers = Sleepers(ODD.iter().map(start).collect());
    // One that keeps the processor busy, and one that has ended and that nobody has looked after.
    sleepers.0.push(Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("a shell"));
    sleepers.0.push(Command::new("true").spawn().expect("true"));
    std::thread::sleep(Duration::from_millis(100));
    sleepers
}

/// Two devices with these processes on them, some on both, and one that there is not.
fn machine_with(sleepers: &Sleepers, name: &str) -> PathBuf {
    let process = |(place, child): (usize, &Child)| match place {
        0 => json!({"pid": child.id(), "used": null}),
        1 => json!({"pid": child.id(), "used": 0}),
        _ => json!({"pid": child.id(), "used": (place as u64) * 700_000_000}),
    };
    let mut listed: Vec<Value> = sleepers.0.iter().enumerate().map(process).collect();
    listed.insert(3, json!({"pid": 4_000_000_000_u32, "used": 1 << 30}));
    let mut machine = frame("h200x8");
    let devices = machine["devices"].as_array_mut().expect("devices");
    devices.truncate(3);
    devices[0]["answers"]["nvmlDeviceGetComputeRunningProcesses_v3"] = json!(listed);
    devices[0]["answers"]["nvmlDeviceGetGraphicsRunningProcesses_v3"] = json!([listed[0], listed[1]]);
    devices[1]["answers"]["nvmlDeviceGetComputeRunningProcesses_v3"] = json!({"error": 3});
    devices[1]["answers"]["nvmlDeviceGetGraphicsRunningProcesses_v3"] = json!([listed[5], listed[5], listed[6]]);
    devices[2]["answers"]["nvmlDeviceGetComputeRunningProcesses_v3"] = json!({"error": 3});
    devices[2]["answers"]["nvmlDeviceGetGraphicsRunningProcesses_v3"] = json!({"error": 3});
    machine["system"]["nvmlDeviceGetCount_v2"] = json!(3);
    write_machine(name, &machine)
}

/// Python with gpustat 1.1.1 in an environment of its own; none, with a word about it, where that cannot be had.
fn real_gpustat() -> Option<PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gpustat-1.1.1");
    let python = home.join("bin/python");
    let works = || {
        let mut command = Command::new(&python);
        command.args(["-c", "import gpustat; assert gpustat.__version__ == '1.1.1'"]);
        command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    if works() {
        return Some(python);
    }
    let run = |program: &OsStr, args: &[&OsStr]| {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let pip = "-m pip install -q --disable-pip-version-check gpustat==1.1.1 nvidia-ml-py==12.535.108 blessed==1.21.0 psutil==7.2.2";
    let pip: Vec<&OsStr> = pip.split(' ').map(OsStr::new).collect();
    let made = run("python3".as_ref(), &["-m".as_ref(), "venv".as_ref(), home.as_os_str()])
        && run(python.as_os_str(), &pip)
        && works();
    if !made {
        say("gpustat 1.1.1 cannot be installed here: not compared with the real one");
    }
    made.then_some(python)
}

fn say(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// What differs between two runs without meaning anything: moments, and how busy a processor was.
fn masked(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text).into_owned();
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for line in &mut lines {
        // The header's moment: 24 characters that end in a year.
        if let Some(at) = line.find(" 20").filter(|_| !line.starts_with(['[', ' '])) {
            let from = at.saturating_sub(19);
            line.replace_range(from..at + 5, "MOMENT");
        }
        if let Some((_, rest)) = line.split_once("\"query_time\": ") {
            *line = line.replace(rest, "MOMENT,");
        }
        if let Some((_, rest)) = line.split_once("\"cpu_percent\": ") {
            assert!(rest.trim_end_matches(',').contains('.'), "a float: {line}");
            *line = line.replace(rest, "LOAD,");
        }
        if let Some((before, rest)) = line.split_once("─ ")
            && let Some((load, after)) = rest.split_once('%')
            && let Some((pid, load)) = load.split_once('(')
        {
            // Four columns for the load, behind the beginning of its color.
            let (color, load) = load.split_at(load.len() - 4);
            assert!(load.trim_start().parse::<u32>().is_ok(), "{line}");
            *line = format!("{before}─ {pid}({color}LOAD%{after}");
        }
    }
    lines.join("\n")
}

#[test]
fn processes_of_this_host_are_shown_as_gpustat_shows_them() {
    let Some(python) = real_gpustat() else { return };
    let sleepers = sleepers();
    let machine = machine_with(&sleepers, "gpustat-live");
    let lib = folder("gpustat-lib");
    std::fs::copy(library(), lib.join("libnvidia-ml.so.1")).expect("a copy of the fake library");
    let lines: &[&[&str]] = &[
        &[],
        &["-a"],
        &["-cup"],
        &["-c"],
        &["-u"],
        &["-p"],
        &["-cu"],
        &["-f"],
        &["-cf"],
        &["-af", "--color"],
        &["--color"],
        &["--color", "-c"],
        &["--json"],
        &["--no-processes", "-f"],
        &["--id", "2,0"],
        &["--id", "1,1", "-f"],
        &["-P", "--gpuname-width", "5"],
    ];
    for args in lines {
        let real = Command::new(&python)
            .args(["-m", "gpustat"])
            .args(*args)
            .env("LD_LIBRARY_PATH", &lib)
            .env("FAKE_NVML_MACHINE", &machine)
            .env("PYTHONUTF8", "1")
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .output()
            .expect("gpustat starts");
        let own = gpustat(args.iter().copied()).through(&machine).output();
        assert_eq!(masked(&own.stdout), masked(&real.stdout), "{args:?}");
        assert_eq!(own.stderr, real.stderr, "{args:?}");
        assert_eq!(own.status.code(), real.status.code(), "{args:?}");
    }
}

#[test]
fn the_link_is_the_face() {
    assert!(link("gpustat").ends_with("gpustat"));
    Run::named_as("gpustat", ["-v"]).stdout("gpustat 1.1.1\n").check();
}
