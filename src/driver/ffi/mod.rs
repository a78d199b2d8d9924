//! The binding to NVML: the one room of the house with `unsafe` in it.
//!
//! nvml-wrapper-sys loads the library and knows the symbols; the calls are made here. nvml-wrapper itself is
//! passed over on purpose: its start asks for the driver's version and reads on past the buffer where that has
//! no end, and its getters turn names that are not UTF-8, numbers from newer drivers and return codes above 22
//! into errors of their own, ask only the newest form of a call, and size process lists once. Here each *shape*
//! of call (one number out, a text out, a list out …) is written once, so that every buffer length and every
//! struct version word is checked in one place, and the table in [`super::calls`] is free of `unsafe`.
//!
//! A function that the library lacks answers [`Code::FUNCTION_NOT_FOUND`], like one that it refuses.

mod field;
mod lists;
mod plain;
mod shapes;

pub(in crate::driver) use field::field_value;
pub(in crate::driver) use lists::{numbers, numbers_by, processes, retired_pages, retired_pages_v2};
pub(in crate::driver) use shapes::*;

use super::answers::Text;
use super::code::Code;
use field::FieldNumbers;
use nvml_wrapper_sys::bindings as sys;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A function of the library, or the loader's word that there is none.
pub(in crate::driver) type Symbol<F> = Result<F, libloading::Error>;
type Raw = sys::nvmlDevice_t;
type Rc = sys::nvmlReturn_t;

/// A device of the live library.
#[derive(Copy, Clone)]
pub struct Handle(Raw);

// SAFETY: NVML documents its functions as safe to call from several threads at once, and a device handle
// as valid in all of them until shutdown; the pointer is never followed on this side.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// A device's handle, or why there is none, once it was asked for. Behind a lock of its own: who waits for one
/// device keeps nobody from another.
type KeptHandle = Mutex<Option<Result<Handle, Code>>>;

/// What is kept of a device: its handle, and those of its MIG devices by slot.
#[derive(Default)]
struct KeptDevice {
    handle: KeptHandle,
    parts: Mutex<HashMap<u32, Result<Handle, Code>>>,
}

/// The live library: loaded, initialized, and with its devices' handles kept once they were asked for.
///
/// It is never shut down: that takes 3.5 ms on an H200 and the kernel does the same when the process ends.
pub struct Library {
    lib: std::mem::ManuallyDrop<sys::NvmlLib>,
    count: OnceLock<u32>,
    devices: OnceLock<Box<[KeptDevice]>>,
    numbering: OnceLock<FieldNumbers>,
}

/// Why the library could not be brought to answer.
#[derive(Debug)]
pub(in crate::driver) enum Failure {
    /// It could not be loaded; the loader's words.
    Missing(String),
    /// It was loaded and refused to start; with its own version where it tells.
    Refused { code: Code, library: Option<String> },
}

impl Library {
    /// Loads and initializes the library at `path`, or the system's.
    pub(in crate::driver) fn open(path: &std::ffi::OsStr) -> Result<Self, Failure> {
        let missing = |error: &libloading::Error| Failure::Missing(error.to_string());
        // SAFETY: loading runs the library's own initializers; that this is the driver's library is the word of
        // who named it, or of the system's loader.
        let lib = unsafe { sys::NvmlLib::new(path) }.map_err(|error| missing(&error))?;
        let start = lib.nvmlInit_v2.as_ref().map_err(missing)?;
        // SAFETY: the signature is the library's; nothing has to come before this call.
        check(unsafe { start() }).map_err(|code| Failure::Refused { code, library: own_version(&lib) })?;
        let (count, devices, numbering) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Ok(Self { lib: std::mem::ManuallyDrop::new(lib), count, devices, numbering })
    }

    /// The sys layer: one field for each symbol that the crate knows.
    pub(in crate::driver) fn lib(&self) -> &sys::NvmlLib {
        &self.lib
    }

    /// A symbol that the sys layer does not list, looked up by its name.
    ///
    /// # Safety
    /// `F` must be the type of the function that NVML documents under this name.
    unsafe fn named<F: Copy>(&self, name: &[u8]) -> Result<F, Code> {
        // SAFETY: the caller vouches for the type; the library stays loaded as long as `self`.
        unsafe { self.lib().__library.get::<F>(name) }.map(|symbol| *symbol).map_err(|_| Code::FUNCTION_NOT_FOUND)
    }

    /// The handle of device `index` (`nvmlDeviceGetHandleByIndex_v2`), asked for once; a refused one once a tick.
    pub(in crate::driver) fn handle(&self, index: u32) -> Result<Handle, Code> {
        let ask = || {
            let call = function(&self.lib().nvmlDeviceGetHandleByIndex_v2)?;
            let mut raw: Raw = std::ptr::null_mut();
            // SAFETY: the signature is the library's; `raw` outlives the call.
            check(unsafe { call(index, &mut raw) })?;
            handle_of(raw)
        };
        *self.kept(index)?.handle.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(ask)
    }

