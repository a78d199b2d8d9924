//! The device's place in an NVLink fabric of several nodes, and the health of its links. nvidia-smi prints
//! `N/A` without brackets for whatever a device without a fabric cannot have.

use super::read::word_or_none;
use super::{GpuQuery, Row};
use crate::driver::Code;
use crate::driver::answers::Fabric;
use crate::fields::{Field, Section};
use crate::value::{Reading, Reason, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Fabric", fields: FIELDS };

/// States of the registration, from 1; 0 stands for no fabric.
const STATES: &[&str] = &["Not Started", "In Progress", "Completed"];
const COMPLETED: u32 = 3;

const HEALTH: &[&str] = &["Healthy", "Unhealthy", "Limited Capacity"];
const BANDWIDTH: &[&str] = &["Degraded", "Full"];
const TRUE_FALSE: &[&str] = &["True", "False"];
const CONFIGURATION: &[&str] = &[
    "None",
    "Incorrect SystemGUID",
    "Incorrect Chassis Serial Number",
    "No Partition",
    "Insufficient NVLink Resources",
    "Incompatible Gpu Firmware",
    "Invalid Location",
    "GPU State Invalid",
];

/// The word for a number of an enumeration in which 0 means that there is nothing to tell.
fn word_from_1(number: u32, words: &[&'static str]) -> Reading {
    match number.checked_sub(1) {
        None => Err(Reason::NotApplicable),
        Some(place) => word_or_none(place, words),
    }
}

/// What NVML tells of the fabric. A device without one says so by state 0, which prints bare, or by not
/// supporting the call, which prints as everywhere.
fn fabric(row: &Row) -> Result<Fabric, Reason> {
    Ok(row.gpu.fabric()?)
}

/// The same once the device is part of its fabric; until then all but the state means nothing.
fn complete(row: &Row) -> Result<Fabric, Reason> {
    let fabric = fabric(row)?;
    if fabric.state == COMPLETED { Ok(fabric) } else { Err(Reason::NotApplicable) }
}

fn status(row: &Row) -> Reading {
    Ok(Value::Word(match complete(row)?.status {
        0 => "Success",
        code => Code(code).words(),
    }))
}

/// The fabric's UUID: sixteen bytes as 8-4-4-4-12 digits.
fn cluster(row: &Row) -> Reading {
    let mut digits = format!("{:032x}", u128::from_be_bytes(complete(row)?.cluster));
    for place in [20, 16, 12, 8] {
        digits.insert(place, '-');
    }
    Ok(Value::Text(digits.into()))
}

/// Drivers before the third form of the struct have no summary.
fn summary(row: &Row) -> Reading {
    let summary = complete(row)?.health_summary.ok_or(Reason::NotApplicable)?;
    word_from_1(summary.into(), HEALTH)
}

/// One part of the mask of health: `width` is the mask of its bits once they are shifted down.
fn health(row: &Row, shift: u32, width: u32, words: &[&'static str]) -> Reading {
    let mask = complete(row)?.health_mask.ok_or(Reason::NotApplicable)?;
    word_from_1(mask >> shift & width, words)
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "fabric.state": "How far the device has come in joining its fabric."
        => |row| word_from_1(fabric(row)?.state, STATES);
    "fabric.status": "How joining the fabric ended, once it has."
        => status;
    "fabric.cliqueId": "Group of the fabric whose members reach each other's memory."
        => |row| Ok(Value::Number(complete(row)?.clique.into()));
    "fabric.clusterUuid": "Identifier of the fabric."
        => cluster;
    "fabric.health.summary": "Health of the device's links to the fabric, all together."
        => summary;
    "fabric.health.bandwidth": "Whether links are missing from the device's full bandwidth."
        => |row| health(row, 0, 0x3, BANDWIDTH);
    "fabric.health.route_recovery_in_progress": "Whether routes through the fabric are being restored."
        => |row| health(row, 2, 0x3, TRUE_FALSE);
    "fabric.health.route_unhealthy": "Whether a route through the fabric is broken."
        => |row| health(row, 4, 0x3, TRUE_FALSE);
    "fabric.health.access_timeout_recovery": "Whether the device recovers from an access that timed out."
        => |row| health(row, 6, 0x3, TRUE_FALSE);
    "fabric.health.incorrect_configuration": "What is wrong with the way the fabric was set up."
        => |row| health(row, 8, 0xf, CONFIGURATION);
    "fabric.health.partition_assigned": "Whether the device was given to a partition of the fabric."
        => |row| health(row, 12, 0x3, TRUE_FALSE);
};
