//! The binding to NVML: the one room of the house with `unsafe` in it.
//!
//! nvml-wrapper loads the library, looks its symbols up and initializes it; the getters are called here
//! through its sys layer. The wrapper's own getters are passed over on purpose: they turn names that are
//! not UTF-8, numbers from newer drivers and return codes above 22 into errors of their own, ask only the
//! newest form of a call, and size process lists once. Here each *shape* of call (one number out, a text
//! out, a list out …) is written once, so that every buffer length and every struct version word is
//! checked in one place, and the table in [`super::calls`] is free of `unsafe`.
//!
//! A function that the library lacks answers [`Code::FUNCTION_NOT_FOUND`], like one that it refuses.

use super::answers::{Process, RetiredPage, Text};
use super::code::Code;
use nvml_wrapper_sys::bindings as sys;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong};
use std::mem::size_of;
use std::sync::OnceLock;

/// A function of the library, or the loader's word that there is none.
pub(super) type Symbol<F> = Result<F, libloading::Error>;
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

/// The live library: loaded, initialized, and with its devices' handles kept once they were asked for.
///
/// It is never shut down: that takes 3.5 ms on an H200 and the kernel does the same when the process ends.
pub struct Library {
    nvml: std::mem::ManuallyDrop<nvml_wrapper::Nvml>,
    handles: OnceLock<Box<[OnceLock<Result<Handle, Code>>]>>,
    numbering: OnceLock<FieldNumbers>,
}

/// Which numbers the library uses for the values 251 to 273 of `nvmlDeviceGetFieldValues`: 580.82 gave
/// them new ones, so the wrong numbering reads another counter.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum FieldNumbers {
    /// Before 580.82.
    Old,
    /// From 580.82 on: the numbers that this program uses.
    New,
    /// The driver's version cannot be read: those values are not asked for.
    Unknown,
}

/// Why the library could not be brought to answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// It could not be loaded; the loader's words.
    Missing(String),
    /// It was loaded and refused to start; with its own version where it tells.
    Refused { code: Code, library: Option<String> },
}

impl Library {
    /// Loads and initializes the library at `path`, or the system's.
    pub(super) fn open(path: &std::ffi::OsStr) -> Result<Self, Failure> {
        use nvml_wrapper::error::NvmlError;
        match nvml_wrapper::Nvml::builder().lib_path(path).init() {
            Ok(nvml) => Ok(Self {
                nvml: std::mem::ManuallyDrop::new(nvml),
                handles: OnceLock::new(),
                numbering: OnceLock::new(),
            }),
            Err(NvmlError::LibloadingError(error)) => Err(Failure::Missing(error.to_string())),
            Err(NvmlError::FailedToLoadSymbol(error)) => Err(Failure::Missing(error)),
            Err(error) => {
                let code = match u32::from(error) {
                    0 => Code::UNKNOWN,
                    number => Code(number),
                };
                Err(Failure::Refused { code, library: version_without_init(path) })
            }
        }
    }

    /// The sys layer: one field for each symbol that the crate knows.
    pub(super) fn lib(&self) -> &sys::NvmlLib {
        self.nvml.lib()
    }

    /// A symbol that the sys layer does not list, looked up by its name.
    ///
    /// # Safety
    /// `F` must be the type of the function that NVML documents under this name.
    unsafe fn named<F: Copy>(&self, name: &[u8]) -> Result<F, Code> {
        // SAFETY: the caller vouches for the type; the library stays loaded as long as `self`.
        unsafe { self.lib().__library.get::<F>(name) }.map(|symbol| *symbol).map_err(|_| Code::FUNCTION_NOT_FOUND)
    }

    /// The handle of device `index` (`nvmlDeviceGetHandleByIndex_v2`), asked for once.
    pub(super) fn handle(&self, index: u32) -> Result<Handle, Code> {
        let handles = self.handles.get_or_init(|| {
            let count = self.count().unwrap_or(0);
            (0..count).map(|_| OnceLock::new()).collect()
        });
        let place = handles.get(index as usize).ok_or(Code::INVALID_ARGUMENT)?;
        *place.get_or_init(|| {
            let call = function(&self.lib().nvmlDeviceGetHandleByIndex_v2)?;
            let mut raw: Raw = std::ptr::null_mut();
            // SAFETY: the signature is the library's; `raw` outlives the call.
            check(unsafe { call(index, &mut raw) })?;
            handle_of(raw)
        })
    }

