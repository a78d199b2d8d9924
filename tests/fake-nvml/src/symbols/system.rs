//! The machine as a whole: versions, the number of devices, names of processes.

use crate::call::On;
use crate::code::{FUNCTION_NOT_FOUND, NOT_SUPPORTED};
use crate::room;
use nvml_wrapper_sys::bindings::nvmlExcludedDeviceInfo_t;
use std::ffi::{c_char, c_int};

export!(nvmlSystemGetDriverVersion, On::System, FUNCTION_NOT_FOUND, [], (out: *mut c_char, length: u32), |call| {
    room::put_text(out, length, call.given()?)
});
export!(nvmlSystemGetNVMLVersion, On::Library, FUNCTION_NOT_FOUND, [], (out: *mut c_char, length: u32), |call| {
    room::put_text(out, length, call.given()?)
});
export!(
    nvmlSystemGetProcessName, On::System, FUNCTION_NOT_FOUND, [pid],
    (pid: u32, out: *mut c_char, length: u32),
    |call| {
        room::put_text(out, length, call.given()?)
    }
);
export!(nvmlSystemGetCudaDriverVersion_v2, On::Library, FUNCTION_NOT_FOUND, [], (out: *mut c_int), |call| {
    room::put(out, call)
});
export!(nvmlSystemGetCudaDriverVersion, On::Library, NOT_SUPPORTED, [], (out: *mut c_int), |call| room::put(out, call));
export!(nvmlDeviceGetCount_v2, On::System, FUNCTION_NOT_FOUND, [], (out: *mut u32), |call| room::put_count(out, call));
export!(nvmlDeviceGetCount, On::System, NOT_SUPPORTED, [], (out: *mut u32), |call| room::put_count(out, call));
export!(nvmlGetVgpuDriverCapabilities, On::System, FUNCTION_NOT_FOUND, [which], (which: u32, out: *mut u32), |call| {
    room::put(out, call)
});
export!(nvmlGetExcludedDeviceCount, On::System, FUNCTION_NOT_FOUND, [], (out: *mut u32), |call| room::put(out, call));
export!(
    nvmlGetExcludedDeviceInfoByIndex, On::System, FUNCTION_NOT_FOUND, [index],
    (index: u32, out: *mut nvmlExcludedDeviceInfo_t),
    |call| {
        room::put(out, call)
    }
);
