//! The shapes of NVML's calls: one number out, a text out, two structs out. Each is written once, so that
//! each length and each pointer that goes to the library is seen to be right in one place.

use super::plain::{Plain, Versioned};
use super::{Handle, Library, Raw, Rc, Symbol, check, function};
use crate::driver::answers::Text;
use crate::driver::code::Code;
use nvml_wrapper_sys::bindings as sys;
use std::ffi::{c_char, c_uint};

/// Bytes up to the first NUL; a buffer without one is taken to its end, never past it.
pub(in crate::driver) fn text_of(buffer: &[c_char]) -> Text {
    Text(buffer.iter().take_while(|c| **c != 0).map(|c| c.to_ne_bytes()[0]).collect())
}

type GetText = unsafe extern "C" fn(Raw, *mut c_char, c_uint) -> Rc;
type GetOne<T> = unsafe extern "C" fn(Raw, *mut T) -> Rc;
type GetTwo<T, U> = unsafe extern "C" fn(Raw, *mut T, *mut U) -> Rc;

/// Calls `fill` with a buffer of `room` bytes.
fn fill_text(room: usize, fill: impl FnOnce(*mut c_char, c_uint) -> Rc) -> Result<Text, Code> {
    let mut buffer = vec![0 as c_char; room];
    check(fill(buffer.as_mut_ptr(), room as c_uint))?;
    Ok(text_of(&buffer))
}

/// A text about the device.
pub(in crate::driver) fn text(symbol: &Symbol<GetText>, device: Handle, room: usize) -> Result<Text, Code> {
    let call = function(symbol)?;
    // SAFETY: the signature is the library's, which writes at most the `room` that it is told.
    fill_text(room, |buffer, length| unsafe { call(device.0, buffer, length) })
}

/// A text about the device, chosen by a number.
pub(in crate::driver) fn text_by(
    symbol: &Symbol<unsafe extern "C" fn(Raw, c_uint, *mut c_char, c_uint) -> Rc>,
    device: Handle,
    which: u32,
    room: usize,
) -> Result<Text, Code> {
    let call = function(symbol)?;
    // SAFETY: as in `text`.
    fill_text(room, |buffer, length| unsafe { call(device.0, which, buffer, length) })
}

/// A text about the whole machine.
pub(in crate::driver) fn system_text(
    symbol: &Symbol<unsafe extern "C" fn(*mut c_char, c_uint) -> Rc>,
    room: usize,
) -> Result<Text, Code> {
    let call = function(symbol)?;
    // SAFETY: as in `text`.
    fill_text(room, |buffer, length| unsafe { call(buffer, length) })
}

/// A number about the whole machine.
pub(in crate::driver) fn system_number<T: Plain>(
    symbol: &Symbol<unsafe extern "C" fn(*mut T) -> Rc>,
) -> Result<T, Code> {
    let call = function(symbol)?;
    let mut out = T::zero();
    // SAFETY: the signature is the library's; `out` outlives the call.
    check(unsafe { call(&mut out) })?;
    Ok(out)
}

/// A number about the whole machine, chosen by another.
pub(in crate::driver) fn system_number_by<T: Plain>(
    symbol: &Symbol<unsafe extern "C" fn(c_uint, *mut T) -> Rc>,
    which: u32,
) -> Result<T, Code> {
    let call = function(symbol)?;
    let mut out = T::zero();
    // SAFETY: the signature is the library's; `out` outlives the call.
    check(unsafe { call(which, &mut out) })?;
    Ok(out)
}

/// The name of a process (`nvmlSystemGetProcessName`).
pub(in crate::driver) fn process_name(library: &Library, pid: u32, room: usize) -> Result<Text, Code> {
    let call = function(&library.lib().nvmlSystemGetProcessName)?;
    // SAFETY: as in `text`.
    fill_text(room, |buffer, length| unsafe { call(pid, buffer, length) })
}

/// One number or struct about the device.
pub(in crate::driver) fn number<T: Plain>(symbol: &Symbol<GetOne<T>>, device: Handle) -> Result<T, Code> {
    fill(symbol, device, T::zero())
}

/// One struct with a version word about the device.
pub(in crate::driver) fn versioned<T: Versioned>(symbol: &Symbol<GetOne<T>>, device: Handle) -> Result<T, Code> {
    fill(symbol, device, T::stamped())
}

/// One struct about the device, part of which the caller fills in.
pub(in crate::driver) fn fill<T: Plain>(symbol: &Symbol<GetOne<T>>, device: Handle, mut out: T) -> Result<T, Code> {
    let call = function(symbol)?;
    // SAFETY: the signature is the library's; `out` outlives the call and has the size that it expects.
    check(unsafe { call(device.0, &mut out) })?;
    Ok(out)
}

/// One number or struct about the device, chosen by a number.
pub(in crate::driver) fn number_by<T: Plain>(
    symbol: &Symbol<unsafe extern "C" fn(Raw, c_uint, *mut T) -> Rc>,
    device: Handle,
    which: u32,
) -> Result<T, Code> {
    let call = function(symbol)?;
    let mut out = T::zero();
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, which, &mut out) })?;
    Ok(out)
}

