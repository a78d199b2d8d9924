//! A stand-in for `libnvidia-ml.so.1`: the C functions of NVML, answered from a recording of rsmi, with
//! faults on request. Everything that it does is set by environment variables; the README lists them.
//!
//! The crate is built twice: as the library that programs load, and as a Rust library through which tests
//! find it ([`library_path`]) and dress it up as the library of an older driver ([`hide::hide_symbols`]).

mod call;
mod code;
mod counters;
mod derive;
mod export_table;
mod fake;
mod faults;
mod handles;
pub mod hide;
mod json;
mod locate;
mod machine;
mod noise;
pub mod profile;
mod room;
mod symbols;

pub use locate::{install, library_path};

/// The functions that driver 580.159 exports, all of which this library does, too.
pub const SYMBOLS: &[&str] = include!(concat!(env!("OUT_DIR"), "/names.rs"));
