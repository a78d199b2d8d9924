//! What NVML answers, as plain data: one type for each shape of answer. Enumerations stay numbers here,
//! since a newer driver may use a number that this program has no word for; the fields give them words.
//! Each type is written to a recording and read back from it, so names here are names in that file.

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// Text from the driver or from another process: bytes, of which nothing promises that they are UTF-8.
///
/// A recording keeps it as a string, or as a list of bytes when it is not UTF-8.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text(pub Vec<u8>);

impl Text {
    /// The text for people: what is not UTF-8 becomes U+FFFD.
    pub fn lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text(text.as_bytes().to_vec())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text(text.into_bytes())
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Text;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or a list of bytes")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text::from(text))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Text, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = list.next_element::<u8>()? {
                    bytes.push(byte);
                }
                Ok(Text(bytes))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Framebuffer memory in bytes (`nvmlDeviceGetMemoryInfo_v2`, or the older call without `reserved`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// Installed memory.
    pub total: u64,
    /// What the driver keeps for itself; the older call does not tell and counts it as used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<u64>,
    /// What could be allocated.
    pub free: u64,
    /// What processes hold.
    pub used: u64,
}

/// BAR1 memory in bytes (`nvmlDeviceGetBAR1MemoryInfo`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bar1 {
    /// Size of the aperture.
    pub total: u64,
    /// Unmapped part.
    pub free: u64,
    /// Mapped part.
    pub used: u64,
}

/// Where the device sits on the PCI bus (`nvmlDeviceGetPciInfoExt`, `nvmlDeviceGetPciInfo_v3`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pci {
    /// PCI domain.
    pub domain: u32,
    /// PCI bus.
    pub bus: u32,
    /// PCI device.
    pub device: u32,
    /// Device id in the upper half, vendor id in the lower.
    pub device_id: u32,
    /// Subsystem id.
    pub subsystem_id: u32,
    /// `DDDDDDDD:BB:DD.F`, upper-case hexadecimal.
    pub bus_id: Text,
    /// PCI base class; only the newer call tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_class: Option<u32>,
    /// PCI subclass; only the newer call tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_class: Option<u32>,
}

/// A device that the driver was told to leave out (`nvmlGetExcludedDeviceInfoByIndex`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Excluded {
    /// Its place on the PCI bus.
    pub pci: Pci,
    /// Its UUID.
    pub uuid: Text,
}

/// How busy the device was over the last sample period, in per cent (`nvmlDeviceGetUtilizationRates`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Utilization {
    /// Share of the period in which a kernel ran.
    pub gpu: u32,
    /// Share of the period in which memory was read or written.
    pub memory: u32,
}

/// Encoder sessions (`nvmlDeviceGetEncoderStats`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EncoderStats {
    /// Active sessions.
    pub sessions: u32,
    /// Average frames a second of all sessions.
    pub fps: u32,
    /// Average latency in microseconds.
    pub latency: u32,
}

/// A mode that takes effect at the next reset, reboot or driver load.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mode {
    /// In force now.
    pub current: u32,
    /// In force from the next start on.
    pub pending: u32,
}

/// GSP firmware (`nvmlDeviceGetGspFirmwareMode`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GspMode {
    /// 1 when the firmware runs.
    pub enabled: u32,
    /// 1 when it runs unless told otherwise.
    pub default: u32,
}

/// CUDA compute capability (`nvmlDeviceGetCudaComputeCapability`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Capability {
    /// Major number.
    pub major: i32,
    /// Minor number.
    pub minor: i32,
}

/// Errors in the device's SRAM, by where they were found (`nvmlDeviceGetSramEccErrorStatus`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SramEcc {
    /// Parity errors since the board was made.
    pub aggregate_parity: u64,
    /// SEC-DED errors since the board was made.
    pub aggregate_secded: u64,
    /// Corrected errors since the board was made.
    pub aggregate_corrected: u64,
    /// Parity errors since the driver was loaded.
    pub volatile_parity: u64,
    /// SEC-DED errors since the driver was loaded.
    pub volatile_secded: u64,
    /// Corrected errors since the driver was loaded.
    pub volatile_corrected: u64,
    /// Uncorrected in the L2 cache.
    pub l2: u64,
    /// Uncorrected in the multiprocessors.
    pub sm: u64,
    /// Uncorrected in PCIe buffers.
    pub pcie: u64,
    /// Uncorrected in the microcontrollers.
    pub mcu: u64,
    /// Uncorrected elsewhere.
    pub other: u64,
    /// 1 when so many were seen that the board should be replaced.
    pub threshold_exceeded: u32,
}

/// Rows of memory replaced by spare ones (`nvmlDeviceGetRemappedRows`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RemappedRows {
    /// Because of correctable errors.
    pub correctable: u32,
    /// Because of uncorrectable errors.
    pub uncorrectable: u32,
    /// 1 when a row waits for the next reset.
    pub pending: u32,
    /// 1 when a row could not be remapped.
    pub failure: u32,
}

