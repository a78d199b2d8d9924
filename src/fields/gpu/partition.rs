//! MIG, the GSP firmware and the chip-to-chip link.

use super::read::{DISABLED_ENABLED, fact};
use super::{GpuQuery, Row};
use crate::driver::answers::{GspMode, Mode};
use crate::driver::calls;
use crate::fields::{Field, Section};
use crate::value::Reading;

pub(super) static SECTION: Section<GpuQuery> = Section { title: "MIG, GSP and C2C", fields: FIELDS };

fn mig(row: &Row, when: fn(&Mode) -> u32) -> Reading {
    // Only 1 is on: that is how nvidia-smi reads it.
    fact(u32::from(when(&row.gpu.ask(calls::MigMode)?) == 1), DISABLED_ENABLED)
}

fn gsp(row: &Row, part: fn(&GspMode) -> u32) -> Reading {
    fact(part(&row.gpu.ask(calls::GspMode)?), DISABLED_ENABLED)
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "mig.mode.current": "Whether the device can be split into MIG instances now."
        => |row| mig(row, |mode| mode.current);
    "mig.mode.pending": "Whether the device can be split into MIG instances after the next reset."
        => |row| mig(row, |mode| mode.pending);
    "gsp.mode.current": "Whether the device's own processor runs the driver's firmware."
        => |row| gsp(row, |mode| mode.enabled);
    "gsp.mode.default": "Whether that processor runs the firmware unless told otherwise."
        => |row| gsp(row, |mode| mode.default);
    "c2c.mode": "Whether the chip-to-chip link to the processor is on."
        => |row| fact(row.gpu.ask(calls::C2cMode)?, DISABLED_ENABLED);
};
