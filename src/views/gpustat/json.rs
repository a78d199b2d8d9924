//! `--json`: keys, order, rounding and layout of gpustat 1.1.1, with every character that is not ASCII
//! escaped.

use super::line::mebibytes;
use super::people::Person;
use super::{Row, Snapshot};
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Serializer, Value, json};

/// The document.
pub(super) fn write(snapshot: &Snapshot) -> String {
    let gpus: Vec<Value> = snapshot.rows.iter().map(|row| device(row, snapshot)).collect();
    let document = object([
        ("hostname", json!(snapshot.host)),
        ("driver_version", json!(snapshot.driver)),
        ("query_time", json!(snapshot.now.iso())),
        ("gpus", json!(gpus)),
    ]);
    let mut bytes = Vec::new();
    // Writing plain data to memory cannot fail.
    let _ = serde::Serialize::serialize(
        &document,
        &mut Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(b"    ")),
    );
    let mut text = escaped(&String::from_utf8_lossy(&bytes));
    text.push('\n');
    text
}

fn object<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
}

fn device(row: &Row, snapshot: &Snapshot) -> Value {
    if row.lost.is_some() {
        return object([("index", json!(row.index)), ("name", json!(row.name)), ("processes", Value::Null)]);
    }
    let known = |pid: u32| snapshot.people.get(pid);
    let processes = row.processes.as_ref().map(|processes| {
        let shown = processes.iter().filter_map(|of| Some(process(of.pid, mebibytes(of.used), known(of.pid)?)));
        shown.collect::<Vec<Value>>()
    });
    object([
        ("index", json!(row.index)),
        ("uuid", json!(row.uuid)),
        ("name", json!(row.name)),
        ("temperature.gpu", json!(row.temperature)),
        ("fan.speed", json!(row.fan)),
        ("utilization.gpu", json!(row.load)),
        ("utilization.enc", json!(row.encoder)),
        ("utilization.dec", json!(row.decoder)),
        ("power.draw", json!(row.draw)),
        ("enforced.power.limit", json!(row.limit)),
        ("memory.used", json!(row.memory.map(|(used, _)| used))),
        ("memory.total", json!(row.memory.map(|(_, total)| total))),
        ("processes", json!(processes)),
    ])
}

fn process(pid: u32, used: Option<u64>, person: &Person) -> Value {
    object([
        ("username", json!(person.user())),
        ("command", json!(person.command())),
        ("full_command", json!(person.words())),
        ("gpu_memory_usage", json!(used)),
        ("cpu_percent", person.load.map_or(json!(0), |load| json!(load))),
        ("cpu_memory_usage", person.resident().map_or(json!(0.0), |bytes| json!(bytes))),
        ("pid", json!(pid)),
    ])
}

/// JSON in nothing but printable ASCII. What is escaped here can stand in strings only.
fn escaped(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{7f}'.. => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    ascii.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => ascii.push(character),
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    #[test]
    fn everything_is_ascii() {
        assert_eq!(
            super::escaped("\"caf\u{e9} \u{673a} \u{1f600}\u{7f}~\""),
            "\"caf\\u00e9 \\u673a \\ud83d\\ude00\\u007f~\""
        );
    }
}
