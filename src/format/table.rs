//! A table for people: aligned, numbers to the right, as wide as the terminal allows. Color only repeats
//! what the words already say: headers stand out, what does not apply here recedes, errors are red.

use super::Style;
use super::{Column, csv, terminal};
use crate::value::{Reading, Reason};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use owo_colors::OwoColorize;

pub(super) fn write(columns: &[Column], records: &[Vec<Reading>], style: Style, out: &mut Vec<u8>) {
    if columns.is_empty() {
        return;
    }
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Disabled);
    if let Some(width) = style.width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    if style.header {
        table.set_header(columns.iter().map(|column| heading(column, style)));
    }
    for readings in records {
        table.add_row(columns.iter().zip(readings).map(|(column, reading)| cell(column, reading, style)));
    }
    for line in table.lines() {
        out.extend_from_slice(line.trim_end().as_bytes());
        out.push(b'\n');
    }
}

fn heading(column: &Column, style: Style) -> Cell {
    // A unit stands behind each number, so the heading does without it unless that was switched off.
    let text = if style.units { column.name } else { &column.header };
    Cell::new(if style.color { text.bold().to_string() } else { text.to_owned() })
}

fn cell(column: &Column, reading: &Reading, style: Style) -> Cell {
    let mut bytes = Vec::new();
    csv::cell(reading, column.unit.filter(|_| style.units), &mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let text = terminal::clean(&text);
    let absent = match reading {
        Ok(_) => false,
        Err(Reason::Code(code)) => code.means_absent(),
        Err(Reason::NotApplicable) => true,
    };
    let shown = match reading {
        _ if !style.color => text.into_owned(),
        Ok(_) => text.into_owned(),
        Err(_) if absent => text.dimmed().to_string(),
        Err(_) => text.red().to_string(),
    };
    let numeric = reading.as_ref().is_ok_and(|value| value.number().is_some());
    Cell::new(shown).set_alignment(if numeric { CellAlignment::Right } else { CellAlignment::Left })
}
