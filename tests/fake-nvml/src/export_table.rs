//! NVIDIA's private table, which the real nvidia-smi asks for at its start and which makes it print "Mismatch
//! in versions between nvidia-smi and NVML." where it is missing. Its layout, and what nvidia-smi 580.159
//! does with it, were read off an H200: 270 words, the first its own size, the rest functions. Those that
//! matter to what is printed are filled; the others answer "not supported", with which nvidia-smi lives.

use crate::call::{Asked, Call, Given, On, serve};
use crate::code::{INSUFFICIENT_SIZE, INVALID_ARGUMENT, NOT_FOUND, NOT_SUPPORTED};
use crate::json::FromJson;
use nvml_wrapper_sys::bindings::nvmlDevice_t;
use serde_json::Value;
use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

/// c4fe3e6c-c98f-6c4e-a327-ee696e12f7c4.
const ID: [u8; 16] = [0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e, 0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4];
/// Words of the table.
const WORDS: usize = 270;
/// Bytes of a process entry: 32 of numbers and 4,096 of command line.
const ENTRY: usize = 4128;
/// Where the command line stands in it.
const COMMAND: usize = 32;
/// A GPU has at most this many processes for nvidia-smi.
const MOST_PROCESSES: usize = 500;

/// A function of the table. Each takes its arguments in registers, as numbers or pointers, so those that
/// take fewer leave the rest alone.
type Entry = unsafe extern "C" fn(usize, usize, usize, usize, usize) -> u32;

/// The table for an id, if there is one.
pub fn table(id: &[u8; 16]) -> Option<&'static [usize]> {
    static TABLE: OnceLock<Vec<usize>> = OnceLock::new();
    (*id == ID)
        .then(|| {
            TABLE.get_or_init(|| {
                let size = WORDS * size_of::<usize>();
                std::iter::once(size).chain((1..WORDS).map(|at| entry(at) as usize)).collect()
            })
        })
        .map(Vec::as_slice)
}

fn entry(at: usize) -> Entry {
    match at {
        12 => parse_bus_id,
        72 => supported,
        75 => bus_numbers,
        81 => bus_id,
        108 => enforced_limit,
        213 => compute_processes,
        214 => graphics_processes,
        215 => mps_processes,
        231 => part_number,
        232 => sparse_operation,
        237 => fru_number,
        _ => unsupported,
    }
}

unsafe extern "C" fn unsupported(_: usize, _: usize, _: usize, _: usize, _: usize) -> u32 {
    crate::fake::fake().counters.count("private", None);
    NOT_SUPPORTED
}

/// Serves an entry under its name in a trace, with `key` for what it reads of a recording.
fn serve_entry(on: On, key: &'static str, answer: impl FnOnce(&Call<'_>) -> Result<(), u32>) -> u32 {
    serve(on, &Asked { symbol: key, arguments: &[], missing: NOT_SUPPORTED }, answer)
}

fn device(handle: usize) -> On {
    On::Device(std::ptr::with_exposed_provenance_mut(handle))
}

/// A place for a `T`, unless the number cannot be an address: not every layout here was seen.
fn out<T>(address: usize) -> Result<*mut T, u32> {
    if address < 4096 { Err(INVALID_ARGUMENT) } else { Ok(std::ptr::with_exposed_provenance_mut(address)) }
}

/// Writes numbers to the places at `addresses`.
///
/// # Safety
/// The addresses must be those of the caller's numbers.
unsafe fn put_numbers(addresses: &[usize], numbers: &[u32]) -> Result<(), u32> {
    for (address, number) in addresses.iter().zip(numbers) {
        // SAFETY: as here.
        unsafe { out::<u32>(*address)?.write_unaligned(*number) };
    }
    Ok(())
}

/// Writes a text and its NUL.
///
/// # Safety
/// There must be `room` bytes at the address.
unsafe fn put_text(address: usize, room: usize, text: &str) -> Result<(), u32> {
    let bytes = CStr::from_bytes_until_nul(text.as_bytes()).map_or(text.as_bytes(), CStr::to_bytes);
    // SAFETY: as here.
    unsafe {
        crate::room::put_text(
            out::<c_char>(address)?,
            room as u32,
            Given::Json(Cow::Owned(Value::from(String::from_utf8_lossy(bytes)))),
        )
    }
}

