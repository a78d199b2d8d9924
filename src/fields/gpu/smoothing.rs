//! Power smoothing: a device that keeps drawing a floor of power, so that a hall full of them does not pull
//! at the grid in step. Blackwell and later.

use super::read::{NO_YES, amount, fact, milliwatts, number, unsigned};
use super::{GpuQuery, Row};
use crate::driver::calls::scope;
use crate::fields::{Field, Section};
use crate::value::Reading;

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Power smoothing", fields: FIELDS };

fn power(row: &Row, id: u32) -> Reading {
    milliwatts(unsigned(row, id, scope::GPU))
}

fn profile_power(row: &Row, id: u32) -> Reading {
    milliwatts(unsigned(row, id, scope::CURRENT_PROFILE))
}

fn profile_multiplier(row: &Row, id: u32) -> Reading {
    number(unsigned(row, id, scope::CURRENT_PROFILE))
}

fn multiplier(row: &Row, id: u32) -> Reading {
    number(unsigned(row, id, scope::GPU))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "power_smoothing.delayed_power_smoothing_supported": "Whether the device can let go of the floor with a delay."
        => |row| fact(unsigned(row, 280, scope::GPU)?, NO_YES);
    "power_smoothing.primary_power_floor" [Watt]: "First floor of power, in force now."
        => |row| power(row, 275);
    "power_smoothing.secondary_power_floor" [Watt]: "Second floor of power, in force now."
        => |row| power(row, 276);
    "power_smoothing.min_primary_floor_activation_offset" [Watt]: "Least offset at which the first floor may set in."
        => |row| power(row, 277);
    "power_smoothing.min_primary_floor_activation_point" [Watt]: "Least power at which the first floor may set in."
        => |row| power(row, 278);
    "power_smoothing.window_multiplier" [Millisecond]: "Time that the window multipliers are multiples of."
        => |row| amount(unsigned(row, 279, scope::GPU));
    "power_smoothing.curr_profile.secondary_power_floor" [Watt]: "Second floor of power in the current profile."
        => |row| profile_power(row, 281);
    "power_smoothing.curr_profile.primary_floor_act_window_multiplier":
        "Windows until the first floor sets in, in the current profile."
        => |row| profile_multiplier(row, 282);
    "power_smoothing.curr_profile.primary_floor_tar_window_multiplier":
        "Windows until the first floor reaches its target, in the current profile."
        => |row| profile_multiplier(row, 283);
    "power_smoothing.curr_profile.primary_floor_act_offset" [Watt]:
        "Offset at which the first floor sets in, in the current profile."
        => |row| profile_power(row, 284);
    "power_smoothing.admin_override.secondary_power_floor" [Watt]:
        "Second floor of power that an administrator has put in place of the profile's."
        => |row| power(row, 285);
    "power_smoothing.admin_override.primary_floor_act_window_multiplier":
        "Windows until the first floor sets in, where an administrator has set them."
        => |row| multiplier(row, 286);
    "power_smoothing.admin_override.primary_floor_tar_window_multiplier":
        "Windows until the first floor reaches its target, where an administrator has set them."
        => |row| multiplier(row, 287);
    "power_smoothing.admin_override.primary_floor_act_offset" [Watt]:
        "Offset at which the first floor sets in, where an administrator has set it."
        => |row| power(row, 288);
};
