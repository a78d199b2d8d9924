//! The fields of `--query-compute-apps`: a record for each process that computes on a device, in the driver's
//! order. Processes that only draw are not listed; those that compute through MPS alone come last.

use super::gpu::Row;
use super::{Field, Item, Query, Registry, Section};
use crate::driver::answers::Process;
use crate::driver::{Code, calls};
use crate::value::{Reading, Value};

/// The query `--query-compute-apps`.
pub struct ComputeApps;

impl Query for ComputeApps {
    /// A process, or why the device's processes cannot be had, which is one record.
    type Row<'a> = Item<'a, Result<Process, Code>>;

    fn visit(device: &Row, see: &mut dyn FnMut(&Self::Row<'_>)) {
        let listed = match device.gpu.compute_processes() {
            Ok(listed) => listed,
            Err(code) => return see(&Item { device, item: Err(code) }),
        };
        let same = |one: &Process, other: &Process| {
            (one.pid, one.gpu_instance, one.compute_instance) == (other.pid, other.gpu_instance, other.compute_instance)
        };
        let mut shared = device.gpu.mps_processes().unwrap_or_default();
        shared.retain(|process| !listed.iter().any(|known| same(known, process)));
        for process in listed.into_iter().chain(shared) {
            see(&Item { device, item: Ok(process) });
        }
    }
}

/// All fields of `--query-compute-apps`.
pub static REGISTRY: Registry<ComputeApps> = Registry { switch: "query-compute-apps", sections: &[&DEVICE, &PROCESS] };

static DEVICE: Section<ComputeApps> = Section { title: "Device", fields: device_fields!() };

static PROCESS: Section<ComputeApps> = Section { title: "Process", fields: FIELDS };

fn name(row: &Item<Result<Process, Code>>) -> Reading {
    let name = row.device.system.driver().ask(crate::driver::Target::System, calls::ProcessName(row.item?.pid))?;
    Ok(Value::ProcessName(name))
}

/// Whole MiB are counted here; the device's own columns count begun ones.
fn used(row: &Item<Result<Process, Code>>) -> Reading {
    Ok(Value::Amount(row.item?.used.ok_or(Code::NOT_SUPPORTED)? >> 20))
}

static FIELDS: &[Field<ComputeApps>] = fields! {
    "pid": "Process id, as the driver sees it."
        => |row| Ok(Value::Number(row.item?.pid.into()));
    "process_name", "name": "The command by which the process was started, without its arguments."
        => name;
    "used_gpu_memory" [MiB], "used_memory": "Memory that the process holds on the device."
        => used;
};
