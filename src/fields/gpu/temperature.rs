//! Temperatures in °C. Their headers have no unit.

use super::read::unsigned;
use super::{GpuQuery, Row};
use crate::driver::calls::{self, scope};
use crate::fields::{Field, Section};
use crate::value::{Reading, Reason, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Temperature", fields: FIELDS };

/// NVML's id of the memory temperature.
const MEMORY_TEMPERATURE: u32 = 82;

/// Boards whose memory has no sensor print `N/A` without brackets, unlike anything else that is not
/// supported, and so it is with every error but the loss of the device.
fn memory(row: &Row) -> Reading {
    row.gpu.reach()?;
    match unsigned(row, MEMORY_TEMPERATURE, scope::GPU) {
        Err(code) if !code.condemns_device() => Err(Reason::NotApplicable),
        answer => Ok(Value::Number(answer?)),
    }
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "temperature.gpu": "Temperature of the chip."
        => |row| Ok(Value::Signed(row.gpu.temperature()?));
    "temperature.gpu.tlimit": "How many degrees the chip may still warm up before it slows down."
        => |row| Ok(Value::Signed(row.gpu.ask(calls::MarginTemperature)?.into()));
    "temperature.memory": "Temperature of the memory, where it has a sensor."
        => memory;
};
