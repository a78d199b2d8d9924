//! The registries of the queries beside `--query-gpu`, against what nvidia-smi 580.159 accepts and heads its
//! columns with.

use super::{Query, Registry, accounted_apps, compute_apps, remapped_rows, retired_pages, supported_clocks};
use std::collections::BTreeSet;

const DEVICE: [(&str, &str); 5] = [
    ("timestamp", "timestamp"),
    ("gpu_name", "gpu_name"),
    ("gpu_bus_id", "gpu_bus_id"),
    ("gpu_serial", "gpu_serial"),
    ("gpu_uuid", "gpu_uuid"),
];

/// Compares names, their order and their headers.
fn compare<Q: Query>(registry: &Registry<Q>, own: &[(&str, &str)]) {
    let ours: Vec<(&str, String)> = registry
        .names()
        .map(|name| (name, registry.find(name).expect("a name of the registry is found in it").header()))
        .collect();
    let theirs: Vec<(&str, String)> =
        DEVICE.iter().chain(own).map(|(name, header)| (*name, (*header).to_owned())).collect();
    assert_eq!(ours, theirs, "{}", registry.switch);
    assert_eq!(registry.names().collect::<BTreeSet<_>>().len(), ours.len(), "{}: a name stands twice", registry.switch);
    for field in registry.fields() {
        assert!(field.doc.ends_with('.') && field.doc.len() <= 100, "{}: {}", field.name, field.doc);
    }
}

#[test]
fn processes_that_compute() {
    compare(
        &compute_apps::REGISTRY,
        &[
            ("pid", "pid"),
            ("process_name", "process_name"),
            ("name", "process_name"),
            ("used_gpu_memory", "used_gpu_memory [MiB]"),
            ("used_memory", "used_gpu_memory [MiB]"),
        ],
    );
}

#[test]
fn accounted_processes() {
    compare(
        &accounted_apps::REGISTRY,
        &[
            ("vgpu_instance", "vgpu_instance"),
            ("pid", "pid"),
            ("gpu_utilization", "gpu_utilization [%]"),
            ("gpu_util", "gpu_utilization [%]"),
            ("mem_utilization", "mem_utilization [%]"),
            ("mem_util", "mem_utilization [%]"),
            ("max_memory_usage", "max_memory_usage [MiB]"),
            ("time", "time [ms]"),
        ],
    );
}

#[test]
fn clocks() {
    compare(
        &supported_clocks::REGISTRY,
        &[
            ("memory", "memory [MHz]"),
            ("mem", "memory [MHz]"),
            ("graphics", "graphics [MHz]"),
            ("gr", "graphics [MHz]"),
        ],
    );
}

#[test]
fn pages() {
    let names = ["retired_pages.address", "retired_pages.timestamp", "retired_pages.cause"];
    compare(&retired_pages::REGISTRY, &names.map(|name| (name, name)));
}

#[test]
fn rows() {
    let own = [
        ("remapped_rows.correctable", "remapped_rows.correctable"),
        ("remapped_rows.sbe", "remapped_rows.correctable"),
        ("remapped_rows.correctable_inactive", "remapped_rows.correctable_inactive"),
        ("remapped_rows.uncorrectable", "remapped_rows.uncorrectable"),
        ("remapped_rows.dbe", "remapped_rows.uncorrectable"),
        ("remapped_rows.uncorrectable_inactive", "remapped_rows.uncorrectable_inactive"),
        ("remapped_rows.pending", "remapped_rows.pending"),
        ("remapped_rows.failure", "remapped_rows.failure"),
        ("remapped_rows.histogram.max", "remapped_rows.histogram.max"),
        ("remapped_rows.histogram.high", "remapped_rows.histogram.high"),
        ("remapped_rows.histogram.partial", "remapped_rows.histogram.partial"),
        ("remapped_rows.histogram.low", "remapped_rows.histogram.low"),
        ("remapped_rows.histogram.none", "remapped_rows.histogram.none"),
    ];
    compare(&remapped_rows::REGISTRY, &own);
}
