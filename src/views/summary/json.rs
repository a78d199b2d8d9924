//! The summary for programs: one object. Every key stands in a table with its type and its meaning; the
//! objects and their JSON Schema (docs/summary.schema.json) are both made from the tables.

use super::facts::{Card, Facts, Item, Part, Process};
use super::notes::{notes, unaccounted};
use crate::driver::answers::Text;
use crate::value::{Value as Reading, mib};
use serde_json::{Map, Value, json};

/// The type of a key's value. All but lists can be `null`, which stands for what is not known.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    /// Never null.
    Index,
    Integer,
    Number,
    Text,
    /// A list of objects; null where it could not be had.
    Parts(&'static str),
    /// A list of sentences.
    Sentences,
}

/// A key of an object made from a `T`.
struct Key<T: ?Sized> {
    name: &'static str,
    kind: Kind,
    about: &'static str,
    get: fn(&T) -> Value,
}

/// Rows of a table, from their short form.
macro_rules! keys {
    ($($name:literal $kind:expr, $about:literal => $get:expr;)*) => {
        &[$(Key { name: $name, kind: $kind, about: $about, get: $get }),*]
    };
}

use Kind::{Index, Integer, Number, Parts, Sentences, Text as Words};

static MACHINE: &[Key<Facts>] = keys! {
    "host" Words, "Name of the machine." => |facts| json!(facts.host);
    "taken" Words, "When the readings were taken: local time, as YYYY-MM-DDTHH:MM:SS.mmm."
        => |facts| json!(facts.now.to_string());
    "driver" Words, "Version of the NVIDIA driver." => |facts| json!(facts.driver.as_ref().ok());
    "cuda" Words, "Newest CUDA version that the driver serves." => |facts| json!(facts.cuda.as_ref().ok());
    "gpus" Parts("gpu"), "The GPUs, in the order of their indexes unless --sort says otherwise."
        => |facts| facts.cards.iter().map(|card| gpu(facts, card)).collect();
    "notes" Sentences, "What the readings leave out, for people." => |facts| json!(notes(facts));
};

static GPU: &[Key<Card>] = keys! {
    "index" Index, "The driver's number of the GPU." => |card| json!(card.index);
    "uuid" Words, "Identifier that no other GPU has." => |card| reading(card, Item::Uuid);
    "name" Words, "Product name." => |card| reading(card, Item::Name);
    "serial" Words, "Serial number of the board." => |card| reading(card, Item::Serial);
    "bus_id" Words, "Place on the PCI bus." => |card| reading(card, Item::BusId);
    "error" Words, "Why the GPU is out of service; null where it is not."
        => |card| json!(card.sick.map(|code| code.words()));
    "fan_percent" Integer, "Speed that the fan is told to run at." => |card| reading(card, Item::Fan);
    "temperature_c" Integer, "Temperature of the chip." => |card| reading(card, Item::Temperature);
    "pstate" Words, "Performance state, P0 the fastest." => |card| reading(card, Item::State);
    "power_draw_w" Number, "Power that the board draws." => |card| reading(card, Item::Draw);
    "power_limit_w" Number, "Power limit in force." => |card| reading(card, Item::Limit);
    "memory_total_mib" Integer, "Installed memory." => |card| reading(card, Item::Total);
    "memory_reserved_mib" Integer, "Memory that the driver keeps for itself." => |card| reading(card, Item::Reserved);
    "memory_used_mib" Integer, "Memory that processes hold." => |card| reading(card, Item::Used);
    "memory_free_mib" Integer, "Memory that could still be allocated." => |card| reading(card, Item::Free);
    "memory_unlisted_mib" Integer, "Memory in use that no listed process accounts for; 0 where it is little."
        => |card| json!(card.listed.as_ref().ok().map(|_| mib(unaccounted(card).unwrap_or(0))));
    "utilization_gpu_percent" Integer, "Share of the time in which any kernel ran." => |card| reading(card, Item::Busy);
    "utilization_memory_percent" Integer, "Share of the time in which memory was read or written."
        => |card| reading(card, Item::MemoryBusy);
    "mig_mode" Words, "Enabled or Disabled." => |card| reading(card, Item::Mig);
    "ecc_mode" Words, "Enabled or Disabled." => |card| reading(card, Item::Ecc);
    "ecc_errors_uncorrected" Integer, "Uncorrected memory errors since the driver was loaded."
        => |card| reading(card, Item::Errors);
    "persistence_mode" Words, "Enabled or Disabled." => |card| reading(card, Item::Persistence);
    "compute_mode" Words, "Default, Exclusive_Process, Prohibited." => |card| reading(card, Item::Compute);
    "mig" Parts("mig"), "The MIG devices of the GPU." => |card| card.parts.iter().map(mig).collect();
};

/// The processes stand in their GPU, but are of the machine's facts.
const PROCESSES: (&str, Kind, &str) =
    ("processes", Parts("process"), "The processes on the GPU; null where they cannot be listed.");

