//! The C surface: entry widths, version words, short buffers, NULLs, and handles that are none.

#![allow(clippy::indexing_slicing, clippy::print_stdout, reason = "a test may panic, and talks to its parent")]

mod common;

use common::{child, device, function, is_child, isolated, library};

type List = unsafe extern "C" fn(usize, *mut u32, *mut u8) -> u32;
type GetOne = unsafe extern "C" fn(usize, *mut u8) -> u32;
type GetText = unsafe extern "C" fn(usize, *mut u8, u32) -> u32;

/// Byte that a test puts where nothing may be written.
const GUARD: u8 = 0x5A;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Holds one form of the process list against the fixture's three processes of device 1.
fn check_processes(name: &str, width: usize) {
    let library = library();
    let device = device(&library, 1);
    // SAFETY: the type is that of NVML's header.
    let list: List = unsafe { function(&library, name) };
    let mut buffer = [GUARD; 512];
    let mut count = 2;
    // SAFETY: room for two entries and more.
    assert_eq!(unsafe { list(device, &mut count, buffer.as_mut_ptr()) }, 7);
    assert_eq!((count, buffer), (3, [GUARD; 512]), "{name}: nothing is written where there is no room");
    count = 0;
    // SAFETY: no room, no list.
    assert_eq!(unsafe { list(device, &mut count, std::ptr::null_mut()) }, 7);
    assert_eq!(count, 3);
    // SAFETY: room for three entries and more.
    assert_eq!(unsafe { list(device, &mut count, buffer.as_mut_ptr()) }, 0);
    for (at, entry) in buffer.chunks(width).take(3).enumerate() {
        assert_eq!((u32_at(entry, 0), u64_at(entry, 8)), (5000 + at as u32, (at as u64) << 20), "{name} {width}");
        if width > 16 {
            assert_eq!((u32_at(entry, 16), u32_at(entry, 20)), (3, at as u32), "{name} {width}");
        }
    }
    assert!(buffer[3 * width..].iter().all(|byte| *byte == GUARD), "{name} {width}: nothing beyond the list");
}

#[test]
fn process_lists_are_as_wide_as_drivers_wrote_them() {
    let test = "process_lists_are_as_wide_as_drivers_wrote_them";
    if is_child() {
        let width = std::env::var("FAKE_NVML_PROCESS_ENTRY").ok().and_then(|width| width.parse().ok());
        let of_driver = if std::env::var("FAKE_NVML_DRIVER").is_ok_and(|name| name == "535.54") { 40 } else { 24 };
        // The recording has the third form only; the older ones are derived, as a profile is set.
        check_processes("nvmlDeviceGetComputeRunningProcesses", 16);
        check_processes("nvmlDeviceGetComputeRunningProcesses_v2", 24);
        check_processes("nvmlDeviceGetComputeRunningProcesses_v3", width.unwrap_or(of_driver));
        return;
    }
    isolated(test, &[("FAKE_NVML_DRIVER", "550")], || ());
    isolated(test, &[("FAKE_NVML_DRIVER", "535.54")], || ());
    isolated(test, &[("FAKE_NVML_DRIVER", "535.54"), ("FAKE_NVML_PROCESS_ENTRY", "32")], || ());
}

#[test]
fn memory_that_the_driver_cannot_tell_is_all_ones() {
    isolated("memory_that_the_driver_cannot_tell_is_all_ones", &[], || {
        let library = library();
        let device = device(&library, 0);
        // SAFETY: the type is that of NVML's header.
        let list: List = unsafe { function(&library, "nvmlDeviceGetComputeRunningProcesses_v3") };
        let (mut buffer, mut count) = ([0; 48], 2);
        // SAFETY: room for two entries.
        assert_eq!(unsafe { list(device, &mut count, buffer.as_mut_ptr()) }, 0);
        assert_eq!((u32_at(&buffer, 24), u64_at(&buffer, 32), u32_at(&buffer, 40)), (4712, u64::MAX, u32::MAX));
    });
}

#[test]
fn version_words_are_checked() {
    isolated("version_words_are_checked", &[], || {
        let library = library();
        let device = device(&library, 0);
        for (name, size, version) in [
            ("nvmlDeviceGetMemoryInfo_v2", 40u32, 2),
            ("nvmlDeviceGetPciInfoExt", 64, 1),
            ("nvmlDeviceGetTemperatureV", 12, 1),
            ("nvmlDeviceGetMarginTemperature", 8, 1),
            ("nvmlDeviceGetSramEccErrorStatus", 104, 1),
            ("nvmlDeviceGetPlatformInfo", 44, 1),
            ("nvmlDeviceGetPlatformInfo", 44, 2),
            ("nvmlDeviceGetGpuFabricInfoV", 36, 2),
            ("nvmlDeviceGetGpuFabricInfoV", 40, 3),
            ("nvmlDeviceGetAddressingMode", 8, 1),
        ] {
            // SAFETY: the type is that of NVML's header, but for what the struct is called.
            let call: GetOne = unsafe { function(&library, name) };
            let right = size | version << 24;
            for (word, rc) in [(0, 25), (2, 25), (size, 25), (right + 4, 25), (size | 9 << 24, 25), (right, 0)] {
                let mut buffer = [GUARD; 256];
                buffer[..4].copy_from_slice(&word.to_ne_bytes());
                buffer[4..8].fill(0);
                // SAFETY: more room than any of these structs.
                assert_eq!(unsafe { call(device, buffer.as_mut_ptr()) }, rc, "{name} {word:#x}");
                assert_eq!(u32_at(&buffer, 0), word, "{name}: the word stays");
                assert!(buffer[size as usize..].iter().all(|byte| *byte == GUARD), "{name}: nothing beyond");
            }
            // SAFETY: NULL is an argument that the library must refuse.
            assert_eq!(unsafe { call(device, std::ptr::null_mut()) }, 2, "{name}");
        }
    });
}

