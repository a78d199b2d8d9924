//! How the device is doing: what it needs after a fault, operation mode, fan, performance state.

use super::read::{amount, unsigned, word, word_or_none};
use super::{GpuQuery, Row};
use crate::driver::answers::Mode;
use crate::driver::calls::{self, scope};
use crate::fields::{Field, Section};
use crate::value::Reading;

pub(super) static SECTION: Section<GpuQuery> = Section { title: "State", fields: FIELDS };

/// NVML's id of the recovery action.
const RECOVERY_ACTION: u32 = 230;
const RECOVERY_ACTIONS: &[&str] = &["None", "Reset", "Reboot", "Drain P2P", "Drain and Reset"];

fn operation_mode(row: &Row, when: fn(&Mode) -> u32) -> Reading {
    word(when(&row.gpu.ask(calls::OperationMode)?), &["All On", "Compute", "Low Double Precision"])
}

/// The states that have a name; NVML answers 32 where it cannot tell.
const PERFORMANCE_STATES: &[&str] =
    &["P0", "P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "P10", "P11", "P12", "P13", "P14", "P15"];

static FIELDS: &[Field<GpuQuery>] = fields! {
    "gpu_recovery_action": "What the driver advises to bring the device back after a fault."
        => |row| word_or_none(unsigned(row, RECOVERY_ACTION, scope::GPU)?, RECOVERY_ACTIONS);
    "gom.current", "gpu_operation_mode.current": "Operation mode of old Kepler boards, in force now."
        => |row| operation_mode(row, |mode| mode.current);
    "gom.pending", "gpu_operation_mode.pending": "Operation mode of old Kepler boards from the next boot on."
        => |row| operation_mode(row, |mode| mode.pending);
    // The call without a fan's number: on a board without fans the other one calls its argument invalid.
    "fan.speed" [Percent]: "Speed that the fan is told to run at; a blocked fan reads the same."
        => |row| amount(row.gpu.ask(calls::FanSpeed));
    "pstate": "Performance state, from P0, the fastest, to P15."
        => |row| word(row.gpu.ask(calls::PerformanceState)?, PERFORMANCE_STATES);
};