/// Two numbers about the device.
pub(in crate::driver) fn pair<T: Plain, U: Plain>(
    symbol: &Symbol<GetTwo<T, U>>,
    device: Handle,
) -> Result<(T, U), Code> {
    fill_pair(symbol, device, T::zero(), U::zero())
}

/// Two structs with version words about the device.
pub(in crate::driver) fn versioned_pair<T: Versioned>(
    symbol: &Symbol<GetTwo<T, T>>,
    device: Handle,
) -> Result<(T, T), Code> {
    fill_pair(symbol, device, T::stamped(), T::stamped())
}

fn fill_pair<T, U>(symbol: &Symbol<GetTwo<T, U>>, device: Handle, mut a: T, mut b: U) -> Result<(T, U), Code> {
    let call = function(symbol)?;
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, &mut a, &mut b) })?;
    Ok((a, b))
}

/// Three numbers about the device.
pub(in crate::driver) fn triple(
    symbol: &Symbol<unsafe extern "C" fn(Raw, *mut c_uint, *mut c_uint, *mut c_uint) -> Rc>,
    device: Handle,
) -> Result<(u32, u32, u32), Code> {
    let call = function(symbol)?;
    let (mut a, mut b, mut c) = (0, 0, 0);
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, &mut a, &mut b, &mut c) })?;
    Ok((a, b, c))
}

/// Four numbers about the device.
pub(in crate::driver) fn quadruple(
    symbol: &Symbol<unsafe extern "C" fn(Raw, *mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint) -> Rc>,
    device: Handle,
) -> Result<[u32; 4], Code> {
    let call = function(symbol)?;
    let [mut a, mut b, mut c, mut d] = [0; 4];
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, &mut a, &mut b, &mut c, &mut d) })?;
    Ok([a, b, c, d])
}

/// A call that only says yes or no.
pub(in crate::driver) fn verdict(symbol: &Symbol<unsafe extern "C" fn(Raw) -> Rc>, device: Handle) -> Result<(), Code> {
    let call = function(symbol)?;
    // SAFETY: the signature is the library's.
    check(unsafe { call(device.0) })
}

/// `nvmlDeviceGetTotalEccErrors`.
pub(in crate::driver) fn total_errors(library: &Library, device: Handle, kind: u32, counter: u32) -> Result<u64, Code> {
    let call = function(&library.lib().nvmlDeviceGetTotalEccErrors)?;
    let mut out = 0;
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, kind, counter, &mut out) })?;
    Ok(out)
}

/// `nvmlDeviceGetMemoryErrorCounter`.
pub(in crate::driver) fn memory_errors(
    library: &Library,
    device: Handle,
    kind: u32,
    counter: u32,
    location: u32,
) -> Result<u64, Code> {
    let call = function(&library.lib().nvmlDeviceGetMemoryErrorCounter)?;
    let mut out = 0;
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, kind, counter, location, &mut out) })?;
    Ok(out)
}

/// `nvmlDeviceGetHostname_v1`: a struct of 64 characters without a version word. The sys layer lacks it.
pub(in crate::driver) fn hostname(library: &Library, device: Handle) -> Result<Text, Code> {
    // SAFETY: the type is that of the function in NVML's header for CUDA 13.
    let call = unsafe { library.named::<GetOne<[c_char; 64]>>(b"nvmlDeviceGetHostname_v1\0") };
    let name = fill(&Ok(call?), device, <[c_char; 64]>::zero())?;
    Ok(text_of(&name))
}

/// `nvmlDeviceGetRemappedRows_v2`: six numbers without a version word. The sys layer lacks it.
pub(in crate::driver) fn remapped_rows_v2(library: &Library, device: Handle) -> Result<[u32; 6], Code> {
    // SAFETY: the type is that of the function in the bindings that NVIDIA publishes for Python.
    let call = unsafe { library.named::<GetOne<[c_uint; 6]>>(b"nvmlDeviceGetRemappedRows_v2\0") };
    fill(&Ok(call?), device, [0; 6])
}

/// `nvmlDeviceGetDramEncryptionMode`, `nvmlDeviceGetTemperatureV` and the like need the caller's choice in
/// the struct: a temperature sensor here.
pub(in crate::driver) fn temperature(library: &Library, device: Handle, sensor: u32) -> Result<i32, Code> {
    let mut ask = sys::nvmlTemperature_v1_t::stamped();
    ask.sensorType = sensor;
    fill(&library.lib().nvmlDeviceGetTemperatureV, device, ask).map(|out| out.temperature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_an_end_stops_at_the_buffer() {
        assert_eq!(text_of(&[72, 105, 0, 120]), Text::from("Hi"));
        assert_eq!(text_of(&[72, 105]), Text::from("Hi"));
        assert_eq!(text_of(&[0]), Text::default());
    }
}
