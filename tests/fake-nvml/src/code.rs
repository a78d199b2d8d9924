//! The return codes that the library itself gives.

/// Not initialized.
pub const UNINITIALIZED: u32 = 1;
/// A NULL where a pointer belongs, or a number out of range.
pub const INVALID_ARGUMENT: u32 = 2;
/// The device, or this library, has no such thing.
pub const NOT_SUPPORTED: u32 = 3;
/// Nothing by that name.
pub const NOT_FOUND: u32 = 6;
/// The caller's room is too small.
pub const INSUFFICIENT_SIZE: u32 = 7;
/// No driver: also when no machine was named.
pub const DRIVER_NOT_LOADED: u32 = 9;
/// The library has no such function.
pub const FUNCTION_NOT_FOUND: u32 = 13;
/// A version word that the library does not know.
pub const ARGUMENT_VERSION_MISMATCH: u32 = 25;
/// The recording holds something that does not fit the call.
pub const UNKNOWN: u32 = 999;
