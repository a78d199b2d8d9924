//! What `--help` and `--help-query-gpu` print.

use super::plan::Face;
use crate::fields::{Query, Registry};

/// The usage of a face.
pub(super) fn usage(face: Face) -> String {
    match face {
        Face::Rsmi => format!("{RSMI}{COMMON}{ADDED}"),
        Face::NvidiaSmi => format!("{DROP_IN}{COMMON}{ADDED}"),
    }
}

const RSMI: &str = "\
rsmi: what the NVIDIA GPUs of this machine are doing

usage: rsmi [what to show] [how to show it]

  rsmi                                  memory, load, heat and power of every GPU
  rsmi -l 1                             the same, once a second
  rsmi -i 0 --query-gpu=memory.used     one value of one GPU
  rsmi --format=json                    for a program to read
  rsmi nvidia-smi ...                   print byte for byte what nvidia-smi does
";

const DROP_IN: &str = "\
nvidia-smi, as rsmi answers it: the same output, from the driver's own library

usage: nvidia-smi [what to show] [how to show it]

  nvidia-smi --query-gpu=index,memory.used --format=csv
  nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits -l 1
  nvidia-smi -L
";

const COMMON: &str = "
What to show
      --query-gpu=FIELDS      these fields of every GPU, comma-separated
      --help-query-gpu        the fields there are
  -L, --list-gpus             index, name and UUID of every GPU
  -B, --list-excluded-gpus    GPUs that the driver leaves out
      --version               versions of this program, the driver and CUDA
  -h, --help                  this text

How to show it
  -i, --id=IDS                only these GPUs, by index, UUID, serial or PCI bus id
      --format=LIST           csv, table or json, with noheader and nounits as wanted
  -l, --loop=SECONDS          again and again, every 5 seconds unless told
  -lms, --loop-ms=MS          the same in milliseconds
  -f, --filename=FILE         into a file
";

const ADDED: &str = "
What rsmi adds
      --color=WHEN            auto, always or never
      --record=FILE           keep all that this machine answers in a file
      --anonymize             with --record: without serials, UUIDs and names
      --replay=FILE           answer from such a file (or variable RSMI_REPLAY)
      --demo                  answer from a built-in machine (RSMI_DEMO)
      --nvml=FILE             load this driver library (RSMI_NVML)
";

/// All fields of a query with what each says. Programs read this under the name nvidia-smi: a field's
/// names stand in quotes at the start of a line that follows an empty one.
pub(super) fn fields<Q: Query>(registry: &Registry<Q>) -> String {
    let mut text = format!("List of valid properties to query for the switch \"--{}\":\n", registry.switch);
    for section in registry.sections {
        text.push_str(&format!("\n{}\n", section.title));
        for field in section.fields {
            let names = std::iter::once(field.name).chain(field.aliases.iter().copied());
            let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
            text.push_str(&format!("\n{}\n{}\n", names.join(" or "), field.doc));
        }
    }
    text
}