    /// Number of devices (`nvmlDeviceGetCount_v2`).
    pub(super) fn count(&self) -> Result<u32, Code> {
        system_number(&self.lib().nvmlDeviceGetCount_v2)
    }

    /// The handle of a MIG device (`nvmlDeviceGetMigDeviceHandleByIndex`).
    pub(super) fn mig_handle(&self, device: Handle, slot: u32) -> Result<Handle, Code> {
        let call = function(&self.lib().nvmlDeviceGetMigDeviceHandleByIndex)?;
        let mut raw: Raw = std::ptr::null_mut();
        // SAFETY: the signature is the library's; `raw` outlives the call.
        check(unsafe { call(device.0, slot, &mut raw) })?;
        handle_of(raw)
    }

    /// Looks a device up by a text that identifies it, and gives its index.
    pub(super) fn index_by(&self, by: By, text: &str) -> Result<u32, Code> {
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

    /// Which numbering of field values the driver uses; read from its version when first needed.
    pub(super) fn field_numbers(&self) -> FieldNumbers {
        *self.numbering.get_or_init(|| {
            let version = system_text(&self.lib().nvmlSystemGetDriverVersion, 80);
            version.map_or(FieldNumbers::Unknown, |text| FieldNumbers::of(&text.lossy()))
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

impl FieldNumbers {
    /// The numbering that goes with a driver version such as `580.159.04`.
    pub(super) fn of(version: &str) -> Self {
        let mut parts = version.split('.').map(str::parse::<u32>);
        match (parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= (580, 82) => Self::New,
            (Some(Ok(_)), Some(Ok(_))) => Self::Old,
            _ => Self::Unknown,
        }
    }

    /// The library's number for what this program calls `id`.
    pub(super) fn translate(self, id: u32) -> Result<u32, Code> {
        match (self, id) {
            (Self::Unknown, 251..=273) => Err(Code::FUNCTION_NOT_FOUND),
            (Self::Old, 251..=268) => Ok(id + 5),
            (Self::Old, 269..=273) => Ok(id - 18),
            _ => Ok(id),
        }
    }
}

/// NVML tells its own version without being initialized.
fn version_without_init(path: &std::ffi::OsStr) -> Option<String> {
    // SAFETY: loading runs the library's own initializers, as the attempt before this one did.
    let lib = unsafe { sys::NvmlLib::new(path) }.ok()?;
    let version = system_text(&lib.nvmlSystemGetNVMLVersion, 80).ok()?;
    Some(version.lossy().into_owned())
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

/// Plain data for which all zeroes is a value, so that a buffer can start as zeroes.
///
/// # Safety
/// Only for integers and C structs of integers and byte arrays.
pub(super) unsafe trait Plain: Copy {
    /// The all-zero value.
    fn zero() -> Self {
        // SAFETY: the trait's contract.
        unsafe { std::mem::zeroed() }
    }
}

/// A struct whose first word says its size and version; NVML refuses one that it does not know.
///
/// # Safety
/// The struct must begin with a `u32` version word.
pub(super) unsafe trait Versioned: Plain {
    /// Number of the version.
    const VERSION: u32;

    /// A zeroed struct with the word that NVML's header calls `NVML_STRUCT_VERSION`.
    fn stamped() -> Self {
        let mut zero = Self::zero();
        let word = size_of::<Self>() as u32 | (Self::VERSION << 24);
        // SAFETY: the trait's contract: the first four bytes are the version word.
        unsafe { (&raw mut zero).cast::<u32>().write(word) };
        zero
    }
}

macro_rules! plain {
    ($($ty:ty),* $(,)?) => { $(
        // SAFETY: an integer, or a C struct of integers and byte arrays.
        unsafe impl Plain for $ty {}
    )* };
}
macro_rules! versioned {
    ($($ty:ty = $version:literal),* $(,)?) => { $(
        // SAFETY: a C struct of integers and byte arrays.
        unsafe impl Plain for $ty {}
        // SAFETY: its first member is `unsigned int version`.
        unsafe impl Versioned for $ty { const VERSION: u32 = $version; }
    )* };
}
plain!(c_uint, c_int, c_ulonglong, [c_char; 64], [c_uint; 6]);
plain!(
    sys::nvmlUtilization_t,
    sys::nvmlMemory_t,
    sys::nvmlBAR1Memory_t,
    sys::nvmlPciInfo_t,
    sys::nvmlRowRemapperHistogramValues_t,
    sys::nvmlGpuFabricInfo_t,
    sys::nvmlC2cModeInfo_v1_t,
    sys::nvmlDeviceAttributes_t,
    sys::nvmlAccountingStats_t,
    sys::nvmlFieldValue_t,
);
versioned!(
    sys::nvmlMemory_v2_t = 2,
    sys::nvmlPciInfoExt_v1_t = 1,
    sys::nvmlDeviceAddressingMode_v1_t = 1,
    sys::nvmlTemperature_v1_t = 1,
    sys::nvmlMarginTemperature_v1_t = 1,
    sys::nvmlDramEncryptionInfo_v1_t = 1,
    sys::nvmlEccSramErrorStatus_v1_t = 1,
    sys::nvmlPlatformInfo_v2_t = 2,
    sys::nvmlGpuFabricInfo_v3_t = 3,
);

/// Bytes up to the first NUL; a buffer without one is taken to its end, never past it.
pub(super) fn text_of(buffer: &[c_char]) -> Text {
    Text(buffer.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect())
}

type GetText = unsafe extern "C" fn(Raw, *mut c_char, c_uint) -> Rc;
type GetOne<T> = unsafe extern "C" fn(Raw, *mut T) -> Rc;
type GetTwo<T, U> = unsafe extern "C" fn(Raw, *mut T, *mut U) -> Rc;

/// Calls `fill` with a buffer of `room` bytes.
fn fill_text(room: usize, fill: impl FnOnce(*mut c_char, c_uint) -> Rc) -> Result<Text, Code> {
    let mut buffer = vec![0 as c_char; room];
    check(fill(buffer.as_mut_ptr(), room as c_uint))?;
    Ok(text_of(&buffer))
}

/// A text about the device.
pub(super) fn text(symbol: &Symbol<GetText>, device: Handle, room: usize) -> Result<Text, Code> {
    let call = function(symbol)?;
    // SAFETY: the signature is the library's, which writes at most the `room` that it is told.
    fill_text(room, |buffer, length| unsafe { call(device.0, buffer, length) })
}

/// A text about the device, chosen by a number.
pub(super) fn text_by(
    symbol: &Symbol<unsafe extern "C" fn(Raw, c_uint, *mut c_char, c_uint) -> Rc>,
    device: Handle,
    which: u32,
    room: usize,
) -> Result<Text, Code> {
    let call = function(symbol)?;
    // SAFETY: as in `text`.
    fill_text(room, |buffer, length| unsafe { call(device.0, which, buffer, length) })
}

/// A text about the whole machine.
pub(super) fn system_text(
    symbol: &Symbol<unsafe extern "C" fn(*mut c_char, c_uint) -> Rc>,
    room: usize,
) -> Result<Text, Code> {
    let call = function(symbol)?;
    // SAFETY: as in `text`.
    fill_text(room, |buffer, length| unsafe { call(buffer, length) })
}

/// A number about the whole machine.
pub(super) fn system_number<T: Plain>(symbol: &Symbol<unsafe extern "C" fn(*mut T) -> Rc>) -> Result<T, Code> {
    let call = function(symbol)?;
    let mut out = T::zero();
    // SAFETY: the signature is the library's; `out` outlives the call.
    check(unsafe { call(&mut out) })?;
    Ok(out)
}

/// A number about the whole machine, chosen by another.
pub(super) fn system_number_by<T: Plain>(
    symbol: &Symbol<unsafe extern "C" fn(c_uint, *mut T) -> Rc>,
    which: u32,
) -> Result<T, Code> {
    let call = function(symbol)?;
    let mut out = T::zero();
    // SAFETY: the signature is the library's; `out` outlives the call.
    check(unsafe { call(which, &mut out) })?;
    Ok(out)
}

/// The name of a process (`nvmlSystemGetProcessName`).
pub(super) fn process_name(library: &Library, pid: u32, room: usize) -> Result<Text, Code> {
    let call = function(&library.lib().nvmlSystemGetProcessName)?;
    // SAFETY: as in `text`.
    fill_text(room, |buffer, length| unsafe { call(pid, buffer, length) })
}

/// One number or struct about the device.
pub(super) fn number<T: Plain>(symbol: &Symbol<GetOne<T>>, device: Handle) -> Result<T, Code> {
    fill(symbol, device, T::zero())
}

/// One struct with a version word about the device.
pub(super) fn versioned<T: Versioned>(symbol: &Symbol<GetOne<T>>, device: Handle) -> Result<T, Code> {
    fill(symbol, device, T::stamped())
}

/// One struct about the device, part of which the caller fills in.
pub(super) fn fill<T: Plain>(symbol: &Symbol<GetOne<T>>, device: Handle, mut out: T) -> Result<T, Code> {
    let call = function(symbol)?;
    // SAFETY: the signature is the library's; `out` outlives the call and has the size that it expects.
    check(unsafe { call(device.0, &mut out) })?;
    Ok(out)
}

/// One number or struct about the device, chosen by a number.
pub(super) fn number_by<T: Plain>(
    symbol: &Symbol<unsafe extern "C" fn(Raw, c_uint, *mut T) -> Rc>,
    device: Handle,
    which: u32,
) -> Result<T, Code> {
    let call = function(symbol)?;
    let mut out = T::zero();
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, which, &mut out) })?;
    Ok(out)
}

/// Two numbers about the device.
pub(super) fn pair<T: Plain, U: Plain>(symbol: &Symbol<GetTwo<T, U>>, device: Handle) -> Result<(T, U), Code> {
    fill_pair(symbol, device, T::zero(), U::zero())
}

/// Two structs with version words about the device.
pub(super) fn versioned_pair<T: Versioned>(symbol: &Symbol<GetTwo<T, T>>, device: Handle) -> Result<(T, T), Code> {
    fill_pair(symbol, device, T::stamped(), T::stamped())
}

fn fill_pair<T, U>(symbol: &Symbol<GetTwo<T, U>>, device: Handle, mut a: T, mut b: U) -> Result<(T, U), Code> {
    let call = function(symbol)?;
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, &mut a, &mut b) })?;
    Ok((a, b))
}

