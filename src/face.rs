//! The three programs that rsmi can be.

/// Which program rsmi was started as.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Face {
    /// Itself.
    Rsmi,
    /// The drop-in for nvidia-smi.
    NvidiaSmi,
    /// The drop-in for gpustat.
    Gpustat,
}
