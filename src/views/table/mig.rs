//! The block of the MIG devices, which is there as soon as one device of the machine has MIG on.

use super::cell::{left, missing, plain, right};
use crate::driver::calls::{ErrorKind, Location, Since};
use crate::driver::{Code, calls};
use crate::gpu::Gpu;
use crate::value::mib;

/// What stands above the rows.
pub(super) const HEADER: &str = "
+-----------------------------------------------------------------------------------------+
| MIG devices:                                                                            |
+------------------+----------------------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |
|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |
|                  |                                  |        ECC|                       |
|==================+==================================+===========+=======================|
";

/// What stands in their place where there are none.
pub(super) const NONE: &str = "\
|  No MIG devices found                                                                   |
+-----------------------------------------------------------------------------------------+
";

const RULE: &str = "+------------------+----------------------------------+-----------+-----------------------+\n";

/// Writes a MIG device's two lines and the rule below them; `place` is its number among its siblings.
pub(super) fn write(parent: &Gpu, mig: &Gpu, place: usize, out: &mut Vec<u8>) {
    let number = |answer: Result<u32, Code>| answer.map_or_else(|code| missing(code).to_owned(), |n| n.to_string());
    plain(out, "|");
    right(out, number(parent.ask(calls::Index)), 3);
    plain(out, " ");
    right(out, number(mig.ask(calls::GpuInstanceId)), 4);
    right(out, number(mig.ask(calls::ComputeInstanceId)), 4);
    plain(out, " ");
    right(out, place.to_string(), 3);
    plain(out, "  |          ");
    left(out, amounts(mig.memory().map(|memory| (mib(memory.used), mib(memory.total)))), 23);
    plain(out, " |");
    let attributes = mig.ask(calls::MigAttributes);
    let engines = |out: &mut Vec<u8>, of: fn(&crate::driver::answers::Attributes) -> u32| {
        right(out, number(attributes.as_ref().map(of).map_err(|code| *code)), 3);
    };
    engines(out, |of| of.multiprocessors);
    plain(out, "   ");
    right(out, errors(mig), 4);
    plain(out, " |");
    engines(out, |of| of.copy_engines);
    plain(out, " ");
    engines(out, |of| of.encoders);
    plain(out, "  ");
    engines(out, |of| of.decoders);
    plain(out, "  ");
    engines(out, |of| of.ofa_engines);
    plain(out, "  ");
    engines(out, |of| of.jpeg_engines);
    plain(out, " |\n|                  |          ");
    // Of BAR1 whole MiB are counted.
    left(out, amounts(mig.ask(calls::Bar1Memory).map(|bar1| (bar1.used >> 20, bar1.total >> 20))), 23);
    plain(out, " |           |                       |\n");
    plain(out, RULE);
}

fn amounts(answer: Result<(u64, u64), Code>) -> String {
    match answer {
        Ok((used, total)) => format!(" {used:5}MiB / {total:5}MiB"),
        Err(Code::NO_PERMISSION) => format!("{:>20}", "N/A"),
        Err(code) => code.words().to_owned(),
    }
}

/// A MIG device counts the errors of its own SRAM only; those of the memory are the whole device's.
fn errors(mig: &Gpu) -> String {
    mig.ask(calls::MemoryErrors(ErrorKind::Uncorrected, Since::Volatile, Location::Sram))
        .map_or_else(|code| missing(code).to_owned(), |count| count.to_string())
}
