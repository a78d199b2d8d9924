//! Calls that fill a list. A list can grow between the call that tells its length and the call that fetches
//! it, a library can claim any length, and the entries of a process list come in several sizes.

use super::plain::Plain;
use super::{Handle, Library, Raw, Rc, Symbol, function};
use crate::driver::answers::{Process, RetiredPage};
use crate::driver::code::Code;
use std::ffi::c_uint;
use std::mem::size_of;

/// What unwritten memory in a process list looks like.
const UNWRITTEN: u8 = 0xA5;
/// The widest process entry that any driver has written.
const WIDEST: usize = 40;
/// Entries of the first attempt; a machine with more processes costs one more call.
const FIRST_ROOM: usize = 64;
/// How often a list may grow under the caller's hands before it is given up.
const ATTEMPTS: usize = 8;
/// More entries than this are a lie, for which nobody makes room: Linux has at most four times as many pids, and
/// the memory for one such list is 40 MiB.
const MOST_ENTRIES: usize = 1 << 20;

/// A list of processes, through any of the three forms of the call.
///
/// The forms write entries of different size, and some drivers wrote others than their headers said:
/// 535.43 to 535.86 wrote wider ones through the third form, and one wrote the first form's. So the
/// buffer has room for the widest, starts as a known pattern, and the size is read off what was written.
pub(in crate::driver) fn processes<T>(
    symbol: &Symbol<unsafe extern "C" fn(Raw, *mut c_uint, *mut T) -> Rc>,
    device: Handle,
) -> Result<Vec<Process>, Code> {
    let call = function(symbol)?;
    let mut room = FIRST_ROOM;
    for _ in 0..ATTEMPTS {
        let words = room * WIDEST / size_of::<u64>();
        let mut buffer = vec![u64::from_ne_bytes([UNWRITTEN; 8]); words];
        let mut count = room as c_uint;
        // SAFETY: the library is told of `room` entries and the buffer holds that many of the widest.
        let rc = unsafe { call(device.0, &mut count, buffer.as_mut_ptr().cast()) };
        match rc {
            0 => return Ok(read_processes(&buffer, (count as usize).min(room))),
            7 if (count as usize) < MOST_ENTRIES => room = (count as usize).max(room * 2),
            7 => break,
            other => return Err(Code(other)),
        }
    }
    Err(Code::INSUFFICIENT_SIZE)
}

/// Takes `count` entries out of what the library wrote.
fn read_processes(words: &[u64], count: usize) -> Vec<Process> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let written = bytes.iter().rposition(|byte| *byte != UNWRITTEN).map_or(0, |last| last + 1);
    let stride = [16, 24, 32].into_iter().find(|size| size * count >= written).unwrap_or(WIDEST);
    bytes.chunks_exact(stride).take(count).filter_map(read_process).collect()
}

fn read_process(entry: &[u8]) -> Option<Process> {
    let u32_at = |at: usize| entry.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes);
    let instance = |at| u32_at(at).filter(|id| *id != u32::MAX);
    let used = u64::from_ne_bytes(entry.get(8..16)?.try_into().ok()?);
    Some(Process {
        pid: u32_at(0)?,
        // The driver's word for "not available".
        used: (used != u64::MAX).then_some(used),
        gpu_instance: instance(16),
        compute_instance: instance(20),
    })
}

/// A list whose length the library tells: asked for its length, then with room, again while it grows.
fn grown_list(mut fill: impl FnMut(&mut c_uint, Option<usize>) -> Rc) -> Result<usize, Code> {
    let mut count: c_uint = 0;
    match fill(&mut count, None) {
        // Too little room, and nothing to make room for: so the H200's driver says that a list is empty
        // (nvmlDeviceGetAccountingPids with no process to remember).
        0 | 7 => {}
        other => return Err(Code(other)),
    }
    for _ in 0..ATTEMPTS {
        if count == 0 {
            return Ok(0);
        }
        if count as usize > MOST_ENTRIES {
            break;
        }
        let room = count as usize;
        match fill(&mut count, Some(room)) {
            0 => return Ok((count as usize).min(room)),
            7 => count = count.max(room as c_uint * 2),
            other => return Err(Code(other)),
        }
    }
    Err(Code::INSUFFICIENT_SIZE)
}

