//! The queries beside `--query-gpu`, on recorded machines. Lines of the H200 are what its nvidia-smi printed.

#![allow(clippy::indexing_slicing)]

mod common;

use common::{Run, machine};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Compares what the drop-in prints.
#[track_caller]
fn prints(name: &str, args: &[&str], expected: &str) {
    Run::nvidia_smi(args.iter().copied()).on(name).with("TZ", "UTC").stdout(expected).check();
}

#[test]
fn processes_come_in_the_drivers_order() {
    let query = ["--query-compute-apps=pid,name,used_memory", "--format=csv"];
    prints("h200", &query, "pid, process_name, used_gpu_memory [MiB]\n");
    prints(
        "geforce",
        &query,
        "pid, process_name, used_gpu_memory [MiB]\n5268, ffmpeg, 370 MiB\n5267, ffmpeg, 230 MiB\n",
    );
    let query = ["-i", "1,0", "--query-compute-apps=gpu_bus_id,pid,used_gpu_memory", "--format=csv,noheader,nounits"];
    prints(
        "two-h200",
        &query,
        "00000000:00:06.0, 909, 818\n00000000:00:07.0, 910, 1018\n00000000:00:07.0, 911, 1020\n",
    );
}

#[test]
fn odd_names_are_whole_but_for_their_commas() {
    let output =
        Run::nvidia_smi(["--query-compute-apps=name", "--format=csv,noheader"]).on("h200-odd-processes").output();
    let expected: &[&[u8]] = &[
        "café-机".as_bytes(),
        b"two\nlines",
        b"bad\xff\xfeutf",
        b"we?ird \"na me",
        b"tab\there",
        b"",
        b"<xml & \"quoted\">",
        b"\x1b[31mred\x1b[0m",
    ];
    let start = [expected.join(&b'\n'), b"\n".to_vec()].concat();
    assert!(output.stdout.starts_with(&start), "{}", String::from_utf8_lossy(&output.stdout));
    // rsmi's own face quotes what needs it, and its JSON has every name whole.
    let own = Run::rsmi(["--query-compute-apps=name", "--format=csv,noheader"]).on("h200-odd-processes").output();
    assert!(String::from_utf8_lossy(&own.stdout).contains("\"we,ird \"\"na me\"\n"));
    let json = Run::rsmi(["--query-compute-apps=pid,name", "--format=json"]).on("h200-odd-processes").output();
    let rows: Vec<Value> = serde_json::from_slice(&json.stdout).expect("strict JSON");
    assert!(rows.contains(&json!({"pid": 538, "process_name": "we,ird \"na me"})), "{rows:?}");
}

#[test]
fn why_there_is_no_process_is_a_record() {
    let query = ["--query-compute-apps=gpu_name,pid,name,used_memory", "--format=csv,noheader"];
    prints(
        "no-permission",
        &query,
        "NVIDIA H100 80GB HBM3, [Insufficient Permissions], [Insufficient Permissions], [Insufficient Permissions]\n\
         NVIDIA H100 80GB HBM3, 3107, [Insufficient Permissions], 11114 MiB\n",
    );
    let lost = Run::nvidia_smi(["-i", "3", "--query-compute-apps=gpu_uuid,pid", "--format=csv,noheader"])
        .on("lost-gpu")
        .output();
    assert_eq!(lost.stdout, b"[GPU is lost], [GPU is lost]\n");
    assert_eq!(lost.status.code(), Some(15));
}

/// A machine that is another with some answers of its first device changed.
fn changed(name: &str, from: &str, answers: &[(&str, Value)]) -> PathBuf {
    let mut frame: Value = serde_json::from_slice(&std::fs::read(machine(from)).expect("a recording")).expect("JSON");
    for (call, answer) in answers {
        frame["devices"][0]["answers"][*call] = answer.clone();
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("queries-{name}.json"));
    std::fs::write(&file, frame.to_string()).expect("a file for the machine");
    file
}

#[test]
fn a_process_of_mps_alone_comes_last() {
    let mps = json!([{"pid": 700, "used": 1_048_576}, {"pid": 476, "used": null}]);
    let file = changed("mps", "h200-loaded", &[("nvmlDeviceGetMPSComputeRunningProcesses_v3", mps)]);
    Run::nvidia_smi(["--query-compute-apps=pid,used_memory", "--format=csv,noheader"])
        .with("RSMI_REPLAY", file)
        .stdout("476, 4746 MiB\n700, 1 MiB\n")
        .check();
}