    /// What is kept of device `index`, if there is such a device.
    fn kept(&self, index: u32) -> Result<&KeptDevice, Code> {
        let devices = self.devices.get_or_init(|| {
            let count = self.count().and_then(super::Driver::plausible_count).unwrap_or(0);
            (0..count).map(|_| KeptDevice::default()).collect()
        });
        devices.get(index as usize).ok_or(Code::INVALID_ARGUMENT)
    }

    /// Forgets which handles were refused, so that a device that has come back is found, and how devices are
    /// split, which may change at any time.
    pub(in crate::driver) fn tick(&self) {
        for kept in self.devices.get().into_iter().flatten() {
            // A lock that is taken is taken by someone who is asking.
            if let Ok(mut handle) = kept.handle.try_lock() {
                handle.take_if(|handle| handle.is_err());
            }
            if let Ok(mut parts) = kept.parts.try_lock() {
                parts.clear();
            }
        }
    }

    /// Number of devices (`nvmlDeviceGetCount_v2`), asked for until it is known.
    pub(in crate::driver) fn count(&self) -> Result<u32, Code> {
        match self.count.get() {
            Some(count) => Ok(*count),
            None => {
                system_number(&self.lib().nvmlDeviceGetCount_v2).map(|count: u32| *self.count.get_or_init(|| count))
            }
        }
    }

    /// The handle of the MIG device in a slot of device `index` (`nvmlDeviceGetMigDeviceHandleByIndex`), asked for
    /// once a tick.
    pub(in crate::driver) fn mig_handle(&self, index: u32, slot: u32) -> Result<Handle, Code> {
        let device = self.handle(index)?;
        let ask = || {
            let call = function(&self.lib().nvmlDeviceGetMigDeviceHandleByIndex)?;
            let mut raw: Raw = std::ptr::null_mut();
            // SAFETY: the signature is the library's; `raw` outlives the call.
            check(unsafe { call(device.0, slot, &mut raw) })?;
            handle_of(raw)
        };
        let mut parts = self.kept(index)?.parts.lock().unwrap_or_else(PoisonError::into_inner);
        *parts.entry(slot).or_insert_with(ask)
    }

    /// Looks a device up by a text that identifies it, and gives its index.
    pub(in crate::driver) fn index_by(&self, by: By, text: &str) -> Result<u32, Code> {
        let name = std::ffi::CString::new(text).map_err(|_| Code::INVALID_ARGUMENT)?;
        let lib = self.lib();
        let call = function(match by {
            By::Uuid => &lib.nvmlDeviceGetHandleByUUID,
            By::Serial => &lib.nvmlDeviceGetHandleBySerial,
            By::BusId => &lib.nvmlDeviceGetHandleByPciBusId_v2,
        })?;
        let mut raw: Raw = std::ptr::null_mut();
        // SAFETY: `name` ends in NUL and outlives the call, as does `raw`.
        check(unsafe { call(name.as_ptr(), &mut raw) })?;
        number(&lib.nvmlDeviceGetIndex, handle_of(raw)?)
    }

    /// Which numbering of field values the driver uses; read from its version when first needed, and again as
    /// long as the version cannot be had.
    pub(in crate::driver) fn field_numbers(&self) -> FieldNumbers {
        self.numbering.get().copied().unwrap_or_else(|| {
            let version = system_text(&self.lib().nvmlSystemGetDriverVersion, 80);
            let known = |text: Text| *self.numbering.get_or_init(|| FieldNumbers::of(&text.lossy()));
            version.map_or(FieldNumbers::Unknown, known)
        })
    }
}

/// What kind of text identifies a device.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum By {
    /// `nvmlDeviceGetHandleByUUID`.
    Uuid,
    /// `nvmlDeviceGetHandleBySerial`.
    Serial,
    /// `nvmlDeviceGetHandleByPciBusId_v2`.
    BusId,
}

/// The library's version, which it tells also where it does not start.
fn own_version(lib: &sys::NvmlLib) -> Option<String> {
    system_text(&lib.nvmlSystemGetNVMLVersion, 80).ok().map(|version| version.lossy().into_owned())
}

/// The function behind a symbol, or the code for its absence.
fn function<F: Copy>(symbol: &Symbol<F>) -> Result<F, Code> {
    symbol.as_ref().copied().map_err(|_| Code::FUNCTION_NOT_FOUND)
}

fn check(rc: Rc) -> Result<(), Code> {
    if rc == 0 { Ok(()) } else { Err(Code(rc)) }
}

fn handle_of(raw: Raw) -> Result<Handle, Code> {
    if raw.is_null() { Err(Code::UNKNOWN) } else { Ok(Handle(raw)) }
}
