//! Whether a record meets a condition.

use super::order::natural;
use super::{Expr, Op, Operand};
use crate::value::{Reading, Value};
use std::cmp::Ordering;

impl<K> Expr<K> {
    /// True, false, or neither where a value is missing that would decide.
    pub(super) fn holds(&self, read: &dyn Fn(&K) -> Reading) -> Option<bool> {
        match self {
            Expr::Test(key, op, operand) => test(&read(key), *op, operand),
            Expr::Not(inner) => inner.holds(read).map(|holds| !holds),
            Expr::All(parts) => decide(parts.iter().map(|part| part.holds(read)), false),
            Expr::Any(parts) => decide(parts.iter().map(|part| part.holds(read)), true),
        }
    }
}

/// The first part that is `decisive` decides; a part that is neither leaves it open; else it is the opposite.
fn decide(parts: impl Iterator<Item = Option<bool>>, decisive: bool) -> Option<bool> {
    let mut open = false;
    for part in parts {
        match part {
            Some(holds) if holds == decisive => return Some(decisive),
            Some(_) => {}
            None => open = true,
        }
    }
    if open { None } else { Some(!decisive) }
}

fn test(reading: &Reading, op: Op, operand: &Operand) -> Option<bool> {
    let (text, number) = match operand {
        Operand::Missing => return Some(reading.is_err() == (op == Op::Equal)),
        Operand::Given { text, number } => (text.as_str(), *number),
    };
    let value = reading.as_ref().ok()?;
    if op == Op::Contains {
        return Some(words(value).to_lowercase().contains(&text.to_lowercase()));
    }
    match (shown_number(value), number) {
        (Some(left), Some(right)) => Some(meets(left.partial_cmp(&right)?, op)),
        // A number is not a word: it differs, and neither is the greater.
        (Some(_), None) => match op {
            Op::Equal => Some(false),
            Op::Unequal => Some(true),
            _ => None,
        },
        (None, _) => Some(meets(natural(&words(value), text), op)),
    }
}

fn meets(ordering: Ordering, op: Op) -> bool {
    match op {
        Op::Less => ordering.is_lt(),
        Op::AtMost => ordering.is_le(),
        Op::Greater => ordering.is_gt(),
        Op::AtLeast => ordering.is_ge(),
        Op::Equal => ordering.is_eq(),
        Op::Unequal => ordering.is_ne(),
        Op::Contains => false,
    }
}

/// The value as text.
pub(super) fn words(value: &Value) -> String {
    String::from_utf8_lossy(&value.plain()).into_owned()
}

/// The number that is shown: what reads 79.49 is equal to 79.49, however many more digits the driver sent.
pub(super) fn shown_number(value: &Value) -> Option<f64> {
    match value {
        Value::Milliwatts(_) => words(value).parse().ok(),
        value => value.number(),
    }
}