/// The newer form, which tells rows in use from rows that are not (`nvmlDeviceGetRemappedRows_v2`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RemappedRowsV2 {
    /// Correctable, in use.
    pub correctable_active: u32,
    /// Correctable, not in use.
    pub correctable_inactive: u32,
    /// Uncorrectable, in use.
    pub uncorrectable_active: u32,
    /// Uncorrectable, not in use.
    pub uncorrectable_inactive: u32,
    /// 1 when a row waits for the next reset.
    pub pending: u32,
    /// 1 when a row could not be remapped.
    pub failure: u32,
}

/// Memory banks by how many spare rows are left (`nvmlDeviceGetRowRemapperHistogram`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RowHistogram {
    /// All spare rows left.
    pub max: u32,
    /// Many left.
    pub high: u32,
    /// Some left.
    pub partial: u32,
    /// Few left.
    pub low: u32,
    /// None left.
    pub none: u32,
}

/// Least and greatest settable power limit in milliwatts (`nvmlDeviceGetPowerManagementLimitConstraints`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PowerRange {
    /// Least.
    pub min: u32,
    /// Greatest.
    pub max: u32,
}

/// The device's place in an NVLink fabric (`nvmlDeviceGetGpuFabricInfoV`, `nvmlDeviceGetGpuFabricInfo`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fabric {
    /// Which fabric, 16 bytes.
    pub cluster: [u8; 16],
    /// NVML return code of the registration; meaningful once it is complete.
    pub status: u32,
    /// Clique within the fabric.
    pub clique: u32,
    /// 0 not supported, 1 not started, 2 in progress, 3 completed.
    pub state: u32,
    /// Bit field of health; from version 2 of the struct on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_mask: Option<u32>,
    /// 1 healthy, 2 unhealthy, 3 limited; from version 3 of the struct on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_summary: Option<u8>,
}

/// Where the board sits in its chassis (`nvmlDeviceGetPlatformInfo`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Platform {
    /// Fabric GUID of the GPU, 16 bytes.
    pub fabric_guid: [u8; 16],
    /// Serial number of the chassis; may be empty.
    pub chassis_serial: Text,
    /// Slot in the chassis.
    pub slot: u8,
    /// Compute tray within the slot.
    pub tray: u8,
    /// Node within the slot.
    pub host: u8,
    /// 0 linked directly, 1 through a switch.
    pub peer_type: u8,
    /// Module number on the board.
    pub module: u8,
}

/// One value of `nvmlDeviceGetFieldValues`, in the type that the driver said it has.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// An unsigned integer of any width.
    Unsigned(u64),
    /// A signed integer of any width.
    Signed(i64),
    /// A floating point number.
    Real(f64),
}

/// A process that holds a context on the device (`nvmlDeviceGet…RunningProcesses`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Process {
    /// Process id as the driver sees it.
    pub pid: u32,
    /// Framebuffer that it holds in bytes, where the driver can tell.
    pub used: Option<u64>,
    /// GPU instance, where MIG is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_instance: Option<u32>,
    /// Compute instance, where MIG is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_instance: Option<u32>,
}

/// What a MIG device is made of (`nvmlDeviceGetAttributes_v2`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Attributes {
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Copy engines.
    pub copy_engines: u32,
    /// Decoders.
    pub decoders: u32,
    /// Encoders.
    pub encoders: u32,
    /// JPEG engines.
    pub jpeg_engines: u32,
    /// Optical flow accelerators.
    pub ofa_engines: u32,
    /// Slices of the GPU instance.
    pub gpu_slices: u32,
    /// Slices of the compute instance.
    pub compute_slices: u32,
    /// Memory in MiB.
    pub memory_mib: u64,
}

/// A finished or running process in accounting (`nvmlDeviceGetAccountingStats`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Accounting {
    /// Per cent of its life in which a kernel ran.
    pub gpu: u32,
    /// Per cent of its life in which memory was read or written.
    pub memory: u32,
    /// Most memory it ever held, in bytes.
    pub max_memory: u64,
    /// Milliseconds it had a context; 0 while it runs.
    pub time: u64,
    /// When it got its context, microseconds since 1970.
    pub start: u64,
    /// 1 while it runs.
    pub running: u32,
}

/// A page of memory taken out of use (`nvmlDeviceGetRetiredPages_v2`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RetiredPage {
    /// Hardware address.
    pub address: u64,
    /// Seconds since 1970 when it was retired; the older call does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_a_recording_whole() {
        for bytes in [&b"NVIDIA H200"[..], b"", b"bad\xff\xfeutf", "caf\u{e9}".as_bytes()] {
            let text = Text(bytes.to_vec());
            let json = serde_json::to_string(&text).expect("text can be written");
            assert_eq!(serde_json::from_str::<Text>(&json).expect("and read"), text, "{json}");
        }
    }

    #[test]
    fn signed_field_values_stay_signed() {
        let json = serde_json::to_string(&FieldValue::Signed(-8)).expect("written");
        assert_eq!(serde_json::from_str::<FieldValue>(&json).expect("read"), FieldValue::Signed(-8));
    }
}
