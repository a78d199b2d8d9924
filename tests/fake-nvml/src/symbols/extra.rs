//! What rsmi never asks and other programs do (gpustat, nvitop, pynvml's getters, old clients): answered
//! where a recording has the key or the answer follows from another, else "not supported".

use crate::call::On;
use crate::code::{INVALID_ARGUMENT, NOT_SUPPORTED};
use crate::json::{self, FromJson};
use crate::room::{self, Entries};
use nvml_wrapper_sys::bindings::{self as sys, nvmlDevice_t};
use serde_json::Value;
use std::ffi::{c_char, c_int, c_void};

one! { NOT_SUPPORTED;
    nvmlDeviceGetNumFans: u32;
    nvmlDeviceGetBrand: u32;
    nvmlDeviceGetMinorNumber: u32;
    nvmlDeviceGetBoardId: u32;
    nvmlDeviceGetMultiGpuBoard: u32;
    nvmlDeviceGetPcieReplayCounter: u32;
    nvmlDeviceGetBusType: u32;
    nvmlDeviceGetIrqNum: u32;
    nvmlDeviceGetNumGpuCores: u32;
    nvmlDeviceGetPowerSource: u32;
    nvmlDeviceGetPowerState: u32;
    nvmlDeviceGetMemoryBusWidth: u32;
    nvmlDeviceGetPcieLinkMaxSpeed: u32;
    nvmlDeviceGetPcieSpeed: u32;
    nvmlDeviceGetAdaptiveClockInfoStatus: u32;
    nvmlDeviceGetNumaNodeId: u32;
    nvmlDeviceGetInforomConfigurationChecksum: u32;
    nvmlDeviceGetHostVgpuMode: u32;
    nvmlDeviceGetDefaultEccMode: u32;
    nvmlDeviceGetTotalEnergyConsumption: u64;
    nvmlDeviceGetSupportedEventTypes: u64;
    nvmlDeviceGetPciInfo: json::PciV1;
    nvmlDeviceGetPciInfo_v2: json::PciV2;
}

one_by! { NOT_SUPPORTED;
    nvmlDeviceGetFanSpeed_v2: u32;
    nvmlDeviceGetTargetFanSpeed: u32;
    nvmlDeviceGetPcieThroughput: u32;
    nvmlDeviceGetTemperatureThreshold: u32;
    nvmlDeviceGetMaxCustomerBoostClock: u32;
    nvmlDeviceGetEncoderCapacity: u32;
    nvmlDeviceGetNvLinkState: u32;
    nvmlDeviceGetNvLinkVersion: u32;
    nvmlDeviceGetViolationStatus: sys::nvmlViolationTime_t;
}

one_by_two! { NOT_SUPPORTED;
    nvmlDeviceGetClock: u32;
    nvmlDeviceGetNvLinkCapability: u32;
    nvmlDeviceGetNvLinkErrorCounter: u64;
}

several! { NOT_SUPPORTED;
    nvmlDeviceGetDriverModel: current: u32, pending: u32;
    nvmlDeviceGetAutoBoostedClocksEnabled: current: u32, default: u32;
    nvmlDeviceGetMinMaxFanSpeed: min: u32, max: u32;
    nvmlDeviceGetFBCStats: sessions: u32, fps: u32, latency: u32;
}

text! { NOT_SUPPORTED;
    nvmlDeviceGetBoardPartNumber;
}

/// `NVML_GSP_FIRMWARE_VERSION_BUF_SIZE`: the call does not say how long its buffer is.
const GSP_VERSION_ROOM: u32 = 64;

export!(
    nvmlDeviceGetGspFirmwareVersion, On::Device(device), NOT_SUPPORTED, [],
    (device: nvmlDevice_t, out: *mut c_char),
    |call| {
        room::put_text(out, GSP_VERSION_ROOM, call.given()?)
    }
);
// The other device is written as its index: `nvmlDeviceGetTopologyCommonAncestor(1)` of device 0.
export!(
    nvmlDeviceGetTopologyCommonAncestor, On::Device(device), NOT_SUPPORTED,
    [crate::handles::place("nvmlDeviceGetTopologyCommonAncestor", other).device],
    (device: nvmlDevice_t, other: nvmlDevice_t, out: *mut u32),
    |call| room::put(out, call)
);

/// Process utilization samples: `pid`, `time`, `sm`, `memory`, `encoder`, `decoder`.
const SAMPLES: Entries = Entries { width: 32, recorded: sample, added: |_, width| vec![0; width] };

fn sample(value: &Value, width: usize) -> Option<Vec<u8>> {
    let of = sys::nvmlProcessUtilizationSample_t::from_json(value)?;
    let mut bytes = Vec::with_capacity(width);
    bytes.extend(of.pid.to_ne_bytes());
    bytes.extend([0; 4]);
    bytes.extend(of.timeStamp.to_ne_bytes());
    for number in [of.smUtil, of.memUtil, of.encUtil, of.decUtil] {
        bytes.extend(number.to_ne_bytes());
    }
    Some(bytes)
}

export!(
    nvmlDeviceGetProcessUtilization, On::Device(device), NOT_SUPPORTED, [],
    (device: nvmlDevice_t, out: *mut c_void, count: *mut u32, since: u64),
    |call| {
        let _ = since;
        room::put_list(call, count, out.cast(), &SAMPLES)
    }
);
export!(nvmlUnitGetCount, On::System, NOT_SUPPORTED, [], (out: *mut c_int), |call| {
    if out.is_null() { Err(INVALID_ARGUMENT) } else { room::put(out, call) }
});