/// The list of numbers that `call` fills: it gets how many fit, and a buffer that holds as many, or none.
fn grown_numbers<T: Plain>(mut call: impl FnMut(*mut c_uint, *mut T) -> Rc) -> Result<Vec<T>, Code> {
    let mut list: Vec<T> = Vec::new();
    let count = grown_list(|count, room| {
        list = vec![T::zero(); room.unwrap_or(0)];
        call(count, if room.is_some() { list.as_mut_ptr() } else { std::ptr::null_mut() })
    })?;
    list.truncate(count);
    Ok(list)
}

/// A list of numbers about the device.
pub(in crate::driver) fn numbers<T: Plain>(
    symbol: &Symbol<unsafe extern "C" fn(Raw, *mut c_uint, *mut T) -> Rc>,
    device: Handle,
) -> Result<Vec<T>, Code> {
    let call = function(symbol)?;
    // SAFETY: the count says how many fit: none while the buffer is null, else the buffer's length.
    grown_numbers(|count, buffer| unsafe { call(device.0, count, buffer) })
}

/// A list of numbers about the device, chosen by another number.
pub(in crate::driver) fn numbers_by<T: Plain>(
    symbol: &Symbol<unsafe extern "C" fn(Raw, c_uint, *mut c_uint, *mut T) -> Rc>,
    device: Handle,
    which: u32,
) -> Result<Vec<T>, Code> {
    let call = function(symbol)?;
    // SAFETY: as in `numbers`.
    grown_numbers(|count, buffer| unsafe { call(device.0, which, count, buffer) })
}

/// `nvmlDeviceGetRetiredPages_v2`.
pub(in crate::driver) fn retired_pages_v2(
    library: &Library,
    device: Handle,
    cause: u32,
) -> Result<Vec<RetiredPage>, Code> {
    let call = function(&library.lib().nvmlDeviceGetRetiredPages_v2)?;
    let (mut addresses, mut times): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    let count = grown_list(|count, room| {
        addresses = vec![0; room.unwrap_or(0)];
        times = addresses.clone();
        let (a, t) = match room {
            Some(_) => (addresses.as_mut_ptr(), times.as_mut_ptr()),
            None => (std::ptr::null_mut(), std::ptr::null_mut()),
        };
        // SAFETY: `count` says how many fit in both lists: none while the buffers are null.
        unsafe { call(device.0, cause, count, a, t) }
    })?;
    let pages = addresses.into_iter().zip(times).take(count);
    Ok(pages.map(|(address, time)| RetiredPage { address, time: Some(time) }).collect())
}

/// `nvmlDeviceGetRetiredPages`, the older form, which knows no times.
pub(in crate::driver) fn retired_pages(
    library: &Library,
    device: Handle,
    cause: u32,
) -> Result<Vec<RetiredPage>, Code> {
    let addresses: Vec<u64> = numbers_by(&library.lib().nvmlDeviceGetRetiredPages, device, cause)?;
    Ok(addresses.into_iter().map(|address| RetiredPage { address, time: None }).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a wrong index fails the test")]

    use super::*;

    /// Entries as the drivers write them: pid, padding, bytes, and in the wider forms instances and more.
    fn written(stride: usize, count: usize) -> Vec<u64> {
        let mut bytes = vec![UNWRITTEN; FIRST_ROOM * WIDEST];
        for (at, entry) in bytes.chunks_exact_mut(stride).take(count).enumerate() {
            entry[0..4].copy_from_slice(&(1000 + at as u32).to_ne_bytes());
            entry[8..16].copy_from_slice(&((at as u64 + 1) << 20).to_ne_bytes());
            for rest in entry[16..].chunks_exact_mut(4) {
                rest.copy_from_slice(&u32::MAX.to_ne_bytes());
            }
        }
        bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes"))).collect()
    }

    #[test]
    fn process_entries_are_read_in_every_size_that_drivers_wrote() {
        for stride in [16, 24, 32, 40] {
            for count in [0, 1, 2, 3, 60] {
                let list = read_processes(&written(stride, count), count);
                assert_eq!(list.len(), count);
                for (at, process) in list.iter().enumerate() {
                    let expected = Process {
                        pid: 1000 + at as u32,
                        used: Some((at as u64 + 1) << 20),
                        gpu_instance: None,
                        compute_instance: None,
                    };
                    assert_eq!(*process, expected, "stride {stride}, count {count}");
                }
            }
        }
    }

    #[test]
    fn memory_that_is_not_available_is_no_number() {
        let mut words = written(24, 1);
        words[1] = u64::MAX;
        assert_eq!(read_processes(&words, 1)[0].used, None);
    }
}
