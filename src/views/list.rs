//! `-L`: a line for each device with its name and UUID, and a line for each MIG device below its parent.

use super::query::condition;
use crate::driver::answers::Text;
use crate::driver::{Code, calls};
use crate::exit::Exit;
use crate::face::Face;
use crate::format::terminal::clean;
use crate::gpu::{Gpu, System, mig_profile};
use crate::output::complain;

/// Writes the list; cleaned for a terminal where it goes to one.
///
/// A device that is out of service has no line of its own under rsmi's name: what is wrong goes to standard
/// error. nvidia-smi says in the device's place what could not be had, its handle or its name.
pub fn write(system: &System, devices: &[u32], face: Face, terminal: bool, out: &mut Vec<u8>) -> Exit {
    let mut exit = Exit::SUCCESS;
    for index in devices {
        let gpu = system.gpu(*index);
        let mut lines = Vec::new();
        let missing = match face {
            Face::NvidiaSmi => device(&gpu, face, &mut lines).err(),
            Face::Rsmi | Face::Gpustat => {
                // A name that is not known is no reason to leave a working device out.
                let _ = device(&gpu, face, &mut lines);
                gpu.condemned().inspect(|code| complain(&condition(*index, *code)))
            }
        };
        if let Some(code) = missing {
            exit = Exit::of(code);
            if face != Face::NvidiaSmi {
                continue;
            }
        }
        gpu.mig_devices().iter().fold(0, |place, part| place + usize::from(mig(part, place, &mut lines)));
        if terminal {
            clean_lines(&mut lines);
        }
        out.append(&mut lines);
    }
    exit
}

fn clean_lines(lines: &mut Vec<u8>) {
    let raw = std::mem::take(lines);
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        let end = line.strip_suffix(b"\n").unwrap_or(line);
        lines.extend_from_slice(clean(&String::from_utf8_lossy(end)).as_bytes());
        lines.push(b'\n');
    }
}

/// The line of a device, or what stands in its place; with the code of what could not be had.
fn device(gpu: &Gpu, face: Face, out: &mut Vec<u8>) -> Result<(), Code> {
    let index = gpu.index();
    if let Err(code) = gpu.reach() {
        let advice = if code == Code::GPU_IS_LOST { ".  Reboot the system to recover this GPU\n\n" } else { "" };
        out.extend(format!("Unable to determine the device handle for gpu {index}: {code}{advice}\n").bytes());
        return Err(code);
    }
    let name = gpu.ask(calls::Name);
    if let (Err(code), Face::NvidiaSmi) = (&name, face) {
        out.extend(format!("Unable to determine the product name for gpu {index}: {code}\n").bytes());
        return Err(*code);
    }
    out.extend(format!("GPU {index}: ").bytes());
    put(name, out);
    out.extend_from_slice(b" (UUID: ");
    put(gpu.ask(calls::Uuid), out);
    out.extend_from_slice(b")\n");
    Ok(())
}

/// A text, or the words for its absence, which have no brackets here.
fn put(answer: Result<Text, Code>, out: &mut Vec<u8>) {
    match answer {
        Ok(text) => out.extend_from_slice(&text.0),
        Err(code) if code.means_absent() => out.extend_from_slice(b"N/A"),
        Err(code) => out.extend_from_slice(code.words().as_bytes()),
    }
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

/// A MIG device, numbered among those that there are; false for one that does not say what it is.
fn mig(part: &Gpu, place: usize, out: &mut Vec<u8>) -> bool {
    let (Ok(name), Ok(uuid)) = (part.ask(calls::Name), part.ask(calls::Uuid)) else {
        return false;
    };
    let name = name.lossy();
    let profile = mig_profile(&name);
    out.extend_from_slice(format!("  MIG {profile:<11} Device {place:>2}: (UUID: {})\n", uuid.lossy()).as_bytes());
    true
}
