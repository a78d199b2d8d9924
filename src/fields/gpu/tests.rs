//! The registry as a whole against what nvidia-smi 580.159 accepts and heads its columns with, and the
//! readings of small machines that have just the answers that a test is about.

use super::{REGISTRY, Row};
use crate::driver::recording::{Answers, Device, FORMAT, Frame};
use crate::driver::{Code, Driver};
use crate::gpu::System;
use crate::value::{Reading, Reason};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Every accepted name with its header, as nvidia-smi printed them.
const HEADERS: &str = include_str!("../../../tests/data/query-gpu-headers.tsv");

#[test]
fn names_and_headers_are_those_of_nvidia_smi() {
    let theirs: BTreeMap<&str, &str> = HEADERS.lines().filter_map(|line| line.split_once('\t')).collect();
    assert_eq!(theirs.len(), 255);
    let ours: BTreeMap<&str, String> = REGISTRY
        .names()
        .map(|name| (name, REGISTRY.find(name).expect("a name of the registry is found in it").header()))
        .collect();
    for (name, header) in &theirs {
        assert_eq!(ours.get(name).map(String::as_str), Some(*header), "{name}");
    }
    for name in ours.keys() {
        assert!(theirs.contains_key(name), "nvidia-smi does not accept {name}");
    }
}

#[test]
fn no_name_stands_twice_and_none_needs_quotes() {
    assert_eq!(REGISTRY.names().count(), 255);
    let mut seen = BTreeSet::new();
    for name in REGISTRY.names() {
        assert!(seen.insert(name), "{name} stands twice");
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.".contains(&byte);
        assert!(!name.is_empty() && name.bytes().all(plain), "{name}");
    }
}

#[test]
fn every_field_says_in_a_short_line_what_it_is() {
    for field in REGISTRY.fields() {
        let doc = field.doc;
        assert!(doc.chars().count() <= 100 && doc.ends_with('.'), "{}: {doc}", field.name);
        assert!(doc.starts_with(|first: char| first.is_uppercase()), "{}: {doc}", field.name);
    }
    let titles: BTreeSet<&str> = REGISTRY.sections.iter().map(|section| section.title).collect();
    assert_eq!(titles.len(), REGISTRY.sections.len(), "each section has a heading of its own");
}

/// Reads all of `names` on a machine with one device.
fn read_all(system: Answers, device: Device, names: &[&str]) -> Vec<Reading> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let frame = Frame {
        rsmi_recording: FORMAT,
        taken: "2026-03-05T07:08:09.045".to_owned(),
        system,
        devices: vec![device],
        ..Frame::default()
    };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("rsmi-fields-{}-{number}.json", std::process::id()));
    std::fs::write(&file, serde_json::to_vec(&frame).expect("a frame can be written")).expect("a temporary file");
    let driver = Driver::replay(&file).expect("what was written can be read");
    std::fs::remove_file(&file).expect("it is still there");
    let host = Arc::new(frame);
    let system = System::new(&driver, &host);
    let gpu = system.gpu(0);
    let row = Row { gpu: &gpu, system: &system, now: system.host().now() };
    names.iter().map(|name| (REGISTRY.find(name).expect(name).get)(&row)).collect()
}

/// What nvidia-smi would print, without units.
fn text(reading: Reading) -> String {
    match reading {
        Ok(value) => String::from_utf8_lossy(&value.plain()).into_owned(),
        Err(reason) => reason.words().into_owned(),
    }
}

/// One field on a machine that answers these questions and no other.
fn shown(name: &str, answers: &[(&str, Json)]) -> String {
    let answers: Answers = answers.iter().map(|(key, answer)| ((*key).to_owned(), answer.clone())).collect();
    let device = Device { answers: answers.clone(), ..Device::default() };
    read_all(answers, device, &[name]).into_iter().map(text).collect()
}

fn error(code: Code) -> Json {
    json!({ "error": code.0 })
}

