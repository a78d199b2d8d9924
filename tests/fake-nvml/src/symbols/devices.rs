//! Handles of devices and of MIG devices.

use crate::call::{Call, Given, On};
use crate::code::{self, FUNCTION_NOT_FOUND, NOT_SUPPORTED};
use crate::fake::fake;
use crate::handles::{self, Place};
use crate::room;
use nvml_wrapper_sys::bindings::nvmlDevice_t;
use serde_json::Value;
use std::borrow::Cow;
use std::ffi::{CStr, c_char};

/// Writes the handle for a place, or what a rule or the noise puts there: raw bytes, or NULL.
///
/// # Safety
/// `out` must be null or point to room for a handle.
unsafe fn put_handle(call: &Call<'_>, out: *mut nvmlDevice_t, place: Place) -> Result<(), u32> {
    let valid = |valid: bool| Given::Json(Cow::Owned(if valid { Value::Bool(true) } else { Value::Null }));
    let mut given = match call.instead()? {
        Some(Given::Noise(mut noise)) => valid(noise.next() % 4 != 0),
        Some(given) => given,
        None => valid(true),
    };
    // SAFETY: as here.
    unsafe {
        room::put_with(out, &mut given, |value| {
            Some(if value.is_null() { std::ptr::null_mut() } else { handles::handle(place) })
        })
    }
}

/// A handle by index, unless the device cannot be had.
///
/// # Safety
/// As for [`put_handle`].
unsafe fn put_reachable(call: &Call<'_>, out: *mut nvmlDevice_t, place: Place) -> Result<(), u32> {
    if !matches!(call.instead()?, Some(Given::Json(_) | Given::Bytes(_))) {
        call.fake.machine.as_ref().ok_or(code::DRIVER_NOT_LOADED)?.answers(Some(place))?;
    }
    // SAFETY: as here.
    unsafe { put_handle(call, out, place) }
}

/// A handle of the device whose recorded `key` passes a test.
///
/// # Safety
/// `text` must be null or end in NUL; `out` as for [`put_handle`].
unsafe fn search(
    symbol: &'static str,
    text: *const c_char,
    out: *mut nvmlDevice_t,
    key: &str,
    same: impl Fn(&Value, &str) -> bool,
) -> u32 {
    // SAFETY: the caller's text.
    let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
    let found = text.as_ref().and_then(|text| fake().machine.as_ref()?.find(key, |value| same(value, text)));
    let on = found.map_or(On::System, |place| On::Index(place.device));
    let asked = crate::call::Asked { symbol, arguments: &[], missing: FUNCTION_NOT_FOUND };
    crate::call::serve(on, &asked, |call| {
        if text.is_none() {
            return Err(code::INVALID_ARGUMENT);
        }
        // SAFETY: as here.
        unsafe { put_handle(call, out, found.ok_or(code::NOT_FOUND)?) }
    })
}

fn same_text(value: &Value, text: &str) -> bool {
    value.as_str().is_some_and(|known| known == text)
}

fn same_bus_id(value: &Value, text: &str) -> bool {
    let known = value.get("bus_id").and_then(Value::as_str).unwrap_or_default();
    let parse = super::start::parse_bus_id;
    known.eq_ignore_ascii_case(text) || parse(text).is_some_and(|wanted| parse(known) == Some(wanted))
}

export!(
    nvmlDeviceGetHandleByIndex_v2, On::Index(index), FUNCTION_NOT_FOUND, [index],
    (index: u32, out: *mut nvmlDevice_t),
    |call| {
        put_reachable(call, out, Place { device: index, slot: None })
    }
);
export!(
    nvmlDeviceGetHandleByIndex, On::Index(index), NOT_SUPPORTED, [index],
    (index: u32, out: *mut nvmlDevice_t),
    |call| {
        put_reachable(call, out, Place { device: index, slot: None })
    }
);
export!(
    nvmlDeviceGetMigDeviceHandleByIndex, On::Device(device), FUNCTION_NOT_FOUND, [slot],
    (device: nvmlDevice_t, slot: u32, out: *mut nvmlDevice_t),
    |call| match call.place {
        Some(Place { device, slot: None }) => put_reachable(call, out, Place { device, slot: Some(slot) }),
        _ => Err(code::INVALID_ARGUMENT),
    }
);
export!(
    nvmlDeviceGetDeviceHandleFromMigDeviceHandle, On::Device(mig), FUNCTION_NOT_FOUND, [],
    (mig: nvmlDevice_t, out: *mut nvmlDevice_t),
    |call| match call.place {
        Some(Place { device, slot: Some(_) }) => put_handle(call, out, Place { device, slot: None }),
        _ => Err(code::INVALID_ARGUMENT),
    }
);
export!(
    nvmlDeviceIsMigDeviceHandle, On::Device(device), FUNCTION_NOT_FOUND, [],
    (device: nvmlDevice_t, out: *mut u32),
    |call| {
        let is = call.place.is_some_and(|place| place.slot.is_some());
        let mut given = call.instead()?.unwrap_or(Given::Json(Cow::Owned(u32::from(is).into())));
        room::put_with(out, &mut given, crate::json::FromJson::from_json)
    }
);

/// By UUID, of a MIG device too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByUUID(text: *const c_char, out: *mut nvmlDevice_t) -> u32 {
    // SAFETY: the module's contract.
    unsafe { search("nvmlDeviceGetHandleByUUID", text, out, "nvmlDeviceGetUUID", same_text) }
}

/// By serial number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleBySerial(text: *const c_char, out: *mut nvmlDevice_t) -> u32 {
    // SAFETY: the module's contract.
    unsafe { search("nvmlDeviceGetHandleBySerial", text, out, "nvmlDeviceGetSerial", same_text) }
}

/// By bus id, in any of its spellings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByPciBusId_v2(text: *const c_char, out: *mut nvmlDevice_t) -> u32 {
    // SAFETY: the module's contract.
    unsafe { search("nvmlDeviceGetHandleByPciBusId_v2", text, out, "nvmlDeviceGetPciInfo_v3", same_bus_id) }
}

/// The older form of the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByPciBusId(text: *const c_char, out: *mut nvmlDevice_t) -> u32 {
    // SAFETY: the module's contract.
    unsafe { search("nvmlDeviceGetHandleByPciBusId", text, out, "nvmlDeviceGetPciInfo_v3", same_bus_id) }
}
