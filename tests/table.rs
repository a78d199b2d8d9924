//! The table of nvidia-smi without arguments, against what the real one, 580.159.04, printed of the same
//! machines over `tests/fake-nvml` (`tests/data/real/`). Where rsmi means to differ, an exchange of lines below
//! says how and why; any other difference fails.

#![allow(clippy::indexing_slicing)]

mod common;

use common::{Run, machine, root};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const NO_PROCESSES: &str =
    "|  No running processes found                                                             |\n";

/// What the real one prints, what rsmi prints in its place, and why: of these machines.
type Exchange = (&'static [&'static str], &'static str, &'static str, &'static str);

const EXCHANGES: &[Exchange] = &[
    (
        &["driver-390"],
        NO_PROCESSES,
        "|    0   N/A  N/A             880      C   ./nbody                                 555MiB |\n\
         |    0   N/A  N/A             881      C   ./nbody                                 556MiB |\n",
        "an older call is asked instead",
    ),
    (
        &["driver-450"],
        NO_PROCESSES,
        "|    0   N/A  N/A           12001      C   python                                 6391MiB |\n\
         |    0   N/A  N/A           12377      C   /opt/matlab/bin/glnxa64/MATLAB         3011MiB |\n",
        "an older call is asked instead",
    ),
    (
        &["gb10"],
        "|    0   N/A  N/A           90211 ",
        "|    0   N/A  N/A            2519      G   /usr/lib/xorg/Xorg                       18MiB |\n\
         |    0   N/A  N/A            2744      G   /usr/bin/gnome-shell                      6MiB |\n\
         |    0   N/A  N/A           90211 ",
        "the real one shows processes that draw over NVIDIA's own library, but not over the fake",
    ),
    (
        &["geforce"],
        "|    0   N/A  N/A            5267 ",
        "|    0   N/A  N/A            1696      G   /usr/bin/gnome-shell                    176MiB |\n\
         |    0   N/A  N/A            4584      G   /usr/bin/Xwayland                         3MiB |\n\
         |    0   N/A  N/A            5267 ",
        "the real one shows processes that draw over NVIDIA's own library, but not over the fake",
    ),
    (
        &["h100-mig", "no-permission"],
        "|  No MIG devices found                                                                   |\n\
         +-----------------------------------------------------------------------------------------+\n",
        "|  0    2   0   0  |           11091MiB / 40448MiB    | 60      0 |  3   0    3    0    3 |\n\
         |                  |               0MiB / 24739MiB    |           |                       |\n\
         +------------------+----------------------------------+-----------+-----------------------+\n\
         |  0    3   0   1  |              17MiB / 20096MiB    | 32      0 |  2   0    2    0    2 |\n\
         |                  |               0MiB / 12369MiB    |           |                       |\n\
         +------------------+----------------------------------+-----------+-----------------------+\n\
         |  0    9   0   2  |               9MiB /  9984MiB    | 16      0 |  1   0    1    0    1 |\n\
         |                  |               0MiB /  6184MiB    |           |                       |\n\
         +------------------+----------------------------------+-----------+-----------------------+\n\
         |  0   10   0   3  |               9MiB /  9984MiB    | 16      0 |  1   0    1    0    1 |\n\
         |                  |               0MiB /  6184MiB    |           |                       |\n\
         +------------------+----------------------------------+-----------+-----------------------+\n",
        "these lines are from the H100 itself; the fake knew no MIG device by its number when it was asked",
    ),
    (
        &["strange"],
        "|       0MiB /      0MiB |     -1%",
        "|  17592186044416MiB ... |     -1%",
        "the sum does not overflow",
    ),
    (
        &["strange"],
        "|ERR!  ERR!    P0           ERR!  /  700W | Argument version mi... |",
        "|ERR!  ERR! ERR!            ERR!  /  700W |       0MiB /      0MiB |",
        "an older call is asked instead, and an error of code 0 exists in a recording only",
    ),
    (
        &["strange"],
        "|    0   N/A  N/A              -1 ",
        "|    0   N/A  N/A               1      G   ????                                  17592... |\n\
         |    0   N/A  N/A              -1 ",
        "the real one shows processes that draw over NVIDIA's own library, but not over the fake",
    ),
    (
        &["vgpu-guest"],
        "| N/A  ERR!    P0 ",
        "| N/A   N/A    P0 ",
        "an older call is asked instead, and says that there is no sensor",
    ),
];

