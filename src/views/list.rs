//! `-L`: a line for each device with its name and UUID, and a line for each MIG device below its parent.

use super::query::condition;
use crate::driver::answers::Text;
use crate::driver::{Code, Target, calls};
use crate::exit::Exit;
use crate::format::terminal::clean;
use crate::gpu::{Gpu, System};
use crate::output::complain;
use crate::value::Reason;

/// Writes the list; cleaned for a terminal where it goes to one.
pub fn write(system: &System, devices: &[u32], terminal: bool, out: &mut Vec<u8>) -> Exit {
    let mut exit = Exit::SUCCESS;
    for index in devices {
        let gpu = system.gpu(*index);
        let mut lines = Vec::new();
        device(&gpu, &mut lines);
        (0..gpu.mig_slots()).enumerate().for_each(|(place, slot)| mig(system, *index, slot, place, &mut lines));
        match gpu.condemned() {
            None if terminal => lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).for_each(|line| {
                out.extend_from_slice(clean(&String::from_utf8_lossy(line)).as_bytes());
                out.push(b'\n');
            }),
            None => out.append(&mut lines),
            Some(code) => {
                complain(&condition(*index, code));
                exit = Exit::of(code);
            }
        }
    }
    exit
}

fn device(gpu: &Gpu, out: &mut Vec<u8>) {
    let mut put = |answer: Result<Text, Code>| match answer {
        Ok(text) => out.extend_from_slice(&text.0),
        Err(code) => out.extend_from_slice(Reason::Code(code).words().as_bytes()),
    };
    put(Ok(format!("GPU {}: ", gpu.index()).into()));
    put(gpu.ask(calls::Name));
    put(Ok(" (UUID: ".into()));
    put(gpu.ask(calls::Uuid));
    put(Ok(")\n".into()));
}

/// `-B`: the devices that the driver was told to leave out.
pub fn excluded(system: &System) -> Vec<u8> {
    let count = system.ask(calls::ExcludedCount).unwrap_or(0).min(MOST_EXCLUDED);
    let named = (0..count).filter_map(|index| system.ask(calls::ExcludedInfo(index)).ok());
    let lines: String =
        named.map(|device| format!("GPU {} (UUID: {})\n", device.pci.bus_id.lossy(), device.uuid.lossy())).collect();
    if lines.is_empty() { b"No excluded devices found.\n".to_vec() } else { lines.into_bytes() }
}

/// No machine has more; a greater count is nonsense.
const MOST_EXCLUDED: u32 = 256;

/// A MIG device; an empty slot writes nothing.
fn mig(system: &System, device: u32, slot: u32, place: usize, out: &mut Vec<u8>) {
    let target = Target::Mig { device, slot };
    let ask = |name: bool| -> Result<Text, Code> {
        if name { system.driver().ask(target, calls::Name) } else { system.driver().ask(target, calls::Uuid) }
    };
    if let (Ok(name), Ok(uuid)) = (ask(true), ask(false)) {
        // NVML names it after its parent: `NVIDIA H100 80GB HBM3 MIG 3g.40gb`.
        let name = name.lossy();
        let profile = name.rsplit_once("MIG ").map_or(name.as_ref(), |(_, profile)| profile);
        out.extend_from_slice(format!("  MIG {profile:<11} Device {place:>2}: (UUID: {})\n", uuid.lossy()).as_bytes());
    }
}
