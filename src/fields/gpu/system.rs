//! The machine as a whole: the same in all rows.

use super::read::{number, word};
use super::vgpu::SUPPORT;
use super::{GpuQuery, Row};
use crate::driver::{Code, calls};
use crate::fields::{Field, Section};
use crate::value::{Reading, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "System", fields: FIELDS };

fn stamp(row: &Row) -> Reading {
    Ok(Value::Text(row.now.stamp().into()))
}

/// Off a vGPU host the library answers "unknown error" to this, and nvidia-smi prints that it does not apply.
fn heterogeneous(row: &Row) -> Reading {
    match row.system.ask(calls::VgpuDriverCapability(0)) {
        Err(Code::UNKNOWN) => Err(Code::NOT_SUPPORTED.into()),
        answer => word(answer?, SUPPORT),
    }
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "timestamp": "Local time at which this sample was begun, to the millisecond."
        => stamp;
    "driver_version": "Version of the kernel driver."
        => |row| Ok(Value::Text(row.system.ask(calls::DriverVersion)?));
    "vgpu_driver_capability.heterogenous_multivGPU": "Whether one VM may be given vGPUs of different types."
        => heterogeneous;
    "count": "How many devices the driver sees, whichever of them are shown."
        => |row| number(row.system.ask(calls::Count));
};