/// Three numbers about the device.
pub(super) fn triple(
    symbol: &Symbol<unsafe extern "C" fn(Raw, *mut c_uint, *mut c_uint, *mut c_uint) -> Rc>,
    device: Handle,
) -> Result<(u32, u32, u32), Code> {
    let call = function(symbol)?;
    let (mut a, mut b, mut c) = (0, 0, 0);
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, &mut a, &mut b, &mut c) })?;
    Ok((a, b, c))
}

/// Four numbers about the device.
pub(super) fn quadruple(
    symbol: &Symbol<unsafe extern "C" fn(Raw, *mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint) -> Rc>,
    device: Handle,
) -> Result<[u32; 4], Code> {
    let call = function(symbol)?;
    let [mut a, mut b, mut c, mut d] = [0; 4];
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, &mut a, &mut b, &mut c, &mut d) })?;
    Ok([a, b, c, d])
}

/// A call that only says yes or no.
pub(super) fn verdict(symbol: &Symbol<unsafe extern "C" fn(Raw) -> Rc>, device: Handle) -> Result<(), Code> {
    let call = function(symbol)?;
    // SAFETY: the signature is the library's.
    check(unsafe { call(device.0) })
}

/// `nvmlDeviceGetTotalEccErrors`.
pub(super) fn total_errors(library: &Library, device: Handle, kind: u32, counter: u32) -> Result<u64, Code> {
    let call = function(&library.lib().nvmlDeviceGetTotalEccErrors)?;
    let mut out = 0;
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, kind, counter, &mut out) })?;
    Ok(out)
}

