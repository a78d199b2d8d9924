//! Numbers and texts that rsmi asks of a device.

use crate::call::On;
use crate::code::{FUNCTION_NOT_FOUND, INVALID_ARGUMENT};
use crate::room;
use nvml_wrapper_sys::bindings::nvmlDevice_t;
use std::ffi::{c_char, c_int};

one! { FUNCTION_NOT_FOUND;
    nvmlDeviceGetIndex: u32;
    nvmlDeviceGetArchitecture: u32;
    nvmlDeviceGetDisplayMode: u32;
    nvmlDeviceGetDisplayActive: u32;
    nvmlDeviceGetPersistenceMode: u32;
    nvmlDeviceGetComputeMode: u32;
    nvmlDeviceGetAccountingMode: u32;
    nvmlDeviceGetAccountingBufferSize: u32;
    nvmlDeviceGetFanSpeed: u32;
    nvmlDeviceGetPerformanceState: u32;
    nvmlDeviceGetSupportedClocksThrottleReasons: u64;
    nvmlDeviceGetSupportedClocksEventReasons: u64;
    nvmlDeviceGetCurrentClocksThrottleReasons: u64;
    nvmlDeviceGetCurrentClocksEventReasons: u64;
    nvmlDeviceGetRetiredPagesPendingStatus: u32;
    nvmlDeviceGetPowerManagementMode: u32;
    nvmlDeviceGetPowerUsage: u32;
    nvmlDeviceGetPowerManagementLimit: u32;
    nvmlDeviceGetEnforcedPowerLimit: u32;
    nvmlDeviceGetPowerManagementDefaultLimit: u32;
    nvmlDeviceGetCurrPcieLinkGeneration: u32;
    nvmlDeviceGetMaxPcieLinkGeneration: u32;
    nvmlDeviceGetGpuMaxPcieLinkGeneration: u32;
    nvmlDeviceGetCurrPcieLinkWidth: u32;
    nvmlDeviceGetMaxPcieLinkWidth: u32;
    nvmlDeviceGetModuleId: u32;
    nvmlDeviceGetVirtualizationMode: u32;
    nvmlDeviceGetMaxMigDeviceCount: u32;
    nvmlDeviceGetGpuInstanceId: u32;
    nvmlDeviceGetComputeInstanceId: u32;
}

one_by! { FUNCTION_NOT_FOUND;
    nvmlDeviceGetClockInfo: u32;
    nvmlDeviceGetMaxClockInfo: u32;
    nvmlDeviceGetApplicationsClock: u32;
    nvmlDeviceGetDefaultApplicationsClock: u32;
    nvmlDeviceGetVgpuCapabilities: u32;
}

one_by_two! { FUNCTION_NOT_FOUND;
    nvmlDeviceGetTotalEccErrors: u64;
}

several! { FUNCTION_NOT_FOUND;
    nvmlDeviceGetCudaComputeCapability: major: c_int, minor: c_int;
    nvmlDeviceGetDriverModel_v2: current: u32, pending: u32;
    nvmlDeviceGetGpuOperationMode: current: u32, pending: u32;
    nvmlDeviceGetMigMode: current: u32, pending: u32;
    nvmlDeviceGetEccMode: current: u32, pending: u32;
    nvmlDeviceGetGspFirmwareMode: enabled: u32, default: u32;
    nvmlDeviceGetPowerManagementLimitConstraints: min: u32, max: u32;
    nvmlDeviceGetEncoderStats: sessions: u32, fps: u32, latency: u32;
    nvmlDeviceGetRemappedRows: correctable: u32, uncorrectable: u32, pending: u32, failure: u32;
}

text! { FUNCTION_NOT_FOUND;
    nvmlDeviceGetName;
    nvmlDeviceGetUUID;
    nvmlDeviceGetSerial;
    nvmlDeviceGetVbiosVersion;
    nvmlDeviceGetInforomImageVersion;
}

export!(
    nvmlDeviceGetInforomVersion, On::Device(device), FUNCTION_NOT_FOUND, [which],
    (device: nvmlDevice_t, which: u32, out: *mut c_char, length: u32),
    |call| room::put_text(out, length, call.given()?)
);
export!(
    nvmlDeviceGetMemoryErrorCounter, On::Device(device), FUNCTION_NOT_FOUND, [kind, counter, location],
    (device: nvmlDevice_t, kind: u32, counter: u32, location: u32, out: *mut u64),
    |call| room::put(out, call)
);
export!(nvmlDeviceValidateInforom, On::Device(device), FUNCTION_NOT_FOUND, [], (device: nvmlDevice_t), |call| {
    call.given().map(|_| ())
});
// A recording keeps the temperature of the chip, the only sensor that this form of the call knows.
export!(
    nvmlDeviceGetTemperature, On::Device(device), FUNCTION_NOT_FOUND, [],
    (device: nvmlDevice_t, sensor: u32, out: *mut u32),
    |call| if sensor == 0 { room::put(out, call) } else { Err(INVALID_ARGUMENT) }
);

/// How busy an engine is, with the sampling period, which recordings do not keep.
macro_rules! engines {
    ($($name:ident;)*) => { $(
        export!(
            $name, On::Device(device), FUNCTION_NOT_FOUND, [],
            (device: nvmlDevice_t, percent: *mut u32, period: *mut u32),
            |call| {
                if percent.is_null() || period.is_null() {
                    return Err(INVALID_ARGUMENT);
                }
                let mut given = call.given()?;
                room::put_with(percent, &mut given, crate::json::FromJson::from_json)?;
                room::put_with(period, &mut given, |_| Some(PERIOD))
            }
        );
    )* };
}

/// Microseconds, as an H200 tells.
const PERIOD: u32 = 200_000;

engines! {
    nvmlDeviceGetEncoderUtilization;
    nvmlDeviceGetDecoderUtilization;
    nvmlDeviceGetJpgUtilization;
    nvmlDeviceGetOfaUtilization;
}