/// Exit statuses that differ, with why.
const STATUSES: &[(&str, i32, &str)] = &[
    ("driver-390", 0, "all went well"),
    ("lost-gpu", 15, "a GPU that is lost is told by the status"),
    ("unknown-error", 255, "a GPU that cannot be had is told by the status"),
];

/// Machines of which rsmi says on standard error which GPU is out of service.
const SICK: &[&str] = &["lost-gpu", "lost-gpu-late", "unknown-error", "probe-errors", "probe-values"];

/// Bytes as text, one character for each: so that texts that are not UTF-8 are compared too.
fn characters(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect()
}

/// What the real one printed of a machine: status, standard output.
fn real(name: &str) -> (i32, Vec<u8>) {
    let file = root().join("tests/data/real").join(name).with_extension("json");
    let said: Value = serde_json::from_slice(&std::fs::read(file).expect("what it said")).expect("JSON");
    let said = &said["plain"];
    let line = |line: &Value| match line.as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => serde_json::from_value(line.clone()).expect("bytes"),
    };
    let lines: Vec<Vec<u8>> = said["stdout"].as_array().expect("lines").iter().map(line).collect();
    (said["status"].as_i64().expect("a status") as i32, lines.join(&b'\n'))
}

/// The table without what is different each time or on purpose: the time, and the version of the tool itself,
/// where rsmi prints the driver's.
fn masked(table: &[u8]) -> String {
    let text = characters(table);
    let (first, rest) = text.split_once('\n').unwrap_or_default();
    if !rest.starts_with('+') {
        return text;
    }
    assert_eq!(first.len(), 31, "{first:?}");
    let (before, after) = rest.split_once("| NVIDIA-SMI ").expect("the versions");
    format!("{before}| NVIDIA-SMI {}", after.get(22..).expect("a version"))
}

/// What an old driver's older calls tell where the real one, which does not ask them, has an error: the
/// temperature and the memory of a device.
fn with_older_calls(real: &str, ours: &str) -> String {
    let mut lines: Vec<String> = real.split('\n').map(str::to_owned).collect();
    for (line, ours) in lines.iter_mut().zip(ours.split('\n')) {
        if line.get(44..64) == Some("Function Not Found  ")
            && ours.get(44..66).is_some_and(|cell| cell.contains("MiB / "))
        {
            line.replace_range(44..66, &ours[44..66]);
            if line.get(7..12) == Some("ERR! ") && ours.get(10..12) == Some("C ") {
                line.replace_range(7..12, &ours[7..12]);
            }
        }
    }
    lines.join("\n")
}

#[test]
fn every_table_is_that_of_nvidia_smi_or_differs_for_a_reason() {
    let mut compared = 0;
    for name in common::machines() {
        if !root().join("tests/data/real").join(&name).with_extension("json").exists() {
            continue;
        }
        compared += 1;
        let (status, expected) = real(&name);
        let ours = Run::nvidia_smi::<&str>([]).on(&name).output();
        let (mut expected, table) = (masked(&expected), masked(&ours.stdout));
        if ["driver-390", "driver-450", "sixteen"].contains(&name.as_str()) {
            expected = with_older_calls(&expected, &table);
        }
        for (_, theirs, own, why) in EXCHANGES.iter().filter(|(machines, ..)| machines.contains(&name.as_str())) {
            assert!(expected.contains(theirs), "{name}: nothing differs any more ({why})");
            expected = expected.replace(theirs, own);
        }
        assert_eq!(table, expected, "{name}: expected\n{expected}\n--- but got\n{table}");
        let status = STATUSES.iter().find(|(known, ..)| *known == name).map_or(status, |(_, status, _)| *status);
        assert_eq!(ours.status.code(), Some(status), "{name}");
        assert_eq!(!ours.stderr.is_empty(), SICK.contains(&name.as_str()), "{name}");
    }
    assert!(compared >= 24, "{compared}");
}

#[test]
fn the_tools_own_version_is_the_drivers() {
    let output = Run::nvidia_smi::<&str>([]).on("geforce").output();
    let line = "| NVIDIA-SMI 595.71.05              Driver Version: 595.71.05      CUDA Version: 13.2     |";
    assert_eq!(characters(&output.stdout).lines().nth(2), Some(line));
}

