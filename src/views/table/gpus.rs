//! The rows of the devices: three lines each. The rules of every cell are those that nvidia-smi 580 was seen
//! to follow when each of its calls was given strange values and every error.

use super::cell::{left, missing, missing_number, plain, right, text};
use crate::driver::answers::{Memory, Mode, Text};
use crate::driver::calls::{ErrorKind, Since};
use crate::driver::{Code, calls};
use crate::gpu::Gpu;
use crate::value::mib;

/// Writes a device's three lines.
pub(super) fn write(gpu: &Gpu, terminal: bool, out: &mut Vec<u8>) {
    let mig = gpu.ask(calls::MigMode);
    identity(gpu, mig, terminal, out);
    load(gpu, out);
    plain(out, "|                                         |                        | ");
    // A device on its way into or out of MIG is shown where it will be.
    right(out, mode(mig, ["Disabled", "Enabled"]), 20);
    plain(out, " |\n");
}

/// A switch in the state that it will have, with a star while that is not yet so.
fn mode(answer: Result<Mode, Code>, [off, on]: [&str; 2]) -> String {
    match answer {
        Ok(mode) => starred(if mode.pending == ON { on } else { off }.to_owned(), mode),
        Err(Code::NOT_SUPPORTED) => "N/A".to_owned(),
        Err(_) => "ERR!".to_owned(),
    }
}

fn starred(text: String, mode: Mode) -> String {
    if mode.current == mode.pending { text } else { text + "*" }
}

/// A switch that is on. Any other number is off.
const ON: u32 = 1;

/// Number, name, persistence mode, place on the bus, display, ECC.
fn identity(gpu: &Gpu, mig: Result<Mode, Code>, terminal: bool, out: &mut Vec<u8>) {
    let named = |answer: Result<Text, Code>| match answer {
        Ok(answer) => text(&answer, terminal),
        Err(code) => missing(code).as_bytes().to_vec(),
    };
    let switch = |answer: Result<u32, Code>, off: &str, on: &str| match answer {
        Ok(number) => if number == ON { on } else { off }.to_owned(),
        Err(code) => missing(code).to_owned(),
    };
    match gpu.ask(calls::Index) {
        // The real program prints it as a signed number.
        Ok(index) => plain(out, &format!("| {:3}  ", index as i32)),
        Err(code) => plain(out, &format!("| {:<4} ", missing(code))),
    }
    left(out, named(gpu.ask(calls::Name)), 27);
    plain(out, "   ");
    left(out, switch(gpu.ask(calls::Persistence), " Off", " On"), 4);
    plain(out, " |   ");
    left(out, named(gpu.ask(calls::PciV3).map(|pci| pci.bus_id)), 16);
    right(out, switch(gpu.ask(calls::DisplayActive), "Off", "On"), 4);
    plain(out, " | ");
    right(out, ecc(gpu, mig), 20);
    plain(out, " |\n");
}

/// Uncorrected errors since the driver was loaded; only that ECC is on where MIG devices count them apart.
fn ecc(gpu: &Gpu, mig: Result<Mode, Code>) -> String {
    let ecc = match gpu.ask(calls::EccMode) {
        Ok(mode) => mode,
        Err(code) => return missing(code).to_owned(),
    };
    if ecc.current == 0 {
        return starred("Off".to_owned(), ecc);
    }
    if mig.is_ok_and(|mode| mode.current == ON) {
        return starred("On".to_owned(), ecc);
    }
    match gpu.ask(calls::TotalErrors(ErrorKind::Uncorrected, Since::Volatile)) {
        Ok(count) => starred(count.to_string(), ecc),
        Err(code) => missing(code).to_owned(),
    }
}

/// Fan, temperature, performance state, power, memory, load, compute mode.
fn load(gpu: &Gpu, out: &mut Vec<u8>) {
    let number = |answer: Result<String, Code>| answer.unwrap_or_else(missing_number);
    let percent = |percent: u32| format!("{:3}%", percent as i32);
    plain(out, "|");
    left(out, number(gpu.ask(calls::FanSpeed).map(percent)), 5);
    plain(out, " ");
    left(out, number(gpu.temperature().map(|degrees| format!("{degrees:3}C"))), 5);
    left(out, performance(gpu.ask(calls::PerformanceState)), 5);
    plain(out, "           ");
    // Something is always drawn; a limit can be nothing.
    left(out, number(gpu.ask(calls::PowerUsage).map(|power| watts((power / 1000).max(1)))), 5);
    plain(out, " / ");
    left(out, number(gpu.ask(calls::EnforcedPowerLimit).map(|power| watts(power / 1000))), 5);
    plain(out, " | ");
    left(out, memory(gpu), 22);
    plain(out, " |    ");
    left(out, number(gpu.ask(calls::UtilizationRates).map(|rates| percent(rates.gpu))), 6);
    plain(out, " ");
    right(out, compute_mode(gpu.ask(calls::ComputeMode)), 10);
    plain(out, " |\n");
}

fn watts(watts: u32) -> String {
    format!("{watts:4}W")
}

/// NVML answers 32 where it cannot tell.
fn performance(answer: Result<u32, Code>) -> String {
    match answer {
        Ok(state) if state < 32 => format!("{:>5}", format!("P{state}")),
        Ok(_) => "ERR!".to_owned(),
        Err(code) => missing_number(code),
    }
}

fn memory(gpu: &Gpu) -> String {
    let amounts = |memory: Memory| format!(" {:6}MiB / {:6}MiB", mib(memory.used), mib(memory.total));
    match gpu.memory() {
        Ok(memory) => amounts(memory),
        // Where the older call cannot help, what the newer one said is what is wrong.
        Err(code) => match gpu.ask(calls::MemoryV2).err().unwrap_or(code) {
            Code::NO_PERMISSION => format!("{:>20}", "N/A"),
            code => code.words().to_owned(),
        },
    }
}

fn compute_mode(answer: Result<u32, Code>) -> &'static str {
    const MODES: [&str; 4] = ["Default", "E. Thread", "Prohibited", "E. Process"];
    match answer {
        Ok(mode) => MODES.get(mode as usize).copied().unwrap_or("Unknown"),
        Err(code) => missing(code),
    }
}
