//! Writing to the caller's memory. Every write of the library is in here, and none goes past the room that
//! the caller stated: one value, a buffer of so many bytes, a list of so many entries.

use crate::call::{Call, Given};
use crate::code;
use crate::json::{self, FromJson, Versioned};
use serde_json::Value;
use std::ffi::c_char;

/// Most entries that noise fills, however large the room: nobody reads more.
const NOISY_ENTRIES: usize = 1 << 12;

/// Writes as much of `bytes` as fits.
///
/// # Safety
/// `room` bytes at `out` must be the caller's to write.
unsafe fn write(out: *mut u8, room: usize, bytes: &[u8]) {
    // SAFETY: never more than `room`.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), out, bytes.len().min(room)) };
}

/// Writes one value, which `pick` takes out of the answer.
///
/// # Safety
/// `out` must be null or point to room for a `T`.
pub unsafe fn put_with<T: Copy>(
    out: *mut T,
    given: &mut Given<'_>,
    pick: impl FnOnce(&Value) -> Option<T>,
) -> Result<(), u32> {
    if out.is_null() {
        return Err(code::INVALID_ARGUMENT);
    }
    let room = size_of::<T>();
    // SAFETY: the caller's room for a `T`.
    unsafe {
        match given {
            Given::Json(value) => out.write_unaligned(pick(value).ok_or(code::UNKNOWN)?),
            Given::Bytes(bytes) => write(out.cast(), room, bytes),
            Given::Noise(noise) => write(out.cast(), room, &noise.bytes(room)),
        }
    }
    Ok(())
}

/// Writes a call's answer as one value.
///
/// # Safety
/// `out` must be null or point to room for a `T`.
pub unsafe fn put<T: FromJson>(out: *mut T, call: &Call<'_>) -> Result<(), u32> {
    // SAFETY: as here.
    unsafe { put_with(out, &mut call.given()?, T::from_json) }
}

/// The version word of the caller's struct.
///
/// # Safety
/// `out` must be null or point to a struct that begins with one.
pub unsafe fn word<T>(out: *const T) -> Result<u32, u32> {
    if out.is_null() {
        return Err(code::INVALID_ARGUMENT);
    }
    // SAFETY: the first word of the caller's struct.
    Ok(unsafe { out.cast::<u32>().read_unaligned() })
}

/// Whether the caller's version word means `T`, and the played driver knows that version.
pub fn means<T: Versioned>(call: &Call<'_>, word: u32) -> bool {
    word == T::word() && call.fake.is_since(T::SINCE)
}

/// Writes a call's answer as a struct with a version word, which is kept.
///
/// # Safety
/// `out` must be null or point to room for a `T`.
pub unsafe fn put_versioned<T: Versioned>(
    out: *mut T,
    given: &mut Given<'_>,
    pick: impl FnOnce(&Value) -> Option<T>,
) -> Result<(), u32> {
    // SAFETY: as here; a `T` begins with its version word.
    unsafe {
        put_with(out, given, pick)?;
        if matches!(given, Given::Json(_)) {
            out.cast::<u32>().write_unaligned(T::word());
        }
    }
    Ok(())
}

/// Writes a text and its NUL into a buffer of `room` bytes.
///
/// # Safety
/// `out` must be null or point to `room` bytes.
pub unsafe fn put_text(out: *mut c_char, room: u32, given: Given<'_>) -> Result<(), u32> {
    if out.is_null() {
        return Err(code::INVALID_ARGUMENT);
    }
    let bytes = match given {
        Given::Bytes(bytes) => bytes,
        Given::Noise(mut noise) => noise.text(room as usize),
        Given::Json(value) => {
            let mut text = json::text(&value).ok_or(code::UNKNOWN)?;
            text.push(0);
            if text.len() > room as usize {
                return Err(code::INSUFFICIENT_SIZE);
            }
            text
        }
    };
    // SAFETY: the caller's room.
    unsafe { write(out.cast(), room as usize, &bytes) };
    Ok(())
}

/// One of the caller's lists: where it is, how wide an entry is, and what goes there.
pub struct Column {
    /// The list.
    pub out: *mut u8,
    /// Bytes of an entry.
    pub width: usize,
    /// Whole entries.
    pub bytes: Vec<u8>,
}

