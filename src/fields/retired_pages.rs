//! The fields of `--query-retired-pages`: a record for each page of memory that was taken out of use, those
//! with repeated corrected errors first. A device that does not retire pages, as Ampere and later, has one
//! record for each of the two causes.

use super::gpu::Row;
use super::{Field, Item, Query, Registry, Section};
use crate::driver::Code;
use crate::driver::answers::RetiredPage;
use crate::driver::calls::{self, Cause};
use crate::host::Moment;
use crate::value::{Reading, Value};

/// The query `--query-retired-pages`.
pub struct RetiredPages;

/// A page, or why there is none to tell of.
pub struct Page {
    cause: Cause,
    page: Result<RetiredPage, Code>,
}

impl Query for RetiredPages {
    type Row<'a> = Item<'a, Page>;

    fn visit(device: &Row, see: &mut dyn FnMut(&Self::Row<'_>)) {
        for cause in [Cause::SingleBit, Cause::DoubleBit] {
            let mut one = |page| see(&Item { device, item: Page { cause, page } });
            match pages(device, cause) {
                Ok(pages) => pages.into_iter().for_each(|page| one(Ok(page))),
                Err(code) => one(Err(code)),
            }
        }
    }
}

/// The newer call tells when a page was retired.
fn pages(device: &Row, cause: Cause) -> Result<Vec<RetiredPage>, Code> {
    match device.gpu.ask(calls::RetiredPagesV2(cause)) {
        Err(code) if code.suggests_older_call() => device.gpu.ask(calls::RetiredPages(cause)),
        answer => answer,
    }
}

/// All fields of `--query-retired-pages`.
pub static REGISTRY: Registry<RetiredPages> = Registry { switch: "query-retired-pages", sections: &[&DEVICE, &PAGE] };

static DEVICE: Section<RetiredPages> = Section { title: "Device", fields: device_fields!() };

static PAGE: Section<RetiredPages> = Section { title: "Retired page", fields: FIELDS };

fn address(row: &Item<Page>) -> Reading {
    // Lower case, unlike the masks of other queries.
    Ok(Value::Text(format!("0x{:016x}", row.item.page?.address).into()))
}

fn time(row: &Item<Page>) -> Reading {
    let moment = row.item.page?.time.and_then(Moment::at).ok_or(Code::NOT_SUPPORTED)?;
    Ok(Value::Text(moment.asctime().into()))
}

fn cause(row: &Item<Page>) -> Reading {
    Ok(Value::Word(match row.item.cause {
        Cause::SingleBit => "Single Bit ECC",
        Cause::DoubleBit => "Double Bit ECC",
    }))
}

static FIELDS: &[Field<RetiredPages>] = fields! {
    "retired_pages.address": "Where in the device's memory the page is."
        => address;
    "retired_pages.timestamp": "Local time at which the page was retired."
        => time;
    "retired_pages.cause": "Whether repeated corrected errors or one uncorrected error did it."
        => cause;
};
