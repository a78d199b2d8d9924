//! Device handles. A handle is the address of a small allocation that lives as long as the process, and
//! every handle that comes in is looked up among those that went out before anything is done with it: a
//! NULL or foreign one is a mistake of the caller, on which the process is aborted with a word.

use nvml_wrapper_sys::bindings::nvmlDevice_t;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// What a handle stands for.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// Index of the device.
    pub device: u32,
    /// Slot of a MIG device on it.
    pub slot: Option<u32>,
}

static HANDLES: Mutex<BTreeMap<usize, Place>> = Mutex::new(BTreeMap::new());

/// The handle for a device: the same each time.
pub fn handle(place: Place) -> nvmlDevice_t {
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((address, _)) = handles.iter().find(|(_, known)| **known == place) {
        return std::ptr::with_exposed_provenance_mut(*address);
    }
    // A recognizable number behind the handle helps whoever looks at one in a debugger.
    let address = std::ptr::from_mut(Box::leak(Box::new(*b"FAKENVML"))).expose_provenance();
    handles.insert(address, place);
    std::ptr::with_exposed_provenance_mut(address)
}

/// What an address stands for, if it is a handle.
pub fn known(handle: nvmlDevice_t) -> Option<Place> {
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner).get(&handle.addr()).copied()
}

/// What the caller's handle stands for; does not come back from a handle that was never given.
pub fn place(symbol: &str, handle: nvmlDevice_t) -> Place {
    known(handle).unwrap_or_else(|| {
        let kind = if handle.is_null() { "a NULL handle" } else { "a handle that this library never gave" };
        abort(&format!("{symbol} was called with {kind} ({handle:?})"))
    })
}

/// Ends the process with a word about why.
pub fn abort(why: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "fake-nvml: {why}");
    std::process::abort()
}
