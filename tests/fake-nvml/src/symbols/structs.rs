//! C structs that rsmi asks of a device, with version words and without.

use crate::call::On;
use crate::code::{ARGUMENT_VERSION_MISMATCH, FUNCTION_NOT_FOUND, NOT_SUPPORTED};
use crate::json::{self, FromJson};
use crate::room;
use nvml_wrapper_sys::bindings::{self as sys, nvmlDevice_t};
use std::ffi::c_void;

one! { FUNCTION_NOT_FOUND;
    nvmlDeviceGetUtilizationRates: sys::nvmlUtilization_t;
    nvmlDeviceGetMemoryInfo: sys::nvmlMemory_t;
    nvmlDeviceGetConfComputeProtectedMemoryUsage: sys::nvmlMemory_t;
    nvmlDeviceGetBAR1MemoryInfo: sys::nvmlBAR1Memory_t;
    nvmlDeviceGetPciInfo_v3: sys::nvmlPciInfo_t;
    nvmlDeviceGetRowRemapperHistogram: sys::nvmlRowRemapperHistogramValues_t;
    nvmlDeviceGetRemappedRows_v2: json::RemappedRowsV2;
    nvmlDeviceGetGpuFabricInfo: sys::nvmlGpuFabricInfo_t;
    nvmlDeviceGetC2cModeInfoV: sys::nvmlC2cModeInfo_v1_t;
    nvmlDeviceGetAttributes_v2: sys::nvmlDeviceAttributes_t;
    nvmlDeviceGetHostname_v1: [i8; 64];
}

one_by! { FUNCTION_NOT_FOUND;
    nvmlDeviceGetAccountingStats: sys::nvmlAccountingStats_t;
}

versioned! { FUNCTION_NOT_FOUND;
    nvmlDeviceGetMemoryInfo_v2: sys::nvmlMemory_v2_t;
    nvmlDeviceGetPciInfoExt: sys::nvmlPciInfoExt_v1_t;
    nvmlDeviceGetAddressingMode: sys::nvmlDeviceAddressingMode_v1_t;
    nvmlDeviceGetMarginTemperature: sys::nvmlMarginTemperature_v1_t;
    nvmlDeviceGetSramEccErrorStatus: sys::nvmlEccSramErrorStatus_v1_t;
    nvmlDeviceGetPlatformInfo: sys::nvmlPlatformInfo_v2_t | sys::nvmlPlatformInfo_v1_t;
    nvmlDeviceGetGpuFabricInfoV: sys::nvmlGpuFabricInfo_v3_t | sys::nvmlGpuFabricInfo_v2_t;
}

// The caller names the sensor in the struct; a recording keeps the chip's.
export!(
    nvmlDeviceGetTemperatureV, On::Device(device), FUNCTION_NOT_FOUND, [],
    (device: nvmlDevice_t, out: *mut sys::nvmlTemperature_v1_t),
    |call| {
        if !room::means::<sys::nvmlTemperature_v1_t>(call, room::word(out)?) {
            return Err(ARGUMENT_VERSION_MISMATCH);
        }
        if out.read_unaligned().sensorType != 0 {
            return Err(NOT_SUPPORTED);
        }
        room::put_versioned(out, &mut call.given()?, FromJson::from_json)
    }
);
export!(
    nvmlDeviceGetDramEncryptionMode, On::Device(device), FUNCTION_NOT_FOUND, [],
    (
        device: nvmlDevice_t,
        current: *mut sys::nvmlDramEncryptionInfo_v1_t,
        pending: *mut sys::nvmlDramEncryptionInfo_v1_t
    ),
    |call| {
        for out in [current, pending] {
            if !room::means::<sys::nvmlDramEncryptionInfo_v1_t>(call, room::word(out)?) {
                return Err(ARGUMENT_VERSION_MISMATCH);
            }
        }
        let mut given = call.given()?;
        room::put_versioned(current, &mut given, |value| json::member(value, "current"))?;
        room::put_versioned(pending, &mut given, |value| json::member(value, "pending"))
    }
);