#[test]
fn older_drivers_know_older_structs_only() {
    isolated("older_drivers_know_older_structs_only", &[("FAKE_NVML_DRIVER", "550")], || {
        let library = library();
        let device = device(&library, 0);
        // SAFETY: the type is that of NVML's header, but for what the struct is called.
        let call: GetOne = unsafe { function(&library, "nvmlDeviceGetGpuFabricInfoV") };
        for (word, rc) in [(40u32 | 3 << 24, 25), (36 | 2 << 24, 0)] {
            let mut buffer = [0; 64];
            buffer[..4].copy_from_slice(&word.to_ne_bytes());
            // SAFETY: more room than the struct.
            assert_eq!(unsafe { call(device, buffer.as_mut_ptr()) }, rc);
        }
    });
}

#[test]
fn short_buffers_are_refused_and_left_alone() {
    isolated("short_buffers_are_refused_and_left_alone", &[], || {
        let library = library();
        let device = device(&library, 0);
        // SAFETY: the type is that of NVML's header.
        let name: GetText = unsafe { function(&library, "nvmlDeviceGetName") };
        let mut buffer = [GUARD; 16];
        // SAFETY: no more room is stated than there is.
        unsafe {
            assert_eq!(name(device, buffer.as_mut_ptr(), 10), 7);
            assert_eq!(buffer, [GUARD; 16]);
            assert_eq!(name(device, buffer.as_mut_ptr(), 11), 0);
            assert_eq!(&buffer, b"Fake GPU 0\0ZZZZZ");
            assert_eq!(name(device, std::ptr::null_mut(), 11), 2);
        }
    });
}

#[test]
fn the_oldest_bus_ids_are_short() {
    isolated("the_oldest_bus_ids_are_short", &[], || {
        let library = library();
        let device = device(&library, 1);
        for (name, size) in
            [("nvmlDeviceGetPciInfo", 32), ("nvmlDeviceGetPciInfo_v2", 52), ("nvmlDeviceGetPciInfo_v3", 68)]
        {
            // SAFETY: the type is that of NVML's header, but for what the struct is called.
            let call: GetOne = unsafe { function(&library, name) };
            let mut buffer = [GUARD; 80];
            // SAFETY: more room than any form of the struct.
            assert_eq!(unsafe { call(device, buffer.as_mut_ptr()) }, 0);
            assert_eq!(&buffer[..13], b"0000:1B:00.0\0", "{name}");
            assert_eq!(u32_at(&buffer, 28), 0x2335_10de, "{name}");
            assert!(buffer[size..].iter().all(|byte| *byte == GUARD), "{name}: nothing beyond");
        }
    });
}

#[test]
fn nothing_answers_before_it_is_started() {
    isolated("nothing_answers_before_it_is_started", &[], || {
        let library = library();
        // SAFETY: the types are those of NVML's header.
        unsafe {
            let count: unsafe extern "C" fn(*mut u32) -> u32 = function(&library, "nvmlDeviceGetCount_v2");
            let none: unsafe extern "C" fn() -> u32 = function(&library, "nvmlShutdown");
            let version: unsafe extern "C" fn(*mut u8, u32) -> u32 = function(&library, "nvmlSystemGetNVMLVersion");
            let words: unsafe extern "C" fn(u32) -> *const std::ffi::c_char = function(&library, "nvmlErrorString");
            let mut number = 0;
            assert_eq!((count(&mut number), none()), (1, 1));
            assert_eq!(version([0u8; 80].as_mut_ptr(), 80), 0);
            assert_eq!(std::ffi::CStr::from_ptr(words(15)), c"GPU is lost");
            device(&library, 0);
            assert_eq!((count(&mut number), number), (0, 3));
            assert_eq!((none(), count(&mut number)), (0, 1));
        }
    });
}

#[test]
fn every_symbol_is_there_and_the_rest_is_not_supported() {
    isolated("every_symbol_is_there_and_the_rest_is_not_supported", &[], || {
        let library = library();
        let device = device(&library, 0);
        for symbol in fake_nvml::SYMBOLS {
            // SAFETY: looked up, not called.
            let _: usize = unsafe { function(&library, symbol) };
        }
        // SAFETY: what is not modelled touches no memory.
        let call: GetOne = unsafe { function(&library, "nvmlDeviceGetThermalSettings") };
        // SAFETY: as above.
        assert_eq!(unsafe { call(device, std::ptr::null_mut()) }, 3);
    });
}

#[test]
fn a_handle_that_is_none_ends_the_process() {
    let test = "a_handle_that_is_none_ends_the_process";
    if is_child() {
        let library = library();
        let device = device(&library, 0);
        let wrong = if std::env::var_os("FOREIGN").is_some() { device + 8 } else { 0 };
        let mut out = [0; 8];
        // SAFETY: the type is that of NVML's header; the handle is the mistake that is tested.
        unsafe { function::<GetOne>(&library, "nvmlDeviceGetIndex")(wrong, out.as_mut_ptr()) };
        return;
    }
    for (variable, words) in [("FOREIGN", "a handle that this library never gave"), ("NULL", "a NULL handle")] {
        let output = child(test, &[(variable, "1")]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&output.status), Some(6), "{said}");
        assert!(said.contains(&format!("fake-nvml: nvmlDeviceGetIndex was called with {words}")), "{said}");
    }
}
