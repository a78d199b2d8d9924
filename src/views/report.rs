//! `-q`: everything about each device as a tree of labels and values, cut to the sections that `-d` names.
//! A section is built once as a tree and written as text here; the other forms of the same tree come with
//! the rest of the sections.

use crate::driver::answers::{Bar1, Memory, Text};
use crate::driver::{Code, calls};
use crate::exit::Exit;
use crate::gpu::{Gpu, System};
use crate::value::mib;
use crate::views::query::condition;
use crate::views::version::cuda_version;

/// A section of the report.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Section {
    /// Framebuffer, BAR1 and protected memory.
    Memory,
}

impl Section {
    /// The section that `-d` calls so, in any case; none where it is not built yet.
    pub fn named(name: &str) -> Option<Self> {
        name.eq_ignore_ascii_case("MEMORY").then_some(Section::Memory)
    }
}

/// A heading with labelled values below it.
struct Group {
    title: &'static str,
    values: Vec<(&'static str, String)>,
}

/// Writes the report.
pub fn write(system: &System, gpus: &[Gpu], sections: &[Section], out: &mut Vec<u8>) -> Exit {
    // Text of the driver goes out as the bytes that it is.
    let shown = |answer: Result<Text, Code>| answer.map_or_else(|code| words(code).into_bytes(), |text| text.0);
    out.extend_from_slice(b"\n==============NVSMI LOG==============\n\n");
    line(out, 0, "Timestamp", system.host().now().asctime().as_bytes());
    line(out, 0, "Driver Version", &shown(system.ask(calls::DriverVersion)));
    line(out, 0, "CUDA Version", system.ask(calls::CudaVersion).map_or_else(words, cuda_version).as_bytes());
    out.push(b'\n');
    line(out, 0, "Attached GPUs", system.ask(calls::Count).map_or_else(words, |count| count.to_string()).as_bytes());
    let mut exit = Exit::SUCCESS;
    for gpu in gpus {
        out.extend_from_slice(b"GPU ");
        out.extend(shown(gpu.ask(calls::PciV3).map(|pci| pci.bus_id)));
        out.push(b'\n');
        for group in sections.iter().flat_map(|section| groups(*section, gpu)) {
            out.extend(format!("    {}\n", group.title).bytes());
            group.values.iter().for_each(|(label, value)| line(out, 8, label, value.as_bytes()));
        }
        out.push(b'\n');
        if let Some(code) = gpu.condemned() {
            crate::output::complain(&condition(gpu.index(), code));
            exit = Exit::of(code);
        }
    }
    exit
}

/// A label and its value; all values stand in one column.
fn line(out: &mut Vec<u8>, indent: usize, label: &str, value: &[u8]) {
    out.extend(format!("{:indent$}{label:<1$}: ", "", 55 - indent).bytes());
    out.extend_from_slice(value);
    out.push(b'\n');
}

/// Why there is no value, as this report writes it: without brackets.
fn words(code: Code) -> String {
    if code.means_absent() { "N/A".to_owned() } else { code.words().to_owned() }
}

fn groups(section: Section, gpu: &Gpu) -> Vec<Group> {
    match section {
        Section::Memory => {
            let memory = |title, answer: Result<Memory, Code>, parts: &[Part<Memory>]| {
                let of = |part: fn(&Memory) -> Result<u64, Code>| match answer {
                    Ok(memory) => part(&memory).map_or_else(words, |bytes| format!("{} MiB", mib(bytes))),
                    Err(code) => words(code),
                };
                Group { title, values: parts.iter().map(|(label, part)| (*label, of(*part))).collect() }
            };
            vec![
                memory("FB Memory Usage", gpu.memory(), FRAMEBUFFER),
                bar1(gpu.ask(calls::Bar1Memory)),
                memory("Conf Compute Protected Memory Usage", gpu.ask(calls::ProtectedMemory), PROTECTED),
            ]
        }
    }
}

/// A label, and how its value is taken from an answer.
type Part<T> = (&'static str, fn(&T) -> Result<u64, Code>);

const FRAMEBUFFER: &[Part<Memory>] = &[
    ("Total", |memory| Ok(memory.total)),
    ("Reserved", |memory| memory.reserved.ok_or(Code::NOT_SUPPORTED)),
    ("Used", |memory| Ok(memory.used)),
    ("Free", |memory| Ok(memory.free)),
];

const PROTECTED: &[Part<Memory>] =
    &[("Total", |memory| Ok(memory.total)), ("Used", |memory| Ok(memory.used)), ("Free", |memory| Ok(memory.free))];

/// Of BAR1 the used part is rounded down, and what is left of the total is called free.
fn bar1(answer: Result<Bar1, Code>) -> Group {
    let shown = |of: fn(u64, u64) -> u64| match answer {
        Ok(bar1) => format!("{} MiB", of(bar1.total >> 20, bar1.used >> 20)),
        Err(code) => words(code),
    };
    let values = vec![
        ("Total", shown(|total, _| total)),
        ("Used", shown(|_, used| used)),
        ("Free", shown(|total, used| total.saturating_sub(used))),
    ];
    Group { title: "BAR1 Memory Usage", values }
}