/// `nvmlDeviceGetMemoryErrorCounter`.
pub(super) fn memory_errors(
    library: &Library,
    device: Handle,
    kind: u32,
    counter: u32,
    location: u32,
) -> Result<u64, Code> {
    let call = function(&library.lib().nvmlDeviceGetMemoryErrorCounter)?;
    let mut out = 0;
    // SAFETY: as in `fill`.
    check(unsafe { call(device.0, kind, counter, location, &mut out) })?;
    Ok(out)
}

/// `nvmlDeviceGetHostname_v1`: a struct of 64 characters without a version word. The sys layer lacks it.
pub(super) fn hostname(library: &Library, device: Handle) -> Result<Text, Code> {
    // SAFETY: the type is that of the function in NVML's header for CUDA 13.
    let call = unsafe { library.named::<GetOne<[c_char; 64]>>(b"nvmlDeviceGetHostname_v1\0") };
    let name = fill(&Ok(call?), device, <[c_char; 64]>::zero())?;
    Ok(text_of(&name))
}

/// `nvmlDeviceGetRemappedRows_v2`: six numbers without a version word. The sys layer lacks it.
pub(super) fn remapped_rows_v2(library: &Library, device: Handle) -> Result<[u32; 6], Code> {
    // SAFETY: the type is that of the function in the bindings that NVIDIA publishes for Python.
    let call = unsafe { library.named::<GetOne<[c_uint; 6]>>(b"nvmlDeviceGetRemappedRows_v2\0") };
    fill(&Ok(call?), device, [0; 6])
}

