//! Any readings, written and read back: CSV by a reader of the standard, JSON by a strict one, and a table
//! whose lines are equally wide.
//!
//! The input is the records' cells, each ended by 0xFF; a cell's first byte chooses what kind of value it is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rsmi::format::{Format, Style};
use rsmi::driver::Code;
use rsmi::driver::answers::Text;
use rsmi::format::{Column, Formatter};
use rsmi::value::{Reading, Reason, Unit, Value};

const COLUMNS: usize = 3;

fn columns() -> Vec<Column> {
    let column = |name: &'static str, unit| Column { name, header: name.to_owned(), unit };
    vec![column("a", None), column("b.c", Some(Unit::MiB)), column("d", Some(Unit::Watt))]
}

fn reading(cell: &[u8]) -> Reading {
    let Some((kind, rest)) = cell.split_first() else { return Err(Reason::NotApplicable) };
    let number = rest.iter().take(8).fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    match kind % 9 {
        0 => Ok(Value::Number(number)),
        1 => Ok(Value::Signed(number as i64)),
        2 => Ok(Value::Bytes(number)),
        3 => Ok(Value::Milliwatts(number)),
        4 => Ok(Value::Hex(number, usize::from(*kind) % 20)),
        5 => Ok(Value::Unnamed(number)),
        6 => Err(Reason::Code(Code(number as u32))),
        _ => Ok(Value::Text(Text(rest.to_vec()))),
    }
}

fn written(records: &[Vec<Reading>], format: Format, clean: bool, looped: bool) -> Vec<u8> {
    let width = clean.then_some(40);
    let style = Style { format, header: true, units: true, color: clean, clean, quoted: true, width };
    let mut formatter = Formatter::new(style, columns(), looped);
    let mut out = Vec::new();
    formatter.begin(&mut out);
    records.iter().for_each(|record| formatter.record(record.clone(), &mut out));
    formatter.end(&mut out);
    out
}

fuzz_target!(|data: &[u8]| {
    let cells: Vec<Reading> = data.split(|byte| *byte == 0xff).map(reading).collect();
    let records: Vec<Vec<Reading>> = cells.chunks_exact(COLUMNS).map(<[Reading]>::to_vec).collect();

    let csv = written(&records, Format::Csv, false, false);
    let mut reader = csv::ReaderBuilder::new().from_reader(csv.as_slice());
    let read: Vec<csv::ByteRecord> = reader.byte_records().map(|record| record.expect("CSV")).collect();
    assert_eq!(read.len(), records.len());
    for (read, record) in read.iter().zip(&records) {
        assert_eq!(read.len(), COLUMNS);
        for (cell, reading) in read.iter().zip(record) {
            if let Ok(Value::Text(text)) = reading {
                // Behind a comma stands a space, unless the cell is quoted.
                let with_space = [b" ", text.0.as_slice()].concat();
                let starts = |unit: &[u8]| cell.starts_with(unit);
                assert!(starts(&text.0) || starts(&with_space), "{cell:?} for {text:?}");
            }
        }
    }

    for looped in [false, true] {
        let json = written(&records, Format::Json, false, looped);
        let rows: Vec<serde_json::Map<String, serde_json::Value>> = serde_json::from_slice(&json).expect("strict JSON");
        assert_eq!(rows.len(), records.len());
        assert!(!String::from_utf8(json).expect("UTF-8").chars().any(|c| c.is_control() && c != '\n'));
        for (row, record) in rows.iter().zip(&records) {
            assert_eq!(row.len(), COLUMNS);
            for (cell, reading) in row.values().zip(record) {
                match reading {
                    Err(_) => assert!(cell.is_null()),
                    Ok(Value::Text(text)) => assert_eq!(cell, &*text.lossy()),
                    Ok(Value::Number(number)) => assert_eq!(cell, number),
                    Ok(Value::Signed(number)) => assert_eq!(cell, number),
                    Ok(_) => assert!(!cell.is_null()),
                }
            }
        }
    }

    let table = String::from_utf8(written(&records, Format::Table, true, false)).expect("UTF-8");
    let mut plain = String::new();
    let mut escaped = false;
    for c in table.chars() {
        match c {
            '\u{1b}' => escaped = true,
            _ if escaped => escaped = !c.is_ascii_alphabetic(),
            c => plain.push(c),
        }
    }
    assert!(!plain.chars().any(|c| c.is_control() && c != '\n'), "{plain:?}");
});
