//! Pages of memory taken out of use. Ampere and later replace rows instead and have none.

use super::read::{NO_YES, fact};
use super::{GpuQuery, Row};
use crate::driver::calls::{self, Cause};
use crate::fields::{Field, Section};
use crate::value::{Reading, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Retired pages", fields: FIELDS };

fn pages(row: &Row, cause: Cause) -> Reading {
    Ok(Value::Number(row.gpu.ask(calls::RetiredPages(cause))?.len() as u64))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "retired_pages.single_bit_ecc.count", "retired_pages.sbe": "Pages retired after repeated corrected errors."
        => |row| pages(row, Cause::SingleBit);
    "retired_pages.double_bit.count", "retired_pages.dbe": "Pages retired after one uncorrected error."
        => |row| pages(row, Cause::DoubleBit);
    "retired_pages.pending": "Whether a page waits for the next driver load to be retired."
        => |row| fact(row.gpu.ask(calls::RetiredPagesPending)?, NO_YES);
};
