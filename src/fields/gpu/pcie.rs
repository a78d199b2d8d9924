//! The PCIe link. Current values drop while the device is idle, to save power.

use super::GpuQuery;
use super::read::number;
use crate::driver::calls;
use crate::fields::{Field, Section};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "PCIe link", fields: FIELDS };

static FIELDS: &[Field<GpuQuery>] = fields! {
    "pcie.link.gen.current": "Generation in use, under the older of its two names."
        => |row| number(row.gpu.ask(calls::PcieGeneration));
    "pcie.link.gen.gpucurrent": "Generation in use; lower while the device is idle."
        => |row| number(row.gpu.ask(calls::PcieGeneration));
    "pcie.link.gen.max": "Newest generation that device and slot can use together."
        => |row| number(row.gpu.ask(calls::MaxPcieGeneration));
    "pcie.link.gen.gpumax": "Newest generation that the device itself can use."
        => |row| number(row.gpu.ask(calls::GpuMaxPcieGeneration));
    // NVML does not tell; the host does, where it has a root port to ask.
    "pcie.link.gen.hostmax": "Newest generation that the slot can use."
        => |row| number(row.gpu.slot_generation());
    "pcie.link.width.current": "Lanes in use; fewer while the device is idle."
        => |row| number(row.gpu.ask(calls::PcieWidth));
    "pcie.link.width.max": "Most lanes that device and slot can use together."
        => |row| number(row.gpu.ask(calls::MaxPcieWidth));
};
