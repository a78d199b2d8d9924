//! Which devices a command is about. Nothing is asked of a device that was not named: a sick neighbour
//! costs neither time nor an error.
//!
//! A name is an index, a UUID, a serial number or a PCI bus id, the last in any case and with or without its
//! domain. Devices come out in the order of their indexes and each once, and a name that nothing answers
//! to is passed over as long as another one is found: that is how nvidia-smi has it.

use super::System;
use crate::driver::{By, Code};

/// The indexes of the devices that `list` names; of all when there is no list.
///
/// # Errors
/// The code with which the library refuses to count its devices.
pub fn choose(system: &System, list: Option<&str>) -> Result<Vec<u32>, Code> {
    let count = system.count()?;
    let Some(list) = list else { return Ok((0..count).collect()) };
    let names = list.split(',').filter(|name| !name.is_empty());
    let mut chosen: Vec<u32> = names.filter_map(|name| find(system, name, count)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

fn find(system: &System, name: &str, count: u32) -> Option<u32> {
    let by_name = |by, text: &str| system.driver().find(by, text).ok().filter(|index| *index < count);
    index(name).filter(|index| *index < count).or_else(|| {
        let serial = name.bytes().all(|byte| byte.is_ascii_digit()).then_some((By::Serial, name.to_owned()));
        let uuid = || is_uuid(name).then(|| (By::Uuid, name.to_owned()));
        let bus_id = || BusId::parse(name).map(|bus_id| (By::BusId, bus_id.to_string()));
        let (by, text) = serial.or_else(uuid).or_else(bus_id)?;
        by_name(by, &text)
    })
}

/// An index as C's `strtoul` reads it: decimal, or hexadecimal behind `0x`, and spaces and a plus before it
/// are passed over.
fn index(name: &str) -> Option<u32> {
    let name = name.trim_start();
    let name = name.strip_prefix('+').unwrap_or(name);
    match name.strip_prefix("0x").or_else(|| name.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => name.bytes().all(|byte| byte.is_ascii_digit()).then(|| name.parse().ok()).flatten(),
    }
}

/// A UUID, which the library knows in the one case in which it issues it.
fn is_uuid(name: &str) -> bool {
    name.starts_with("GPU-") || name.starts_with("MIG-")
}

/// The device over which nvidia-smi gives up when a name in `list` is meant as a PCI bus id and is none.
///
/// It holds one device after the other against the names in their order, so it is the first device that no
/// name before the bad one stands for. A bus and a device without a function (`00:06`) are such a name;
/// behind a domain the function may be missing.
pub fn stumbles(system: &System, list: &str) -> Option<BusId> {
    let is_bad = |name: &str| name.contains(':') && (BusId::parse(name).is_none() || lacks_function(name));
    let (before, _) = list.split(',').enumerate().find(|(_, name)| is_bad(name))?;
    let count = system.count().ok()?;
    let known: Vec<u32> = list.split(',').take(before).filter_map(|name| find(system, name, count)).collect();
    let device = (0..count).find(|index| !known.contains(index))?;
    BusId::parse(&system.gpu(device).pci().ok()?.bus_id.lossy())
}

fn lacks_function(name: &str) -> bool {
    name.matches(':').count() == 1 && !name.contains('.')
}

/// A place on the PCI bus.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct BusId {
    domain: u32,
    bus: u8,
    device: u8,
    function: u8,
}

impl BusId {
    /// Reads `DDDDDDDD:BB:DD.F`, of which the domain and the function may be left out.
    pub fn parse(text: &str) -> Option<Self> {
        let (place, function) = text.split_once('.').unwrap_or((text, "0"));
        let mut parts = place.rsplitn(3, ':');
        let (device, bus) = (parts.next()?, parts.next()?);
        let hex =
            |text: &str, most| (!text.is_empty() && text.len() <= most).then(|| u32::from_str_radix(text, 16).ok());
        Some(BusId {
            domain: hex(parts.next().unwrap_or("0"), 8)??,
            bus: u8::try_from(hex(bus, 2)??).ok()?,
            device: u8::try_from(hex(device, 2)??).ok().filter(|device| *device < 32)?,
            function: u8::try_from(hex(function, 1)??).ok().filter(|function| *function < 8)?,
        })
    }
}

impl BusId {
    /// With the short domain that sysfs and older tools write.
    pub fn short(&self) -> String {
        format!("{:04X}:{:02X}:{:02X}.{:X}", self.domain, self.bus, self.device, self.function)
    }
}

/// As the library writes it.
impl std::fmt::Display for BusId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:08X}:{:02X}:{:02X}.{:X}", self.domain, self.bus, self.device, self.function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bus_ids_are_read_in_every_form() {
        let canonical = |text: &str| BusId::parse(text).map(|bus_id| bus_id.to_string());
        for text in ["00000000:0A:06.0", "0000:0a:06.0", "0a:06.0", "0A:06", "0:a:6.0"] {
            assert_eq!(canonical(text).as_deref(), Some("00000000:0A:06.0"), "{text}");
        }
        // Azure's domains have more than sixteen bits.
        assert_eq!(canonical("03f8cfdd:00:00.0").as_deref(), Some("03F8CFDD:00:00.0"));
        for text in
            ["", "banana", "0", "00:", ":06.0", "00:06.9", "00:20.0", "000:06.0", "1:2:3:4", "123456789:00:00.0"]
        {
            assert_eq!(canonical(text), None, "{text}");
        }
    }

    #[test]
    fn indexes_are_read_as_c_does() {
        for (text, expected) in [
            ("0", Some(0)),
            ("00", Some(0)),
            ("0x0", Some(0)),
            ("0x1f", Some(31)),
            ("15", Some(15)),
            (" 0", Some(0)),
            ("+0", Some(0)),
        ] {
            assert_eq!(index(text), expected, "{text}");
        }
        for text in ["", "-1", "banana", "0x", "1.0", "0 ", "1e0", "99999999999"] {
            assert_eq!(index(text), None, "{text}");
        }
    }

    #[test]
    fn uuids_are_known_by_their_beginning() {
        assert!(is_uuid("GPU-1a2b") && is_uuid("MIG-1a2b"));
        assert!(!is_uuid("gpu-1a2b") && !is_uuid("banana"));
    }
}
