//! Starting, stopping, and the words for codes.

use crate::call::{Call, On};
use crate::code;
use crate::fake::fake;
use nvml_wrapper_sys::bindings::nvmlDevice_t;
use std::ffi::{CString, c_char};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

fn start(call: &Call<'_>) -> Result<(), u32> {
    let machine = call.fake.machine.as_ref().ok_or_else(|| {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "fake-nvml: FAKE_NVML_MACHINE names no recording: there is no driver here");
        code::DRIVER_NOT_LOADED
    })?;
    if let Some(code) = machine.frame().refused {
        return Err(code);
    }
    call.fake.starts.fetch_add(1, Ordering::SeqCst);
    Ok(())
}

export!(nvmlInit, On::Library, code::FUNCTION_NOT_FOUND, [], (), |call| start(call));
export!(nvmlInit_v2, On::Library, code::FUNCTION_NOT_FOUND, [], (), |call| start(call));
export!(nvmlInitWithFlags, On::Library, code::FUNCTION_NOT_FOUND, [], (flags: u32), |call| {
    let _ = flags;
    start(call)
});
export!(nvmlShutdown, On::System, code::FUNCTION_NOT_FOUND, [], (), |call| {
    call.fake.starts.fetch_sub(1, Ordering::SeqCst);
    call.fake.counters.write();
    Ok(())
});

/// The words for a code. They stay where they are, as the caller may keep the pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlErrorString(code: u32) -> *const c_char {
    static WORDS: OnceLock<Vec<CString>> = OnceLock::new();
    fake().counters.count("nvmlErrorString", None);
    let all = WORDS.get_or_init(|| {
        let words = (1..=31).map(|code| rsmi::driver::Code(code).words().to_owned());
        let all = std::iter::once("Success".to_owned()).chain(words);
        all.map(|words| CString::new(words).unwrap_or_default()).collect()
    });
    // The last is the words for a number that no driver has used.
    let place = (code as usize).min(all.len() - 1);
    all.get(place).map_or(std::ptr::null(), |words| words.as_ptr())
}

/// An event set is a handle for its own sake: no event ever comes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetCreate(set: *mut nvmlDevice_t) -> u32 {
    let asked = crate::call::Asked { symbol: "nvmlEventSetCreate", arguments: &[], missing: code::NOT_SUPPORTED };
    crate::call::serve(On::System, &asked, |_| {
        if set.is_null() {
            return Err(code::INVALID_ARGUMENT);
        }
        let place = crate::handles::Place { device: u32::MAX, slot: None };
        // SAFETY: the caller's pointer, checked above.
        unsafe { set.write_unaligned(crate::handles::handle(place)) };
        Ok(())
    })
}

export!(nvmlEventSetFree, On::System, code::NOT_SUPPORTED, [], (set: nvmlDevice_t), |call| {
    let _ = call;
    crate::handles::place("nvmlEventSetFree", set);
    Ok(())
});

/// Hands out NVIDIA's private functions to nvidia-smi.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlInternalGetExportTable(table: *mut *const usize, id: *const [u8; 16]) -> u32 {
    let asked =
        crate::call::Asked { symbol: "nvmlInternalGetExportTable", arguments: &[], missing: code::NOT_SUPPORTED };
    crate::call::serve(On::Library, &asked, |_| {
        if table.is_null() || id.is_null() {
            return Err(code::INVALID_ARGUMENT);
        }
        // SAFETY: the caller's pointers, checked above; an id is 16 bytes.
        unsafe {
            let found = crate::export_table::table(&id.read_unaligned()).ok_or(code::NOT_FOUND)?;
            table.write_unaligned(found.as_ptr());
        }
        Ok(())
    })
}

/// A bus id in any of its spellings as domain, bus, device and function.
pub fn parse_bus_id(text: &str) -> Option<[u32; 4]> {
    let (rest, function) = text.trim().rsplit_once('.').unwrap_or((text.trim(), "0"));
    let mut parts = rest.rsplit(':').map(|part| u32::from_str_radix(part, 16));
    let device = parts.next()?.ok()?;
    let bus = parts.next()?.ok()?;
    let domain = parts.next().unwrap_or(Ok(0)).ok()?;
    Some([domain, bus, device, u32::from_str_radix(function, 16).ok()?])
}
