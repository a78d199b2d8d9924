//! Expressions and orders over a few made-up records.

use super::{Choice, Measure};
use crate::driver::Code;
use crate::driver::answers::Text;
use crate::value::{Reading, Reason, Value};

#[derive(Copy, Clone, PartialEq, Debug)]
enum Key {
    Index,
    Name,
    Used,
    Draw,
    State,
}

fn resolve(name: &str) -> Result<(Key, Measure), String> {
    match name {
        "index" => Ok((Key::Index, Measure::Plain)),
        "name" => Ok((Key::Name, Measure::Plain)),
        "memory.used" => Ok((Key::Used, Measure::MiB)),
        "power.draw" => Ok((Key::Draw, Measure::Watt)),
        "pstate" => Ok((Key::State, Measure::Plain)),
        other => Err(format!("unknown field `{other}`")),
    }
}

/// Index, name, MiB in use, milliwatts, state.
type Row = (u64, &'static str, Option<u64>, Option<u64>, &'static str);

/// The last of the records is lost.
const ROWS: [Row; 4] = [
    (0, "NVIDIA H200", Some(118_220), Some(79_494), "P0"),
    (1, "NVIDIA H200", Some(1024), Some(300_000), "P10"),
    (2, "Tesla V100-SXM3-32GB", Some(0), None, "P2"),
    (3, "", None, None, ""),
];

fn read(row: &Row, key: &Key) -> Reading {
    let lost = Reason::Code(Code::GPU_IS_LOST);
    let text = |text: &str| if text.is_empty() { Err(lost) } else { Ok(Value::Text(Text::from(text))) };
    match key {
        Key::Index => Ok(Value::Number(row.0)),
        Key::Name => text(row.1),
        Key::Used => Ok(Value::Bytes(row.2.ok_or(lost)? << 20)),
        Key::Draw => Ok(Value::Milliwatts(row.3.ok_or(lost)?)),
        Key::State => text(row.4),
    }
}

fn indexes(condition: Option<&str>, order: Option<&str>) -> Vec<u64> {
    let choice = Choice::parse(condition, order, &resolve).unwrap_or_else(|error| panic!("{condition:?}: {error}"));
    choice.apply(ROWS.to_vec(), read).into_iter().map(|row| row.0).collect()
}

#[test]
fn conditions_choose_records() {
    let cases: &[(&str, &[u64])] = &[
        ("index = 1", &[1]),
        ("index==1 or index == 2", &[1, 2]),
        ("memory.used < 1GiB", &[2]),
        ("memory.used <= 1GiB", &[1, 2]),
        ("memory.used <= 1 gib", &[1, 2]),
        ("memory.used<=1024", &[1, 2]),
        ("memory.used > 100000 MiB and power.draw < 0.3kW", &[0]),
        // What is shown as 79.49 is 79.49.
        ("power.draw = 79.49", &[0]),
        ("power.draw >= 300W", &[1]),
        ("name ~ h200", &[0, 1]),
        ("name ~ 'v100-sxm3'", &[2]),
        ("name = \"nvidia h200\"", &[0, 1]),
        ("name != 'NVIDIA H200'", &[2]),
        ("memory.used ~ 18", &[0]),
        ("pstate < P3", &[0, 2]),
        ("pstate >= p2", &[1, 2]),
        ("index >= 1 and (pstate = P0 or not name ~ tesla)", &[1]),
        ("NOT index < 2", &[2, 3]),
    ];
    for (condition, expected) in cases {
        assert_eq!(indexes(Some(condition), None), *expected, "{condition}");
    }
}

#[test]
fn a_missing_value_is_neither_true_nor_false() {
    let cases: &[(&str, &[u64])] = &[
        ("memory.used = null", &[3]),
        ("memory.used != NULL", &[0, 1, 2]),
        ("not memory.used = null", &[0, 1, 2]),
        // A lost device is not free, and not not free.
        ("memory.used < 1TiB", &[0, 1, 2]),
        ("not memory.used < 1TiB", &[]),
        ("power.draw != 5", &[0, 1]),
        // What is missing does not matter where the rest decides.
        ("power.draw > 1 or index = 3", &[0, 1, 3]),
        ("not (power.draw > 1 and index = 9)", &[0, 1, 2, 3]),
        ("name = 'null'", &[]),
    ];
    for (condition, expected) in cases {
        assert_eq!(indexes(Some(condition), None), *expected, "{condition}");
    }
}

#[test]
fn records_are_sorted_and_what_is_missing_comes_last() {
    let cases: &[(&str, &[u64])] = &[
        ("", &[0, 1, 2, 3]),
        ("memory.used", &[2, 1, 0, 3]),
        ("-memory.used", &[0, 1, 2, 3]),
        ("-power.draw", &[1, 0, 2, 3]),
        ("power.draw", &[0, 1, 2, 3]),
        ("pstate", &[0, 2, 1, 3]),
        ("-name,-index", &[2, 1, 0, 3]),
        (" name , -index,", &[1, 0, 2, 3]),
    ];
    for (order, expected) in cases {
        assert_eq!(indexes(None, Some(order)), *expected, "{order}");
    }
    assert_eq!(indexes(Some("index < 3"), Some("-index")), [2, 1, 0]);
}

#[test]
fn what_is_wrong_is_told_in_one_line() {
    let cases: &[(&str, &str)] = &[
        ("", "the condition is empty"),
        ("memroy.used < 5", "unknown field `memroy.used`"),
        ("memory.used", "behind `memory.used` stands the end"),
        ("memory.used < ", "a value is missing behind `memory.used <`"),
        ("memory.used 5", "behind `memory.used` stands `5`"),
        ("memory.used < 5 W", "cannot be compared in `W`; accepted: MiB, GiB"),
        ("memory.used < 5parsecs", "cannot be compared in `parsecs`"),
        ("memory.used = low", "is a number, which `low` is not"),
        ("name = NVIDIA H200", "`H200` is not expected here; text with spaces stands in quotes"),
        ("index = 1 && index = 2", "write `and`"),
        ("index = 1 adn index = 2", "`adn` is not expected here"),
        ("index < null", "`null` goes with = and != only"),
        ("(index = 1", "a parenthesis is not closed"),
        ("index = 1)", "no parenthesis is open"),
        ("! index = 1", "write `not` or `!=`"),
        ("name = 'x", "has no end"),
        ("index = 1 and", "ends where a field should follow"),
        ("and index = 1", "unknown field `and`"),
        ("= 5", "a condition begins with a field"),
    ];
    for (condition, expected) in cases {
        let error = Choice::parse(Some(condition), None, &resolve).err().unwrap_or_default();
        assert!(error.contains(expected) && error.lines().count() == 1, "{condition:?}: {error}");
    }
    for deep in ["(".repeat(100_000), "not ".repeat(100_000)] {
        assert!(Choice::parse(Some(&deep), None, &resolve).is_err_and(|error| error.contains("too deeply")));
    }
    let long = vec!["index = 1"; 10_000].join(" or ");
    assert_eq!(indexes(Some(&long), None), [1]);
    assert!(Choice::parse(None, Some("index,-nmae"), &resolve).is_err_and(|error| error.contains("`nmae`")));
}
