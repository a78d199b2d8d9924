//! Rows of memory replaced by spare ones, on Ampere and later.

use super::read::{NO_YES, fact, number};
use super::{GpuQuery, Row};
use crate::driver::answers::{RemappedRows, RemappedRowsV2, RowHistogram};
use crate::driver::calls;
use crate::fields::{Field, Section};
use crate::value::Reading;

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Remapped rows", fields: FIELDS };

pub(super) static HISTOGRAM: Section<GpuQuery> =
    Section { title: "Spare rows left, by memory bank", fields: HISTOGRAM_FIELDS };

/// Rows in use. The newer call counts rows in use apart from rows that are not, nvidia-smi asks it for all
/// four columns, and its columns for the latter are called inactive; so these are the former, not the sum,
/// and no row is counted in two columns. An older driver has one number for both.
pub(in crate::fields) fn active(
    row: &Row,
    newer: fn(&RemappedRowsV2) -> u32,
    older: fn(&RemappedRows) -> u32,
) -> Reading {
    number(match row.gpu.ask(calls::RemappedRowsV2) {
        Err(code) if code.suggests_older_call() => row.gpu.ask(calls::RemappedRows).map(|rows| older(&rows)),
        answer => answer.map(|rows| newer(&rows)),
    })
}

pub(in crate::fields) fn inactive(row: &Row, part: fn(&RemappedRowsV2) -> u32) -> Reading {
    number(row.gpu.ask(calls::RemappedRowsV2).map(|rows| part(&rows)))
}

pub(in crate::fields) fn whether(row: &Row, part: fn(&RemappedRows) -> u32) -> Reading {
    fact(part(&row.gpu.ask(calls::RemappedRows)?), NO_YES)
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "remapped_rows.correctable", "remapped_rows.sbe": "Rows replaced after repeated corrected errors."
        => |row| active(row, |rows| rows.correctable_active, |rows| rows.correctable);
    "remapped_rows.correctable_inactive": "Rows replaced after repeated corrected errors, and no longer in use."
        => |row| inactive(row, |rows| rows.correctable_inactive);
    "remapped_rows.uncorrectable", "remapped_rows.dbe": "Rows replaced after an uncorrected error."
        => |row| active(row, |rows| rows.uncorrectable_active, |rows| rows.uncorrectable);
    "remapped_rows.uncorrectable_inactive": "Rows replaced after an uncorrected error, and no longer in use."
        => |row| inactive(row, |rows| rows.uncorrectable_inactive);
    "remapped_rows.pending": "Whether a row waits for the next reset to be replaced."
        => |row| whether(row, |rows| rows.pending);
    "remapped_rows.failure": "Whether a row ever could not be replaced."
        => |row| whether(row, |rows| rows.failure);
};

pub(in crate::fields) fn banks(row: &Row, part: fn(&RowHistogram) -> u32) -> Reading {
    number(row.gpu.ask(calls::RemapHistogram).map(|rows| part(&rows)))
}

static HISTOGRAM_FIELDS: &[Field<GpuQuery>] = fields! {
    "remapped_rows.histogram.max": "Memory banks that have all of their spare rows left."
        => |row| banks(row, |rows| rows.max);
    "remapped_rows.histogram.high": "Memory banks that have many spare rows left."
        => |row| banks(row, |rows| rows.high);
    "remapped_rows.histogram.partial": "Memory banks that have some spare rows left."
        => |row| banks(row, |rows| rows.partial);
    "remapped_rows.histogram.low": "Memory banks that have few spare rows left."
        => |row| banks(row, |rows| rows.low);
    "remapped_rows.histogram.none": "Memory banks that have no spare row left."
        => |row| banks(row, |rows| rows.none);
};