/// Names a field, the call behind it, how the call's answer holds the number, and the words from number
/// 0 on. Each number must give its word, and the next number after the last, which only a newer driver could
/// send, the word `beyond`.
fn enumeration(name: &str, key: &str, answer: fn(u32) -> Json, words: &[&str], beyond: &str) {
    for (number, word) in (0..).zip(words) {
        assert_eq!(shown(name, &[(key, answer(number))]), *word, "{name} {number}");
    }
    for number in [words.len() as u32, 77] {
        assert_eq!(shown(name, &[(key, answer(number))]), beyond, "{name} {number}");
    }
    assert_eq!(shown(name, &[(key, error(Code::NOT_SUPPORTED))]), "[N/A]", "{name}");
}

/// As over the machine `probe-values` the real one was seen to.
#[test]
fn each_number_has_its_word_and_one_from_a_newer_driver_is_unknown() {
    let plain = |number| json!(number);
    let current = |number| json!({ "current": number, "pending": 0 });
    let pending = |number| json!({ "current": 0, "pending": number });
    let switch = ["Disabled", "Enabled"];
    let operation = ["All On", "Compute", "Low Double Precision"];
    let models = ["WDDM", "TCC", "MCDM"];
    let unknown = |name, key, answer, words: &[&str]| enumeration(name, key, answer, words, "Unknown");

    unknown("persistence_mode", "nvmlDeviceGetPersistenceMode", plain, &switch);
    unknown("display_active", "nvmlDeviceGetDisplayActive", plain, &switch);
    unknown("display_attached", "nvmlDeviceGetDisplayMode", plain, &["No", "Yes"]);
    unknown("addressing_mode", "nvmlDeviceGetAddressingMode", plain, &["None", "HMM", "ATS"]);
    unknown("accounting.mode", "nvmlDeviceGetAccountingMode", plain, &switch);
    unknown("driver_model.current", "nvmlDeviceGetDriverModel_v2", current, &models);
    unknown("driver_model.pending", "nvmlDeviceGetDriverModel_v2", pending, &models);
    let modes = ["Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process"];
    unknown("compute_mode", "nvmlDeviceGetComputeMode", plain, &modes);
    unknown("gom.current", "nvmlDeviceGetGpuOperationMode", current, &operation);
    unknown("gpu_operation_mode.pending", "nvmlDeviceGetGpuOperationMode", pending, &operation);
    unknown("ecc.mode.current", "nvmlDeviceGetEccMode", current, &switch);
    unknown("ecc.mode.pending", "nvmlDeviceGetEccMode", pending, &switch);
    unknown("dramEncryption.mode.current", "nvmlDeviceGetDramEncryptionMode", current, &switch);
    unknown("dramEncryption.mode.pending", "nvmlDeviceGetDramEncryptionMode", pending, &switch);
    unknown("power.management", "nvmlDeviceGetPowerManagementMode", plain, &switch);
    let support = ["Not Supported", "Supported"];
    unknown("vgpu_driver_capability.heterogenous_multivGPU", "nvmlGetVgpuDriverCapabilities(0)", plain, &support);
}

#[test]
fn a_recovery_action_from_a_newer_driver_does_not_apply() {
    let actions = ["None", "Reset", "Reboot", "Drain P2P", "Drain and Reset"];
    enumeration("gpu_recovery_action", "nvmlDeviceGetFieldValues(230,0)", |number| json!(number), &actions, "N/A");
}

#[test]
fn only_1_turns_mig_on() {
    let current = |number| json!({ "current": number, "pending": 0 });
    let pending = |number| json!({ "current": 0, "pending": number });
    enumeration("mig.mode.current", "nvmlDeviceGetMigMode", current, &["Disabled", "Enabled"], "Disabled");
    enumeration("mig.mode.pending", "nvmlDeviceGetMigMode", pending, &["Disabled", "Enabled"], "Disabled");
}

