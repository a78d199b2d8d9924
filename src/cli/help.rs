//! What `--help` and `--help-query-*` print.

use crate::face::Face;
use crate::fields::{Query, Registry};

/// The usage of a face.
pub(super) fn usage(face: Face) -> String {
    match face {
        Face::Rsmi => format!("{RSMI}{COMMON}{ADDED}"),
        Face::NvidiaSmi => format!("{DROP_IN}{COMMON}{ADDED}"),
        Face::Gpustat => {
            // gpustat has a `--color` of its own.
            let added: Vec<&str> = ADDED.lines().filter(|line| !line.contains("--color=")).collect();
            format!("{GPUSTAT}{}\n", added.join("\n"))
        }
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
  rsmi gpustat ...                      and what gpustat does
";

const DROP_IN: &str = "\
nvidia-smi, as rsmi answers it: the same output, from the driver's own library

usage: nvidia-smi [what to show] [how to show it]

  nvidia-smi
  nvidia-smi --query-gpu=index,memory.used --format=csv
  nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits -l 1
  nvidia-smi -L
";

const GPUSTAT: &str = "\
gpustat, as rsmi answers it: a line for each GPU, with the processes on it

usage: gpustat [options]

  gpustat               name, heat, load and memory of every GPU, and whose processes hold how much
  gpustat -cup -i 2     with commands and pids, every two seconds
  gpustat --json        all there is, for a program to read

What to show
  -a, --show-all              all of -c -u -p -F -e -P
  -c, --show-cmd              the command of each process
  -u, --show-user             its user, which is shown anyway without -c
  -p, --show-pid              its pid
  -f, --show-full-cmd         each process on a line of its own: processor load, memory, whole command
  -F, --show-fan              speed of the fan
  -e, --show-codec [WHAT]     load of the encoder and decoder: enc, dec, or enc,dec as without WHAT
  -P, --show-power [WHAT]     power draw, and its limit unless WHAT is draw
      --no-processes          GPUs only
      --json                  one JSON document, whatever else is asked for
      --id=LIST               only these GPUs, by index, in this order

How to show it
  -i, --interval [SECONDS]    again and again, every second unless told (also --watch)
      --color, --no-color     always or never in color; else where it is a terminal and NO_COLOR is not set
      --no-header             without the first line
      --gpuname-width=N       columns for the names; 0 leaves them out
      --debug                 say on standard error what could not be read
  -v, --version               the version of gpustat that this output is that of
  -h, --help                  this text
";

const COMMON: &str = "
What to show
      --query-gpu=FIELDS      these fields of every GPU, comma-separated
      --query-compute-apps=FIELDS, --query-accounted-apps=FIELDS, --query-supported-clocks=FIELDS,
      --query-retired-pages=FIELDS, --query-remapped-rows=FIELDS
                              the same of processes, clocks and damaged memory
      --help-query-gpu        the fields there are; so for the other queries
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
      --timeout=SECONDS       give a driver up that does not answer (RSMI_TIMEOUT);
                              30 on a terminal, else no limit
      --where=CONDITION       only what meets it, as in 'memory.used < 1GiB and not name ~ V100':
                              < <= > >= = != and ~ (holds the text), joined by and, or, not and
                              parentheses; a missing value is null and meets no other test
      --sort=FIELDS           in this order, -FIELD for the greatest first
                              both by any field of the query; on the first screen by GPU fields,
                              or by gpu, pid, type, user, used_memory, cpu, host_memory, time,
                              container, command of the processes
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
