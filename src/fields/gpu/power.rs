//! Power of the device, and of the module that it is part of (a Grace Hopper board, for one).

use super::read::{DISABLED_ENABLED, milliwatts, unsigned, word};
use super::{GpuQuery, Row};
use crate::driver::calls::{self, scope};
use crate::fields::{Field, Section};
use crate::value::Reading;

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Power", fields: FIELDS };

pub(super) static MODULE: Section<GpuQuery> = Section { title: "Power of the module", fields: MODULE_FIELDS };

/// NVML's ids of powers. Each exists for the device and for its module.
mod id {
    pub(super) const AVERAGE: u32 = 185;
    pub(super) const INSTANT: u32 = 186;
    pub(super) const MIN_LIMIT: u32 = 187;
    pub(super) const MAX_LIMIT: u32 = 188;
    pub(super) const DEFAULT_LIMIT: u32 = 189;
    pub(super) const ENFORCED_LIMIT: u32 = 190;
    pub(super) const REQUESTED_LIMIT: u32 = 192;
}

fn gpu(row: &Row, id: u32) -> Reading {
    milliwatts(unsigned(row, id, scope::GPU))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "power.management": "Whether the driver manages power."
        => |row| word(row.gpu.ask(calls::PowerManagement)?, DISABLED_ENABLED);
    "power.draw" [Watt]: "Power drawn by the board; since Ampere the mean of the last second."
        => |row| milliwatts(row.gpu.ask(calls::PowerUsage));
    "power.draw.average" [Watt], "gpu.power.draw.average": "Power drawn by the board, mean of the last second."
        => |row| gpu(row, id::AVERAGE);
    "power.draw.instant" [Watt], "gpu.power.draw.instant": "Power drawn by the board at this moment."
        => |row| gpu(row, id::INSTANT);
    "power.limit" [Watt], "gpu.power.requested_limit": "Limit that was asked for."
        => |row| milliwatts(row.gpu.ask(calls::PowerLimit));
    "enforced.power.limit" [Watt], "gpu.power.current_limit": "Limit in force: the least of all that apply."
        => |row| milliwatts(row.gpu.ask(calls::EnforcedPowerLimit));
    "power.default_limit" [Watt], "gpu.power.default_limit": "Limit that holds after the driver is loaded."
        => |row| milliwatts(row.gpu.ask(calls::DefaultPowerLimit));
    "power.min_limit" [Watt], "gpu.power.min_limit": "Least limit that can be asked for."
        => |row| milliwatts(row.gpu.ask(calls::PowerConstraints).map(|range| range.min));
    "power.max_limit" [Watt], "gpu.power.max_limit": "Greatest limit that can be asked for."
        => |row| milliwatts(row.gpu.ask(calls::PowerConstraints).map(|range| range.max));
};

fn module(row: &Row, id: u32) -> Reading {
    milliwatts(unsigned(row, id, scope::MODULE))
}

static MODULE_FIELDS: &[Field<GpuQuery>] = fields! {
    "module.power.draw.average" [Watt]: "Power drawn by the whole module, averaged."
        => |row| module(row, id::AVERAGE);
    "module.power.draw.instant" [Watt]: "Power drawn by the whole module at this moment."
        => |row| module(row, id::INSTANT);
    "module.power.limit" [Watt], "module.power.requested_limit": "Limit that was asked for the module."
        => |row| module(row, id::REQUESTED_LIMIT);
    "module.enforced.power.limit" [Watt], "module.power.current_limit": "Limit in force for the module."
        => |row| module(row, id::ENFORCED_LIMIT);
    "module.power.default_limit" [Watt]: "Limit of the module after the driver is loaded."
        => |row| module(row, id::DEFAULT_LIMIT);
    "module.power.min_limit" [Watt]: "Least limit that can be asked for the module."
        => |row| module(row, id::MIN_LIMIT);
    "module.power.max_limit" [Watt]: "Greatest limit that can be asked for the module."
        => |row| module(row, id::MAX_LIMIT);
};
