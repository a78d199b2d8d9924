//! The table of `nvidia-smi` without arguments, byte for byte: the devices, their MIG devices, the processes,
//! and a word of warning about a damaged infoROM. Nothing in it is colored. Of a device nothing is asked that
//! the table does not show.

mod cell;
mod gpus;
mod mig;
mod processes;

use super::query::Reported;
use super::version::cuda_version;
use crate::driver::{Code, calls};
use crate::exit::Exit;
use crate::gpu::{self, Gpu, System};
use cell::{left, missing, plain, text};
use processes::Names;

/// The table, time after time.
pub struct Table<'a> {
    system: &'a System<'a>,
    gpus: Vec<Gpu<'a>>,
    terminal: bool,
    reported: Reported,
}

/// What is known of a device once it has been asked.
struct Seen {
    index: Result<u32, Code>,
    row: Vec<u8>,
    /// Whether it is split, and the rows of its MIG devices.
    mig: Option<Vec<u8>>,
    processes: Vec<u8>,
    /// The bus id, where the infoROM was found to be damaged.
    damaged: Option<Vec<u8>>,
}

impl<'a> Table<'a> {
    /// A table of these devices; text of others is made harmless where it goes to a terminal.
    pub fn new(system: &'a System<'a>, devices: &[u32], terminal: bool) -> Self {
        let gpus = devices.iter().map(|index| system.gpu(*index)).collect();
        Table { system, gpus, terminal, reported: Reported::default() }
    }

    /// Writes it once and says how it went.
    pub fn tick(&mut self, out: &mut Vec<u8>) -> Exit {
        gpu::tick(self.system, &self.gpus);
        let now = self.system.host().now();
        let names = Names::new(self.system.driver());
        // A device that cannot be had at all has no row.
        let seen: Vec<Seen> =
            gpu::each(&self.gpus, |gpu| look(gpu, &names, self.terminal)).into_iter().flatten().collect();
        plain(out, &format!("{:<31}\n", now.asctime()));
        self.banner(out);
        seen.iter().for_each(|seen| out.extend_from_slice(&seen.row));
        mig_block(&seen, out);
        let sick = self.reported.report(&self.gpus);
        if let Err(code) = process_block(&seen, out) {
            return Exit::of(code);
        }
        let damaged: Vec<&Vec<u8>> = seen.iter().filter_map(|seen| seen.damaged.as_ref()).collect();
        for bus_id in &damaged {
            plain(out, "WARNING: infoROM is corrupted at gpu ");
            out.extend_from_slice(bus_id);
            plain(out, "\n");
        }
        if damaged.is_empty() { sick } else { Exit::of(Code::CORRUPTED_INFOROM) }
    }

    /// The versions and the headings.
    fn banner(&self, out: &mut Vec<u8>) {
        let driver = match self.system.ask(calls::DriverVersion) {
            Ok(version) => text(&version, self.terminal),
            Err(code) => missing(code).as_bytes().to_vec(),
        };
        let cuda = self.system.ask(calls::CudaVersion).map_or_else(|code| missing(code).to_owned(), cuda_version);
        plain(out, processes::RULE);
        // The real program names itself first; this one speaks for the tool that came with the driver.
        plain(out, "| NVIDIA-SMI ");
        left(out, &driver, 22);
        plain(out, " Driver Version: ");
        left(out, &driver, 14);
        plain(out, " CUDA Version: ");
        left(out, cuda, 8);
        plain(out, " |\n");
        plain(out, HEADINGS);
    }
}

const RULE: &str = "+-----------------------------------------+------------------------+----------------------+\n";

const HEADINGS: &str = "\
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
";

/// Asks a device for everything that the table shows of it; nothing where it cannot be had.
fn look(gpu: &Gpu, names: &Names, terminal: bool) -> Option<Seen> {
    gpu.reach().ok()?;
    let mut row = Vec::new();
    gpus::write(gpu, terminal, &mut row);
    plain(&mut row, RULE);
    let mig = gpu.is_split().then(|| {
        let mut rows = Vec::new();
        gpu.mig_devices().iter().enumerate().for_each(|(place, mig)| mig::write(gpu, mig, place, &mut rows));
        rows
    });
    let listed = processes::of(gpu);
    let index = gpu.ask(calls::Index);
    let mut processes = Vec::new();
    if let Ok(index) = index {
        processes::write(index, &listed, names, terminal, &mut processes);
    }
    let damaged = if listed.is_empty() { damaged(gpu, terminal) } else { None };
    Some(Seen { index, row, mig, processes, damaged })
}

/// Whether the infoROM is damaged. The check takes a while and holds up whoever else asks the driver, so
/// nvidia-smi makes it only where nobody is at work.
fn damaged(gpu: &Gpu, terminal: bool) -> Option<Vec<u8>> {
    if gpu.ask(calls::DisplayActive) == Ok(1) || gpu.ask(calls::InforomCheck) != Err(Code::CORRUPTED_INFOROM) {
        return None;
    }
    Some(gpu.ask(calls::PciV3).map_or_else(|code| missing(code).into(), |pci| text(&pci.bus_id, terminal)))
}

fn mig_block(seen: &[Seen], out: &mut Vec<u8>) {
    let split: Vec<&Vec<u8>> = seen.iter().filter_map(|seen| seen.mig.as_ref()).collect();
    if split.is_empty() {
        return;
    }
    plain(out, mig::HEADER);
    if split.iter().all(|rows| rows.is_empty()) {
        plain(out, mig::NONE);
    }
    split.iter().for_each(|rows| out.extend_from_slice(rows));
}

/// The processes of all devices. A device that does not know its own number ends the table right there, as
/// in nvidia-smi.
fn process_block(seen: &[Seen], out: &mut Vec<u8>) -> Result<(), Code> {
    plain(out, processes::HEADER);
    for seen in seen {
        if let Err(code) = seen.index {
            plain(out, "Failed to query device index\n");
            return Err(code);
        }
        out.extend_from_slice(&seen.processes);
    }
    if seen.iter().all(|seen| seen.processes.is_empty()) {
        plain(out, processes::NONE);
    }
    plain(out, processes::RULE);
    Ok(())
}
