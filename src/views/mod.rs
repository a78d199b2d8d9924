//! What a command shows: each view takes a machine and writes bytes.

pub mod gpustat;
pub mod list;
pub mod query;
pub mod report;
pub mod summary;
pub mod table;
pub mod version;