static MIG: &[Key<Part>] = keys! {
    "device" Index, "Its place among the MIG devices of the GPU." => |part| json!(part.place);
    "gpu_instance_id" Integer, "Its GPU instance." => |part| json!(part.gpu_instance.as_ref().ok());
    "compute_instance_id" Integer, "Its compute instance." => |part| json!(part.compute_instance.as_ref().ok());
    "uuid" Words, "Identifier that no other MIG device has."
        => |part| json!(part.uuid.as_ref().ok().map(Text::lossy));
    "profile" Words, "What it has of the GPU, as in 3g.40gb." => |part| json!(part.profile);
    "memory_total_mib" Integer, "Its memory." => |part| json!(part.memory.as_ref().ok().map(|of| mib(of.total)));
    "memory_used_mib" Integer, "Memory that processes hold."
        => |part| json!(part.memory.as_ref().ok().map(|of| mib(of.used)));
};

static PROCESS: &[Key<Process>] = keys! {
    "pid" Index, "Process id." => |process| json!(process.listed.pid);
    "type" Words, "C computes, G draws, M+C computes through MPS, C+G does both." => |process| json!(process.listed.kind());
    "gpu_instance_id" Integer, "GPU instance that it runs on, where MIG is on."
        => |process| json!(process.listed.gpu_instance);
    "compute_instance_id" Integer, "Compute instance that it runs on, where MIG is on."
        => |process| json!(process.listed.compute_instance);
    "gpu_memory_mib" Integer, "Memory that it holds on the GPU." => |process| json!(process.listed.used.map(mib));
    "user" Words, "Who started it." => |process| host(process, |host| json!(host.user));
    "container" Words, "Container or pod that it runs in." => |process| host(process, |host| json!(host.container));
    "cpu_time_s" Number, "Processor time that it used." => |process| host(process, |host| {
        json!(host.cpu_time.map(|milliseconds| milliseconds as f64 / 1000.0))
    });
    "cpu_percent" Integer, "Share of one processor: since it was started, in a loop since the tick before."
        => |process| json!(process.cpu);
    "host_memory_mib" Integer, "Memory that it holds on the host."
        => |process| host(process, |host| json!(host.resident.map(mib)));
    "age_s" Integer, "Seconds since it was started." => |process| host(process, |host| json!(host.age));
    "command" Words, "Its command line, the words joined by spaces." => |process| json!(process.command.as_ref().ok());
};

fn host(process: &Process, get: impl FnOnce(&crate::host::Process) -> Value) -> Value {
    process.host.as_deref().map_or(Value::Null, get)
}

fn reading(card: &Card, item: Item) -> Value {
    match card.get(item) {
        // A word that no driver had when this was written is not known here.
        Ok(Reading::Unnamed(_)) | Err(_) => Value::Null,
        Ok(value) => crate::format::json_value(&value),
    }
}

fn object<T>(keys: &[Key<T>], of: &T) -> Map<String, Value> {
    keys.iter().map(|key| (key.name.to_owned(), (key.get)(of))).collect()
}

fn mig(part: &Part) -> Value {
    Value::Object(object(MIG, part))
}

fn gpu(facts: &Facts, card: &Card) -> Value {
    let mut gpu = object(GPU, card);
    let own = facts.processes.iter().filter(|process| process.gpu == card.index);
    let processes = own.map(|process| Value::Object(object(PROCESS, process))).collect();
    gpu.insert(PROCESSES.0.to_owned(), if card.listed.is_ok() { Value::Array(processes) } else { Value::Null });
    Value::Object(gpu)
}

/// Writes the object: a line a tick in a loop, else laid out for reading.
pub(super) fn write(facts: &Facts, looped: bool, out: &mut Vec<u8>) {
    let machine = Value::Object(object(MACHINE, facts));
    // Writing plain data to memory cannot fail.
    let _ = match looped {
        true => serde_json::to_writer(&mut *out, &machine),
        false => serde_json::to_writer_pretty(&mut *out, &machine),
    };
    out.push(b'\n');
}

/// The JSON Schema of the object.
pub fn schema() -> Value {
    let mut gpu = properties(GPU.iter().map(|key| (key.name, key.kind, key.about)));
    gpu.extend(properties([PROCESSES].into_iter()));
    let row = |name, kind, about| (name, kind, about);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "rsmi --format=json",
        "description": "What `rsmi --format=json` writes; in a loop one such object a line.",
        "$defs": {
            "gpu": shape(gpu),
            "mig": shape(properties(MIG.iter().map(|key| row(key.name, key.kind, key.about)))),
            "process": shape(properties(PROCESS.iter().map(|key| row(key.name, key.kind, key.about)))),
        },
        "allOf": [shape(properties(MACHINE.iter().map(|key| row(key.name, key.kind, key.about))))],
    })
}

fn shape(properties: Map<String, Value>) -> Value {
    let required: Vec<&String> = properties.keys().collect();
    json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
}

fn properties(keys: impl Iterator<Item = (&'static str, Kind, &'static str)>) -> Map<String, Value> {
    let kind = |kind| match kind {
        Index => json!({ "type": "integer" }),
        Integer => json!({ "type": ["integer", "null"] }),
        Number => json!({ "type": ["number", "null"] }),
        Words => json!({ "type": ["string", "null"] }),
        Parts(of) => json!({ "type": ["array", "null"], "items": { "$ref": format!("#/$defs/{of}") } }),
        Sentences => json!({ "type": "array", "items": { "type": "string" } }),
    };
    keys.map(|(name, of, about)| {
        let mut property = kind(of);
        if let Some(property) = property.as_object_mut() {
            property.insert("description".to_owned(), json!(about));
        }
        (name.to_owned(), property)
    })
    .collect()
}
