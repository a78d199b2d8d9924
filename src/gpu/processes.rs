//! The processes on a device: NVML's three lists (compute, graphics, MPS) made into one, each process once.

use super::Gpu;
use crate::driver::Code;
use crate::driver::answers::Process;
use std::collections::HashMap;

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
        let mut merged = Merged::default();
        for (source, list) in lists {
            list.unwrap_or_default().iter().for_each(|process| merged.add(source, process));
        }
        Ok(merged.listed)
    }
}

/// Processes in the order in which they were met, and where each stands: by pid and, with MIG, instances.
#[derive(Default)]
struct Merged {
    listed: Vec<Listed>,
    places: HashMap<(u32, Option<u32>, Option<u32>), usize>,
}

impl Merged {
    fn add(&mut self, source: Source, process: &Process) {
        let key = (process.pid, process.gpu_instance, process.compute_instance);
        let place = *self.places.entry(key).or_insert(self.listed.len());
        if place == self.listed.len() {
            self.listed.push(Listed {
                pid: process.pid,
                computes: false,
                draws: false,
                shares: false,
                used: process.used,
                gpu_instance: process.gpu_instance,
                compute_instance: process.compute_instance,
            });
        }
        let Some(known) = self.listed.get_mut(place) else { return };
        known.used = known.used.or(process.used);
        match source {
            Source::Compute => known.computes = true,
            Source::Graphics => known.draws = true,
            Source::Mps => known.shares = true,
        }
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
        let mut merged = Merged::default();
        merged.add(Source::Compute, &process(1, None));
        merged.add(Source::Compute, &process(2, Some(5)));
        merged.add(Source::Graphics, &process(1, Some(7)));
        merged.add(Source::Graphics, &process(3, None));
        merged.add(Source::Mps, &process(2, Some(5)));
        let seen: Vec<_> = merged.listed.iter().map(|listed| (listed.pid, listed.kind(), listed.used)).collect();
        assert_eq!(seen, [(1, "C+G", Some(7)), (2, "M+C", Some(5)), (3, "G", None)]);
    }

    #[test]
    fn a_process_in_two_instances_is_two() {
        let mut merged = Merged::default();
        for instance in [1, 2] {
            let process = Process { gpu_instance: Some(instance), compute_instance: Some(0), ..process(9, Some(1)) };
            merged.add(Source::Compute, &process);
        }
        assert_eq!(merged.listed.len(), 2);
    }
}
