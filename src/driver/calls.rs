//! Every question that rsmi can put to NVML, in one table: the name of the question, the type of its
//! answer, the C function behind it, whether the answer can change while the driver is loaded, and how
//! the live library is asked. From this table come the live driver, the recording and its replay; a
//! question that is not here is not asked.
//!
//! A question is one C function. Where a newer function may be missing and an older one asked instead,
//! both are here and [`crate::gpu::Gpu`] chooses, so that a replayed old driver goes the same way as a
//! live one.

use super::answers::*;
use super::code::Code;
use super::ffi::{self, Handle, Library};
use super::{Key, Question, Scope};

/// Clock domains (`nvmlClockType_t`).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Graphics.
    Graphics = 0,
    /// Streaming multiprocessors.
    Sm = 1,
    /// Memory.
    Memory = 2,
    /// Video encoder and decoder.
    Video = 3,
}

/// Kinds of memory error (`nvmlMemoryErrorType_t`).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// Repaired by the hardware.
    Corrected = 0,
    /// Not repaired.
    Uncorrected = 1,
}

/// Since when errors are counted (`nvmlEccCounterType_t`).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Since {
    /// Since the driver was loaded.
    Volatile = 0,
    /// Since the board was made.
    Aggregate = 1,
}

/// Where a memory error was found (`nvmlMemoryLocation_t`).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// L1 cache.
    L1 = 0,
    /// L2 cache.
    L2 = 1,
    /// Device memory, also called DRAM.
    Dram = 2,
    /// Register file.
    RegisterFile = 3,
    /// Texture memory.
    Texture = 4,
    /// CBU.
    Cbu = 6,
    /// SRAM as a whole.
    Sram = 7,
}

/// Parts of the infoROM (`nvmlInforomObject_t`).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Inforom {
    /// OEM configuration.
    Oem = 0,
    /// ECC data.
    Ecc = 1,
    /// Power management.
    Power = 2,
}

/// Why pages of memory are retired (`nvmlPageRetirementCause_t`).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Several single-bit errors.
    SingleBit = 0,
    /// One double-bit error.
    DoubleBit = 1,
}

/// What part of the board a field value speaks of (the `scopeId` of `nvmlDeviceGetFieldValues`).
pub mod scope {
    /// The GPU.
    pub const GPU: u32 = 0;
    /// The module that the GPU is part of.
    pub const MODULE: u32 = 1;
    /// The power profile in force.
    pub const CURRENT_PROFILE: u32 = 5;
}

/// The power draw and limit values, which exist for the GPU and for the module.
const POWER_VALUES: [u32; 7] = [185, 186, 187, 188, 189, 190, 192];
/// Other values of the GPU: counters, memory temperature, temperature limits, recovery, power smoothing.
const GPU_VALUES: [u32; 32] = [
    74, 76, 82, 193, 194, 195, 196, 230, 251, 264, 269, 270, 271, 272, 273, 275, 276, 277, 278, 279, 280, 281, 282,
    283, 284, 285, 286, 287, 288, 94, 95, 228,
];

fn every_field_value() -> Vec<FieldValues> {
    let gpu = POWER_VALUES.iter().chain(&GPU_VALUES).map(|id| FieldValues(*id, scope::GPU));
    let module = POWER_VALUES.iter().map(|id| FieldValues(*id, scope::MODULE));
    let profile = (281..=284).map(|id| FieldValues(id, scope::CURRENT_PROFILE));
    gpu.chain(module).chain(profile).collect()
}

fn every_error_counter() -> Vec<MemoryErrors> {
    use {ErrorKind::*, Location::*, Since::*};
    let mut all = Vec::new();
    for kind in [Corrected, Uncorrected] {
        for since in [Volatile, Aggregate] {
            for location in [L1, L2, Dram, RegisterFile, Texture, Cbu, Sram] {
                all.push(MemoryErrors(kind, since, location));
            }
        }
    }
    all
}

fn every_error_total() -> Vec<TotalErrors> {
    use {ErrorKind::*, Since::*};
    [(Corrected, Volatile), (Corrected, Aggregate), (Uncorrected, Volatile), (Uncorrected, Aggregate)]
        .map(|(kind, since)| TotalErrors(kind, since))
        .to_vec()
}

/// The form of a device's place that older calls fill.
fn pci_of(pci: nvml_wrapper_sys::bindings::nvmlPciInfo_t) -> Pci {
    Pci {
        domain: pci.domain,
        bus: pci.bus,
        device: pci.device,
        device_id: pci.pciDeviceId,
        subsystem_id: pci.pciSubSystemId,
        bus_id: ffi::text_of(&pci.busId),
        base_class: None,
        sub_class: None,
    }
}

/// Hands each question of the table, with every argument that a recording keeps, to `$visit`.
pub(super) trait Visitor {
    /// Called once for each question.
    fn visit<Q: Question>(&mut self, question: Q);
}

