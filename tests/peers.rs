//! Programs that nobody here wrote, on the fake library: gpustat and nvitop see the GPUs, memory, load and
//! power that rsmi sees. They come from PyPI into an environment of their own, once; without a network this is
//! passed over with a word.

#![allow(clippy::indexing_slicing, clippy::print_stderr, reason = "a test may panic, and says that it is passed over")]

mod common;
#[path = "common/fake.rs"]
mod fake;

use common::{Run, machine};
use fake::OnFake;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What is installed. nvitop takes the newest binding to NVML that it knows, which gpustat accepts too.
const PACKAGES: [&str; 5] =
    ["gpustat==1.1.1", "nvidia-ml-py==13.580.126", "nvitop==1.5.3", "psutil==7.1.0", "blessed==1.22.0"];
const MACHINES: [&str; 3] = ["h200-loaded", "h200x8", "geforce"];

/// The folder with the environment's programs, or why there is none.
fn programs() -> Result<&'static Path, &'static str> {
    static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    MADE.get_or_init(make).as_deref().map_err(String::as_str)
}

fn make() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers");
    let (programs, stamp) = (folder.join("bin"), folder.join("packages"));
    let wanted = PACKAGES.join(" ");
    if std::fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(programs);
    }
    let run = |command: &mut Command| {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(()) } else { Err(said.lines().last().unwrap_or_default().to_owned()) }
    };
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "10", "--retries", "1"];
    run(Command::new(programs.join("python")).args(pip).args(PACKAGES))?;
    std::fs::write(&stamp, wanted).map_err(|error| error.to_string())?;
    Ok(programs)
}

/// A program of the environment on a machine: what it prints.
fn peer(programs: &Path, program: &str, args: &[&str], name: &str) -> String {
    let folder = fake::folder("peers");
    // The last of two tests that do so at once leaves the same file.
    let library = folder.join("libnvidia-ml.so.1");
    if !library.exists() {
        let _ = std::os::unix::fs::symlink(fake::library(), &library);
    }
    let mut command = Command::new(programs.join(program));
    command.args(args).env("LD_LIBRARY_PATH", &folder).env("FAKE_NVML_MACHINE", machine(name));
    command.env("TERM", "dumb").env("COLUMNS", "200").env("LC_ALL", "C.UTF-8").env_remove("CUDA_VISIBLE_DEVICES");
    let output = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} on {name}: {said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The same machine by rsmi.
fn rsmi(name: &str) -> Vec<Value> {
    let query = "--query-gpu=index,name,uuid,memory.total,memory.used,utilization.gpu,temperature.gpu,power.draw.instant,power.draw,enforced.power.limit";
    let output = Run::rsmi([query, "--format=json"]).through(&machine(name)).output();
    serde_json::from_slice(&output.stdout).expect("strict JSON")
}

/// A whole number, or null where there is none.
fn whole(value: &Value) -> Option<i64> {
    value.as_f64().map(|number| number.floor() as i64)
}

#[test]
fn gpustat_sees_the_same_gpus() {
    let programs = match programs() {
        Ok(programs) => programs,
        Err(why) => return eprintln!("SKIPPED: gpustat cannot be installed here: {why}"),
    };
    for name in MACHINES {
        let seen: Value = serde_json::from_str(&peer(programs, "gpustat", &["--json"], name)).expect("JSON");
        let (theirs, ours) = (seen["gpus"].as_array().expect("a list"), rsmi(name));
        assert_eq!(theirs.len(), ours.len(), "{name}");
        for (theirs, ours) in theirs.iter().zip(&ours) {
            for field in ["index", "name", "uuid"] {
                assert_eq!(theirs[field], ours[field], "{name}: {field}");
            }
            for field in ["utilization.gpu", "temperature.gpu"] {
                assert_eq!(whole(&theirs[field]), whole(&ours[field]), "{name}: {field}");
            }
            // Memory is rounded down there and up here; watts are whole there.
            for field in ["memory.total", "memory.used"] {
                let (low, high) = (theirs[field].as_i64().expect("MiB"), ours[field].as_i64().expect("MiB"));
                assert!(low == high || low + 1 == high, "{name}: {field}: {low} and {high}");
            }
            for field in ["power.draw", "enforced.power.limit"] {
                let (low, high) = (whole(&theirs[field]), whole(&ours[field]));
                assert_eq!(low.is_some(), high.is_some(), "{name}: {field}");
                assert!(
                    low.zip(high).is_none_or(|(low, high)| (low - high).abs() <= 1),
                    "{name}: {field}: {low:?} {high:?}"
                );
            }
        }
    }
}

#[test]
fn nvitop_sees_the_same_gpus() {
    let programs = match programs() {
        Ok(programs) => programs,
        Err(why) => return eprintln!("SKIPPED: nvitop cannot be installed here: {why}"),
    };
    let script = "
import json
from nvitop import Device
def of(device):
    number = lambda value: value if isinstance(value, int) else None
    return [device.index, device.name(), device.uuid(), number(device.memory_total()), number(device.memory_used()),
            number(device.gpu_utilization()), number(device.temperature()), number(device.power_usage()),
            number(device.power_limit()), sorted(device.processes())]
print(json.dumps([of(device) for device in Device.all()]))
";
    for name in MACHINES {
        let seen: Vec<Vec<Value>> =
            serde_json::from_str(&peer(programs, "python", &["-c", script], name)).expect("JSON");
        let ours = rsmi(name);
        let query = ["--query-compute-apps=gpu_uuid,pid", "--format=json"];
        let processes = Run::rsmi(query).through(&machine(name)).output().stdout;
        let processes: Vec<Value> = serde_json::from_slice(&processes).expect("strict JSON");
        assert!(processes.iter().any(|process| process["pid"].is_u64()), "{name}");
        assert_eq!(seen.len(), ours.len(), "{name}");
        for (theirs, ours) in seen.iter().zip(&ours) {
            let [index, title, uuid, total, used, load, heat, power, limit, pids] = theirs.as_slice() else {
                panic!("{theirs:?}");
            };
            assert_eq!([index, title, uuid], [&ours["index"], &ours["name"], &ours["uuid"]], "{name}");
            // It lists those that draw as well.
            let pids: Vec<&Value> = pids.as_array().expect("a list").iter().collect();
            let of_this = processes.iter().filter(|process| process["gpu_uuid"] == *uuid);
            let mut pids_here = of_this.map(|process| &process["pid"]).filter(|pid| !pid.is_null());
            assert!(pids_here.all(|pid| pids.contains(&pid)), "{name}: {pids:?}");
            let mib = |bytes: &Value| bytes.as_u64().map(|bytes| bytes.div_ceil(1 << 20));
            assert_eq!(
                [mib(total), mib(used)],
                [ours["memory.total"].as_u64(), ours["memory.used"].as_u64()],
                "{name}"
            );
            assert_eq!([load, heat], [&ours["utilization.gpu"], &ours["temperature.gpu"]], "{name}");
            let watts = |value: &Value| value.as_f64().map(|watts| (watts * 1000.0).round() as i64 / 10);
            assert_eq!(power.as_i64().map(|power| power / 10), watts(&ours["power.draw"]), "{name}");
            assert_eq!(limit.as_i64().map(|limit| limit / 10), watts(&ours["enforced.power.limit"]), "{name}");
        }
        // Its own screen, once.
        let screen = peer(programs, "nvitop", &["--once", "--ascii"], name);
        let listed = |index: usize| screen.lines().any(|line| line.starts_with(&format!("|{index:>4}  ")));
        assert!(screen.contains("NVITOP") && (0..ours.len()).all(listed), "{screen}");
    }
}
