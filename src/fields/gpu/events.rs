//! Why the clocks are lower than they could be, and for how long that has been so.

use super::read::unsigned;
use super::{GpuQuery, Row};
use crate::driver::Code;
use crate::driver::calls::scope;
use crate::fields::{Field, Section};
use crate::value::{Reading, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Clocks event reasons", fields: FIELDS };

pub(super) static COUNTERS: Section<GpuQuery> =
    Section { title: "Clocks event reasons counters", fields: COUNTER_FIELDS };

/// Whether a reason holds now. A device that cannot have the reason at all has no answer for it: boards up
/// to Pascal show `[N/A]` for the two that split a hardware slowdown by its cause. A device that does not
/// tell what it can have is taken at its word.
fn active(row: &Row, bit: u64) -> Reading {
    let active = row.gpu.event_reasons()?;
    if row.gpu.supported_event_reasons().is_ok_and(|supported| supported & bit == 0) {
        return Err(Code::NOT_SUPPORTED.into());
    }
    Ok(Value::Word(if active & bit == 0 { "Not Active" } else { "Active" }))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "clocks_event_reasons.supported", "clocks_throttle_reasons.supported":
        "Bit mask of the reasons that this device can have."
        => |row| Ok(Value::Hex(row.gpu.supported_event_reasons()?, 16));
    "clocks_event_reasons.active", "clocks_throttle_reasons.active":
        "Bit mask of the reasons that hold now; 0 at full speed."
        => |row| Ok(Value::Hex(row.gpu.event_reasons()?, 16));
    "clocks_event_reasons.gpu_idle", "clocks_throttle_reasons.gpu_idle":
        "Nothing runs, so the clocks are going down."
        => |row| active(row, 0x1);
    "clocks_event_reasons.applications_clocks_setting", "clocks_throttle_reasons.applications_clocks_setting":
        "The clocks that were set for applications are the limit."
        => |row| active(row, 0x2);
    "clocks_event_reasons.sw_power_cap", "clocks_throttle_reasons.sw_power_cap":
        "The driver lowers the clocks to stay within the power limit."
        => |row| active(row, 0x4);
    "clocks_event_reasons.hw_slowdown", "clocks_throttle_reasons.hw_slowdown":
        "The hardware halves the clocks or worse, for heat, a power brake or a power spike."
        => |row| active(row, 0x8);
    "clocks_event_reasons.hw_thermal_slowdown", "clocks_throttle_reasons.hw_thermal_slowdown":
        "The hardware halves the clocks or worse because the device is too hot."
        => |row| active(row, 0x40);
    "clocks_event_reasons.hw_power_brake_slowdown", "clocks_throttle_reasons.hw_power_brake_slowdown":
        "The hardware halves the clocks or worse because the power supply asks for it."
        => |row| active(row, 0x80);
    "clocks_event_reasons.sw_thermal_slowdown", "clocks_throttle_reasons.sw_thermal_slowdown":
        "The driver lowers the clocks because chip or memory is warmer than it should run."
        => |row| active(row, 0x20);
    "clocks_event_reasons.sync_boost", "clocks_throttle_reasons.sync_boost":
        "The device waits for the slowest of the group that it shares its clocks with."
        => |row| active(row, 0x10);
};

/// Time that a reason has held. NVML counts nanoseconds and nvidia-smi prints whole microseconds.
fn counter(row: &Row, id: u32) -> Reading {
    Ok(Value::Amount(unsigned(row, id, scope::GPU)? / 1000))
}

static COUNTER_FIELDS: &[Field<GpuQuery>] = fields! {
    "clocks_event_reasons_counters.sw_power_cap" [Microsecond]: "Time slowed down by the power limit."
        => |row| counter(row, 74);
    "clocks_event_reasons_counters.sync_boost" [Microsecond]: "Time slowed down by the rest of a clock group."
        => |row| counter(row, 76);
    "clocks_event_reasons_counters.sw_thermal_slowdown" [Microsecond]: "Time slowed down by the driver for heat."
        => |row| counter(row, 269);
    "clocks_event_reasons_counters.hw_thermal_slowdown" [Microsecond]: "Time slowed down by the hardware for heat."
        => |row| counter(row, 270);
    "clocks_event_reasons_counters.hw_power_brake_slowdown" [Microsecond]: "Time slowed down by a power brake."
        => |row| counter(row, 271);
};