#[test]
fn of_a_fact_all_but_0_is_yes() {
    let plain = |number| json!(number);
    let fact = |name, key, answer, words: [&str; 2]| enumeration(name, key, answer, &words, words.last().expect("two"));
    let switch = ["Disabled", "Enabled"];
    let yes = ["No", "Yes"];
    let gsp = |number| json!({ "enabled": number, "default": 0 });
    fact("gsp.mode.current", "nvmlDeviceGetGspFirmwareMode", gsp, switch);
    fact("c2c.mode", "nvmlDeviceGetC2cModeInfoV", plain, switch);
    fact("retired_pages.pending", "nvmlDeviceGetRetiredPagesPendingStatus", plain, yes);
    let rows = |number| json!({ "correctable": 0, "uncorrectable": 0, "pending": number, "failure": number });
    fact("remapped_rows.pending", "nvmlDeviceGetRemappedRows", rows, yes);
    fact("remapped_rows.failure", "nvmlDeviceGetRemappedRows", rows, yes);
    fact("power_smoothing.delayed_power_smoothing_supported", "nvmlDeviceGetFieldValues(280,0)", plain, yes);
    let peer = |number| {
        let none = [0; 16];
        json!({
            "fabric_guid": none, "chassis_serial": "", "slot": 0, "tray": 0, "host": 1, "peer_type": number,
            "module": 7,
        })
    };
    fact("platform.peer_type", "nvmlDeviceGetPlatformInfo", peer, ["Direct Connected", "Switch Connected"]);
}

#[test]
fn what_a_device_can_do_for_vgpus_is_a_number() {
    for (name, key) in [
        ("vgpu_device_capability.mig_timeSlicing", "nvmlDeviceGetVgpuCapabilities(10)"),
        ("vgpu_device_capability.mig_timeSlicing_mode", "nvmlDeviceGetVgpuCapabilities(11)"),
    ] {
        for number in [0, 1, 2, 77] {
            assert_eq!(shown(name, &[(key, json!(number))]), number.to_string(), "{name}");
        }
        assert_eq!(shown(name, &[(key, error(Code::NOT_SUPPORTED))]), "[N/A]", "{name}");
    }
}

#[test]
fn performance_states_are_numbered_and_any_other_is_unknown() {
    let key = "nvmlDeviceGetPerformanceState";
    assert_eq!(shown("pstate", &[(key, json!(0))]), "P0");
    assert_eq!(shown("pstate", &[(key, json!(15))]), "P15");
    assert_eq!(shown("pstate", &[(key, json!(32))]), "Unknown");
    assert_eq!(shown("pstate", &[(key, json!(16))]), "Unknown");
    assert_eq!(shown("pstate", &[(key, error(Code::NOT_SUPPORTED))]), "[N/A]");
}

#[test]
fn the_inforom_is_valid_invalid_or_the_question_does_not_apply() {
    let key = "nvmlDeviceValidateInforom";
    let shown = |answer| shown("inforom.checksum_validation", &[(key, answer)]);
    assert_eq!(shown(Json::Null), "valid");
    assert_eq!(shown(error(Code::CORRUPTED_INFOROM)), "invalid");
    assert_eq!(shown(error(Code::NOT_SUPPORTED)), "N/A");
    assert_eq!(shown(error(Code::NO_PERMISSION)), "N/A");
    assert_eq!(shown(error(Code::GPU_IS_LOST)), "[GPU is lost]");
}

