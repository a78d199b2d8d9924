//! The fields of `--query-gpu`, by section.

mod memory;

use super::{Query, Registry, Section};
use crate::gpu::{Gpu, System};
use crate::host::Moment;

/// The query `--query-gpu`.
pub struct GpuQuery;

impl Query for GpuQuery {
    type Row<'a> = Row<'a>;
}

/// One row of `--query-gpu`: a device at a moment.
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

static SECTIONS: &[&Section<GpuQuery>] = &[&memory::SECTION];