/// A machine that is another with some answers of its devices changed.
fn changed(name: &str, from: &str, answers: &[(&str, Value)]) -> PathBuf {
    let mut frame: Value = serde_json::from_slice(&std::fs::read(machine(from)).expect("a recording")).expect("JSON");
    for device in frame["devices"].as_array_mut().expect("devices") {
        for (call, answer) in answers {
            device["answers"][*call] = answer.clone();
        }
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("table-{name}.json"));
    std::fs::write(&file, frame.to_string()).expect("a file for the machine");
    file
}

fn on(file: &Path, args: &[&str]) -> std::process::Output {
    Run::nvidia_smi(args.iter().copied()).with("RSMI_REPLAY", file).output()
}

#[test]
fn a_damaged_inforom_is_told_where_nobody_is_at_work() {
    let damaged = ("nvmlDeviceValidateInforom", json!({"error": 14}));
    let idle = on(&changed("inforom", "h200", std::slice::from_ref(&damaged)), &[]);
    let text = characters(&idle.stdout);
    assert!(text.ends_with("---+\nWARNING: infoROM is corrupted at gpu 00000000:00:06.0\n"), "{text}");
    assert_eq!((idle.status.code(), idle.stderr.as_slice()), (Some(14), &b""[..]));
    let quiet = [
        changed("inforom-busy", "h200-loaded", std::slice::from_ref(&damaged)),
        changed("inforom-display", "h200", &[damaged, ("nvmlDeviceGetDisplayActive", json!(1))]),
        changed("inforom-unknown", "h200", &[("nvmlDeviceValidateInforom", json!({"error": 999}))]),
    ];
    for file in quiet {
        let output = on(&file, &[]);
        assert!(!characters(&output.stdout).contains("WARNING"), "{}", file.display());
        assert_eq!(output.status.code(), Some(0), "{}", file.display());
    }
}

#[test]
fn a_mode_that_waits_has_a_star() {
    let cases = [
        ("nvmlDeviceGetEccMode", json!({"current": 0, "pending": 0}), "                 Off |"),
        ("nvmlDeviceGetEccMode", json!({"current": 0, "pending": 1}), "                Off* |"),
        ("nvmlDeviceGetEccMode", json!({"current": 1, "pending": 0}), "                  0* |"),
        ("nvmlDeviceGetMigMode", json!({"current": 0, "pending": 1}), "            Enabled* |"),
        ("nvmlDeviceGetMigMode", json!({"error": 3}), "                 N/A |"),
        ("nvmlDeviceGetMigMode", json!({"error": 6}), "                ERR! |"),
    ];
    for (at, (call, answer, cell)) in cases.into_iter().enumerate() {
        let output = on(&changed(&format!("mode-{at}"), "h200", &[(call, answer.clone())]), &[]);
        assert!(characters(&output.stdout).contains(cell), "{call} {answer}: {}", characters(&output.stdout));
    }
    // A device that leaves MIG still has its MIG devices, and only that ECC is on is said of it.
    let leaving = ("nvmlDeviceGetMigMode", json!({"current": 1, "pending": 0}));
    let text = characters(&on(&changed("mode-leaving", "h100-mig", &[leaving]), &[]).stdout);
    assert!(text.contains("            Disabled* |") && text.contains("                  On |"), "{text}");
    assert!(text.contains("| MIG devices: ") && text.contains("|  0   10   0   3  |"), "{text}");
    // One that has none says so.
    let none = ("nvmlDeviceGetMaxMigDeviceCount", json!(0));
    let text = characters(&on(&changed("mode-none", "h100-mig", &[none]), &[]).stdout);
    assert!(text.contains("|  No MIG devices found "), "{text}");
}