/// `nvmlDeviceGetDramEncryptionMode`, `nvmlDeviceGetTemperatureV` and the like need the caller's choice in
/// the struct: a temperature sensor here.
pub(super) fn temperature(library: &Library, device: Handle, sensor: u32) -> Result<i32, Code> {
    let mut ask = sys::nvmlTemperature_v1_t::stamped();
    ask.sensorType = sensor;
    fill(&library.lib().nvmlDeviceGetTemperatureV, device, ask).map(|out| out.temperature)
}

/// One value of `nvmlDeviceGetFieldValues`. The call succeeds as a whole; the value has a code of its own.
pub(super) fn field_value(
    library: &Library,
    device: Handle,
    id: u32,
    scope: u32,
) -> Result<super::answers::FieldValue, Code> {
    use super::answers::FieldValue;
    // The two groups are laid out alike on all drivers, so the common numbers need no version.
    let translated = match id {
        251..=273 => library.field_numbers().translate(id)?,
        _ => id,
    };
    let call = function(&library.lib().nvmlDeviceGetFieldValues)?;
    let mut ask = sys::nvmlFieldValue_t::zero();
    ask.fieldId = translated;
    ask.scopeId = scope;
    // SAFETY: one value is asked for and there is room for one.
    check(unsafe { call(device.0, 1, &mut ask) })?;
    check(ask.nvmlReturn)?;
    // SAFETY: the union was zeroed before the call and every member of it is a plain number, so each of
    // them can be read; `valueType` only says which one means something.
    unsafe {
        match ask.valueType {
            0 => Ok(FieldValue::Real(ask.value.dVal)),
            1 => Ok(FieldValue::Unsigned(ask.value.uiVal.into())),
            2 => Ok(FieldValue::Unsigned(ask.value.ulVal)),
            3 => Ok(FieldValue::Unsigned(ask.value.ullVal)),
            4 => Ok(FieldValue::Signed(ask.value.sllVal)),
            5 => Ok(FieldValue::Signed(ask.value.siVal.into())),
            6 => Ok(FieldValue::Unsigned(ask.value.usVal.into())),
            // A type from the future: the number's width is unknown, so it is no number.
            _ => Err(Code::NOT_SUPPORTED),
        }
    }
}

/// What unwritten memory in a process list looks like.
const UNWRITTEN: u8 = 0xA5;
/// The widest process entry that any driver has written.
const WIDEST: usize = 40;
/// Entries of the first attempt; a machine with more processes costs one more call.
const FIRST_ROOM: usize = 64;
/// How often a list may grow under the caller's hands before it is given up.
const ATTEMPTS: usize = 8;
/// More entries than this are a lie: 1 GiB of process list.
const MOST_ENTRIES: usize = 1 << 24;

