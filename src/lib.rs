//! rsmi: a fast nvidia-smi and gpustat. See the README for what it does; each module opens with its job.

pub mod cli;
pub mod driver;
pub mod exit;
pub mod face;
pub mod fields;
pub mod filter;
pub mod format;
pub mod gpu;
pub mod host;
pub mod output;
pub mod run;
pub mod start;
pub mod suggest;
pub mod supervise;
pub mod value;
pub mod views;
pub mod watch;
