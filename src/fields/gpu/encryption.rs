//! Encryption of device memory.

use super::read::{DISABLED_ENABLED, word};
use super::{GpuQuery, Row};
use crate::driver::answers::Mode;
use crate::driver::calls;
use crate::fields::{Field, Section};
use crate::value::Reading;

pub(super) static SECTION: Section<GpuQuery> = Section { title: "DRAM encryption", fields: FIELDS };

fn mode(row: &Row, when: fn(&Mode) -> u32) -> Reading {
    word(when(&row.gpu.ask(calls::DramEncryption)?), DISABLED_ENABLED)
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "dramEncryption.mode.current": "Whether device memory is encrypted now."
        => |row| mode(row, |mode| mode.current);
    "dramEncryption.mode.pending": "Whether device memory is encrypted from the next boot on."
        => |row| mode(row, |mode| mode.pending);
};
