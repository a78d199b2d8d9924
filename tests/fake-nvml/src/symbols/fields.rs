//! `nvmlDeviceGetFieldValues`: many numbered values in one call, each with a code of its own. Recordings
//! number them as drivers from 580.82 on; an older driver's caller uses, and gets, the older numbers.

use crate::call::{Call, Given, On};
use crate::code::{FUNCTION_NOT_FOUND, INVALID_ARGUMENT, NOT_SUPPORTED, UNKNOWN};
use crate::room;
use nvml_wrapper_sys::bindings::{self as sys, nvmlDevice_t};
use serde_json::Value;
use std::ffi::c_int;

/// The values that rsmi asks for: one of them that was not recorded answers as in a replay; any other
/// answers "not supported". A test holds this list against rsmi's.
pub const ASKED: [u32; 39] = [
    74, 76, 82, 94, 95, 185, 186, 187, 188, 189, 190, 192, 193, 194, 195, 196, 228, 230, 251, 264, 269, 270, 271, 272,
    273, 275, 276, 277, 278, 279, 280, 281, 282, 283, 284, 285, 286, 287, 288,
];

/// The number by which a recording knows what a driver before 580.82 calls `id`.
fn recorded_number(id: u32) -> u32 {
    match id {
        251..=255 => id + 18,
        256..=273 => id - 5,
        _ => id,
    }
}

/// Puts a number into `value` in the type in which drivers send value `id`, if it is one of those that a caller
/// reads in one type only, whatever the type that comes with it; or tells that the number does not fit.
fn fill_as_drivers_do(value: &mut sys::nvmlFieldValue_t, id: u32, answer: &Value) -> Option<()> {
    match id {
        185..=192 | 280 => {
            value.value.uiVal = u32::try_from(answer.as_u64()?).ok()?;
            value.valueType = 1;
        }
        279 | 282 | 283 | 286 | 287 => {
            value.value.usVal = u16::try_from(answer.as_u64()?).ok()?;
            value.valueType = 6;
        }
        275..=278 | 281 | 284 | 285 | 288 => {
            value.value.dVal = answer.as_f64()?;
            value.valueType = 0;
        }
        _ => return None,
    }
    Some(())
}

/// Answers `value`, which a recording calls `id`.
fn fill(value: &mut sys::nvmlFieldValue_t, id: u32, answer: Result<Value, u32>) {
    (value.timestamp, value.latencyUsec) = (1, 0);
    let answer = answer.and_then(|answer| {
        if fill_as_drivers_do(value, id, &answer).is_some() {
            return Ok(());
        }
        if let Some(number) = answer.as_u64() {
            value.valueType = 3;
            value.value.ullVal = number;
        } else if let Some(number) = answer.as_i64() {
            value.valueType = 4;
            value.value.sllVal = number;
        } else {
            value.valueType = 0;
            value.value.dVal = answer.as_f64().ok_or(UNKNOWN)?;
        }
        Ok(())
    });
    value.nvmlReturn = answer.err().unwrap_or(0);
}

/// Answers the values one by one.
///
/// # Safety
/// `values` must point to `count` values.
unsafe fn answer(call: &Call<'_>, count: usize, values: *mut sys::nvmlFieldValue_t) -> Result<(), u32> {
    let instead = call.instead()?;
    let old = call.fake.has_old_field_numbers();
    for at in 0..count {
        // SAFETY: `at` is less than `count`.
        let place = unsafe { values.add(at) };
        // SAFETY: as above; the struct is of integers.
        let mut value = unsafe { place.read_unaligned() };
        let id = if old { recorded_number(value.fieldId) } else { value.fieldId };
        match &instead {
            Some(Given::Json(json)) => fill(&mut value, id, Ok(json.as_ref().clone())),
            Some(_) => {}
            None => {
                let missing = if ASKED.contains(&id) { FUNCTION_NOT_FOUND } else { NOT_SUPPORTED };
                let recorded = call.part(&[id, value.scopeId], missing);
                fill(&mut value, id, recorded);
            }
        }
        // SAFETY: as above.
        unsafe { place.write_unaligned(value) };
    }
    if let Some(mut given @ (Given::Bytes(_) | Given::Noise(_))) = instead {
        // Bytes lie at the start of the first value; noise fills a few, with its own idea of their types.
        for at in 0..count.min(64) {
            // SAFETY: `at` is less than `count`.
            unsafe { room::put_with(values.add(at), &mut given, |_| None)? };
            if matches!(given, Given::Bytes(_)) {
                break;
            }
        }
    }
    Ok(())
}

export!(
    nvmlDeviceGetFieldValues, On::Device(device), FUNCTION_NOT_FOUND, [],
    (device: nvmlDevice_t, count: c_int, values: *mut sys::nvmlFieldValue_t),
    |call| match usize::try_from(count) {
        Ok(count) if count > 0 && !values.is_null() => answer(call, count, values),
        _ => Err(INVALID_ARGUMENT),
    }
);

#[cfg(test)]
mod tests {
    use super::*;
    use rsmi::driver::{Driver, recording};
    use std::collections::BTreeSet;

    #[test]
    fn a_value_has_the_type_that_drivers_send_where_its_number_fits() {
        let filled = |id: u32, answer: Value| {
            // SAFETY: a struct of integers and a union of numbers.
            let mut value: sys::nvmlFieldValue_t = unsafe { std::mem::zeroed() };
            fill(&mut value, id, Ok(answer));
            assert_eq!(value.nvmlReturn, 0, "{id}");
            value
        };
        for (id, answer, kind) in [
            (185, 79_494.into(), 1),
            (185, u64::MAX.into(), 3),
            (185, 1.5.into(), 0),
            (186, (-5).into(), 4),
            (275, 700.into(), 0),
            (279, 65_535.into(), 6),
            (279, 65_536.into(), 3),
            (280, 1.into(), 1),
            (74, 1.into(), 3),
        ] {
            assert_eq!(filled(id, answer).valueType, kind, "{id}");
        }
        // SAFETY: the types are those that were just checked.
        let (real, short) = unsafe { (filled(275, 700.into()).value.dVal, filled(279, 65_535.into()).value.usVal) };
        assert_eq!((real, short), (700.0, u16::MAX));
    }

    #[test]
    fn what_rsmi_asks_is_known_here() {
        // A machine that knows nothing answers every question that rsmi has with an error, by its key.
        let file = std::env::temp_dir().join(format!("fake-nvml-empty-{}.json", std::process::id()));
        let empty = serde_json::json!({
            "rsmi_recording": 1, "taken": "2026-11-29T12:00:00.000",
            "system": { "nvmlDeviceGetCount_v2": 1 }, "devices": [{}]
        });
        std::fs::write(&file, empty.to_string()).expect("a file");
        let driver = Driver::replay(&file).expect("a recording");
        std::fs::remove_file(&file).expect("the test's own file");
        let frame = recording::take(&driver, &rsmi::host::System);
        let keys: Vec<String> = frame
            .system
            .into_keys()
            .chain(frame.devices.into_iter().flat_map(|device| device.answers.into_keys()))
            .collect();
        let asked: BTreeSet<u32> = keys
            .iter()
            .filter_map(|key| key.strip_prefix("nvmlDeviceGetFieldValues(")?.split(',').next()?.parse().ok())
            .collect();
        assert_eq!(asked, BTreeSet::from(ASKED));
        let stubs = include_str!(concat!(env!("OUT_DIR"), "/stubs.rs"));
        for key in &keys {
            let symbol = key.split('(').next().unwrap_or_default();
            assert!(!stubs.contains(&format!("({symbol})")), "{symbol} is not modelled");
        }
    }
}