/// A list of processes, through any of the three forms of the call.
///
/// The forms write entries of different size, and some drivers wrote others than their headers said:
/// 535.43 to 535.86 wrote wider ones through the third form, and one wrote the first form's. So the
/// buffer has room for the widest, starts as a known pattern, and the size is read off what was written.
pub(super) fn processes<T>(
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

type GetNumbers<T> = unsafe extern "C" fn(Raw, *mut c_uint, *mut T) -> Rc;

/// A list of numbers about the device.
pub(super) fn numbers<T: Plain>(symbol: &Symbol<GetNumbers<T>>, device: Handle) -> Result<Vec<T>, Code> {
    let call = function(symbol)?;
    let mut list: Vec<T> = Vec::new();
    let count = grown_list(|count, room| {
        list = vec![T::zero(); room.unwrap_or(0)];
        let buffer = if room.is_some() { list.as_mut_ptr() } else { std::ptr::null_mut() };
        // SAFETY: `count` says how many fit: none while the buffer is null, else the list's length.
        unsafe { call(device.0, count, buffer) }
    })?;
    list.truncate(count);
    Ok(list)
}

/// A list of numbers about the device, chosen by another number.
pub(super) fn numbers_by(
    symbol: &Symbol<unsafe extern "C" fn(Raw, c_uint, *mut c_uint, *mut c_uint) -> Rc>,
    device: Handle,
    which: u32,
) -> Result<Vec<u32>, Code> {
    let call = function(symbol)?;
    let mut list: Vec<u32> = Vec::new();
    let count = grown_list(|count, room| {
        list = vec![0; room.unwrap_or(0)];
        let buffer = if room.is_some() { list.as_mut_ptr() } else { std::ptr::null_mut() };
        // SAFETY: as in `numbers`.
        unsafe { call(device.0, which, count, buffer) }
    })?;
    list.truncate(count);
    Ok(list)
}

/// `nvmlDeviceGetRetiredPages_v2`.
pub(super) fn retired_pages_v2(library: &Library, device: Handle, cause: u32) -> Result<Vec<RetiredPage>, Code> {
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
pub(super) fn retired_pages(library: &Library, device: Handle, cause: u32) -> Result<Vec<RetiredPage>, Code> {
    let call = function(&library.lib().nvmlDeviceGetRetiredPages)?;
    let mut addresses: Vec<u64> = Vec::new();
    let count = grown_list(|count, room| {
        addresses = vec![0; room.unwrap_or(0)];
        let buffer = if room.is_some() { addresses.as_mut_ptr() } else { std::ptr::null_mut() };
        // SAFETY: as in `numbers`.
        unsafe { call(device.0, cause, count, buffer) }
    })?;
    addresses.truncate(count);
    Ok(addresses.into_iter().map(|address| RetiredPage { address, time: None }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_numbers_follow_the_driver() {
        assert_eq!(FieldNumbers::of("580.159.04"), FieldNumbers::New);
        assert_eq!(FieldNumbers::of("580.82.07"), FieldNumbers::New);
        assert_eq!(FieldNumbers::of("610.43"), FieldNumbers::New);
        assert_eq!(FieldNumbers::of("580.65.06"), FieldNumbers::Old);
        assert_eq!(FieldNumbers::of("garbage"), FieldNumbers::Unknown);
        // The software thermal counter was 251 and became 269; power smoothing 256 became 251.
        assert_eq!(FieldNumbers::Old.translate(269), Ok(251));
        assert_eq!(FieldNumbers::Old.translate(251), Ok(256));
        assert_eq!(FieldNumbers::New.translate(269), Ok(269));
        assert_eq!(FieldNumbers::Unknown.translate(269), Err(Code::FUNCTION_NOT_FOUND));
        assert_eq!(FieldNumbers::Unknown.translate(186), Ok(186));
    }

    #[test]
    fn version_words_are_size_and_number() {
        let memory = sys::nvmlMemory_v2_t::stamped();
        assert_eq!(memory.version, 40 | 2 << 24);
        assert_eq!(sys::nvmlPlatformInfo_v2_t::stamped().version, 44 | 2 << 24);
        assert_eq!(sys::nvmlGpuFabricInfo_v3_t::stamped().version, 40 | 3 << 24);
        assert_eq!(sys::nvmlEccSramErrorStatus_v1_t::stamped().version, 104 | 1 << 24);
        assert_eq!(sys::nvmlPciInfoExt_v1_t::stamped().version, 64 | 1 << 24);
    }

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

    #[test]
    fn a_text_without_an_end_stops_at_the_buffer() {
        assert_eq!(text_of(&[72, 105, 0, 120]), Text::from("Hi"));
        assert_eq!(text_of(&[72, 105]), Text::from("Hi"));
        assert_eq!(text_of(&[0]), Text::default());
    }
}