#[test]
fn processes_have_their_kinds_and_instances() {
    let list = |pids: &[(u32, u64)]| {
        let one = |(pid, used): &(u32, u64)| json!({"pid": pid, "used": used});
        Value::from(pids.iter().map(one).collect::<Vec<_>>())
    };
    let mut frame: Value = serde_json::from_slice(&std::fs::read(machine("h200")).expect("a recording")).expect("JSON");
    for (pid, name) in [(5, "both"), (6, "shared"), (7, "draws"), (8, "all"), (9, ""), (30, "first")] {
        frame["system"][format!("nvmlSystemGetProcessName({pid})")] = name.into();
    }
    let answers = &mut frame["devices"][0]["answers"];
    answers["nvmlDeviceGetComputeRunningProcesses_v3"] =
        list(&[(30, 1 << 20), (5, (2 << 20) - 1), (6, 3 << 20), (8, 4 << 20), (9, 5 << 20), (10, 6 << 20)]);
    answers["nvmlDeviceGetGraphicsRunningProcesses_v3"] = list(&[(7, 1 << 40), (5, 0), (8, 0)]);
    answers["nvmlDeviceGetMPSComputeRunningProcesses_v3"] = list(&[(6, 0), (8, 0)]);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("table-kinds.json");
    std::fs::write(&file, frame.to_string()).expect("a file for the machine");
    // By pid; without the one that emptied its name and the one that is gone; whole MiB; what does not fit is cut.
    let rows = "\
|    0   N/A  N/A               5    C+G   both                                      1MiB |
|    0   N/A  N/A               6    M+C   shared                                    3MiB |
|    0   N/A  N/A               7      G   draws                                 10485... |
|    0   N/A  N/A               8  M+C+G   all                                       4MiB |
|    0   N/A  N/A              30      C   first                                     1MiB |
+-----------------------------------------------------------------------------------------+
";
    let text = characters(&on(&file, &[]).stdout);
    assert!(text.ends_with(&format!("Usage      |\n|{}|\n{rows}", "=".repeat(89))), "{text}");
    let mig = characters(&Run::nvidia_smi::<&str>([]).on("h100-mig").output().stdout);
    assert!(
        mig.contains("|    0    2    0            21198      C   ./gpu_burn                             7484MiB |\n")
    );
}

#[test]
fn some_devices_only_and_into_a_file() {
    let whole = characters(&Run::nvidia_smi::<&str>([]).on("two-h200").output().stdout);
    let one = characters(&Run::nvidia_smi(["-i", "1"]).on("two-h200").output().stdout);
    let second =
        |text: &str| text.lines().filter(|line| line.starts_with("|   1  ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(second(&one), second(&whole));
    assert!(one.contains("second") && one.contains("third") && !one.contains("first"), "{one}");
    assert!(!one.contains("\n|   0  "), "{one}");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("table.txt");
    Run::nvidia_smi([std::ffi::OsStr::new("-f"), file.as_os_str()]).on("two-h200").check();
    assert_eq!(characters(&std::fs::read(file).expect("the file")), whole);
}

#[test]
fn a_loop_prints_one_table_behind_the_other() {
    use std::io::Read;
    let once = Run::nvidia_smi::<&str>([]).on("two-h200").output().stdout;
    let mut child = Run::nvidia_smi(["-lms", "20"]).on("two-h200").start();
    let mut twice = vec![0; once.len() * 2];
    child.stdout.take().expect("a pipe").read_exact(&mut twice).expect("two tables");
    child.kill().expect("a child that still runs");
    child.wait().expect("its end");
    assert_eq!(characters(&twice), characters(&[once.as_slice(), once.as_slice()].concat()));
}

#[test]
fn each_call_is_made_once_and_only_where_it_shows() {
    let library = fake_nvml::library_path().expect("cargo builds the fake library with this test");
    let counts = |name: &str| -> serde_json::Map<String, Value> {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("table-counts-{name}.json"));
        let args = [std::ffi::OsStr::new("--nvml"), library.as_os_str()];
        let output =
            Run::nvidia_smi(args).with("FAKE_NVML_MACHINE", machine(name)).with("FAKE_NVML_COUNTS", &file).output();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let counts: Value = serde_json::from_slice(&std::fs::read(file).expect("counts")).expect("JSON");
        counts["gpus"]["0"].as_object().expect("calls of a device").clone()
    };
    let busy = counts("h200-loaded");
    assert!(busy.values().all(|times| *times == 1), "{busy:?}");
    assert!(busy.len() <= 20, "{busy:?}");
    let idle = counts("h200");
    let more: Vec<&String> = idle.keys().filter(|call| !busy.contains_key(*call)).collect();
    assert_eq!(more, ["nvmlDeviceValidateInforom"]);
}
