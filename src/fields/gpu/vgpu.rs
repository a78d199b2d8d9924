//! What a device that hosts virtual GPUs can do for them.

use super::read::number;
use super::{GpuQuery, Row};
use crate::driver::calls;
use crate::fields::{Field, Section};
use crate::value::Reading;

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Virtual GPUs", fields: FIELDS };

/// Words of a capability of the driver.
pub(super) const SUPPORT: &[&str] = &["Not Supported", "Supported"];

/// Of a device nvidia-smi prints the capability as the number that it is: 0 for no, 1 for yes.
fn capability(row: &Row, capability: u32) -> Reading {
    number(row.gpu.ask(calls::VgpuCapability(capability)))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "vgpu_device_capability.fractional_multiVgpu":
        "Whether one VM may hold several vGPUs that are a part of the device."
        => |row| capability(row, 0);
    "vgpu_device_capability.heterogeneous_timeSlice_profile": "Whether vGPUs of different types can take turns."
        => |row| capability(row, 1);
    "vgpu_device_capability.heterogeneous_timeSlice_sizes": "Whether vGPUs with unequal memory can take turns."
        => |row| capability(row, 2);
    "vgpu_device_capability.homogeneous_placements": "Whether the places of vGPUs with equal memory are told."
        => |row| capability(row, 9);
    "vgpu_device_capability.mig_timeSlicing": "Whether vGPUs can take turns on a MIG instance."
        => |row| capability(row, 10);
    "vgpu_device_capability.mig_timeSlicing_mode": "Whether taking turns on a MIG instance is turned on."
        => |row| capability(row, 11);
};
