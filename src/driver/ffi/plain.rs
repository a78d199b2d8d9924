//! The C types that calls fill: which of them can start as zeroes, and which begin with a version word.

use nvml_wrapper_sys::bindings as sys;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong};
use std::mem::size_of;

/// Plain data for which all zeroes is a value, so that a buffer can start as zeroes.
///
/// # Safety
/// Only for integers and C structs of integers and byte arrays.
pub(in crate::driver) unsafe trait Plain: Copy {
    /// The all-zero value.
    fn zero() -> Self {
        // SAFETY: the trait's contract.
        unsafe { std::mem::zeroed() }
    }
}

/// A struct whose first word says its size and version; NVML refuses one that it does not know.
///
/// # Safety
/// The struct must begin with a `u32` version word.
pub(in crate::driver) unsafe trait Versioned: Plain {
    /// Number of the version.
    const VERSION: u32;

    /// A zeroed struct with the word that NVML's header calls `NVML_STRUCT_VERSION`.
    fn stamped() -> Self {
        let mut zero = Self::zero();
        let word = size_of::<Self>() as u32 | (Self::VERSION << 24);
        // SAFETY: the trait's contract: the first four bytes are the version word.
        unsafe { (&raw mut zero).cast::<u32>().write(word) };
        zero
    }
}

macro_rules! plain {
    ($($ty:ty),* $(,)?) => { $(
        // SAFETY: an integer, or a C struct of integers and byte arrays.
        unsafe impl Plain for $ty {}
    )* };
}
macro_rules! versioned {
    ($($ty:ty = $version:literal),* $(,)?) => { $(
        // SAFETY: a C struct of integers and byte arrays.
        unsafe impl Plain for $ty {}
        // SAFETY: its first member is `unsigned int version`.
        unsafe impl Versioned for $ty { const VERSION: u32 = $version; }
    )* };
}
plain!(c_uint, c_int, c_ulonglong, [c_char; 64], [c_uint; 6]);
plain!(
    sys::nvmlUtilization_t,
    sys::nvmlMemory_t,
    sys::nvmlBAR1Memory_t,
    sys::nvmlPciInfo_t,
    sys::nvmlRowRemapperHistogramValues_t,
    sys::nvmlGpuFabricInfo_t,
    sys::nvmlC2cModeInfo_v1_t,
    sys::nvmlDeviceAttributes_t,
    sys::nvmlAccountingStats_t,
    sys::nvmlFieldValue_t,
    sys::nvmlExcludedDeviceInfo_t,
);
versioned!(
    sys::nvmlMemory_v2_t = 2,
    sys::nvmlPciInfoExt_v1_t = 1,
    sys::nvmlDeviceAddressingMode_v1_t = 1,
    sys::nvmlTemperature_v1_t = 1,
    sys::nvmlMarginTemperature_v1_t = 1,
    sys::nvmlDramEncryptionInfo_v1_t = 1,
    sys::nvmlEccSramErrorStatus_v1_t = 1,
    sys::nvmlPlatformInfo_v2_t = 2,
    sys::nvmlGpuFabricInfo_v3_t = 3,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_words_are_size_and_number() {
        let memory = sys::nvmlMemory_v2_t::stamped();
        assert_eq!(memory.version, 40 | 2 << 24);
        assert_eq!(sys::nvmlPlatformInfo_v2_t::stamped().version, 44 | 2 << 24);
        assert_eq!(sys::nvmlGpuFabricInfo_v3_t::stamped().version, 40 | 3 << 24);
        assert_eq!(sys::nvmlEccSramErrorStatus_v1_t::stamped().version, 104 | 1 << 24);
        assert_eq!(sys::nvmlPciInfoExt_v1_t::stamped().version, 64 | 1 << 24);
    }
}
