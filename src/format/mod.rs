//! Columns and records in, bytes out. A formatter knows no NVML, no flags and no terminal; it writes to a
//! buffer that the caller sends off in one piece. Which words stand for a missing value is decided here.

mod csv;
mod json;
mod table;
pub mod terminal;

use crate::value::{Reading, Unit};

/// A value as JSON has it.
pub(crate) fn json_value(value: &crate::value::Value) -> serde_json::Value {
    json::value(value)
}

/// How records are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Style {
    /// The format.
    pub format: Format,
    /// Whether CSV and tables begin with a line of headers.
    pub header: bool,
    /// Whether numbers are followed by their units.
    pub units: bool,
    /// Whether the output may be colored.
    pub color: bool,
    /// Whether text is shown on a terminal and must not be able to steer it.
    pub clean: bool,
    /// Whether CSV quotes a cell that holds a comma, a quote or a line end. nvidia-smi never does.
    pub quoted: bool,
    /// Columns of the terminal, where the output is one.
    pub width: Option<u16>,
}

/// The formats of a query.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// Comma-separated values, as nvidia-smi writes them.
    Csv,
    /// JSON: an array of objects, or one line a tick in a loop.
    Json,
    /// A table for people.
    Table,
}

/// What a formatter needs to know of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The canonical name: the key in JSON.
    pub name: &'static str,
    /// The name with its unit: the header in CSV and tables.
    pub header: String,
    /// The unit behind its numbers.
    pub unit: Option<Unit>,
}

/// Writes the records of a query, tick after tick.
pub struct Formatter {
    style: Style,
    columns: Vec<Column>,
    looped: bool,
    ticks: usize,
    records: usize,
    table: Vec<Vec<Reading>>,
}

impl Formatter {
    /// A formatter for these columns. `looped` when there will be a tick after the first.
    pub fn new(style: Style, columns: Vec<Column>, looped: bool) -> Self {
        Formatter { style, columns, looped, ticks: 0, records: 0, table: Vec::new() }
    }

