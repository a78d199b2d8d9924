//! Where the board sits in its rack, and the host name that it was given.

use super::read::{number, word};
use super::{GpuQuery, Row};
use crate::driver::answers::Platform;
use crate::driver::calls;
use crate::fields::{Field, Section};
use crate::value::{Reading, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Platform", fields: FIELDS };

const PEERS: &[&str] = &["Direct Connected", "Switch Connected"];

fn platform(row: &Row, part: fn(&Platform) -> u8) -> Reading {
    number(row.gpu.ask(calls::PlatformInfo).map(|platform| part(&platform)))
}

/// The first eight of sixteen bytes, in their order; published output of racks has them in lower case,
/// unlike all other hexadecimal numbers of this query.
fn fabric_guid(row: &Row) -> Reading {
    let guid = u128::from_be_bytes(row.gpu.ask(calls::PlatformInfo)?.fabric_guid) >> 64;
    Ok(Value::Text(format!("{guid:#018x}").into()))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "platform.chassis_serial_number": "The chassis's serial number; empty where it has none."
        => |row| Ok(Value::Text(row.gpu.ask(calls::PlatformInfo)?.chassis_serial));
    "platform.slot_number": "Slot in the chassis, switches counted."
        => |row| platform(row, |platform| platform.slot);
    "platform.tray_index": "Compute tray in the chassis, switches not counted."
        => |row| platform(row, |platform| platform.tray);
    "platform.host_id": "Node within the slot."
        => |row| platform(row, |platform| platform.host);
    "platform.peer_type": "Whether NVLink goes to other devices directly or through a switch."
        => |row| word(row.gpu.ask(calls::PlatformInfo)?.peer_type, PEERS);
    // A call of its own, which devices answer that know nothing of a chassis.
    "platform.module_id": "Number of the device within its node."
        => |row| number(row.gpu.ask(calls::ModuleId));
    "platform.gpu_fabric_guid": "Identifier of the device in its NVLink fabric."
        => fabric_guid;
    "hostname": "Host name that an administrator has given the device."
        => |row| Ok(Value::Text(row.gpu.ask(calls::Hostname)?));
};
