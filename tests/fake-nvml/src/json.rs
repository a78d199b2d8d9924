//! From a recorded answer to the number, text or C struct that a call hands out. What does not fit gives
//! none, and the call answers "unknown error", as rsmi's replay does.

use nvml_wrapper_sys::bindings as sys;
use serde_json::Value;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong};

/// Plain C data that can be made of a recorded answer.
///
/// # Safety
/// Only for integers and C structs of integers, for which all zeroes is a value.
pub unsafe trait FromJson: Copy {
    /// The data, unless the answer is of another shape.
    fn from_json(value: &Value) -> Option<Self>;

    /// All zeroes.
    fn zero() -> Self {
        // SAFETY: the trait's contract.
        unsafe { std::mem::zeroed() }
    }
}

/// A struct whose first word says its size and version.
///
/// # Safety
/// The struct must begin with a `u32` version word.
pub unsafe trait Versioned: FromJson {
    /// Number of the version.
    const VERSION: u32;
    /// The first driver that knows it.
    const SINCE: (u32, u32);

    /// What NVML's header calls `NVML_STRUCT_VERSION`.
    fn word() -> u32 {
        size_of::<Self>() as u32 | (Self::VERSION << 24)
    }
}

macro_rules! integers {
    ($($ty:ty = $as:ident),*) => { $(
        // SAFETY: an integer.
        unsafe impl FromJson for $ty {
            fn from_json(value: &Value) -> Option<Self> {
                <$ty>::try_from(value.$as()?).ok()
            }
        }
    )* };
}
integers!(u8 = as_u64, u16 = as_u64, c_uint = as_u64, c_ulonglong = as_u64, c_int = as_i64);

/// Text as its bytes: a string, or a list of bytes where it is not UTF-8.
pub fn text(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.clone().into_bytes()),
        Value::Array(bytes) => bytes.iter().map(u8::from_json).collect(),
        _ => None,
    }
}

// SAFETY: integers.
unsafe impl<const N: usize> FromJson for [u8; N] {
    fn from_json(value: &Value) -> Option<Self> {
        let mut all = [0; N];
        all.iter_mut().zip(text(value)?).for_each(|(place, byte)| *place = byte);
        Some(all)
    }
}

// SAFETY: integers.
unsafe impl<const N: usize> FromJson for [i8; N] {
    fn from_json(value: &Value) -> Option<Self> {
        let mut all = [0; N];
        // The last place is kept for the NUL.
        all.iter_mut().zip(text(value)?).take(N - 1).for_each(|(place, byte)| *place = byte as i8);
        Some(all)
    }
}

/// A member of a recorded struct.
pub fn member<T: FromJson>(value: &Value, name: &str) -> Option<T> {
    T::from_json(value.get(name)?)
}

/// A member that older forms of the call do not tell.
pub fn member_or_zero<T: FromJson>(value: &Value, name: &str) -> Option<T> {
    match value.get(name) {
        None | Some(Value::Null) => Some(T::zero()),
        Some(value) => T::from_json(value),
    }
}

macro_rules! structs {
    ($( $ty:ty { $($field:ident = $name:literal),* $(; $($later:ident = $later_name:literal),*)? } )*) => { $(
        // SAFETY: a C struct of integers.
        unsafe impl FromJson for $ty {
            fn from_json(value: &Value) -> Option<Self> {
                let mut out = Self::zero();
                $( out.$field = member(value, $name)?; )*
                $($( out.$later = member_or_zero(value, $later_name)?; )*)?
                Some(out)
            }
        }
    )* };
}

macro_rules! versions {
    ($($ty:ty = $version:literal since $since:expr;)*) => { $(
        // SAFETY: its first member is `unsigned int version`.
        unsafe impl Versioned for $ty {
            const VERSION: u32 = $version;
            const SINCE: (u32, u32) = $since;
        }
    )* };
}

/// The first form of `nvmlPciInfo_t`: no subsystem.
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PciV1 {
    bus_id: [c_char; 16],
    numbers: [c_uint; 4],
}

/// The second form of `nvmlPciInfo_t`: a short bus id, and four words that nothing uses.
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PciV2 {
    bus_id: [c_char; 16],
    numbers: [c_uint; 5],
    reserved: [c_uint; 4],
}

