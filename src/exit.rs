//! Exit statuses: the numbers that nvidia-smi documents, and those that it was seen to use.

use crate::driver::Code;

/// The status with which the program ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Exit(pub u8);

impl Exit {
    /// All went well.
    pub const SUCCESS: Exit = Exit(0);
    /// Output could not be written.
    pub const WRITE_FAILED: Exit = Exit(1);
    /// An argument was wrong.
    pub const BAD_ARGUMENT: Exit = Exit(2);
    /// No device matches, or there is none.
    pub const NO_DEVICE: Exit = Exit(6);
    /// The NVML library could not be found.
    pub const NO_LIBRARY: Exit = Exit(12);
    /// A device is lost.
    pub const GPU_IS_LOST: Exit = Exit(15);
    /// The driver did not answer within the limit that `--timeout` set; the number that `timeout` uses.
    pub const NO_ANSWER: Exit = Exit(124);
    /// Interrupted before there was anything to show; the number that shells use for SIGINT.
    pub const INTERRUPTED: Exit = Exit(130);
    /// Anything else: an unknown error, an option that does not exist.
    pub const OTHER: Exit = Exit(255);

    /// The status that goes with an NVML return code: its own number for those that nvidia-smi
    /// documents, 10 for an interrupt problem, 6 when there is no GPU, else 255.
    pub fn of(code: Code) -> Exit {
        if code == Code::NO_ANSWER {
            return Exit::NO_ANSWER;
        }
        match code.0 {
            11 => Exit(10),
            28 => Exit::NO_DEVICE,
            number @ (2..=4 | 6 | 8..=9 | 12..=18) => Exit(number as u8),
            _ => Exit::OTHER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_documented_statuses() {
        let of = |code| Exit::of(Code(code)).0;
        assert_eq!([9, 12, 15, 17, 18].map(of), [9, 12, 15, 17, 18]);
        assert_eq!(of(11), 10);
        assert_eq!(of(28), 6);
        // 999 cut to a byte would be 231, which means nothing.
        assert_eq!([999, 1, 77, 0, u32::MAX].map(of), [255; 5]);
    }
}
