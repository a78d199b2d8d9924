//! `-L`: a line for each device with its name and UUID, and a line for each MIG device below its parent.

use super::query::condition;
use crate::driver::answers::Text;
use crate::driver::{Code, Target, calls};
use crate::exit::Exit;
use crate::gpu::{Gpu, System};
use crate::output::complain;

/// Writes the list.
pub fn write(system: &System, devices: &[u32], out: &mut Vec<u8>) -> Exit {
    let mut exit = Exit::SUCCESS;
    for index in devices {
        let gpu = system.gpu(*index);
        if let Err(code) = device(&gpu, out) {
            complain(&condition(*index, code));
            exit = Exit::of(code);
            continue;
        }
        for (place, slot) in (0..gpu.ask(calls::MaxMigDevices).unwrap_or(0)).enumerate() {
            mig(system, *index, slot, place, out);
        }
    }
    exit
}

fn device(gpu: &Gpu, out: &mut Vec<u8>) -> Result<(), Code> {
    let (name, uuid) = (gpu.ask(calls::Name)?, gpu.ask(calls::Uuid)?);
    out.extend_from_slice(format!("GPU {}: ", gpu.index()).as_bytes());
    out.extend_from_slice(&name.0);
    out.extend_from_slice(b" (UUID: ");
    out.extend_from_slice(&uuid.0);
    out.extend_from_slice(b")\n");
    Ok(())
}

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
