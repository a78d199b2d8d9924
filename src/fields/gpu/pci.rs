//! Where the device sits on the PCI bus, and what it calls itself there.

use super::{GpuQuery, Row};
use crate::driver::Code;
use crate::driver::answers::Pci;
use crate::fields::{Field, Section};
use crate::value::{Reading, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "PCI", fields: FIELDS };

fn hex(row: &Row, digits: usize, part: fn(&Pci) -> u32) -> Reading {
    Ok(Value::Hex(part(&row.gpu.pci()?).into(), digits))
}

/// A class code. Drivers that have only the older call do not tell it.
fn class(row: &Row, part: fn(&Pci) -> Option<u32>) -> Reading {
    Ok(Value::Hex(part(&row.gpu.pci()?).ok_or(Code::NOT_SUPPORTED)?.into(), 1))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "pci.bus_id", "gpu_bus_id": "Domain, bus, device and function in one."
        => |row| Ok(Value::Text(row.gpu.pci()?.bus_id));
    "pci.domain": "Domain that the bus belongs to."
        => |row| hex(row, 4, |pci| pci.domain);
    "pci.bus": "Number of the bus in its domain."
        => |row| hex(row, 2, |pci| pci.bus);
    "pci.device": "Number of the device on its bus."
        => |row| hex(row, 2, |pci| pci.device);
    "pci.baseClass": "Base class code; 3 is a display controller."
        => |row| class(row, |pci| pci.base_class);
    "pci.subClass": "Class code below the base class; 2 is a 3D controller without a display."
        => |row| class(row, |pci| pci.sub_class);
    "pci.device_id": "Model in the upper four digits, vendor in the lower."
        => |row| hex(row, 4, |pci| pci.device_id);
    "pci.sub_device_id": "Board model in the upper four digits, board maker in the lower."
        => |row| hex(row, 4, |pci| pci.subsystem_id);
};
