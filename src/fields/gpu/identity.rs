//! Which device this is.

use super::GpuQuery;
use crate::driver::calls;
use crate::fields::{Field, Section};
use crate::value::Value;

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Identity", fields: FIELDS };

static FIELDS: &[Field<GpuQuery>] = fields! {
    "name", "gpu_name": "Product name."
        => |row| Ok(Value::Text(row.gpu.ask(calls::Name)?));
    "serial", "gpu_serial": "Serial number, the one on the board's sticker."
        => |row| Ok(Value::Text(row.gpu.ask(calls::Serial)?));
    "uuid", "gpu_uuid": "Identifier that stays with the device and that no other device has."
        => |row| Ok(Value::Text(row.gpu.ask(calls::Uuid)?));
};
