//! Lists: clocks, pids, retired pages, and the processes in the three forms that drivers wrote.

use crate::call::{Given, On};
use crate::code::{FUNCTION_NOT_FOUND, UNKNOWN};
use crate::fake::fake;
use crate::json::FromJson;
use crate::room::{self, Column, Entries};
use nvml_wrapper_sys::bindings::nvmlDevice_t;
use serde_json::Value;
use std::ffi::c_void;

/// A list of 32-bit numbers.
const NUMBERS: Entries = Entries {
    width: 4,
    recorded: |value, _| Some(u32::from_json(value)?.to_ne_bytes().to_vec()),
    added: |nth, _| (4_000_000 + nth as u32).to_ne_bytes().to_vec(),
};

/// Retired pages, of which this form tells the address only.
const PAGES: Entries = Entries {
    width: 8,
    recorded: |value, _| Some(u64::from_json(value.get("address")?)?.to_ne_bytes().to_vec()),
    added: |nth, _| (nth << 12).to_ne_bytes().to_vec(),
};

/// Processes whose entries are of `width` bytes.
const fn processes(width: usize) -> Entries {
    Entries { width, recorded: recorded_process, added: added_process }
}

/// A process entry: pid, padding, bytes used, and what the width has room for.
fn entry(pid: u32, used: u64, gpu_instance: u32, compute_instance: u32, width: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(40);
    bytes.extend(pid.to_ne_bytes());
    bytes.extend([0; 4]);
    bytes.extend(used.to_ne_bytes());
    bytes.extend(gpu_instance.to_ne_bytes());
    bytes.extend(compute_instance.to_ne_bytes());
    // Protected memory at 24, and after it what no driver gave a meaning.
    bytes.resize(40, 0);
    bytes.truncate(width);
    bytes
}

fn recorded_process(value: &Value, width: usize) -> Option<Vec<u8>> {
    let or_all_ones = |name: &str, all_ones: u64| match value.get(name) {
        None | Some(Value::Null) => Some(all_ones),
        Some(number) => number.as_u64(),
    };
    let used = or_all_ones("used", u64::MAX)?;
    let instance = |name| u32::try_from(or_all_ones(name, u32::MAX.into())?).ok();
    let pid = u32::from_json(value.get("pid")?)?;
    Some(entry(pid, used, instance("gpu_instance")?, instance("compute_instance")?, width))
}

fn added_process(nth: u64, width: usize) -> Vec<u8> {
    entry(4_000_000 + nth as u32, (nth + 1) << 20, u32::MAX, u32::MAX, width)
}

list! { FUNCTION_NOT_FOUND;
    nvmlDeviceGetAccountingPids: NUMBERS;
    nvmlDeviceGetSupportedMemoryClocks: NUMBERS;
    nvmlDeviceGetComputeRunningProcesses: processes(16);
    nvmlDeviceGetComputeRunningProcesses_v2: processes(24);
    nvmlDeviceGetComputeRunningProcesses_v3: processes(fake().process_entry);
    nvmlDeviceGetGraphicsRunningProcesses: processes(16);
    nvmlDeviceGetGraphicsRunningProcesses_v2: processes(24);
    nvmlDeviceGetGraphicsRunningProcesses_v3: processes(fake().process_entry);
    nvmlDeviceGetMPSComputeRunningProcesses: processes(16);
    nvmlDeviceGetMPSComputeRunningProcesses_v2: processes(24);
    nvmlDeviceGetMPSComputeRunningProcesses_v3: processes(fake().process_entry);
}

list_by! { FUNCTION_NOT_FOUND;
    nvmlDeviceGetSupportedGraphicsClocks: NUMBERS;
    nvmlDeviceGetRetiredPages: PAGES;
}

export!(
    nvmlDeviceGetRetiredPages_v2, On::Device(device), FUNCTION_NOT_FOUND, [cause],
    (device: nvmlDevice_t, cause: u32, count: *mut u32, addresses: *mut u64, times: *mut u64),
    |call| {
        let pages = match call.given()? {
            Given::Noise(mut noise) => {
                return room::put_noise(count, &[(addresses.cast(), 8), (times.cast(), 8)], &mut noise);
            }
            Given::Bytes(bytes) => {
                return room::put_columns(count, &[Column { out: addresses.cast(), width: 8, bytes }]);
            }
            Given::Json(value) => value,
        };
        let pages = pages.as_array().ok_or(UNKNOWN)?;
        let column = |name: &str, out: *mut u64, added: fn(u64) -> u64| {
            let recorded = pages.iter().map(|page| page.get(name).map_or(Some(0), Value::as_u64));
            let all: Option<Vec<u64>> = recorded.chain((0..call.grow).map(|nth| Some(added(nth)))).collect();
            let bytes = all.ok_or(UNKNOWN)?.into_iter().flat_map(u64::to_ne_bytes).collect();
            Ok::<_, u32>(Column { out: out.cast(), width: 8, bytes })
        };
        room::put_columns(count, &[column("address", addresses, |nth| nth << 12)?, column("time", times, |nth| nth)?])
    }
);