#[test]
fn a_reason_for_slow_clocks_is_active_not_active_or_impossible_here() {
    let current = "nvmlDeviceGetCurrentClocksThrottleReasons";
    let supported = "nvmlDeviceGetSupportedClocksThrottleReasons";
    let power = "clocks_event_reasons.sw_power_cap";
    let heat = "clocks_throttle_reasons.hw_thermal_slowdown";
    let all = [(current, json!(0x4)), (supported, json!(0x1ff))];
    assert_eq!(shown(power, &all), "Active");
    assert_eq!(shown(heat, &all), "Not Active");
    // A board that cannot split a hardware slowdown by its cause.
    let old = [(current, json!(0x4)), (supported, json!(0x13f))];
    assert_eq!(shown(power, &old), "Active");
    assert_eq!(shown(heat, &old), "[N/A]");
    assert_eq!(shown(power, &[(current, json!(0x4))]), "Active");
    assert_eq!(shown(power, &[(current, error(Code::RESET_REQUIRED))]), "[GPU requires reset]");
    assert_eq!(shown("clocks_event_reasons.active", &all), "0x0000000000000004");
    assert_eq!(shown("clocks_event_reasons.supported", &all), "0x00000000000001FF");
    // Bits without a name are kept.
    assert_eq!(shown("clocks_event_reasons.active", &[(current, json!(1u64 << 63))]), "0x8000000000000000");
}

#[test]
fn numbered_values_come_in_whatever_type_the_driver_sends() {
    let key = "nvmlDeviceGetFieldValues(186,0)";
    assert_eq!(shown("power.draw.instant", &[(key, json!(79_720))]), "79.72");
    assert_eq!(shown("power.draw.instant", &[(key, json!(79_720.0))]), "79.72");
    assert_eq!(shown("power.draw.instant", &[(key, json!(-1))]), "[Unknown Error]");
    assert_eq!(shown("power.draw.instant", &[(key, json!(1e300))]), "[Unknown Error]");
    // Nanoseconds become whole microseconds.
    let counter = ("nvmlDeviceGetFieldValues(74,0)", json!(221_310_321_999u64));
    assert_eq!(shown("clocks_event_reasons_counters.sw_power_cap", &[counter]), "221310321");
}

#[test]
fn memory_without_a_sensor_is_bare_and_0_is_a_temperature() {
    let shown = |answer| shown("temperature.memory", &[("nvmlDeviceGetFieldValues(82,0)", answer)]);
    assert_eq!(shown(json!(35)), "35");
    assert_eq!(shown(json!(0)), "0");
    assert_eq!(shown(error(Code::NOT_SUPPORTED)), "N/A");
    assert_eq!(shown(error(Code::GPU_IS_LOST)), "[GPU is lost]");
}

#[test]
fn pci_ids_have_their_digits_and_an_older_call_knows_no_class() {
    let pci = |base: Option<u32>| {
        json!({
            "domain": 0, "bus": 12, "device": 6, "device_id": 0x2335_10deu32, "subsystem_id": 0x18bf_10deu32,
            "bus_id": "00000000:0C:06.0", "base_class": base, "sub_class": base,
        })
    };
    let newer = [("nvmlDeviceGetPciInfoExt", pci(Some(3)))];
    let expected = [
        ("pci.domain", "0x0000"),
        ("pci.bus", "0x0C"),
        ("pci.device", "0x06"),
        ("pci.device_id", "0x233510DE"),
        ("pci.sub_device_id", "0x18BF10DE"),
        ("pci.baseClass", "0x3"),
        ("gpu_bus_id", "00000000:0C:06.0"),
    ];
    for (name, words) in expected {
        assert_eq!(shown(name, &newer), words, "{name}");
    }
    let older = [("nvmlDeviceGetPciInfo_v3", pci(None))];
    assert_eq!(shown("pci.bus", &older), "0x0C");
    assert_eq!(shown("pci.subClass", &older), "[N/A]");
}

#[test]
fn an_older_driver_does_not_tell_reserved_memory() {
    let older = [("nvmlDeviceGetMemoryInfo", json!({ "total": 2u64 << 20, "free": 1, "used": 0 }))];
    assert_eq!(shown("memory.total", &older), "2");
    assert_eq!(shown("memory.free", &older), "1");
    assert_eq!(shown("memory.used", &older), "0");
    assert_eq!(shown("memory.reserved", &older), "[N/A]");
}