macro_rules! questions {
    (
        $walk:ident, $scope:ident, |$library:ident, $device:ident|;
        $(
            $(#[$doc:meta])*
            $name:ident $(( $($argument:ident : $type:ty),+ ))? -> $answer:ty
                = $symbol:literal, $fixed:literal, $recorded:expr, $live:expr;
        )*
    ) => {
        $(
            $(#[$doc])*
            #[doc = concat!("\n\nNVML: `", $symbol, "`.")]
            #[derive(Copy, Clone, PartialEq, Eq, Debug)]
            pub struct $name $(( $(#[doc = "Argument of the call."] pub $type),+ ))?;

            impl Question for $name {
                type Answer = $answer;
                const SYMBOL: &'static str = $symbol;
                const FIXED: bool = $fixed;
                const SCOPE: Scope = Scope::$scope;

                fn key(self) -> Key {
                    let $name $(( $($argument),+ ))? = self;
                    Key::new($symbol, &[ $($($argument as u32),+)? ])
                }

                #[allow(unused_variables)]
                fn live(self, $library: &Library, $device: Option<Handle>) -> Result<$answer, Code> {
                    let $name $(( $($argument),+ ))? = self;
                    questions!(@device $scope, $device);
                    $live
                }
            }
        )*

        /// Shows every question of this part of the table to a visitor.
        pub(super) fn $walk(visitor: &mut impl Visitor) {
            $( for question in $recorded { visitor.visit::<$name>(question); } )*
        }
    };
    (@device System, $device:ident) => {};
    (@device Device, $device:ident) => {
        let $device = $device.ok_or(Code::INVALID_ARGUMENT)?;
    };
}

questions! {
    walk_system, System, |nvml, _device|;

    /// Version of the kernel driver.
    DriverVersion -> Text = "nvmlSystemGetDriverVersion", true, [DriverVersion],
        ffi::system_text(&nvml.lib().nvmlSystemGetDriverVersion, 80);
    /// Version of the library.
    NvmlVersion -> Text = "nvmlSystemGetNVMLVersion", true, [NvmlVersion],
        ffi::system_text(&nvml.lib().nvmlSystemGetNVMLVersion, 80);
    /// Newest CUDA version that the driver serves, as 1000 × major + 10 × minor.
    CudaVersion -> i32 = "nvmlSystemGetCudaDriverVersion_v2", true, [CudaVersion],
        ffi::system_number(&nvml.lib().nvmlSystemGetCudaDriverVersion_v2);
    /// Number of devices.
    Count -> u32 = "nvmlDeviceGetCount_v2", true, [Count],
        nvml.count();
    /// What the driver can do for virtual GPUs, by capability.
    VgpuDriverCapability(capability: u32) -> u32 = "nvmlGetVgpuDriverCapabilities", true, [VgpuDriverCapability(0)],
        ffi::system_number_by(&nvml.lib().nvmlGetVgpuDriverCapabilities, capability);
    /// Number of devices that the driver was told to leave out.
    ExcludedCount -> u32 = "nvmlGetExcludedDeviceCount", true, [ExcludedCount],
        ffi::system_number(&nvml.lib().nvmlGetExcludedDeviceCount);
    /// One of the devices that the driver was told to leave out.
    ExcludedInfo(index: u32) -> Excluded = "nvmlGetExcludedDeviceInfoByIndex", true, [],
        ffi::system_number_by(&nvml.lib().nvmlGetExcludedDeviceInfoByIndex, index).map(|info| Excluded {
            pci: pci_of(info.pciInfo),
            uuid: ffi::text_of(&info.uuid),
        });
    /// The command by which a process was started; asked for each process that a device lists.
    ProcessName(pid: u32) -> Text = "nvmlSystemGetProcessName", false, [],
        ffi::process_name(nvml, pid, 4096);
}

questions! {
    walk_device, Device, |nvml, device|;

    /// NVML's number of the device.
    Index -> u32 = "nvmlDeviceGetIndex", true, [Index],
        ffi::number(&nvml.lib().nvmlDeviceGetIndex, device);
    /// Product name.
    Name -> Text = "nvmlDeviceGetName", true, [Name],
        ffi::text(&nvml.lib().nvmlDeviceGetName, device, 96);
    /// Identifier that no other device has.
    Uuid -> Text = "nvmlDeviceGetUUID", true, [Uuid],
        ffi::text(&nvml.lib().nvmlDeviceGetUUID, device, 96);
    /// Serial number printed on the board.
    Serial -> Text = "nvmlDeviceGetSerial", true, [Serial],
        ffi::text(&nvml.lib().nvmlDeviceGetSerial, device, 30);
    /// Place on the PCI bus, with class codes.
    PciExt -> Pci = "nvmlDeviceGetPciInfoExt", true, [PciExt],
        ffi::versioned(&nvml.lib().nvmlDeviceGetPciInfoExt, device).map(|pci| Pci {
            domain: pci.domain,
            bus: pci.bus,
            device: pci.device,
            device_id: pci.pciDeviceId,
            subsystem_id: pci.pciSubSystemId,
            bus_id: ffi::text_of(&pci.busId),
            base_class: Some(pci.baseClass),
            sub_class: Some(pci.subClass),
        });
    /// Place on the PCI bus, the older form.
    PciV3 -> Pci = "nvmlDeviceGetPciInfo_v3", true, [PciV3],
        ffi::number(&nvml.lib().nvmlDeviceGetPciInfo_v3, device).map(pci_of);
    /// Version of the video BIOS.
    VbiosVersion -> Text = "nvmlDeviceGetVbiosVersion", true, [VbiosVersion],
        ffi::text(&nvml.lib().nvmlDeviceGetVbiosVersion, device, 32);
    /// Architecture, as NVML numbers it.
    Architecture -> u32 = "nvmlDeviceGetArchitecture", true, [Architecture],
        ffi::number(&nvml.lib().nvmlDeviceGetArchitecture, device);
    /// CUDA compute capability.
    ComputeCapability -> Capability = "nvmlDeviceGetCudaComputeCapability", true, [ComputeCapability],
        ffi::pair(&nvml.lib().nvmlDeviceGetCudaComputeCapability, device)
            .map(|(major, minor)| Capability { major, minor });

    /// 1 when a display could be connected.
    DisplayMode -> u32 = "nvmlDeviceGetDisplayMode", false, [DisplayMode],
        ffi::number(&nvml.lib().nvmlDeviceGetDisplayMode, device);
    /// 1 when a display is in use.
    DisplayActive -> u32 = "nvmlDeviceGetDisplayActive", false, [DisplayActive],
        ffi::number(&nvml.lib().nvmlDeviceGetDisplayActive, device);
    /// 1 when the driver stays loaded without clients.
    Persistence -> u32 = "nvmlDeviceGetPersistenceMode", false, [Persistence],
        ffi::number(&nvml.lib().nvmlDeviceGetPersistenceMode, device);
    /// How the device addresses system memory: 0 none, 1 HMM, 2 ATS.
    AddressingMode -> u32 = "nvmlDeviceGetAddressingMode", false, [AddressingMode],
        ffi::versioned(&nvml.lib().nvmlDeviceGetAddressingMode, device).map(|mode| mode.value);
    /// Windows driver model.
    DriverModel -> Mode = "nvmlDeviceGetDriverModel_v2", false, [DriverModel],
        ffi::pair(&nvml.lib().nvmlDeviceGetDriverModel_v2, device)
            .map(|(current, pending)| Mode { current, pending });
    /// Which programs may use the device: 0 default, 1 one thread, 2 none, 3 one process.
    ComputeMode -> u32 = "nvmlDeviceGetComputeMode", false, [ComputeMode],
        ffi::number(&nvml.lib().nvmlDeviceGetComputeMode, device);
    /// GPU operation mode of old boards.
    OperationMode -> Mode = "nvmlDeviceGetGpuOperationMode", false, [OperationMode],
        ffi::pair(&nvml.lib().nvmlDeviceGetGpuOperationMode, device)
            .map(|(current, pending)| Mode { current, pending });
    /// 1 when the device is or will be split into MIG instances.
    MigMode -> Mode = "nvmlDeviceGetMigMode", false, [MigMode],
        ffi::pair(&nvml.lib().nvmlDeviceGetMigMode, device).map(|(current, pending)| Mode { current, pending });
    /// GSP firmware in use.
    GspMode -> super::answers::GspMode = "nvmlDeviceGetGspFirmwareMode", false, [GspMode],
        ffi::pair(&nvml.lib().nvmlDeviceGetGspFirmwareMode, device)
            .map(|(enabled, default)| super::answers::GspMode { enabled, default });
    /// 1 when the chip-to-chip link is on.
    C2cMode -> u32 = "nvmlDeviceGetC2cModeInfoV", false, [C2cMode],
        ffi::number(&nvml.lib().nvmlDeviceGetC2cModeInfoV, device).map(|info| info.isC2cEnabled);
    /// Host name that the device was given.
    Hostname -> Text = "nvmlDeviceGetHostname_v1", false, [Hostname],
        ffi::hostname(nvml, device);

    /// 1 when finished processes are accounted.
    AccountingMode -> u32 = "nvmlDeviceGetAccountingMode", false, [AccountingMode],
        ffi::number(&nvml.lib().nvmlDeviceGetAccountingMode, device);
    /// How many processes accounting remembers.
    AccountingBufferSize -> u32 = "nvmlDeviceGetAccountingBufferSize", false, [AccountingBufferSize],
        ffi::number(&nvml.lib().nvmlDeviceGetAccountingBufferSize, device);
    /// Accounted processes.
    AccountingPids -> Vec<u32> = "nvmlDeviceGetAccountingPids", false, [AccountingPids],
        ffi::numbers(&nvml.lib().nvmlDeviceGetAccountingPids, device);
    /// What accounting remembers of a process.
    AccountingStats(pid: u32) -> Accounting = "nvmlDeviceGetAccountingStats", false, [],
        ffi::number_by(&nvml.lib().nvmlDeviceGetAccountingStats, device, pid).map(|stats| Accounting {
            gpu: stats.gpuUtilization,
            memory: stats.memoryUtilization,
            max_memory: stats.maxMemoryUsage,
            time: stats.time,
            start: stats.startTime,
            running: stats.isRunning,
        });

    /// Version of the infoROM image.
    InforomImage -> Text = "nvmlDeviceGetInforomImageVersion", true, [InforomImage],
        ffi::text(&nvml.lib().nvmlDeviceGetInforomImageVersion, device, 16);
    /// Version of a part of the infoROM.
    InforomVersion(object: Inforom) -> Text = "nvmlDeviceGetInforomVersion", true,
        [Inforom::Oem, Inforom::Ecc, Inforom::Power].map(InforomVersion),
        ffi::text_by(&nvml.lib().nvmlDeviceGetInforomVersion, device, object as u32, 16);
    /// Succeeds when the infoROM's checksums are right. Takes 70 ms and holds the driver's lock.
    InforomCheck -> () = "nvmlDeviceValidateInforom", false, [InforomCheck],
        ffi::verdict(&nvml.lib().nvmlDeviceValidateInforom, device);

    /// Fan speed in per cent of the greatest.
    FanSpeed -> u32 = "nvmlDeviceGetFanSpeed", false, [FanSpeed],
        ffi::number(&nvml.lib().nvmlDeviceGetFanSpeed, device);
    /// Temperature of the chip in °C.
    TemperatureV -> i32 = "nvmlDeviceGetTemperatureV", false, [TemperatureV],
        ffi::temperature(nvml, device, 0);
    /// Temperature of the chip in °C, the older form.
    Temperature -> u32 = "nvmlDeviceGetTemperature", false, [Temperature],
        ffi::number_by(&nvml.lib().nvmlDeviceGetTemperature, device, 0);
    /// Degrees below the temperature at which the device slows down.
    MarginTemperature -> i32 = "nvmlDeviceGetMarginTemperature", false, [MarginTemperature],
        ffi::versioned(&nvml.lib().nvmlDeviceGetMarginTemperature, device).map(|margin| margin.marginTemperature);
    /// Performance state, 0 the fastest, 32 unknown.
    PerformanceState -> u32 = "nvmlDeviceGetPerformanceState", false, [PerformanceState],
        ffi::number(&nvml.lib().nvmlDeviceGetPerformanceState, device);

    /// Bit mask of the reasons that this device can have for slow clocks.
    SupportedThrottleReasons -> u64 = "nvmlDeviceGetSupportedClocksThrottleReasons", true, [SupportedThrottleReasons],
        ffi::number(&nvml.lib().nvmlDeviceGetSupportedClocksThrottleReasons, device);
    /// The same under its newer name, for libraries that drop the older.
    SupportedEventReasons -> u64 = "nvmlDeviceGetSupportedClocksEventReasons", true, [SupportedEventReasons],
        ffi::number(&nvml.lib().nvmlDeviceGetSupportedClocksEventReasons, device);
    /// Bit mask of the reasons for which the clocks are slow now.
    CurrentThrottleReasons -> u64 = "nvmlDeviceGetCurrentClocksThrottleReasons", false, [CurrentThrottleReasons],
        ffi::number(&nvml.lib().nvmlDeviceGetCurrentClocksThrottleReasons, device);
    /// The same under its newer name.
    CurrentEventReasons -> u64 = "nvmlDeviceGetCurrentClocksEventReasons", false, [CurrentEventReasons],
        ffi::number(&nvml.lib().nvmlDeviceGetCurrentClocksEventReasons, device);

    /// Framebuffer memory; `used` is without what the driver keeps.
    MemoryV2 -> Memory = "nvmlDeviceGetMemoryInfo_v2", false, [MemoryV2],
        ffi::versioned(&nvml.lib().nvmlDeviceGetMemoryInfo_v2, device).map(|memory| Memory {
            total: memory.total,
            reserved: Some(memory.reserved),
            free: memory.free,
            used: memory.used,
        });
    /// Framebuffer memory, the older form; `used` is with what the driver keeps.
    MemoryV1 -> Memory = "nvmlDeviceGetMemoryInfo", false, [MemoryV1],
        ffi::number(&nvml.lib().nvmlDeviceGetMemoryInfo, device).map(|memory| Memory {
            total: memory.total,
            reserved: None,
            free: memory.free,
            used: memory.used,
        });
    /// Memory that confidential computing protects.
    ProtectedMemory -> Memory = "nvmlDeviceGetConfComputeProtectedMemoryUsage", false, [ProtectedMemory],
        ffi::number(&nvml.lib().nvmlDeviceGetConfComputeProtectedMemoryUsage, device).map(|memory| Memory {
            total: memory.total,
            reserved: None,
            free: memory.free,
            used: memory.used,
        });
    /// BAR1 memory.
    Bar1Memory -> Bar1 = "nvmlDeviceGetBAR1MemoryInfo", false, [Bar1Memory],
        ffi::number(&nvml.lib().nvmlDeviceGetBAR1MemoryInfo, device).map(|memory| Bar1 {
            total: memory.bar1Total,
            free: memory.bar1Free,
            used: memory.bar1Used,
        });
    /// 1 when memory is encrypted.
    DramEncryption -> Mode = "nvmlDeviceGetDramEncryptionMode", false, [DramEncryption],
        ffi::versioned_pair(&nvml.lib().nvmlDeviceGetDramEncryptionMode, device).map(|(current, pending)| Mode {
            current: current.encryptionState,
            pending: pending.encryptionState,
        });

    /// How busy the device is.
    UtilizationRates -> Utilization = "nvmlDeviceGetUtilizationRates", false, [UtilizationRates],
        ffi::number(&nvml.lib().nvmlDeviceGetUtilizationRates, device)
            .map(|rates| Utilization { gpu: rates.gpu, memory: rates.memory });
    /// How busy the encoders are, in per cent.
    EncoderUtilization -> u32 = "nvmlDeviceGetEncoderUtilization", false, [EncoderUtilization],
        ffi::pair::<u32, u32>(&nvml.lib().nvmlDeviceGetEncoderUtilization, device).map(|(percent, _period)| percent);
    /// How busy the decoders are, in per cent.
    DecoderUtilization -> u32 = "nvmlDeviceGetDecoderUtilization", false, [DecoderUtilization],
        ffi::pair::<u32, u32>(&nvml.lib().nvmlDeviceGetDecoderUtilization, device).map(|(percent, _period)| percent);
    /// How busy the JPEG engines are, in per cent.
    JpegUtilization -> u32 = "nvmlDeviceGetJpgUtilization", false, [JpegUtilization],
        ffi::pair::<u32, u32>(&nvml.lib().nvmlDeviceGetJpgUtilization, device).map(|(percent, _period)| percent);
    /// How busy the optical flow accelerators are, in per cent.
    OfaUtilization -> u32 = "nvmlDeviceGetOfaUtilization", false, [OfaUtilization],
        ffi::pair::<u32, u32>(&nvml.lib().nvmlDeviceGetOfaUtilization, device).map(|(percent, _period)| percent);
    /// Encoder sessions.
    EncoderSessions -> EncoderStats = "nvmlDeviceGetEncoderStats", false, [EncoderSessions],
        ffi::triple(&nvml.lib().nvmlDeviceGetEncoderStats, device)
            .map(|(sessions, fps, latency)| EncoderStats { sessions, fps, latency });

    /// 1 when ECC is on.
    EccMode -> Mode = "nvmlDeviceGetEccMode", false, [EccMode],
        ffi::pair(&nvml.lib().nvmlDeviceGetEccMode, device).map(|(current, pending)| Mode { current, pending });
    /// Memory errors of all places together.
    TotalErrors(kind: ErrorKind, since: Since) -> u64 = "nvmlDeviceGetTotalEccErrors", false, every_error_total(),
        ffi::total_errors(nvml, device, kind as u32, since as u32);
    /// Memory errors in one place.
    MemoryErrors(kind: ErrorKind, since: Since, location: Location) -> u64
        = "nvmlDeviceGetMemoryErrorCounter", false, every_error_counter(),
        ffi::memory_errors(nvml, device, kind as u32, since as u32, location as u32);
    /// Errors in SRAM.
    SramErrors -> SramEcc = "nvmlDeviceGetSramEccErrorStatus", false, [SramErrors],
        ffi::versioned(&nvml.lib().nvmlDeviceGetSramEccErrorStatus, device).map(|status| SramEcc {
            aggregate_parity: status.aggregateUncParity,
            aggregate_secded: status.aggregateUncSecDed,
            aggregate_corrected: status.aggregateCor,
            volatile_parity: status.volatileUncParity,
            volatile_secded: status.volatileUncSecDed,
            volatile_corrected: status.volatileCor,
            l2: status.aggregateUncBucketL2,
            sm: status.aggregateUncBucketSm,
            pcie: status.aggregateUncBucketPcie,
            mcu: status.aggregateUncBucketMcu,
            other: status.aggregateUncBucketOther,
            threshold_exceeded: status.bThresholdExceeded,
        });
    /// Pages of memory out of use, without times.
    RetiredPages(cause: Cause) -> Vec<RetiredPage> = "nvmlDeviceGetRetiredPages", false,
        [Cause::SingleBit, Cause::DoubleBit].map(RetiredPages),
        ffi::retired_pages(nvml, device, cause as u32);
    /// Pages of memory out of use.
    RetiredPagesV2(cause: Cause) -> Vec<RetiredPage> = "nvmlDeviceGetRetiredPages_v2", false,
        [Cause::SingleBit, Cause::DoubleBit].map(RetiredPagesV2),
        ffi::retired_pages_v2(nvml, device, cause as u32);
    /// 1 when pages wait for the next driver load.
    RetiredPagesPending -> u32 = "nvmlDeviceGetRetiredPagesPendingStatus", false, [RetiredPagesPending],
        ffi::number(&nvml.lib().nvmlDeviceGetRetiredPagesPendingStatus, device);
    /// Rows of memory replaced by spare ones.
    RemappedRows -> super::answers::RemappedRows = "nvmlDeviceGetRemappedRows", false, [RemappedRows],
        ffi::quadruple(&nvml.lib().nvmlDeviceGetRemappedRows, device).map(
            |[correctable, uncorrectable, pending, failure]| super::answers::RemappedRows {
                correctable, uncorrectable, pending, failure,
            });
    /// The same, with rows in use apart from rows that are not.
    RemappedRowsV2 -> super::answers::RemappedRowsV2 = "nvmlDeviceGetRemappedRows_v2", false, [RemappedRowsV2],
        ffi::remapped_rows_v2(nvml, device).map(
            |[correctable_active, correctable_inactive, uncorrectable_active, uncorrectable_inactive, pending, failure]| {
                super::answers::RemappedRowsV2 {
                    correctable_active, correctable_inactive, uncorrectable_active, uncorrectable_inactive,
                    pending, failure,
                }
            });
    /// Memory banks by the spare rows that they have left.
    RemapHistogram -> RowHistogram = "nvmlDeviceGetRowRemapperHistogram", false, [RemapHistogram],
        ffi::number(&nvml.lib().nvmlDeviceGetRowRemapperHistogram, device).map(|rows| RowHistogram {
            max: rows.max,
            high: rows.high,
            partial: rows.partial,
            low: rows.low,
            none: rows.none,
        });

    /// 1 when power can be limited.
    PowerManagement -> u32 = "nvmlDeviceGetPowerManagementMode", false, [PowerManagement],
        ffi::number(&nvml.lib().nvmlDeviceGetPowerManagementMode, device);
    /// Power drawn, in milliwatts.
    PowerUsage -> u32 = "nvmlDeviceGetPowerUsage", false, [PowerUsage],
        ffi::number(&nvml.lib().nvmlDeviceGetPowerUsage, device);
    /// The limit that was asked for, in milliwatts.
    PowerLimit -> u32 = "nvmlDeviceGetPowerManagementLimit", false, [PowerLimit],
        ffi::number(&nvml.lib().nvmlDeviceGetPowerManagementLimit, device);
    /// The limit in force, the least of all that apply, in milliwatts.
    EnforcedPowerLimit -> u32 = "nvmlDeviceGetEnforcedPowerLimit", false, [EnforcedPowerLimit],
        ffi::number(&nvml.lib().nvmlDeviceGetEnforcedPowerLimit, device);
    /// The limit after a start, in milliwatts.
    DefaultPowerLimit -> u32 = "nvmlDeviceGetPowerManagementDefaultLimit", false, [DefaultPowerLimit],
        ffi::number(&nvml.lib().nvmlDeviceGetPowerManagementDefaultLimit, device);
    /// Least and greatest limit that can be set.
    PowerConstraints -> PowerRange = "nvmlDeviceGetPowerManagementLimitConstraints", false, [PowerConstraints],
        ffi::pair(&nvml.lib().nvmlDeviceGetPowerManagementLimitConstraints, device)
            .map(|(min, max)| PowerRange { min, max });
    /// One of NVML's numbered values. Numbers are those of driver 580.82 and later; the live driver
    /// translates them for earlier ones.
    FieldValues(id: u32, scope: u32) -> FieldValue = "nvmlDeviceGetFieldValues", false, every_field_value(),
        ffi::field_value(nvml, device, id, scope);

    /// Clock now, in MHz.
    Clock(domain: Domain) -> u32 = "nvmlDeviceGetClockInfo", false,
        [Domain::Graphics, Domain::Sm, Domain::Memory, Domain::Video].map(Clock),
        ffi::number_by(&nvml.lib().nvmlDeviceGetClockInfo, device, domain as u32);
    /// Greatest clock, in MHz.
    MaxClock(domain: Domain) -> u32 = "nvmlDeviceGetMaxClockInfo", true,
        [Domain::Graphics, Domain::Sm, Domain::Memory, Domain::Video].map(MaxClock),
        ffi::number_by(&nvml.lib().nvmlDeviceGetMaxClockInfo, device, domain as u32);
    /// Clock at which applications run, in MHz.
    ApplicationsClock(domain: Domain) -> u32 = "nvmlDeviceGetApplicationsClock", false,
        [Domain::Graphics, Domain::Memory].map(ApplicationsClock),
        ffi::number_by(&nvml.lib().nvmlDeviceGetApplicationsClock, device, domain as u32);
    /// Clock at which applications run unless told otherwise, in MHz.
    DefaultApplicationsClock(domain: Domain) -> u32 = "nvmlDeviceGetDefaultApplicationsClock", false,
        [Domain::Graphics, Domain::Memory].map(DefaultApplicationsClock),
        ffi::number_by(&nvml.lib().nvmlDeviceGetDefaultApplicationsClock, device, domain as u32);
    /// Memory clocks that can be set, in MHz, fastest first.
    SupportedMemoryClocks -> Vec<u32> = "nvmlDeviceGetSupportedMemoryClocks", true, [SupportedMemoryClocks],
        ffi::numbers(&nvml.lib().nvmlDeviceGetSupportedMemoryClocks, device);
    /// Graphics clocks that can be set along with a memory clock, in MHz, fastest first.
    SupportedGraphicsClocks(memory: u32) -> Vec<u32> = "nvmlDeviceGetSupportedGraphicsClocks", true, [],
        ffi::numbers_by(&nvml.lib().nvmlDeviceGetSupportedGraphicsClocks, device, memory);

    /// PCIe generation in use.
    PcieGeneration -> u32 = "nvmlDeviceGetCurrPcieLinkGeneration", false, [PcieGeneration],
        ffi::number(&nvml.lib().nvmlDeviceGetCurrPcieLinkGeneration, device);
    /// Newest PCIe generation that device and slot can both use.
    MaxPcieGeneration -> u32 = "nvmlDeviceGetMaxPcieLinkGeneration", false, [MaxPcieGeneration],
        ffi::number(&nvml.lib().nvmlDeviceGetMaxPcieLinkGeneration, device);
    /// Newest PCIe generation that the device can use.
    GpuMaxPcieGeneration -> u32 = "nvmlDeviceGetGpuMaxPcieLinkGeneration", false, [GpuMaxPcieGeneration],
        ffi::number(&nvml.lib().nvmlDeviceGetGpuMaxPcieLinkGeneration, device);
    /// PCIe lanes in use.
    PcieWidth -> u32 = "nvmlDeviceGetCurrPcieLinkWidth", false, [PcieWidth],
        ffi::number(&nvml.lib().nvmlDeviceGetCurrPcieLinkWidth, device);
    /// Most PCIe lanes that could be used.
    MaxPcieWidth -> u32 = "nvmlDeviceGetMaxPcieLinkWidth", false, [MaxPcieWidth],
        ffi::number(&nvml.lib().nvmlDeviceGetMaxPcieLinkWidth, device);

    /// Place in an NVLink fabric.
    FabricInfoV -> Fabric = "nvmlDeviceGetGpuFabricInfoV", false, [FabricInfoV],
        ffi::versioned(&nvml.lib().nvmlDeviceGetGpuFabricInfoV, device).map(|fabric| Fabric {
            cluster: fabric.clusterUuid,
            status: fabric.status,
            clique: fabric.cliqueId,
            state: fabric.state.into(),
            health_mask: Some(fabric.healthMask),
            health_summary: Some(fabric.healthSummary),
        });
    /// Place in an NVLink fabric, the older form.
    FabricInfo -> Fabric = "nvmlDeviceGetGpuFabricInfo", false, [FabricInfo],
        ffi::number(&nvml.lib().nvmlDeviceGetGpuFabricInfo, device).map(|fabric| Fabric {
            cluster: fabric.clusterUuid,
            status: fabric.status,
            clique: fabric.cliqueId,
            state: fabric.state.into(),
            health_mask: None,
            health_summary: None,
        });
    /// Place in the chassis.
    PlatformInfo -> Platform = "nvmlDeviceGetPlatformInfo", true, [PlatformInfo],
        ffi::versioned(&nvml.lib().nvmlDeviceGetPlatformInfo, device).map(|platform| Platform {
            fabric_guid: platform.ibGuid,
            chassis_serial: Text(platform.chassisSerialNumber.into_iter().take_while(|byte| *byte != 0).collect()),
            slot: platform.slotNumber,
            tray: platform.trayIndex,
            host: platform.hostId,
            peer_type: platform.peerType,
            module: platform.moduleId,
        });
    /// Module number on the board.
    ModuleId -> u32 = "nvmlDeviceGetModuleId", true, [ModuleId],
        ffi::number(&nvml.lib().nvmlDeviceGetModuleId, device);
    /// What the device can do for virtual GPUs, by capability.
    VgpuCapability(capability: u32) -> u32 = "nvmlDeviceGetVgpuCapabilities", true,
        [0, 1, 2, 9, 10, 11].map(VgpuCapability),
        ffi::number_by(&nvml.lib().nvmlDeviceGetVgpuCapabilities, device, capability);
    /// How the device is virtualized: 0 not, 1 passed through, 2 a vGPU, 3 hosts vGPUs, 4 hosts vSGAs.
    VirtualizationMode -> u32 = "nvmlDeviceGetVirtualizationMode", true, [VirtualizationMode],
        ffi::number(&nvml.lib().nvmlDeviceGetVirtualizationMode, device);

    /// Processes that compute.
    ComputeProcessesV3 -> Vec<Process> = "nvmlDeviceGetComputeRunningProcesses_v3", false, [ComputeProcessesV3],
        ffi::processes(&nvml.lib().nvmlDeviceGetComputeRunningProcesses_v3, device);
    /// Processes that compute, for drivers 450 to 495.
    ComputeProcessesV2 -> Vec<Process> = "nvmlDeviceGetComputeRunningProcesses_v2", false, [ComputeProcessesV2],
        ffi::processes(&nvml.lib().nvmlDeviceGetComputeRunningProcesses_v2, device);
    /// Processes that compute, for older drivers.
    ComputeProcessesV1 -> Vec<Process> = "nvmlDeviceGetComputeRunningProcesses", false, [ComputeProcessesV1],
        ffi::processes(&nvml.lib().nvmlDeviceGetComputeRunningProcesses, device);
    /// Processes that draw.
    GraphicsProcessesV3 -> Vec<Process> = "nvmlDeviceGetGraphicsRunningProcesses_v3", false, [GraphicsProcessesV3],
        ffi::processes(&nvml.lib().nvmlDeviceGetGraphicsRunningProcesses_v3, device);
    /// Processes that draw, for drivers 450 to 495.
    GraphicsProcessesV2 -> Vec<Process> = "nvmlDeviceGetGraphicsRunningProcesses_v2", false, [GraphicsProcessesV2],
        ffi::processes(&nvml.lib().nvmlDeviceGetGraphicsRunningProcesses_v2, device);
    /// Processes that draw, for older drivers.
    GraphicsProcessesV1 -> Vec<Process> = "nvmlDeviceGetGraphicsRunningProcesses", false, [GraphicsProcessesV1],
        ffi::processes(&nvml.lib().nvmlDeviceGetGraphicsRunningProcesses, device);
    /// Processes that compute through MPS.
    MpsProcessesV3 -> Vec<Process> = "nvmlDeviceGetMPSComputeRunningProcesses_v3", false, [MpsProcessesV3],
        ffi::processes(&nvml.lib().nvmlDeviceGetMPSComputeRunningProcesses_v3, device);
    /// Processes that compute through MPS, for drivers 460 to 495.
    MpsProcessesV2 -> Vec<Process> = "nvmlDeviceGetMPSComputeRunningProcesses_v2", false, [MpsProcessesV2],
        ffi::processes(&nvml.lib().nvmlDeviceGetMPSComputeRunningProcesses_v2, device);
    /// Processes that compute through MPS, for driver 450.
    MpsProcessesV1 -> Vec<Process> = "nvmlDeviceGetMPSComputeRunningProcesses", false, [MpsProcessesV1],
        ffi::processes(&nvml.lib().nvmlDeviceGetMPSComputeRunningProcesses, device);

    /// How many MIG devices there can be at most.
    MaxMigDevices -> u32 = "nvmlDeviceGetMaxMigDeviceCount", false, [MaxMigDevices],
        ffi::number(&nvml.lib().nvmlDeviceGetMaxMigDeviceCount, device);
    /// GPU instance of a MIG device.
    GpuInstanceId -> u32 = "nvmlDeviceGetGpuInstanceId", true, [],
        ffi::number(&nvml.lib().nvmlDeviceGetGpuInstanceId, device);
    /// Compute instance of a MIG device.
    ComputeInstanceId -> u32 = "nvmlDeviceGetComputeInstanceId", true, [],
        ffi::number(&nvml.lib().nvmlDeviceGetComputeInstanceId, device);
    /// Engines and memory of a MIG device.
    MigAttributes -> Attributes = "nvmlDeviceGetAttributes_v2", true, [],
        ffi::number(&nvml.lib().nvmlDeviceGetAttributes_v2, device).map(|of| Attributes {
            multiprocessors: of.multiprocessorCount,
            copy_engines: of.sharedCopyEngineCount,
            decoders: of.sharedDecoderCount,
            encoders: of.sharedEncoderCount,
            jpeg_engines: of.sharedJpegCount,
            ofa_engines: of.sharedOfaCount,
            gpu_slices: of.gpuInstanceSliceCount,
            compute_slices: of.computeInstanceSliceCount,
            memory_mib: of.memorySizeMB,
        });
}
