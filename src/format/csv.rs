//! Comma-separated values as nvidia-smi writes them: a comma and a space between cells, nothing quoted,
//! text as the bytes that it is, but for the commas in the name of a process. Scripts split at `, ` and would
//! keep any quotes.
//!
//! Under rsmi's own name a cell that holds a comma, a quote or a line end is quoted by the standard, and
//! follows its comma without the space, which a reader of the standard would take for a part of the cell.

use super::Style;
use super::{Column, terminal};
use crate::value::{Reading, Unit, Value};

pub(super) fn header(columns: &[Column], out: &mut Vec<u8>) {
    line(columns.iter(), out, |column, out| out.extend_from_slice(column.header.as_bytes()));
}

pub(super) fn record(columns: &[Column], readings: &[Reading], style: Style, out: &mut Vec<u8>) {
    line(columns.iter().zip(readings), out, |(column, reading), out| {
        let start = out.len();
        cell(reading, column.unit.filter(|_| style.units), out);
        if style.clean && matches!(reading, Ok(Value::Text(_) | Value::ProcessName(_))) {
            terminal::clean_bytes(start, out);
        }
        if !style.quoted && matches!(reading, Ok(Value::ProcessName(_))) {
            out.iter_mut().skip(start).filter(|byte| **byte == b',').for_each(|byte| *byte = b'?');
        }
        if style.quoted {
            quote(start, out);
        }
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

/// Quotes what stands in `out` from `start` on, where it needs that.
fn quote(start: usize, out: &mut Vec<u8>) {
    let cell = out.get(start..).unwrap_or_default();
    if cell.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        let cell = out.split_off(start);
        if out.ends_with(b", ") {
            out.pop();
        }
        out.push(b'"');
        out.extend(cell.into_iter().flat_map(|byte| std::iter::repeat_n(byte, if byte == b'"' { 2 } else { 1 })));
        out.push(b'"');
    }
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
