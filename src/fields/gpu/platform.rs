//! Where the board sits in its rack, and the host name that it was given.

use super::read::{fact, number};
use super::{GpuQuery, Row};
use crate::driver::answers::Platform;
use crate::driver::{Code, calls};
use crate::fields::{Field, Section};
use crate::value::{Reading, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Platform", fields: FIELDS };

const PEERS: &[&str; 2] = &["Direct Connected", "Switch Connected"];

fn platform(row: &Row, part: fn(&Platform) -> u8) -> Reading {
    number(row.gpu.ask(calls::PlatformInfo).map(|platform| part(&platform)))
}

/// A place of which 255 says that there is none.
fn place(row: &Row, part: fn(&Platform) -> u8) -> Reading {
    match part(&row.gpu.ask(calls::PlatformInfo)?) {
        u8::MAX => Err(Code::NOT_SUPPORTED.into()),
        place => Ok(Value::Number(place.into())),
    }
}

/// The first eight of sixteen bytes as a little-endian number, in lower case, unlike all other hexadecimal
/// numbers of this query.
fn fabric_guid(row: &Row) -> Reading {
    let guid = u128::from_le_bytes(row.gpu.ask(calls::PlatformInfo)?.fabric_guid) as u64;
    Ok(Value::Text(format!("{guid:#018x}").into()))
}

/// Architectures from Blackwell on tell the module with the rest of the platform; before, it has a call of
/// its own, which devices answer that know nothing of a chassis.
fn module(row: &Row) -> Reading {
    match row.gpu.ask(calls::Architecture)? {
        BLACKWELL.. => platform(row, |platform| platform.module),
        _ => number(row.gpu.ask(calls::ModuleId)),
    }
}

/// NVML's number of the architecture.
const BLACKWELL: u32 = 10;

static FIELDS: &[Field<GpuQuery>] = fields! {
    "platform.chassis_serial_number": "The chassis's serial number; empty where it has none."
        => |row| Ok(Value::Text(row.gpu.ask(calls::PlatformInfo)?.chassis_serial));
    "platform.slot_number": "Slot in the chassis, switches counted."
        => |row| place(row, |platform| platform.slot);
    "platform.tray_index": "Compute tray in the chassis, switches not counted."
        => |row| place(row, |platform| platform.tray);
    "platform.host_id": "Node within the slot."
        => |row| platform(row, |platform| platform.host);
    "platform.peer_type": "Whether NVLink goes to other devices directly or through a switch."
        => |row| fact(row.gpu.ask(calls::PlatformInfo)?.peer_type, PEERS);
    "platform.module_id": "Number of the device within its node."
        => module;
    "platform.gpu_fabric_guid": "Identifier of the device in its NVLink fabric."
        => fabric_guid;
    "hostname": "Host name that an administrator has given the device."
        => |row| Ok(Value::Text(row.gpu.ask(calls::Hostname)?));
};