/// (text, *domain, *bus, *device, *function): takes a bus id apart.
unsafe extern "C" fn parse_bus_id(text: usize, domain: usize, bus: usize, device: usize, function: usize) -> u32 {
    serve_entry(On::System, "private[12]", |_| {
        // SAFETY: the caller's text ends in NUL.
        let text = unsafe { CStr::from_ptr(out::<c_char>(text)?) }.to_string_lossy();
        let numbers = crate::symbols::parse_bus_id(&text).ok_or(INVALID_ARGUMENT)?;
        // SAFETY: the caller's places.
        unsafe { put_numbers(&[domain, bus, device, function], &numbers) }
    })
}

/// (device, *answer): whether processes and devices can be monitored.
unsafe extern "C" fn supported(handle: usize, answer: usize, _: usize, _: usize, _: usize) -> u32 {
    // SAFETY: the caller's place.
    serve_entry(device(handle), "private[72]", |_| unsafe { put_numbers(&[answer], &[1]) })
}

fn pci(call: &Call<'_>) -> Result<Value, u32> {
    let machine = call.fake.machine.as_ref().ok_or(NOT_FOUND)?;
    machine.answers(call.place)?.get("nvmlDeviceGetPciInfo_v3").cloned().ok_or(NOT_FOUND)
}

/// (index, *domain, *bus, *device): where a device is.
unsafe extern "C" fn bus_numbers(index: usize, domain: usize, bus: usize, device: usize, _: usize) -> u32 {
    serve_entry(On::Index(index as u32), "private[75]", |call| {
        let pci = pci(call)?;
        let numbers = ["domain", "bus", "device"].map(|name| pci.get(name).and_then(u32::from_json).unwrap_or(0));
        // SAFETY: the caller's places.
        unsafe { put_numbers(&[domain, bus, device], &numbers) }
    })
}

/// (index, *bus id, room): the same as text.
unsafe extern "C" fn bus_id(index: usize, text: usize, room: usize, _: usize, _: usize) -> u32 {
    serve_entry(On::Index(index as u32), "private[81]", |call| {
        let pci = pci(call)?;
        // SAFETY: the caller's buffer of `room` bytes.
        unsafe { put_text(text, room, pci.get("bus_id").and_then(Value::as_str).ok_or(NOT_FOUND)?) }
    })
}

/// (device, *milliwatts) by its place among the calls; the layout was not seen.
unsafe extern "C" fn enforced_limit(handle: usize, limit: usize, _: usize, _: usize, _: usize) -> u32 {
    serve_entry(device(handle), "private[108]", |call| {
        let machine = call.fake.machine.as_ref().ok_or(NOT_SUPPORTED)?;
        let answers = machine.answers(call.place)?;
        let recorded = answers.get("nvmlDeviceGetEnforcedPowerLimit").and_then(u32::from_json).ok_or(NOT_SUPPORTED)?;
        // SAFETY: the caller's place.
        unsafe { put_numbers(&[limit], &[recorded]) }
    })
}

/// (device, *text, room): the GPU part number, for which a recording may have a key of this name.
unsafe extern "C" fn part_number(handle: usize, text: usize, room: usize, _: usize, _: usize) -> u32 {
    serve_entry(device(handle), "private[231]", |call| match call.given()? {
        // SAFETY: the caller's buffer of `room` bytes.
        Given::Json(value) => unsafe { put_text(text, room, value.as_str().ok_or(NOT_SUPPORTED)?) },
        _ => Err(NOT_SUPPORTED),
    })
}

/// (device, *mode): off.
unsafe extern "C" fn sparse_operation(handle: usize, mode: usize, _: usize, _: usize, _: usize) -> u32 {
    // SAFETY: the caller's place.
    serve_entry(device(handle), "private[232]", |_| unsafe { put_numbers(&[mode], &[0]) })
}