#[test]
fn remapped_rows_in_use_are_counted_apart_where_the_driver_can() {
    let newer = json!({
        "correctable_active": 1, "correctable_inactive": 2, "uncorrectable_active": 3, "uncorrectable_inactive": 4,
        "pending": 0, "failure": 0,
    });
    let newer = [("nvmlDeviceGetRemappedRows_v2", newer)];
    assert_eq!(shown("remapped_rows.sbe", &newer), "1");
    assert_eq!(shown("remapped_rows.correctable_inactive", &newer), "2");
    assert_eq!(shown("remapped_rows.dbe", &newer), "3");
    assert_eq!(shown("remapped_rows.uncorrectable_inactive", &newer), "4");
    let older = json!({ "correctable": 5, "uncorrectable": 6, "pending": 0, "failure": 1 });
    let older = [("nvmlDeviceGetRemappedRows", older)];
    assert_eq!(shown("remapped_rows.correctable", &older), "5");
    assert_eq!(shown("remapped_rows.uncorrectable", &older), "6");
    assert_eq!(shown("remapped_rows.correctable_inactive", &older), "[N/A]");
    assert_eq!(shown("remapped_rows.failure", &older), "Yes");
}

/// All fabric fields of a machine whose fabric answers so, by what is behind `fabric.`.
fn fabric(answer: Json) -> BTreeMap<&'static str, String> {
    let names = REGISTRY.names().filter_map(|name| name.strip_prefix("fabric."));
    let shown = |name| shown(&format!("fabric.{name}"), &[("nvmlDeviceGetGpuFabricInfoV", answer.clone())]);
    names.map(|name| (name, shown(name))).collect()
}

fn fabric_answer(state: u32, status: u32, mask: u32, summary: u32) -> Json {
    let cluster: Vec<u8> = (0xf0..=0xff).collect();
    json!({
        "cluster": cluster, "status": status, "clique": 32766, "state": state, "health_mask": mask,
        "health_summary": summary,
    })
}

/// The mask of health: the number for the configuration above those of bandwidth, route recovery, broken
/// routes and access timeouts.
fn mask(configuration: u32, rest: [u32; 4]) -> u32 {
    rest.iter().rev().fold(configuration, |mask, part| mask << 2 | part)
}

#[test]
fn without_a_complete_fabric_all_but_the_state_is_bare() {
    for (state, word) in [(0, "N/A"), (1, "Not Started"), (2, "In Progress")] {
        for (name, words) in fabric(fabric_answer(state, 0, mask(1, [2; 4]), 1)) {
            assert_eq!(words, if name == "state" { word } else { "N/A" }, "{name} in state {state}");
        }
    }
    assert_eq!(fabric(fabric_answer(4, 0, 0, 0)).get("state").map(String::as_str), Some("N/A"));
    assert!(fabric(error(Code::NOT_SUPPORTED)).values().all(|words| words == "[N/A]"));
    assert!(fabric(error(Code::GPU_IS_LOST)).values().all(|words| words == "[GPU is lost]"));
}

#[test]
fn a_complete_fabric_tells_its_health() {
    let check = |answer: Json, expected: &[(&str, &str)]| {
        let fabric = fabric(answer.clone());
        for (name, words) in expected {
            assert_eq!(fabric.get(name).map(String::as_str), Some(*words), "{name} of {answer}");
        }
    };
    check(
        fabric_answer(3, 0, mask(1, [2; 4]), 1),
        &[
            ("state", "Completed"),
            ("status", "Success"),
            ("cliqueId", "32766"),
            ("clusterUuid", "f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff"),
            ("health.summary", "Healthy"),
            ("health.bandwidth", "Full"),
            ("health.route_recovery_in_progress", "False"),
            ("health.route_unhealthy", "False"),
            ("health.access_timeout_recovery", "False"),
            ("health.incorrect_configuration", "None"),
            ("health.partition_assigned", "N/A"),
        ],
    );
    check(
        fabric_answer(3, 23, mask(5, [1; 4]), 2),
        &[
            ("status", "Insufficient Resources"),
            ("health.summary", "Unhealthy"),
            ("health.bandwidth", "Degraded"),
            ("health.route_recovery_in_progress", "True"),
            ("health.route_unhealthy", "True"),
            ("health.access_timeout_recovery", "True"),
            ("health.incorrect_configuration", "Insufficient NVLink Resources"),
        ],
    );
    // Nothing to tell, and numbers from a newer driver.
    check(fabric_answer(3, 0, 0, 0), &[("health.summary", "N/A"), ("health.bandwidth", "N/A")]);
    check(
        fabric_answer(3, 0, mask(15, [3, 0, 0, 0]), 9),
        &[("health.summary", "N/A"), ("health.bandwidth", "N/A"), ("health.incorrect_configuration", "N/A")],
    );
}

