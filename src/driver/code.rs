//! NVML's return codes: the numbers, the words that nvidia-smi prints for them and the exit status
//! that goes with them. A code from a newer driver is kept as its number; it is never a panic.

use serde::{Deserialize, Serialize};

/// A return code of NVML other than success (0).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Code(pub u32);

/// The words of codes 1 to 30, by their number less one, as `nvmlErrorString` of 580.159 gives them.
const WORDS: [&str; 30] = [
    "Uninitialized",
    "Invalid Argument",
    "Not Supported",
    "Insufficient Permissions",
    "Already Initialized",
    "Not Found",
    "Insufficient Size",
    "Insufficient External Power",
    "Driver Not Loaded",
    "Timeout",
    "Interrupt Request Issue",
    "NVML Shared Library Not Found",
    "Function Not Found",
    "Corrupted infoROM",
    "GPU is lost",
    "GPU requires reset",
    "GPU access blocked by the operating system",
    "Driver/library version mismatch",
    "In use by another client",
    "Insufficient Memory",
    "No data",
    "vGPU ECC not supported",
    "Insufficient Resources",
    "Invalid Frequency",
    "Argument version mismatch",
    "Requested functionality has been deprecated",
    "System is not in ready state",
    "No supported GPUs were found",
    "Resource not in correct state to perform requested operation",
    "Reset type is not supported for given device",
];

impl Code {
    /// The library was not initialized.
    pub const UNINITIALIZED: Code = Code(1);
    /// An argument was invalid.
    pub const INVALID_ARGUMENT: Code = Code(2);
    /// The device does not have what was asked for.
    pub const NOT_SUPPORTED: Code = Code(3);
    /// The caller may not know.
    pub const NO_PERMISSION: Code = Code(4);
    /// The thing asked for is not there.
    pub const NOT_FOUND: Code = Code(6);
    /// The caller's buffer was too small.
    pub const INSUFFICIENT_SIZE: Code = Code(7);
    /// The kernel module is not loaded.
    pub const DRIVER_NOT_LOADED: Code = Code(9);
    /// The library itself could not be found.
    pub const LIBRARY_NOT_FOUND: Code = Code(12);
    /// The library has no such function.
    pub const FUNCTION_NOT_FOUND: Code = Code(13);
    /// The infoROM's checksum is wrong.
    pub const CORRUPTED_INFOROM: Code = Code(14);
    /// The device has fallen off the bus.
    pub const GPU_IS_LOST: Code = Code(15);
    /// The device must be reset before it answers.
    pub const RESET_REQUIRED: Code = Code(16);
    /// The operating system does not let the caller at the device nodes.
    pub const OPERATING_SYSTEM: Code = Code(17);
    /// Kernel module and library are of different versions.
    pub const VERSION_MISMATCH: Code = Code(18);
    /// There is nothing to tell yet.
    pub const NO_DATA: Code = Code(21);
    /// A struct's version word is not one that the library knows.
    pub const ARGUMENT_VERSION_MISMATCH: Code = Code(25);
    /// The function exists but answers no more.
    pub const DEPRECATED: Code = Code(26);
    /// No supported GPU was found.
    pub const GPU_NOT_FOUND: Code = Code(28);
    /// Not NVML's: the device was not asked, because it did not answer within the limit that the user set.
    pub const NO_ANSWER: Code = Code(0x5253_4d49);
    /// Anything else.
    pub const UNKNOWN: Code = Code(999);

    /// What nvidia-smi prints for this code; `Unknown Error` for a number that no driver has used yet.
    pub fn words(self) -> &'static str {
        if self == Code::NO_ANSWER {
            return "No answer";
        }
        let place = (self.0 as usize).wrapping_sub(1);
        WORDS.get(place).copied().unwrap_or("Unknown Error")
    }

    /// True for the two codes that say "this machine has no such thing": not supported by the device,
    /// or not known to the library.
    pub fn means_absent(self) -> bool {
        matches!(self, Code::NOT_SUPPORTED | Code::FUNCTION_NOT_FOUND)
    }

    /// True when a newer form of a call is not understood here and an older form is worth asking.
    pub fn suggests_older_call(self) -> bool {
        matches!(self, Code::FUNCTION_NOT_FOUND | Code::ARGUMENT_VERSION_MISMATCH)
    }

    /// True when the whole device is out of service rather than one reading of it.
    pub fn condemns_device(self) -> bool {
        matches!(self, Code::GPU_IS_LOST)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_words_and_strange_ones_are_unknown() {
        assert_eq!(Code::NOT_SUPPORTED.words(), "Not Supported");
        assert_eq!(Code::GPU_IS_LOST.words(), "GPU is lost");
        assert_eq!(Code(30).words(), "Reset type is not supported for given device");
        for strange in [0, 31, 77, 999, u32::MAX] {
            assert_eq!(Code(strange).words(), "Unknown Error", "{strange}");
        }
    }
}
