//! JSON for jq: one array of objects a tick, keys in the order asked, numbers in the unit of the field's
//! header, `null` for what is not known. Once, it is laid out a line a record; in a loop, a line a tick.

use super::Column;
use crate::value::{Reading, Value};
use serde::Serialize;
use std::io::Write;

pub(super) fn begin(out: &mut Vec<u8>) {
    out.push(b'[');
}

pub(super) fn record(columns: &[Column], readings: &[Reading], first: bool, compact: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(match (first, compact) {
        (true, true) => b"",
        (false, true) => b",",
        (true, false) => b"\n  ",
        (false, false) => b",\n  ",
    });
    let mut object = serde_json::Map::with_capacity(columns.len());
    for (column, reading) in columns.iter().zip(readings) {
        // A field that was asked for twice is one key: an object with a key twice is not valid everywhere.
        object.insert(column.name.to_owned(), reading.as_ref().map_or(serde_json::Value::Null, value));
    }
    // Writing text and numbers to memory cannot fail.
    let _ = object.serialize(&mut serde_json::Serializer::with_formatter(out, Escaping));
}

pub(super) fn end(empty: bool, compact: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if empty || compact { b"]\n" } else { b"\n]\n" });
}

/// JSON without spaces, in which no text steers a terminal. The standard asks only for the first 32 control
/// characters to be escaped; DEL and the 32 from U+0080 on, where some terminals begin a command, are as well.
struct Escaping;

impl serde_json::ser::Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> std::io::Result<()> {
        let mut rest = fragment;
        while let Some((at, control)) = rest.char_indices().find(|(_, c)| c.is_control()) {
            let (before, after) = rest.split_at(at);
            write!(writer, "{before}\\u{:04x}", u32::from(control))?;
            rest = after.get(control.len_utf8()..).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }
}

/// A value as JSON has it.
pub(super) fn value(value: &Value) -> serde_json::Value {
    match value {
        Value::Number(number) | Value::Amount(number) | Value::Unnamed(number) => (*number).into(),
        Value::Signed(number) => (*number).into(),
        Value::Bytes(bytes) => crate::value::mib(*bytes).into(),
        // To the hundredth, as everywhere: what is printed elsewhere is what a program reads here.
        Value::Milliwatts(_) => {
            String::from_utf8_lossy(&value.plain()).parse::<f64>().map_or(serde_json::Value::Null, Into::into)
        }
        Value::Text(_) | Value::ProcessName(_) | Value::Word(_) | Value::Hex(..) => {
            String::from_utf8_lossy(&value.plain()).into()
        }
    }
}
