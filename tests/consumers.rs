//! Programs of other people that run nvidia-smi and read what it prints, with ours first on their PATH: they
//! must find the values that the recording holds. They come from PyPI and npm, pinned; where those cannot be
//! reached the test says so and passes.

#![allow(clippy::indexing_slicing, clippy::print_stderr)]

mod common;

use common::{link, machine, root};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PACKAGES: [&str; 9] = [
    "GPUtil==1.4.0",
    "setuptools==65.5.0",
    "nvsmi==0.4.2",
    "nvidia-htop==1.2.0",
    "gpuinfo==1.0.0a7",
    "nvgpu==0.10.0",
    "gpufetch==0.3.0",
    "gpu-monitor-isi==0.0.5",
    "six",
];
const PROGRAMS: [&str; 7] = ["gputil", "nvsmi", "nvidia_htop", "gpuinfo", "nvgpu", "gpufetch", "gpu_monitor"];
const MACHINES: [&str; 4] = ["h200-loaded", "h200x8", "geforce", "two-h200"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("consumers")
}

/// True when the command ran and succeeded.
fn runs(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The folder of programs of a Python environment with the packages; none without a network.
fn python() -> Option<PathBuf> {
    let programs = folder().join("venv/bin");
    let ready = folder().join("venv/ready-1");
    if !ready.exists() {
        let pip = programs.join("pip");
        let made = runs(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder().join("venv")))
            && runs(Command::new(pip).args(["install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES));
        if !made {
            return None;
        }
        std::fs::write(ready, "").expect("a mark that the environment is whole");
    }
    Some(programs)
}

/// PATH with our nvidia-smi before everything else, and the environment's programs behind it.
fn path(programs: &Path) -> String {
    let ours = link("nvidia-smi");
    let ours = ours.parent().expect("a folder").display();
    format!("{ours}:{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default())
}

/// What the recording holds of each device, in the units that the programs use.
fn truth(name: &str) -> Vec<Value> {
    let frame: Value = serde_json::from_slice(&std::fs::read(machine(name)).expect("a recording")).expect("JSON");
    let mib = |bytes: &Value| bytes.as_u64().expect("bytes").div_ceil(1 << 20);
    let devices = frame["devices"].as_array().expect("devices").iter().enumerate();
    devices
        .map(|(index, device)| {
            let answers = &device["answers"];
            let memory = &answers["nvmlDeviceGetMemoryInfo_v2"];
            let used = mib(&memory["used"]);
            serde_json::json!({
                "index": index,
                "used": used,
                "used_end": (used % 100_000).to_string(),
                "total": mib(&memory["total"]),
                "busy": answers["nvmlDeviceGetUtilizationRates"]["gpu"],
                "degrees": answers["nvmlDeviceGetTemperatureV"],
            })
        })
        .collect()
}

#[test]
fn programs_that_parse_nvidia_smi_find_what_the_machine_holds() {
    let Some(programs) = python() else {
        eprintln!("skipped: the packages cannot be had from PyPI here");
        return;
    };
    for name in MACHINES {
        let truth = truth(name);
        for program in PROGRAMS {
            let mut command = Command::new(programs.join("python"));
            command.arg(root().join("tests/consumers/read.py")).arg(program);
            command.env("PATH", path(&programs)).env("RSMI_REPLAY", machine(name)).stdin(Stdio::null());
            let output = command.output().expect("python runs");
            let said = String::from_utf8_lossy(&output.stderr);
            let found: Vec<Value> = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|error| panic!("{program} on {name}: {error}\n{said}"));
            assert_eq!(found.len(), truth.len(), "{program} on {name}: {found:?}");
            let found = found.iter().map(|gpu| gpu.as_object().expect("an object"));
            for (found, truth) in found.zip(&truth) {
                for (key, value) in found.iter().filter(|(key, _)| *key != "processes") {
                    let same = match (value.as_f64(), truth[key].as_f64()) {
                        (Some(one), Some(other)) => (one - other).abs() < 0.5,
                        _ => *value == truth[key],
                    };
                    assert!(same, "{program} on {name}: {key} is {value}, the machine has {}", truth[key]);
                }
            }
        }
    }
}

/// systeminformation, the library behind many Node.js dashboards, joins lspci's list with nvidia-smi's.
#[test]
fn systeminformation_finds_what_the_machine_holds() {
    let home = folder().join("npm");
    std::fs::create_dir_all(&home).expect("a folder");
    let ready = home.join("node_modules/systeminformation/package.json");
    let install = ["install", "--silent", "--no-audit", "--no-fund", "systeminformation@5.33.26"];
    if !ready.exists() && !runs(Command::new("npm").args(install).current_dir(&home)) {
        eprintln!("skipped: systeminformation cannot be had from npm here");
        return;
    }
    // It lists the cards that lspci shows; this host has none.
    let tools = home.join("bin");
    std::fs::create_dir_all(&tools).expect("a folder");
    let card = "00:06.0 3D controller: NVIDIA Corporation GH100 [H200 SXM 141GB] (rev a1)\\n\\tKernel driver in use: nvidia\\n\\n";
    std::fs::write(tools.join("lspci"), format!("#!/bin/sh\nprintf '{card}'\n")).expect("a script");
    assert!(runs(Command::new("chmod").arg("+x").arg(tools.join("lspci"))));
    let script = "require('systeminformation').graphics().then(g => console.log(JSON.stringify(g.controllers)))";
    let mut command = Command::new("node");
    command
        .args(["-e", script])
        .current_dir(&home)
        .env("RSMI_REPLAY", machine("h200-loaded"))
        .env("PATH", path(&tools));
    let output = command.output().expect("node runs");
    let cards: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    let (card, truth) = (&cards[0], &truth("h200-loaded")[0]);
    assert_eq!(card["memoryUsed"], truth["used"]);
    assert_eq!(card["memoryTotal"], truth["total"]);
    assert_eq!(card["utilizationGpu"], truth["busy"]);
    assert_eq!(card["temperatureGpu"], truth["degrees"]);
    assert_eq!(card["name"], "NVIDIA H200");
    assert_eq!(card["powerDraw"], 679.56);
}
