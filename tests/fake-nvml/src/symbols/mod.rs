//! The functions that the library exports, by the shape of their arguments. A table row is a function's
//! name and what it hands out; the way that all of them go is [`crate::call::serve`].
//!
//! The build script reads these files: what begins a line here, or follows `export!(` or `pub unsafe extern "C" fn`, is
//! modelled; for the rest of `symbols.txt` it writes stubs that answer "not supported".
//!
//! # Safety
//! The contract of each function is that of NVML's header: pointers are null or have the room that the call
//! states or its type implies. Handles may be anything: they are looked up, never followed.

/// The definition that all tables end in.
macro_rules! export {
    (
        $name:ident, $on:expr, $missing:expr, [$($given:expr),*],
        ($($arg:ident: $ty:ty),*),
        |$call:ident| $answer:expr
    ) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> u32 {
            let asked = $crate::call::Asked { symbol: stringify!($name), arguments: &[$($given),*], missing: $missing };
            // Some answers write nothing by themselves.
            #[allow(unused_unsafe)]
            // SAFETY: the module's contract.
            $crate::call::serve($on, &asked, |$call| unsafe { $answer })
        }
    };
}

/// One value: `(device, *out)`.
macro_rules! one {
    ($missing:expr; $($name:ident: $ty:ty;)*) => { $(
        export!(
            $name, On::Device(device), $missing, [],
            (device: nvmlDevice_t, out: *mut $ty), |call| {
            room::put(out, call)
        });
    )* };
}

/// One value chosen by a number: `(device, which, *out)`.
macro_rules! one_by {
    ($missing:expr; $($name:ident: $ty:ty;)*) => { $(
        export!(
            $name, On::Device(device), $missing, [which],
            (device: nvmlDevice_t, which: u32, out: *mut $ty),
            |call| room::put(out, call)
        );
    )* };
}

/// One value chosen by two numbers: `(device, a, b, *out)`.
macro_rules! one_by_two {
    ($missing:expr; $($name:ident: $ty:ty;)*) => { $(
        export!(
            $name, On::Device(device), $missing, [a, b],
            (device: nvmlDevice_t, a: u32, b: u32, out: *mut $ty),
            |call| room::put(out, call)
        );
    )* };
}

/// Several members of one answer, each to its own place: `(device, *first, *second …)`. A place that is
/// null is passed over: nvidia-smi asks for one half of a pair so.
macro_rules! several {
    ($missing:expr; $($name:ident: $($member:ident: $ty:ty),+;)*) => { $(
        export!($name, On::Device(device), $missing, [], (device: nvmlDevice_t, $($member: *mut $ty),+), |call| {
            let mut given = call.given()?;
            $( if !$member.is_null() {
                room::put_with($member, &mut given, |value| crate::json::member(value, stringify!($member)))?;
            } )+
            Ok(())
        });
    )* };
}

/// A text: `(device, *buffer, length)`.
macro_rules! text {
    ($missing:expr; $($name:ident;)*) => { $(
        export!($name, On::Device(device), $missing, [], (device: nvmlDevice_t, out: *mut c_char, length: u32), |call| {
            room::put_text(out, length, call.given()?)
        });
    )* };
}

/// A struct with a version word, in one or several versions: `(device, *struct)`.
macro_rules! versioned {
    ($missing:expr; $($name:ident: $($ty:ty)|+;)*) => { $(
        export!($name, On::Device(device), $missing, [], (device: nvmlDevice_t, out: *mut c_void), |call| {
            let word = room::word(out)?;
            $( if room::means::<$ty>(call, word) {
                return room::put_versioned::<$ty>(out.cast(), &mut call.given()?, FromJson::from_json);
            } )+
            Err(crate::code::ARGUMENT_VERSION_MISMATCH)
        });
    )* };
}

/// A list of numbers: `(device, *count, *list)`.
macro_rules! list {
    ($missing:expr; $($name:ident: $entries:expr;)*) => { $(
        export!($name, On::Device(device), $missing, [], (device: nvmlDevice_t, count: *mut u32, out: *mut c_void),
            |call| {
                room::put_list(call, count, out.cast(), &$entries)
            }
        );
    )* };
}

/// A list chosen by a number: `(device, which, *count, *list)`.
macro_rules! list_by {
    ($missing:expr; $($name:ident: $entries:expr;)*) => { $(
        export!(
            $name, On::Device(device), $missing, [which],
            (device: nvmlDevice_t, which: u32, count: *mut u32, out: *mut c_void),
            |call| room::put_list(call, count, out.cast(), &$entries)
        );
    )* };
}

mod devices;
mod extra;
mod fields;
mod lists;
mod start;
mod structs;
mod system;
mod values;

pub use start::parse_bus_id;

/// The functions that are not modelled. They take what may be a handle, so that counts and rules know the
/// device.
mod stubs {
    use crate::call::{Asked, On, serve};
    use crate::code::NOT_SUPPORTED;
    use nvml_wrapper_sys::bindings::nvmlDevice_t;

    macro_rules! stub {
        ($name:ident) => {
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(first: nvmlDevice_t) -> u32 {
                let asked = Asked { symbol: stringify!($name), arguments: &[], missing: NOT_SUPPORTED };
                serve(On::Maybe(first), &asked, |_| Err(NOT_SUPPORTED))
            }
        };
    }
    include!(concat!(env!("OUT_DIR"), "/stubs.rs"));
}
