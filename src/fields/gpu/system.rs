//! The machine as a whole: the same in all rows.

use super::read::{number, word};
use super::vgpu::SUPPORT;
use super::{GpuQuery, Row};
use crate::driver::calls;
use crate::fields::{Field, Section};
use crate::value::{Reading, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "System", fields: FIELDS };

fn stamp(row: &Row) -> Reading {
    Ok(Value::Text(row.now.stamp().into()))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "timestamp": "Local time at which this sample was begun, to the millisecond."
        => stamp;
    "driver_version": "Version of the kernel driver."
        => |row| Ok(Value::Text(row.system.ask(calls::DriverVersion)?));
    "vgpu_driver_capability.heterogenous_multivGPU": "Whether one VM may be given vGPUs of different types."
        => |row| word(row.system.ask(calls::VgpuDriverCapability(0))?, SUPPORT);
    "count": "How many devices the driver sees, whichever of them are shown."
        => |row| number(row.system.ask(calls::Count));
};