#[test]
fn accounted_processes_are_there_once_accounting_is_on() {
    let query = ["--query-accounted-apps=vgpu_instance,pid,gpu_util,mem_util,max_memory_usage,time", "--format=csv"];
    let header = "vgpu_instance, pid, gpu_utilization [%], mem_utilization [%], max_memory_usage [MiB], time [ms]\n";
    prints("h200", &query, header);
    let stats =
        json!({"gpu": 87, "memory": 12, "max_memory": 4_976_541_696_u64, "time": 61_234, "start": 1, "running": 0});
    let unknown = json!({"gpu": u32::MAX, "memory": 0, "max_memory": u64::MAX, "time": 0, "start": 1, "running": 1});
    let answers = [
        ("nvmlDeviceGetAccountingPids", json!([901, 902, 903])),
        ("nvmlDeviceGetAccountingStats(901)", stats),
        ("nvmlDeviceGetAccountingStats(902)", unknown),
        ("nvmlDeviceGetAccountingStats(903)", json!({"error": 6})),
    ];
    Run::nvidia_smi(query)
        .with("RSMI_REPLAY", changed("accounting", "h200", &answers))
        .stdout(format!(
            "{header}[N/A], 901, 87 %, 12 %, 4746 MiB, 61234 ms\n[N/A], 902, [N/A], 0 %, [N/A], 0 ms\n\
             [N/A], 903, [Not Found], [Not Found], [Not Found], [Not Found]\n"
        ))
        .check();
}

#[test]
fn clocks_are_pairs() {
    let query = ["-i", "0", "--query-supported-clocks=mem,gr", "--format=csv"];
    let expected = "memory [MHz], graphics [MHz]\n3201 MHz, 1980 MHz\n3201 MHz, 1155 MHz\n3201 MHz, 345 MHz\n\
        2201 MHz, 1980 MHz\n2201 MHz, 1155 MHz\n2201 MHz, 345 MHz\n";
    prints("h200x8", &query, expected);
    prints("gb10", &query, "memory [MHz], graphics [MHz]\n[N/A], [N/A]\n");
    let json = Run::rsmi(["--query-supported-clocks=gpu_name,mem,gr", "--format=json"]).on("h200").output();
    let rows: Vec<Value> = serde_json::from_slice(&json.stdout).expect("strict JSON");
    assert_eq!(rows.len(), 220);
    assert_eq!(rows[0], json!({"gpu_name": "NVIDIA H200", "memory": 3201, "graphics": 1980}));
}

#[test]
fn retired_pages_have_an_address_a_time_and_a_cause() {
    let query = [
        "--query-retired-pages=retired_pages.address,retired_pages.timestamp,retired_pages.cause",
        "--format=csv,noheader",
    ];
    prints("h200", &query, "[N/A], [N/A], Single Bit ECC\n[N/A], [N/A], Double Bit ECC\n");
    prints(
        "driver-450",
        &query,
        "0x0000000003a4f000, Thu Nov  5 14:00:04 2026, Single Bit ECC\n\
         0x0000000003a51000, Fri Nov  6 14:00:04 2026, Single Bit ECC\n\
         0x000000007ffe2000, Thu Nov  5 14:00:04 2026, Double Bit ECC\n",
    );
    // An older driver does not tell when.
    prints(
        "driver-390",
        &query,
        "0x0000000003a4f000, [N/A], Single Bit ECC\n0x0000000003a51000, [N/A], Single Bit ECC\n\
         0x000000007ffe2000, [N/A], Double Bit ECC\n",
    );
}

#[test]
fn remapped_rows_are_those_of_the_device() {
    let query = [
        "--query-remapped-rows=gpu_bus_id,remapped_rows.correctable,remapped_rows.dbe,remapped_rows.pending,remapped_rows.histogram.max",
        "--format=csv",
    ];
    let header = "gpu_bus_id, remapped_rows.correctable, remapped_rows.uncorrectable, remapped_rows.pending, remapped_rows.histogram.max\n";
    prints("h200", &query, &format!("{header}00000000:00:06.0, 0, 0, No, 3072\n"));
    prints("geforce", &query, &format!("{header}00000000:0C:00.0, [N/A], [N/A], [N/A], [N/A]\n"));
}

#[test]
fn wrong_fields_are_told_as_for_any_query() {
    let real = "Field \"bogus\" is not a valid field to query.\n\n";
    let switches = ["compute-apps", "accounted-apps", "supported-clocks", "retired-pages", "remapped-rows"];
    for switch in switches {
        let query = format!("--query-{switch}=gpu_name,bogus");
        Run::nvidia_smi([query.as_str(), "--format=csv"]).on("h200").stdout(real).status(2).check();
        let hint = format!("rsmi: unknown field `bogus`; `rsmi --help-query-{switch}` lists them\n");
        Run::rsmi([query.as_str()]).on("h200").stderr(&hint).status(2).check();
        let help = Run::nvidia_smi([format!("--help-query-{switch}")]).output();
        let help = String::from_utf8(help.stdout).expect("text");
        assert!(help.starts_with(&format!("List of valid properties to query for the switch \"--query-{switch}\":\n")));
        assert!(help.contains("\n\n\"gpu_uuid\"\n"), "{help}");
    }
    Run::rsmi(["--query-compute-apps=proces_name"])
        .on("h200")
        .stderr("rsmi: unknown field `proces_name`, did you mean `process_name`?\n")
        .status(2)
        .check();
    Run::nvidia_smi(["--query-compute-apps=pid", "--format=bogus"])
        .on("h200")
        .stdout("Format modifier is not recognized.\n")
        .status(2)
        .check();
}

#[test]
fn rsmi_shows_a_table() {
    let output = Run::rsmi(["--query-compute-apps=pid,name,used_memory"]).on("geforce").output();
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("process_name") && text.contains("ffmpeg") && text.contains("370 MiB"), "{text}");
}
