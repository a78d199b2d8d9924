//! Video BIOS and infoROM, the small memory in which the board keeps its configuration and its history.

use super::{GpuQuery, Row};
use crate::driver::Code;
use crate::driver::calls::{self, Inforom};
use crate::fields::{Field, Section};
use crate::value::{Reading, Reason, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Firmware and infoROM", fields: FIELDS };

fn version(row: &Row, object: Inforom) -> Reading {
    Ok(Value::Text(row.gpu.ask(calls::InforomVersion(object))?))
}

/// A wrong checksum is an answer here. Any other error says nothing about the checksum, and nvidia-smi prints
/// it as something that does not apply.
fn checksum(row: &Row) -> Reading {
    row.gpu.reach()?;
    match row.gpu.ask(calls::InforomCheck) {
        Ok(()) => Ok(Value::Word("valid")),
        Err(Code::CORRUPTED_INFOROM) => Ok(Value::Word("invalid")),
        Err(code) if code.condemns_device() => Err(code.into()),
        Err(_) => Err(Reason::NotApplicable),
    }
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "vbios_version": "Version of the video BIOS."
        => |row| Ok(Value::Text(row.gpu.ask(calls::VbiosVersion)?));
    "inforom.img", "inforom.image": "Version of the infoROM as a whole."
        => |row| Ok(Value::Text(row.gpu.ask(calls::InforomImage)?));
    "inforom.oem": "Version of the board maker's part of the infoROM."
        => |row| version(row, Inforom::Oem);
    "inforom.ecc": "Version of the part of the infoROM that records memory errors."
        => |row| version(row, Inforom::Ecc);
    "inforom.pwr", "inforom.power": "Version of the part of the infoROM for power management."
        => |row| version(row, Inforom::Power);
    "inforom.checksum_validation": "Whether the infoROM's checksums are right; takes 70 ms to find out."
        => checksum;
};
