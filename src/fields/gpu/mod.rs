//! The fields of `--query-gpu`, by section. The files stand in the order in which help lists their
//! sections; a file holds two sections where both read the same answers.

mod read;

mod clocks;
mod compute;
mod ecc;
mod encryption;
mod events;
mod fabric;
mod firmware;
mod identity;
mod memory;
mod modes;
mod partition;
mod pci;
mod pcie;
mod platform;
mod power;
pub(super) mod remapped;
mod retired;
mod smoothing;
mod state;
mod system;
mod temperature;
mod utilization;
mod vgpu;

#[cfg(test)]
mod tests;

use super::{Query, Registry, Section};
use crate::gpu::{Gpu, System};
use crate::host::Moment;

/// The query `--query-gpu`.
pub struct GpuQuery;

impl Query for GpuQuery {
    type Row<'a> = Row<'a>;

    fn visit(device: &Row, see: &mut dyn FnMut(&Row)) {
        see(device);
    }
}

/// One row of `--query-gpu`: a device at a moment. The rows of other queries say of which device they are.
pub struct Row<'a> {
    /// The device.
    pub gpu: &'a Gpu<'a>,
    /// The machine that it is in.
    pub system: &'a System<'a>,
    /// When this tick began; the same in all rows of a tick.
    pub now: Moment,
}

/// All fields of `--query-gpu`.
pub static REGISTRY: Registry<GpuQuery> = Registry { switch: "query-gpu", sections: SECTIONS };

static SECTIONS: &[&Section<GpuQuery>] = &[
    &system::SECTION,
    &identity::SECTION,
    &pci::SECTION,
    &vgpu::SECTION,
    &pcie::SECTION,
    &modes::SECTION,
    &firmware::SECTION,
    &state::SECTION,
    &events::SECTION,
    &events::COUNTERS,
    &memory::SECTION,
    &compute::SECTION,
    &utilization::SECTION,
    &utilization::ENCODER,
    &encryption::SECTION,
    &ecc::SECTION,
    &ecc::SRAM,
    &retired::SECTION,
    &remapped::SECTION,
    &remapped::HISTOGRAM,
    &temperature::SECTION,
    &power::SECTION,
    &power::MODULE,
    &smoothing::SECTION,
    &clocks::SECTION,
    &partition::SECTION,
    &memory::PROTECTED,
    &fabric::SECTION,
    &platform::SECTION,
];
