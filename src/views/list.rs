//! `-L`: a line for each device with its name and UUID, and a line for each MIG device below its parent.

use super::query::condition;
use crate::cli::plan::Face;
use crate::driver::answers::Text;
use crate::driver::{Code, Target, calls};
use crate::exit::Exit;
use crate::format::terminal::clean;
use crate::gpu::{Gpu, System};
use crate::output::complain;
use crate::value::Reason;

/// Writes the list; cleaned for a terminal where it goes to one.
///
/// A device that is out of service has no line of its own under rsmi's name: what is wrong goes to standard
/// error. nvidia-smi says it in the device's place.
pub fn write(system: &System, devices: &[u32], face: Face, terminal: bool, out: &mut Vec<u8>) -> Exit {
    let mut exit = Exit::SUCCESS;
    for index in devices {
        let gpu = system.gpu(*index);
        let mut lines = Vec::new();
        device(&gpu, &mut lines);
        (0..gpu.mig_slots()).fold(0, |place, slot| place + usize::from(mig(system, *index, slot, place, &mut lines)));
        match gpu.condemned() {
            None if terminal => lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).for_each(|line| {
                out.extend_from_slice(clean(&String::from_utf8_lossy(line)).as_bytes());
                out.push(b'\n');
            }),
            None => out.append(&mut lines),
            Some(code) => {
                exit = Exit::of(code);
                match face {
                    Face::Rsmi => complain(&condition(*index, code)),
                    Face::NvidiaSmi => out.extend_from_slice(in_its_place(&gpu, code).as_bytes()),
                }
            }
        }
    }
    exit
}

/// nvidia-smi's line for a device that is out of service: it names what could not be had, the handle or,
/// with a handle in hand, the name.
fn in_its_place(gpu: &Gpu, code: Code) -> String {
    match (gpu.reach(), code) {
        (Ok(()), _) => format!("Unable to determine the product name for gpu {}: {code}\n", gpu.index()),
        (Err(_), Code::GPU_IS_LOST) => format!(
            "Unable to determine the device handle for gpu {}: {code}.  Reboot the system to recover this GPU\n\n\n",
            gpu.index()
        ),
        (Err(_), _) => format!("Unable to determine the device handle for gpu {}: {code}\n", gpu.index()),
    }
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

/// A MIG device, numbered among those that there are; false for an empty slot.
fn mig(system: &System, device: u32, slot: u32, place: usize, out: &mut Vec<u8>) -> bool {
    let target = Target::Mig { device, slot };
    let (Ok(name), Ok(uuid)) = (system.driver().ask(target, calls::Name), system.driver().ask(target, calls::Uuid))
    else {
        return false;
    };
    // NVML names it after its parent: `NVIDIA H100 80GB HBM3 MIG 3g.40gb`.
    let name = name.lossy();
    let profile = name.rsplit_once("MIG ").map_or(name.as_ref(), |(_, profile)| profile);
    out.extend_from_slice(format!("  MIG {profile:<11} Device {place:>2}: (UUID: {})\n", uuid.lossy()).as_bytes());
    true
}
