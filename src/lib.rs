//! rsmi: a fast nvidia-smi and gpustat. See the README for what it does; each module opens with its job.

pub mod cli;
pub mod driver;
pub mod exit;
pub mod fields;
pub mod gpu;
pub mod host;
pub mod value;
