//! Framebuffer memory, and the part of it that confidential computing protects.

use super::{GpuQuery, Row};
use crate::driver::answers::Memory;
use crate::driver::{Code, calls};
use crate::fields::{Field, Section};
use crate::value::{Reading, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Framebuffer memory", fields: FIELDS };

pub(super) static PROTECTED: Section<GpuQuery> = Section { title: "Protected memory", fields: PROTECTED_FIELDS };

fn memory(row: &Row, part: fn(&Memory) -> u64) -> Reading {
    Ok(Value::Bytes(part(&row.gpu.memory()?)))
}

/// Drivers that have only the older call do not tell.
fn reserved(row: &Row) -> Reading {
    Ok(Value::Bytes(row.gpu.memory()?.reserved.ok_or(Code::NOT_SUPPORTED)?))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "memory.total" [MiB]: "Installed framebuffer memory, without what ECC takes for itself."
        => |row| memory(row, |memory| memory.total);
    "memory.reserved" [MiB]: "Memory that driver and firmware keep for themselves."
        => reserved;
    "memory.used" [MiB]: "Memory that processes hold."
        => |row| memory(row, |memory| memory.used);
    "memory.free" [MiB]: "Memory that could still be allocated."
        => |row| memory(row, |memory| memory.free);
};

fn protected(row: &Row, part: fn(&Memory) -> u64) -> Reading {
    Ok(Value::Bytes(part(&row.gpu.ask(calls::ProtectedMemory)?)))
}

static PROTECTED_FIELDS: &[Field<GpuQuery>] = fields! {
    "protected_memory.total" [MiB]: "Memory that confidential computing protects."
        => |row| protected(row, |memory| memory.total);
    "protected_memory.used" [MiB]: "Protected memory that processes hold."
        => |row| protected(row, |memory| memory.used);
    "protected_memory.free" [MiB]: "Protected memory that could still be allocated."
        => |row| protected(row, |memory| memory.free);
};
