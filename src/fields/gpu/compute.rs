//! Who may compute on the device, and for which programs it is made.

use super::read::word;
use super::{GpuQuery, Row};
use crate::driver::calls;
use crate::fields::{Field, Section};
use crate::value::{Reading, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Compute", fields: FIELDS };

const COMPUTE_MODES: &[&str] = &["Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process"];

fn capability(row: &Row) -> Reading {
    let capability = row.gpu.ask(calls::ComputeCapability)?;
    Ok(Value::Text(format!("{}.{}", capability.major, capability.minor).into()))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "compute_mode": "How many programs may compute at a time: any number, one, or none."
        => |row| word(row.gpu.ask(calls::ComputeMode)?, COMPUTE_MODES);
    "compute_cap": "CUDA compute capability, major and minor."
        => capability;
};
