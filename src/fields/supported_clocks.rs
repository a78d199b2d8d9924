//! The fields of `--query-supported-clocks`: a record for each pair of memory and graphics clock that can be
//! set, the fastest first.

use super::gpu::Row;
use super::{Field, Item, Query, Registry, Section};
use crate::driver::{Code, calls};
use crate::value::Value;

/// The query `--query-supported-clocks`.
pub struct SupportedClocks;

/// A pair of clocks in MHz, or why they cannot be had.
pub struct Clocks {
    memory: Result<u32, Code>,
    graphics: Result<u32, Code>,
}

impl Query for SupportedClocks {
    type Row<'a> = Item<'a, Clocks>;

    fn visit(device: &Row, see: &mut dyn FnMut(&Self::Row<'_>)) {
        let memory = match device.gpu.ask(calls::SupportedMemoryClocks) {
            Ok(clocks) => clocks,
            Err(code) => return see(&Item { device, item: Clocks { memory: Err(code), graphics: Err(code) } }),
        };
        for memory in memory {
            let mut pair = |graphics| see(&Item { device, item: Clocks { memory: Ok(memory), graphics } });
            match device.gpu.ask(calls::SupportedGraphicsClocks(memory)) {
                Ok(clocks) => clocks.into_iter().for_each(|graphics| pair(Ok(graphics))),
                Err(code) => pair(Err(code)),
            }
        }
    }
}

/// All fields of `--query-supported-clocks`.
pub static REGISTRY: Registry<SupportedClocks> =
    Registry { switch: "query-supported-clocks", sections: &[&DEVICE, &CLOCKS] };

static DEVICE: Section<SupportedClocks> = Section { title: "Device", fields: device_fields!() };

static CLOCKS: Section<SupportedClocks> = Section { title: "Clocks", fields: FIELDS };

static FIELDS: &[Field<SupportedClocks>] = fields! {
    "memory" [MHz], "mem": "A clock at which the memory can run."
        => |row| Ok(Value::Amount(row.item.memory?.into()));
    "graphics" [MHz], "gr": "A clock at which the chip can run along with it."
        => |row| Ok(Value::Amount(row.item.graphics?.into()));
};
