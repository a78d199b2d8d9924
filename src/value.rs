//! What a field holds: a typed value with its unit, or the reason why there is none. The words that stand
//! for a missing value, and how a number is written, belong to the formatters; the few rules that all of
//! them share (memory is rounded up to whole MiB, power has two decimals) are written once, here.

use crate::driver::Code;
use crate::driver::answers::Text;
use std::borrow::Cow;

/// The unit of a field, as it stands in a header and behind a number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Per cent.
    Percent,
    /// Mebibytes.
    MiB,
    /// Megahertz.
    MHz,
    /// Watts.
    Watt,
    /// Microseconds.
    Microsecond,
    /// Milliseconds.
    Millisecond,
}

impl Unit {
    /// How the unit is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Percent => "%",
            Unit::MiB => "MiB",
            Unit::MHz => "MHz",
            Unit::Watt => "W",
            Unit::Microsecond => "us",
            Unit::Millisecond => "ms",
        }
    }
}

/// A measured value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Text that came from the driver, another process or the clock.
    Text(Text),
    /// The name of a process. nvidia-smi puts a question mark for each comma in it where commas part cells.
    ProcessName(Text),
    /// A word of ours for an enumeration.
    Word(&'static str),
    /// A number of an enumeration that has no word yet, from a newer driver: `Unknown` in text, and the
    /// number itself where programs read.
    Unnamed(u64),
    /// A count without a unit.
    Number(u64),
    /// A number that may be negative, without a unit.
    Signed(i64),
    /// A bit mask or an id, in upper-case hexadecimal with at least so many digits.
    Hex(u64, usize),
    /// A number in the unit that the field's header names.
    Amount(u64),
    /// Memory in bytes; shown in whole MiB, rounded up.
    Bytes(u64),
    /// Power in milliwatts; shown in watts with two decimals.
    Milliwatts(u64),
}

/// Why there is no value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// NVML answered with this code.
    Code(Code),
    /// NVML answered, and the answer says that this does not apply here. nvidia-smi prints `N/A` without
    /// brackets for these.
    NotApplicable,
}

/// A field of a record.
pub type Reading = Result<Value, Reason>;

impl From<Code> for Reason {
    fn from(code: Code) -> Self {
        Reason::Code(code)
    }
}

impl Reason {
    /// A number that this program has no word for, from a newer driver.
    pub const UNKNOWN: Reason = Reason::Code(Code::UNKNOWN);

    /// What nvidia-smi prints in the place of the value.
    pub fn words(self) -> Cow<'static, str> {
        match self {
            Reason::Code(code) if code.means_absent() => "[N/A]".into(),
            Reason::Code(code) => format!("[{}]", code.words()).into(),
            Reason::NotApplicable => "N/A".into(),
        }
    }
}

/// Whole MiB, rounded up as nvidia-smi does: a single byte in use is shown as 1.
pub fn mib(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

impl Value {
    /// The value as bytes for a text format, without its unit.
    pub fn plain(&self) -> Cow<'_, [u8]> {
        match self {
            Value::Text(text) | Value::ProcessName(text) => Cow::Borrowed(&text.0),
            Value::Word(word) => Cow::Borrowed(word.as_bytes()),
            Value::Unnamed(_) => Cow::Borrowed(b"Unknown"),
            Value::Number(number) | Value::Amount(number) => Cow::Owned(number.to_string().into_bytes()),
            Value::Signed(number) => Cow::Owned(number.to_string().into_bytes()),
            Value::Hex(number, digits) => Cow::Owned(format!("0x{number:0digits$X}").into_bytes()),
            Value::Bytes(bytes) => Cow::Owned(mib(*bytes).to_string().into_bytes()),
            // nvidia-smi divides in single precision, so a half is rounded as its nearest `float` happens to lie.
            Value::Milliwatts(milliwatts) => Cow::Owned(format!("{:.2}", *milliwatts as f32 / 1000.0).into_bytes()),
        }
    }

    /// The value as a number in the unit of its header, where it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Text(_) | Value::ProcessName(_) | Value::Word(_) | Value::Unnamed(_) | Value::Hex(..) => None,
            Value::Number(number) | Value::Amount(number) => Some(*number as f64),
            Value::Signed(number) => Some(*number as f64),
            Value::Bytes(bytes) => Some(mib(*bytes) as f64),
            Value::Milliwatts(milliwatts) => Some(*milliwatts as f64 / 1000.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(value: Value) -> String {
        String::from_utf8(value.plain().into_owned()).expect("ASCII")
    }

    #[test]
    fn memory_is_rounded_up() {
        assert_eq!(plain(Value::Bytes(0)), "0");
        assert_eq!(plain(Value::Bytes(1)), "1");
        assert_eq!(plain(Value::Bytes(644_939_776)), "616");
        assert_eq!(plain(Value::Bytes(150_754_820_096)), "143771");
        assert_eq!(plain(Value::Bytes(u64::MAX)), "17592186044416");
    }

    #[test]
    fn power_has_two_decimals() {
        assert_eq!(plain(Value::Milliwatts(79_494)), "79.49");
        assert_eq!(plain(Value::Milliwatts(79_496)), "79.50");
        assert_eq!(plain(Value::Milliwatts(700_000)), "700.00");
        // As the real one was seen to round: 5 mW down, 79.515 W down, 65.535 W up.
        assert_eq!(plain(Value::Milliwatts(5)), "0.00");
        assert_eq!(plain(Value::Milliwatts(79_515)), "79.51");
        assert_eq!(plain(Value::Milliwatts(65_535)), "65.54");
        assert_eq!(plain(Value::Milliwatts(0)), "0.00");
    }

    #[test]
    fn masks_are_upper_case_and_padded() {
        assert_eq!(plain(Value::Hex(0x1ff, 16)), "0x00000000000001FF");
        assert_eq!(plain(Value::Hex(0x8000_0000_0000_0201, 16)), "0x8000000000000201");
        assert_eq!(plain(Value::Hex(3, 1)), "0x3");
    }

    #[test]
    fn reasons_read_as_nvidia_smi_has_them() {
        assert_eq!(Reason::Code(Code::NOT_SUPPORTED).words(), "[N/A]");
        assert_eq!(Reason::Code(Code::FUNCTION_NOT_FOUND).words(), "[N/A]");
        assert_eq!(Reason::Code(Code::GPU_IS_LOST).words(), "[GPU is lost]");
        assert_eq!(Reason::NotApplicable.words(), "N/A");
    }
}