/// The six numbers of `nvmlDeviceGetRemappedRows_v2`.
#[repr(C)]
#[derive(Copy, Clone)]
pub struct RemappedRowsV2 {
    correctable_active: c_uint,
    correctable_inactive: c_uint,
    uncorrectable_active: c_uint,
    uncorrectable_inactive: c_uint,
    pending: c_uint,
    failure: c_uint,
}

/// The bus id with four digits of domain that older structs have room for.
fn short_bus_id(value: &Value) -> Option<[c_char; 16]> {
    let number = |name| member::<c_uint>(value, name);
    let text = format!("{:04X}:{:02X}:{:02X}.0", number("domain")?, number("bus")?, number("device")?);
    FromJson::from_json(&Value::String(text))
}

// SAFETY: a C struct of integers.
unsafe impl FromJson for PciV1 {
    fn from_json(value: &Value) -> Option<Self> {
        let [a, b, c, d, _] = PciV2::from_json(value)?.numbers;
        Some(Self { bus_id: short_bus_id(value)?, numbers: [a, b, c, d] })
    }
}

// SAFETY: a C struct of integers.
unsafe impl FromJson for PciV2 {
    fn from_json(value: &Value) -> Option<Self> {
        let mut numbers = [0; 5];
        let names = ["domain", "bus", "device", "device_id", "subsystem_id"];
        for (place, name) in numbers.iter_mut().zip(names) {
            *place = member(value, name)?;
        }
        Some(Self { bus_id: short_bus_id(value)?, numbers, reserved: [0; 4] })
    }
}

// SAFETY: a C struct of integers.
unsafe impl FromJson for sys::nvmlPciInfo_t {
    fn from_json(value: &Value) -> Option<Self> {
        let mut out = Self::zero();
        out.busIdLegacy = short_bus_id(value)?;
        out.busId = member(value, "bus_id")?;
        [out.domain, out.bus, out.device, out.pciDeviceId, out.pciSubSystemId] = PciV2::from_json(value)?.numbers;
        Some(out)
    }
}

// SAFETY: a C struct of integers.
unsafe impl FromJson for sys::nvmlTemperature_v1_t {
    fn from_json(value: &Value) -> Option<Self> {
        Some(Self { version: 0, sensorType: 0, temperature: c_int::from_json(value)? })
    }
}

// SAFETY: a C struct of integers.
unsafe impl FromJson for sys::nvmlMarginTemperature_v1_t {
    fn from_json(value: &Value) -> Option<Self> {
        Some(Self { version: 0, marginTemperature: c_int::from_json(value)? })
    }
}

// SAFETY: a C struct of integers.
unsafe impl FromJson for sys::nvmlDeviceAddressingMode_v1_t {
    fn from_json(value: &Value) -> Option<Self> {
        Some(Self { version: 0, value: c_uint::from_json(value)? })
    }
}

// SAFETY: a C struct of integers.
unsafe impl FromJson for sys::nvmlDramEncryptionInfo_v1_t {
    fn from_json(value: &Value) -> Option<Self> {
        Some(Self { version: 0, encryptionState: c_uint::from_json(value)? })
    }
}

// SAFETY: a C struct of integers.
unsafe impl FromJson for sys::nvmlC2cModeInfo_v1_t {
    fn from_json(value: &Value) -> Option<Self> {
        Some(Self { isC2cEnabled: c_uint::from_json(value)? })
    }
}