/// (device, *text, 20): empty, as on the H200.
unsafe extern "C" fn fru_number(handle: usize, text: usize, room: usize, _: usize, _: usize) -> u32 {
    // SAFETY: the caller's buffer of `room` bytes.
    serve_entry(device(handle), "private[237]", |_| unsafe { put_text(text, room, "") })
}

unsafe extern "C" fn compute_processes(handle: usize, count: usize, list: usize, _: usize, _: usize) -> u32 {
    // SAFETY: the caller's list.
    unsafe { processes("private[213]", "nvmlDeviceGetComputeRunningProcesses", handle, count, list) }
}

unsafe extern "C" fn graphics_processes(handle: usize, count: usize, list: usize, _: usize, _: usize) -> u32 {
    // SAFETY: the caller's list.
    unsafe { processes("private[214]", "nvmlDeviceGetGraphicsRunningProcesses", handle, count, list) }
}

unsafe extern "C" fn mps_processes(handle: usize, count: usize, list: usize, _: usize, _: usize) -> u32 {
    // SAFETY: the caller's list.
    unsafe { processes("private[215]", "nvmlDeviceGetMPSComputeRunningProcesses", handle, count, list) }
}

/// (device, *count, *entries): the processes of one kind, with their command lines.
///
/// # Safety
/// `count` must be the address of a number and `list` of as many entries as it says.
unsafe fn processes(name: &'static str, base: &str, handle: usize, count: usize, list: usize) -> u32 {
    serve_entry(device(handle), name, |call| {
        let machine = call.fake.machine.as_ref().ok_or(NOT_SUPPORTED)?;
        let answers = machine.answers(call.place)?;
        let forms = ["_v3", "_v2", ""].map(|form| answers.get(&format!("{base}{form}")));
        let recorded = forms.into_iter().flatten().next().ok_or(NOT_SUPPORTED)?;
        if let Some(code) = crate::call::error(recorded) {
            return Err(code);
        }
        let all: Vec<Vec<u8>> =
            recorded.as_array().into_iter().flatten().filter_map(|of| process(machine, of)).collect();
        let (count, list) = (out::<u32>(count)?, out::<u8>(list)?);
        // SAFETY: the caller's number, and its list with room for as many entries.
        unsafe {
            let room = (count.read_unaligned() as usize).min(MOST_PROCESSES);
            count.write_unaligned(all.len() as u32);
            if all.len() > room {
                return Err(INSUFFICIENT_SIZE);
            }
            for (at, entry) in all.iter().enumerate() {
                std::ptr::copy_nonoverlapping(entry.as_ptr(), list.add(at * ENTRY), ENTRY);
            }
        }
        Ok(())
    })
}

/// An entry of 4,128 bytes.
fn process(machine: &crate::machine::Machine, recorded: &Value) -> Option<Vec<u8>> {
    let number = |name: &str| recorded.get(name).and_then(Value::as_u64);
    let pid = number("pid")? as u32;
    let instance = |name| number(name).map_or(u32::MAX, |id| id as u32);
    let mut entry = vec![0; COMMAND];
    entry.get_mut(0..4)?.copy_from_slice(&pid.to_ne_bytes());
    entry.get_mut(8..16)?.copy_from_slice(&number("used").unwrap_or(u64::MAX).to_ne_bytes());
    entry.get_mut(16..20)?.copy_from_slice(&instance("gpu_instance").to_ne_bytes());
    entry.get_mut(20..24)?.copy_from_slice(&instance("compute_instance").to_ne_bytes());
    let frame = machine.frame();
    let words = frame.processes.get(&pid).map(|process| process.command.clone()).filter(|words| !words.is_empty());
    let command = match words {
        Some(words) => words.into_iter().map(|word| word.0).collect::<Vec<_>>().join(&0),
        None => frame
            .system
            .get(&format!("nvmlSystemGetProcessName({pid})"))
            .and_then(crate::json::text)
            .unwrap_or_default(),
    };
    // The last byte stays a NUL.
    entry.extend(command.into_iter().take(ENTRY - COMMAND - 1));
    entry.resize(ENTRY, 0);
    Some(entry)
}

/// Keeps the type in sight of whoever changes it: handles come in as numbers here.
const _: () = assert!(size_of::<nvmlDevice_t>() == size_of::<usize>());
