//! Framebuffer memory.

use super::{GpuQuery, Row};
use crate::driver::answers::Memory;
use crate::fields::{Field, Section};
use crate::value::{Reading, Unit, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Framebuffer memory", fields: FIELDS };

fn memory(row: &Row, part: fn(&Memory) -> u64) -> Reading {
    Ok(Value::Bytes(part(&row.gpu.memory()?)))
}

static FIELDS: &[Field<GpuQuery>] = &[Field {
    name: "memory.total",
    aliases: &[],
    unit: Some(Unit::MiB),
    doc: "Installed framebuffer memory, without what ECC takes for itself.",
    get: |row| memory(row, |memory| memory.total),
}];