structs! {
    sys::nvmlExcludedDeviceInfo_t { pciInfo = "pci", uuid = "uuid" }
    sys::nvmlUtilization_t { gpu = "gpu", memory = "memory" }
    sys::nvmlMemory_t { total = "total", free = "free", used = "used" }
    sys::nvmlMemory_v2_t { total = "total", free = "free", used = "used"; reserved = "reserved" }
    sys::nvmlBAR1Memory_t { bar1Total = "total", bar1Free = "free", bar1Used = "used" }
    sys::nvmlPciInfoExt_v1_t {
        domain = "domain", bus = "bus", device = "device", pciDeviceId = "device_id",
        pciSubSystemId = "subsystem_id", busId = "bus_id"; baseClass = "base_class", subClass = "sub_class"
    }
    sys::nvmlEccSramErrorStatus_v1_t {
        aggregateUncParity = "aggregate_parity", aggregateUncSecDed = "aggregate_secded",
        aggregateCor = "aggregate_corrected", volatileUncParity = "volatile_parity",
        volatileUncSecDed = "volatile_secded", volatileCor = "volatile_corrected",
        aggregateUncBucketL2 = "l2", aggregateUncBucketSm = "sm", aggregateUncBucketPcie = "pcie",
        aggregateUncBucketMcu = "mcu", aggregateUncBucketOther = "other", bThresholdExceeded = "threshold_exceeded"
    }
    sys::nvmlRowRemapperHistogramValues_t {
        max = "max", high = "high", partial = "partial", low = "low", none = "none"
    }
    RemappedRowsV2 {
        correctable_active = "correctable_active", correctable_inactive = "correctable_inactive",
        uncorrectable_active = "uncorrectable_active", uncorrectable_inactive = "uncorrectable_inactive",
        pending = "pending", failure = "failure"
    }
    sys::nvmlGpuFabricInfo_t { clusterUuid = "cluster", status = "status", cliqueId = "clique", state = "state" }
    sys::nvmlGpuFabricInfo_v2_t {
        clusterUuid = "cluster", status = "status", cliqueId = "clique", state = "state"; healthMask = "health_mask"
    }
    sys::nvmlGpuFabricInfo_v3_t {
        clusterUuid = "cluster", status = "status", cliqueId = "clique", state = "state";
        healthMask = "health_mask", healthSummary = "health_summary"
    }
    sys::nvmlPlatformInfo_v1_t {
        ibGuid = "fabric_guid", chassisPhysicalSlotNumber = "slot", computeSlotIndex = "tray", nodeIndex = "host",
        peerType = "peer_type", moduleId = "module"
    }
    sys::nvmlPlatformInfo_v2_t {
        ibGuid = "fabric_guid", chassisSerialNumber = "chassis_serial", slotNumber = "slot", trayIndex = "tray",
        hostId = "host", peerType = "peer_type", moduleId = "module"
    }
    sys::nvmlDeviceAttributes_t {
        multiprocessorCount = "multiprocessors", sharedCopyEngineCount = "copy_engines",
        sharedDecoderCount = "decoders", sharedEncoderCount = "encoders", sharedJpegCount = "jpeg_engines",
        sharedOfaCount = "ofa_engines", gpuInstanceSliceCount = "gpu_slices",
        computeInstanceSliceCount = "compute_slices", memorySizeMB = "memory_mib"
    }
    sys::nvmlAccountingStats_t {
        gpuUtilization = "gpu", memoryUtilization = "memory", maxMemoryUsage = "max_memory", time = "time",
        startTime = "start", isRunning = "running"
    }
    sys::nvmlProcessUtilizationSample_t {
        pid = "pid", timeStamp = "time", smUtil = "sm", memUtil = "memory", encUtil = "encoder", decUtil = "decoder"
    }
    sys::nvmlViolationTime_t { referenceTime = "reference", violationTime = "violation" }
}

versions! {
    sys::nvmlMemory_v2_t = 2 since (510, 0);
    sys::nvmlPciInfoExt_v1_t = 1 since (550, 0);
    sys::nvmlDeviceAddressingMode_v1_t = 1 since (580, 65);
    sys::nvmlTemperature_v1_t = 1 since (570, 0);
    sys::nvmlMarginTemperature_v1_t = 1 since (570, 0);
    sys::nvmlDramEncryptionInfo_v1_t = 1 since (570, 0);
    sys::nvmlEccSramErrorStatus_v1_t = 1 since (550, 0);
    sys::nvmlPlatformInfo_v1_t = 1 since (570, 0);
    sys::nvmlPlatformInfo_v2_t = 2 since (575, 0);
    sys::nvmlGpuFabricInfo_v2_t = 2 since (550, 0);
    sys::nvmlGpuFabricInfo_v3_t = 3 since (580, 65);
}
