//! What several sections do to an answer to make it a reading: the words of an enumeration, numbers with
//! and without a unit, and NVML's numbered values.

use super::Row;
use crate::driver::answers::FieldValue;
use crate::driver::{Code, calls};
use crate::value::{Reading, Reason, Value};

/// Words of a switch.
pub(super) const DISABLED_ENABLED: &[&str] = &["Disabled", "Enabled"];
/// Words of a fact.
pub(super) const NO_YES: &[&str] = &["No", "Yes"];

/// The word for a number of an enumeration that starts at 0. A number that a newer driver has added is an
/// error in this one cell: a guessed word would be wrong, and so would the number in its place.
pub(super) fn word(number: impl Into<u64>, words: &[&'static str]) -> Reading {
    let place = usize::try_from(number.into()).ok();
    place.and_then(|place| words.get(place)).copied().map(Value::Word).ok_or(Reason::UNKNOWN)
}

/// A count.
pub(super) fn number(answer: Result<impl Into<u64>, Code>) -> Reading {
    Ok(Value::Number(answer?.into()))
}

/// A number in the unit of its header.
pub(super) fn amount(answer: Result<impl Into<u64>, Code>) -> Reading {
    Ok(Value::Amount(answer?.into()))
}

/// Power.
pub(super) fn milliwatts(answer: Result<impl Into<u64>, Code>) -> Reading {
    Ok(Value::Milliwatts(answer?.into()))
}

/// One of NVML's numbered values, where it cannot be negative. What kind of number the driver sends is up
/// to the driver; a negative one would be nonsense here.
pub(super) fn unsigned(row: &Row, id: u32, scope: u32) -> Result<u64, Code> {
    match row.gpu.ask(calls::FieldValues(id, scope))? {
        FieldValue::Unsigned(value) => Ok(value),
        FieldValue::Signed(value) => u64::try_from(value).map_err(|_| Code::UNKNOWN),
        FieldValue::Real(value) if value >= 0.0 && value < u64::MAX as f64 => Ok(value.round() as u64),
        FieldValue::Real(_) => Err(Code::UNKNOWN),
    }
}