    /// Begins a tick.
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        self.records = 0;
        match self.style.format {
            // In a loop the header stands once, at the top.
            Format::Csv if self.style.header && self.ticks == 0 => csv::header(&self.columns, out),
            Format::Csv => {}
            Format::Json => json::begin(out),
            Format::Table => self.table.clear(),
        }
        self.ticks += 1;
    }

    /// Writes a record: one reading for each column.
    pub fn record(&mut self, readings: Vec<Reading>, out: &mut Vec<u8>) {
        match self.style.format {
            Format::Csv => csv::record(&self.columns, &readings, self.style, out),
            Format::Json => json::record(&self.columns, &readings, self.records == 0, self.looped, out),
            Format::Table => self.table.push(readings),
        }
        self.records += 1;
    }

    /// Ends a tick.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        match self.style.format {
            Format::Csv => {}
            Format::Json => json::end(self.records == 0, self.looped, out),
            Format::Table => table::write(&self.columns, &self.table, self.style, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Code;
    use crate::driver::answers::Text;
    use crate::value::{Reason, Value};

    fn columns() -> Vec<Column> {
        let column = |name, header: &str, unit| Column { name, header: header.to_owned(), unit };
        vec![
            column("index", "index", None),
            column("name", "name", None),
            column("memory.used", "memory.used [MiB]", Some(Unit::MiB)),
            column("power.draw", "power.draw [W]", Some(Unit::Watt)),
        ]
    }

    fn records() -> Vec<Vec<Reading>> {
        vec![
            vec![
                Ok(Value::Number(0)),
                Ok(Value::Text(Text::from("NVIDIA \"H200\""))),
                Ok(Value::Bytes(1 << 20)),
                Ok(Value::Milliwatts(79_490)),
            ],
            vec![
                Ok(Value::Number(1)),
                Ok(Value::Text(Text(b"bad\xff".to_vec()))),
                Err(Reason::Code(Code::NOT_SUPPORTED)),
                Err(Reason::Code(Code::GPU_IS_LOST)),
            ],
        ]
    }

    fn written(format: Format, header: bool, units: bool, looped: bool) -> Vec<u8> {
        let style = Style { format, header, units, color: false, clean: false, quoted: false, width: None };
        let mut formatter = Formatter::new(style, columns(), looped);
        let mut out = Vec::new();
        for _ in 0..if looped { 2 } else { 1 } {
            formatter.begin(&mut out);
            for record in records() {
                formatter.record(record, &mut out);
            }
            formatter.end(&mut out);
        }
        out
    }

    #[test]
    fn csv_is_nvidia_smis() {
        let expected = b"index, name, memory.used [MiB], power.draw [W]\n\
            0, NVIDIA \"H200\", 1 MiB, 79.49 W\n1, bad\xff, [N/A], [GPU is lost]\n";
        assert_eq!(written(Format::Csv, true, true, false), expected);
        let expected = b"0, NVIDIA \"H200\", 1, 79.49\n1, bad\xff, [N/A], [GPU is lost]\n";
        assert_eq!(written(Format::Csv, false, false, false), expected);
    }

    #[test]
    fn rsmis_own_csv_is_quoted_by_the_standard() {
        let style = Style {
            format: Format::Csv,
            header: true,
            units: true,
            color: false,
            clean: false,
            quoted: true,
            width: None,
        };
        let mut formatter = Formatter::new(style, columns(), false);
        let mut out = Vec::new();
        formatter.begin(&mut out);
        let names = ["plain", "a, b", "say \"hi\"", "two\nlines", ""];
        for name in names {
            let [number, _, bytes, power] = <[Reading; 4]>::try_from(records().swap_remove(0)).expect("four");
            formatter.record(vec![number, Ok(Value::Text(Text::from(name))), bytes, power], &mut out);
        }
        let mut reader = ::csv::ReaderBuilder::new().from_reader(out.as_slice());
        let read: Vec<Vec<String>> = reader
            .records()
            .map(|record| {
                record.expect("a record").iter().map(|cell| cell.trim_start_matches(' ').to_owned()).collect()
            })
            .collect();
        let expected: Vec<Vec<String>> =
            names.iter().map(|name| ["0", name, "1 MiB", "79.49 W"].map(str::to_owned).to_vec()).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn csv_has_one_header_in_a_loop() {
        let text = String::from_utf8_lossy(&written(Format::Csv, true, true, true)).into_owned();
        assert_eq!(text.lines().count(), 5);
        assert_eq!(text.matches("index").count(), 1);
    }

    #[test]
    fn json_has_numbers_text_and_null() {
        let json: serde_json::Value =
            serde_json::from_slice(&written(Format::Json, true, true, false)).expect("strict JSON");
        let expected = serde_json::json!([
            {"index": 0, "name": "NVIDIA \"H200\"", "memory.used": 1, "power.draw": 79.49},
            {"index": 1, "name": "bad\u{fffd}", "memory.used": null, "power.draw": null},
        ]);
        assert_eq!(json, expected);
    }

    #[test]
    fn json_is_a_line_a_tick_in_a_loop() {
        let text = String::from_utf8(written(Format::Json, true, true, true)).expect("UTF-8");
        assert_eq!(text.lines().count(), 2);
        for line in text.lines() {
            let json: serde_json::Value = serde_json::from_str(line).expect("each line is a document");
            assert_eq!(json.as_array().map(Vec::len), Some(2));
        }
    }

    #[test]
    fn a_field_asked_twice_is_one_key_in_json() {
        let style = Style {
            format: Format::Json,
            header: true,
            units: true,
            color: false,
            clean: false,
            quoted: false,
            width: None,
        };
        let twice: Vec<Column> = columns().into_iter().take(1).cycle().take(2).collect();
        let mut formatter = Formatter::new(style, twice, false);
        let mut out = Vec::new();
        formatter.begin(&mut out);
        formatter.record(vec![Ok(Value::Number(7)), Ok(Value::Number(7))], &mut out);
        formatter.end(&mut out);
        assert_eq!(String::from_utf8(out).expect("UTF-8").matches("index").count(), 1);
    }

    #[test]
    fn nothing_to_show_is_still_a_document() {
        for looped in [false, true] {
            let style = Style {
                format: Format::Json,
                header: true,
                units: true,
                color: false,
                clean: false,
                quoted: false,
                width: None,
            };
            let mut formatter = Formatter::new(style, columns(), looped);
            let mut out = Vec::new();
            formatter.begin(&mut out);
            formatter.end(&mut out);
            assert_eq!(out, b"[]\n");
        }
    }

    #[test]
    fn tables_line_up_and_are_clean() {
        let text = String::from_utf8(written(Format::Table, true, true, false)).expect("UTF-8");
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.windows(2).all(|pair| pair.first() == pair.last()), "{text}");
        assert!(text.contains("79.49 W") && text.contains("[N/A]") && text.contains("[GPU is lost]"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