#[test]
fn a_rack_is_told_in_full() {
    let mut guid = [0u8; 16];
    for (place, byte) in guid.iter_mut().zip([0x03, 0x4c, 0x49, 0x31, 0xff, 0x7d, 0x1c, 0x4f]) {
        *place = byte;
    }
    let answer = json!({
        "fabric_guid": guid, "chassis_serial": "1820000000001", "slot": 4, "tray": 3, "host": 1, "peer_type": 1,
        "module": 2,
    });
    // The module is told with the rest from Blackwell on, which is architecture 10.
    let rack = [
        ("nvmlDeviceGetPlatformInfo", answer),
        ("nvmlDeviceGetModuleId", json!(5)),
        ("nvmlDeviceGetArchitecture", json!(10)),
    ];
    let expected = [
        ("chassis_serial_number", "1820000000001"),
        ("slot_number", "4"),
        ("tray_index", "3"),
        ("host_id", "1"),
        ("peer_type", "Switch Connected"),
        ("module_id", "2"),
        ("gpu_fabric_guid", "0x4f1c7dff31494c03"),
    ];
    for (name, words) in expected {
        assert_eq!(shown(&format!("platform.{name}"), &rack), words, "{name}");
    }
    let [platform, module, _] = rack;
    let hopper = [platform, module, ("nvmlDeviceGetArchitecture", json!(9))];
    assert_eq!(shown("platform.module_id", &hopper), "5");
}

#[test]
fn a_machine_that_answers_nothing_has_only_its_time_and_number() {
    let names: Vec<&str> = REGISTRY.fields().map(|field| field.name).collect();
    let readings = read_all(Answers::new(), Device::default(), &names);
    for (name, reading) in names.into_iter().zip(readings) {
        let expected = match name {
            "timestamp" => "2026/03/05 07:08:09.045",
            "index" => "0",
            "display_mode" => "[Requested functionality has been deprecated]",
            "temperature.memory" | "inforom.checksum_validation" => "N/A",
            _ => "[N/A]",
        };
        assert_eq!(text(reading), expected, "{name}");
    }
}

#[test]
fn a_lost_device_says_so_in_every_field_that_asks_it() {
    let names: Vec<&str> = REGISTRY.fields().map(|field| field.name).collect();
    let lost = Device { unreachable: Some(Code::GPU_IS_LOST.0), ..Device::default() };
    let system: Answers = [
        ("nvmlSystemGetDriverVersion".to_owned(), json!("580.159.04")),
        ("nvmlDeviceGetCount_v2".to_owned(), json!(8)),
        ("nvmlGetVgpuDriverCapabilities(0)".to_owned(), json!(0)),
    ]
    .into();
    for (name, reading) in names.clone().into_iter().zip(read_all(system, lost, &names)) {
        match name {
            "timestamp" | "driver_version" | "vgpu_driver_capability.heterogenous_multivGPU" | "count" | "index" => {
                assert!(reading.is_ok(), "{name}");
            }
            "display_mode" => assert_eq!(reading, Err(Reason::Code(Code::DEPRECATED))),
            _ => assert_eq!(reading, Err(Reason::Code(Code::GPU_IS_LOST)), "{name}"),
        }
    }
}
