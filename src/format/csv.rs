//! Comma-separated values as nvidia-smi writes them: a comma and a space between cells, nothing quoted,
//! text as the bytes that it is. Scripts split at `, ` and would keep any quotes, so there are none; the
//! csv crate's writer, which quotes by the standard, is no help here and serves the tests as a reader.

use super::Column;
use crate::value::{Reading, Unit};

pub(super) fn header(columns: &[Column], out: &mut Vec<u8>) {
    line(columns.iter(), out, |column, out| out.extend_from_slice(column.header.as_bytes()));
}

pub(super) fn record(columns: &[Column], readings: &[Reading], units: bool, out: &mut Vec<u8>) {
    line(columns.iter().zip(readings), out, |(column, reading), out| {
        cell(reading, column.unit.filter(|_| units), out);
    });
}

fn line<T>(cells: impl Iterator<Item = T>, out: &mut Vec<u8>, mut write: impl FnMut(T, &mut Vec<u8>)) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.extend_from_slice(b", ");
        }
        write(cell, out);
    }
    out.push(b'\n');
}

/// One cell: the value with its unit, or the words for its absence.
pub(super) fn cell(reading: &Reading, unit: Option<Unit>, out: &mut Vec<u8>) {
    match reading {
        Ok(value) => {
            out.extend_from_slice(&value.plain());
            if let Some(unit) = unit {
                out.push(b' ');
                out.extend_from_slice(unit.symbol().as_bytes());
            }
        }
        Err(reason) => out.extend_from_slice(reason.words().as_bytes()),
    }
}
