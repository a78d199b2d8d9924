//! The processes of the devices, by their ids. One whose name cannot be had, or that has emptied it, is
//! left out: so does nvidia-smi, and a process of another PID namespace is not seen here.

use super::cell::{left, plain, right, tail, text};
use crate::driver::answers::Text;
use crate::driver::{Code, Driver, Target, calls};
use crate::gpu::{Gpu, Listed};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What stands above the rows.
pub(super) const HEADER: &str = "
+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
";

/// What stands in their place where there are none to show.
pub(super) const NONE: &str =
    "|  No running processes found                                                             |\n";

/// What stands below them.
pub(super) const RULE: &str =
    "+-----------------------------------------------------------------------------------------+\n";

/// Names of processes. Several devices ask side by side, and many processes are on several devices: each
/// is asked for once.
pub(super) struct Names<'a> {
    driver: &'a Driver,
    known: Mutex<HashMap<u32, Arc<OnceLock<Option<Text>>>>>,
}

impl<'a> Names<'a> {
    /// No name yet.
    pub(super) fn new(driver: &'a Driver) -> Self {
        Names { driver, known: Mutex::default() }
    }

    /// The name of a process; none where it is hidden or gone.
    fn of(&self, pid: u32) -> Option<Text> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).entry(pid).or_default().clone();
        known.get_or_init(|| self.driver.ask(Target::System, calls::ProcessName(pid)).ok()).clone()
    }
}

/// The processes on a device by their ids, whether or not they can be shown.
pub(super) fn of(gpu: &Gpu) -> Vec<Listed> {
    let listed = match gpu.processes() {
        // Of a device that is split NVML tells an ordinary user only the parts.
        Err(Code::NO_PERMISSION) if gpu.is_split() => {
            Ok(gpu.mig_devices().iter().flat_map(|mig| mig.processes().unwrap_or_default()).collect())
        }
        listed => listed,
    };
    let mut listed = listed.unwrap_or_default();
    listed.sort_by_key(|process| process.pid);
    listed
}

/// Writes those of a device that can be shown.
pub(super) fn write(index: u32, listed: &[Listed], names: &Names, terminal: bool, out: &mut Vec<u8>) {
    for process in listed {
        match names.of(process.pid) {
            Some(name) if !name.0.is_empty() => row(index, process, &text(&name, terminal), out),
            _ => {}
        }
    }
}

fn row(index: u32, process: &Listed, name: &[u8], out: &mut Vec<u8>) {
    let instance = |id: Option<u32>| id.map_or("N/A".to_owned(), |id| format!("{id:>2} "));
    // The real program prints indexes and ids as signed numbers.
    plain(out, "|");
    right(out, (index as i32).to_string(), 5);
    plain(out, "   ");
    right(out, instance(process.gpu_instance), 3);
    plain(out, "  ");
    right(out, instance(process.compute_instance), 3);
    plain(out, "  ");
    right(out, (process.pid as i32).to_string(), 14);
    plain(out, "  ");
    right(out, process.kind(), 5);
    plain(out, "   ");
    left(out, tail(name, 32), 32);
    plain(out, "      ");
    match process.used {
        // Whole MiB are counted here, not begun ones as in the rows of the devices.
        Some(bytes) => right(out, format!("{}MiB", bytes >> 20), 8),
        None => left(out, "N/A", 8),
    }
    plain(out, " |\n");
}
