//! `nvmlDeviceGetFieldValues`: numbered values, each with a return code and a type of its own.

use super::plain::Plain;
use super::{Handle, Library, check, function};
use crate::driver::answers::FieldValue;
use crate::driver::code::Code;
use nvml_wrapper_sys::bindings as sys;

/// Which numbers the library uses for the values 251 to 273 of `nvmlDeviceGetFieldValues`: 580.82 gave
/// them new ones, so the wrong numbering reads another counter.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(in crate::driver) enum FieldNumbers {
    /// Before 580.82.
    Old,
    /// From 580.82 on: the numbers that this program uses.
    New,
    /// The driver's version cannot be read: those values are not asked for.
    Unknown,
}

impl FieldNumbers {
    /// The numbering that goes with a driver version such as `580.159.04`.
    pub(in crate::driver) fn of(version: &str) -> Self {
        let mut parts = version.split('.').map(str::parse::<u32>);
        match (parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= (580, 82) => Self::New,
            (Some(Ok(_)), Some(Ok(_))) => Self::Old,
            _ => Self::Unknown,
        }
    }

    /// The library's number for what this program calls `id`.
    pub(in crate::driver) fn translate(self, id: u32) -> Result<u32, Code> {
        match (self, id) {
            (Self::Unknown, 251..=273) => Err(Code::FUNCTION_NOT_FOUND),
            (Self::Old, 251..=268) => Ok(id + 5),
            (Self::Old, 269..=273) => Ok(id - 18),
            _ => Ok(id),
        }
    }
}

/// One value of `nvmlDeviceGetFieldValues`. The call succeeds as a whole; the value has a code of its own.
pub(in crate::driver) fn field_value(
    library: &Library,
    device: Handle,
    id: u32,
    scope: u32,
) -> Result<FieldValue, Code> {
    // The two groups are laid out alike on all drivers, so the common numbers need no version.
    let translated = match id {
        251..=273 => library.field_numbers().translate(id)?,
        _ => id,
    };
    let call = function(&library.lib().nvmlDeviceGetFieldValues)?;
    let mut ask = sys::nvmlFieldValue_t::zero();
    ask.fieldId = translated;
    ask.scopeId = scope;
    // SAFETY: one value is asked for and there is room for one.
    check(unsafe { call(device.0, 1, &mut ask) })?;
    check(ask.nvmlReturn)?;
    // SAFETY: the union was zeroed before the call and every member of it is a plain number, so each of
    // them can be read; `valueType` only says which one means something.
    unsafe {
        match ask.valueType {
            0 => Ok(FieldValue::Real(ask.value.dVal)),
            1 => Ok(FieldValue::Unsigned(ask.value.uiVal.into())),
            2 => Ok(FieldValue::Unsigned(ask.value.ulVal)),
            3 => Ok(FieldValue::Unsigned(ask.value.ullVal)),
            4 => Ok(FieldValue::Signed(ask.value.sllVal)),
            5 => Ok(FieldValue::Signed(ask.value.siVal.into())),
            6 => Ok(FieldValue::Unsigned(ask.value.usVal.into())),
            // A type from the future: the number's width is unknown, so it is no number.
            _ => Err(Code::NOT_SUPPORTED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_numbers_follow_the_driver() {
        assert_eq!(FieldNumbers::of("580.159.04"), FieldNumbers::New);
        assert_eq!(FieldNumbers::of("580.82.07"), FieldNumbers::New);
        assert_eq!(FieldNumbers::of("610.43"), FieldNumbers::New);
        assert_eq!(FieldNumbers::of("580.65.06"), FieldNumbers::Old);
        assert_eq!(FieldNumbers::of("garbage"), FieldNumbers::Unknown);
        // The software thermal counter was 251 and became 269; power smoothing 256 became 251.
        assert_eq!(FieldNumbers::Old.translate(269), Ok(251));
        assert_eq!(FieldNumbers::Old.translate(251), Ok(256));
        assert_eq!(FieldNumbers::New.translate(269), Ok(269));
        assert_eq!(FieldNumbers::Unknown.translate(269), Err(Code::FUNCTION_NOT_FOUND));
        assert_eq!(FieldNumbers::Unknown.translate(186), Ok(186));
    }
}
