//! The fields of `--query-remapped-rows`: one record for each device, with how many rows of its memory were
//! replaced and how many spare ones are left. The same fields are in `--query-gpu`.

use super::gpu::Row;
use super::gpu::remapped::{active, banks, inactive, whether};
use super::{Field, Item, Query, Registry, Section};

/// The query `--query-remapped-rows`.
pub struct RemappedRows;

impl Query for RemappedRows {
    type Row<'a> = Item<'a, ()>;

    fn visit(device: &Row, see: &mut dyn FnMut(&Self::Row<'_>)) {
        see(&Item { device, item: () });
    }
}

/// All fields of `--query-remapped-rows`.
pub static REGISTRY: Registry<RemappedRows> =
    Registry { switch: "query-remapped-rows", sections: &[&DEVICE, &ROWS, &HISTOGRAM] };

static DEVICE: Section<RemappedRows> = Section { title: "Device", fields: device_fields!() };

static ROWS: Section<RemappedRows> = Section { title: "Remapped rows", fields: FIELDS };

static HISTOGRAM: Section<RemappedRows> =
    Section { title: "Spare rows left, by memory bank", fields: HISTOGRAM_FIELDS };

static FIELDS: &[Field<RemappedRows>] = fields! {
    "remapped_rows.correctable", "remapped_rows.sbe": "Rows replaced after repeated corrected errors."
        => |row| active(row.device, |rows| rows.correctable_active, |rows| rows.correctable);
    "remapped_rows.correctable_inactive": "Rows replaced after repeated corrected errors, and no longer in use."
        => |row| inactive(row.device, |rows| rows.correctable_inactive);
    "remapped_rows.uncorrectable", "remapped_rows.dbe": "Rows replaced after an uncorrected error."
        => |row| active(row.device, |rows| rows.uncorrectable_active, |rows| rows.uncorrectable);
    "remapped_rows.uncorrectable_inactive": "Rows replaced after an uncorrected error, and no longer in use."
        => |row| inactive(row.device, |rows| rows.uncorrectable_inactive);
    "remapped_rows.pending": "Whether a row waits for the next reset to be replaced."
        => |row| whether(row.device, |rows| rows.pending);
    "remapped_rows.failure": "Whether a row ever could not be replaced."
        => |row| whether(row.device, |rows| rows.failure);
};

static HISTOGRAM_FIELDS: &[Field<RemappedRows>] = fields! {
    "remapped_rows.histogram.max": "Memory banks that have all of their spare rows left."
        => |row| banks(row.device, |rows| rows.max);
    "remapped_rows.histogram.high": "Memory banks that have many spare rows left."
        => |row| banks(row.device, |rows| rows.high);
    "remapped_rows.histogram.partial": "Memory banks that have some spare rows left."
        => |row| banks(row.device, |rows| rows.partial);
    "remapped_rows.histogram.low": "Memory banks that have few spare rows left."
        => |row| banks(row.device, |rows| rows.low);
    "remapped_rows.histogram.none": "Memory banks that have no spare row left."
        => |row| banks(row.device, |rows| rows.none);
};