/// Writes lists of one length. `count` comes in as the room and goes out as the length; where the room is
/// too small it goes out as what is needed and nothing else is written.
///
/// # Safety
/// `count` must be null or point to a number, and each list be null or have room for as many entries as it
/// says.
pub unsafe fn put_columns(count: *mut u32, columns: &[Column]) -> Result<(), u32> {
    let length = columns.iter().map(|column| column.bytes.len().div_ceil(column.width)).max().unwrap_or(0);
    if count.is_null() {
        return Err(code::INVALID_ARGUMENT);
    }
    // SAFETY: the caller's number, and lists of the room that it says.
    unsafe {
        let room = count.read_unaligned() as usize;
        count.write_unaligned(length as u32);
        if length > room || (length > 0 && columns.iter().any(|column| column.out.is_null())) {
            return Err(code::INSUFFICIENT_SIZE);
        }
        for column in columns.iter().filter(|column| !column.out.is_null()) {
            write(column.out, room.saturating_mul(column.width), &column.bytes);
        }
    }
    Ok(())
}

/// Fills lists with noise and gives them a length that may be a lie.
///
/// # Safety
/// As for [`put_columns`].
pub unsafe fn put_noise(
    count: *mut u32,
    lists: &[(*mut u8, usize)],
    noise: &mut crate::noise::Noise,
) -> Result<(), u32> {
    if count.is_null() {
        return Err(code::INVALID_ARGUMENT);
    }
    // SAFETY: the caller's number, and lists of the room that it says.
    unsafe {
        let room = count.read_unaligned();
        for (out, width) in lists.iter().filter(|(out, _)| !out.is_null()) {
            let bytes = (room as usize).min(NOISY_ENTRIES) * width;
            write(*out, bytes, &noise.bytes(bytes));
        }
        count.write_unaligned(noise.length(room));
    }
    if noise.next().is_multiple_of(4) { Err(code::INSUFFICIENT_SIZE) } else { Ok(()) }
}

/// How the entries of a list are made.
pub struct Entries {
    /// Bytes of one.
    pub width: usize,
    /// One from a recorded entry.
    pub recorded: fn(&Value, usize) -> Option<Vec<u8>>,
    /// The n-th of those that a rule adds.
    pub added: fn(u64, usize) -> Vec<u8>,
}

/// Writes a call's answer as a list.
///
/// # Safety
/// As for [`put_columns`], with one list.
pub unsafe fn put_list(call: &Call<'_>, count: *mut u32, out: *mut u8, entries: &Entries) -> Result<(), u32> {
    let width = entries.width;
    let bytes = match call.given()? {
        Given::Bytes(bytes) => bytes,
        // SAFETY: as here.
        Given::Noise(mut noise) => return unsafe { put_noise(count, &[(out, width)], &mut noise) },
        Given::Json(value) => {
            let recorded = value.as_array().ok_or(code::UNKNOWN)?.iter().map(|entry| (entries.recorded)(entry, width));
            let mut all: Vec<Vec<u8>> = recorded.collect::<Option<_>>().ok_or(code::UNKNOWN)?;
            all.extend((0..call.grow).map(|nth| (entries.added)(nth, width)));
            all.concat()
        }
    };
    // SAFETY: as here.
    unsafe { put_columns(count, &[Column { out, width, bytes }]) }
}

/// Writes the number of devices. Noise is mostly modest here, as a caller that makes room for each device
/// must be able to; one time in sixteen it is not.
///
/// # Safety
/// `out` must be null or point to room for a number.
pub unsafe fn put_count(out: *mut u32, call: &Call<'_>) -> Result<(), u32> {
    let mut given = call.given()?;
    if let Given::Noise(noise) = &mut given {
        let count = match noise.next() % 16 {
            0 => noise.next() as u32,
            1..=4 => (noise.next() % 80) as u32,
            few => (few % 4) as u32,
        };
        given = Given::Json(std::borrow::Cow::Owned(count.into()));
    }
    // SAFETY: as here.
    unsafe { put_with(out, &mut given, FromJson::from_json) }
}
