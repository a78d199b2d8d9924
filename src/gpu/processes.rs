//! The processes on a device: NVML's three lists (compute, graphics, MPS) made into one, each process once.

use super::Gpu;
use crate::driver::Code;
use crate::driver::answers::Process;

/// A process on a device.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Process id as the driver sees it.
    pub pid: u32,
    /// In the list of processes that compute.
    pub computes: bool,
    /// In the list of processes that draw.
    pub draws: bool,
    /// In the list of processes that compute through MPS.
    pub shares: bool,
    /// Framebuffer that it holds in bytes, where the driver can tell.
    pub used: Option<u64>,
    /// GPU instance, where MIG is on.
    pub gpu_instance: Option<u32>,
    /// Compute instance, where MIG is on.
    pub compute_instance: Option<u32>,
}

impl Listed {
    /// What kind of process it is, as nvidia-smi abbreviates it.
    pub fn kind(&self) -> &'static str {
        match (self.shares, self.computes, self.draws) {
            (true, _, true) => "M+C+G",
            (true, _, false) => "M+C",
            (false, true, true) => "C+G",
            (false, false, true) => "G",
            (false, _, false) => "C",
        }
    }
}

/// Which of NVML's lists a process was found in.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Source {
    Compute,
    Graphics,
    Mps,
}

impl Gpu<'_> {
    /// All processes on the device in the driver's order: those that compute, then those that only draw,
    /// then those that only compute through MPS.
    ///
    /// # Errors
    /// NVML's return code when none of the lists can be had.
    pub fn processes(&self) -> Result<Vec<Listed>, Code> {
        let lists = [
            (Source::Compute, self.compute_processes()),
            (Source::Graphics, self.graphics_processes()),
            (Source::Mps, self.mps_processes()),
        ];
        if let [(_, Err(code)), (_, Err(_)), (_, Err(_))] = &lists {
            return Err(*code);
        }
        let mut merged: Vec<Listed> = Vec::new();
        for (source, list) in lists {
            list.unwrap_or_default().iter().for_each(|process| merge(&mut merged, source, process));
        }
        Ok(merged)
    }
}

fn merge(merged: &mut Vec<Listed>, source: Source, process: &Process) {
    let same = |known: &&mut Listed| {
        known.pid == process.pid
            && known.gpu_instance == process.gpu_instance
            && known.compute_instance == process.compute_instance
    };
    let known = match merged.iter_mut().find(same) {
        Some(known) => known,
        None => {
            merged.push(Listed {
                pid: process.pid,
                computes: false,
                draws: false,
                shares: false,
                used: process.used,
                gpu_instance: process.gpu_instance,
                compute_instance: process.compute_instance,
            });
            let Some(last) = merged.last_mut() else { return };
            last
        }
    };
    known.used = known.used.or(process.used);
    match source {
        Source::Compute => known.computes = true,
        Source::Graphics => known.draws = true,
        Source::Mps => known.shares = true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, used: Option<u64>) -> Process {
        Process { pid, used, gpu_instance: None, compute_instance: None }
    }

    #[test]
    fn a_process_in_several_lists_is_one_process() {
        let mut merged = Vec::new();
        merge(&mut merged, Source::Compute, &process(1, None));
        merge(&mut merged, Source::Compute, &process(2, Some(5)));
        merge(&mut merged, Source::Graphics, &process(1, Some(7)));
        merge(&mut merged, Source::Graphics, &process(3, None));
        merge(&mut merged, Source::Mps, &process(2, Some(5)));
        let seen: Vec<_> = merged.iter().map(|listed| (listed.pid, listed.kind(), listed.used)).collect();
        assert_eq!(seen, [(1, "C+G", Some(7)), (2, "M+C", Some(5)), (3, "G", None)]);
    }

    #[test]
    fn a_process_in_two_instances_is_two() {
        let mut merged = Vec::new();
        for instance in [1, 2] {
            let process = Process { gpu_instance: Some(instance), compute_instance: Some(0), ..process(9, Some(1)) };
            merge(&mut merged, Source::Compute, &process);
        }
        assert_eq!(merged.len(), 2);
    }
}
