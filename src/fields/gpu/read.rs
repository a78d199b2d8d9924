//! What several sections do to an answer to make it a reading: the words of an enumeration, numbers with
//! and without a unit, and NVML's numbered values.

use super::Row;
use crate::driver::answers::FieldValue;
use crate::driver::{Code, calls};
use crate::value::{Reading, Reason, Value};

/// Words of a switch.
pub(super) const DISABLED_ENABLED: &[&str; 2] = &["Disabled", "Enabled"];
/// Words of a fact.
pub(super) const NO_YES: &[&str; 2] = &["No", "Yes"];

/// The word for a number of an enumeration that starts at 0. A number that a newer driver has added has no
/// word yet, and says so.
pub(super) fn word(number: impl Into<u64>, words: &[&'static str]) -> Reading {
    let number = number.into();
    let word = usize::try_from(number).ok().and_then(|place| words.get(place)).copied();
    Ok(word.map_or(Value::Unnamed(number), Value::Word))
}

/// The word for a number of an enumeration for which nvidia-smi prints `N/A` when it has no word.
pub(super) fn word_or_none(number: impl Into<u64>, words: &[&'static str]) -> Reading {
    match word(number, words) {
        Ok(Value::Unnamed(_)) => Err(Reason::NotApplicable),
        known => known,
    }
}

/// The word for something that is or is not so: 0 is not, anything else is.
pub(super) fn fact(number: impl Into<u64>, words: &[&'static str; 2]) -> Reading {
    let [no, yes] = *words;
    Ok(Value::Word(if number.into() == 0 { no } else { yes }))
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
