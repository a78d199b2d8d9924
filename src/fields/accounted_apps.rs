//! The fields of `--query-accounted-apps`: a record for each process that accounting remembers, whether it
//! still runs or not. There is none while accounting is off.

use super::gpu::Row;
use super::{Field, Item, Query, Registry, Section};
use crate::driver::answers::Accounting;
use crate::driver::{Code, calls};
use crate::value::{Reading, Value};

/// The query `--query-accounted-apps`.
pub struct AccountedApps;

impl Query for AccountedApps {
    /// A process, or why accounting cannot be had, which is one record.
    type Row<'a> = Item<'a, Result<u32, Code>>;

    fn visit(device: &Row, see: &mut dyn FnMut(&Self::Row<'_>)) {
        match device.gpu.ask(calls::AccountingPids) {
            Ok(pids) => pids.into_iter().for_each(|pid| see(&Item { device, item: Ok(pid) })),
            Err(code) => see(&Item { device, item: Err(code) }),
        }
    }
}

/// All fields of `--query-accounted-apps`.
pub static REGISTRY: Registry<AccountedApps> =
    Registry { switch: "query-accounted-apps", sections: &[&DEVICE, &PROCESS] };

static DEVICE: Section<AccountedApps> = Section { title: "Device", fields: device_fields!() };

static PROCESS: Section<AccountedApps> = Section { title: "Process", fields: FIELDS };

fn stats(row: &Item<Result<u32, Code>>) -> Result<Accounting, Code> {
    row.device.gpu.ask(calls::AccountingStats(row.item?))
}

/// NVML says by the greatest number that it does not know.
fn percent(percent: u32) -> Reading {
    if percent == u32::MAX { Err(Code::NOT_SUPPORTED.into()) } else { Ok(Value::Amount(percent.into())) }
}

fn max_memory(row: &Item<Result<u32, Code>>) -> Reading {
    match stats(row)?.max_memory {
        u64::MAX => Err(Code::NOT_SUPPORTED.into()),
        bytes => Ok(Value::Amount(bytes >> 20)),
    }
}

static FIELDS: &[Field<AccountedApps>] = fields! {
    "vgpu_instance": "The vGPU in which the process ran, on the host of a virtual machine."
        => |row| row.item.and(Err(Code::NOT_SUPPORTED)).map_err(Into::into);
    "pid": "Process id, as the driver saw it."
        => |row| Ok(Value::Number(row.item?.into()));
    "gpu_utilization" [Percent], "gpu_util": "Share of its life in which the process kept the device busy."
        => |row| percent(stats(row)?.gpu);
    "mem_utilization" [Percent], "mem_util": "Share of its life in which the process read or wrote device memory."
        => |row| percent(stats(row)?.memory);
    "max_memory_usage" [MiB]: "Most memory that the process ever held on the device."
        => max_memory;
    "time" [Millisecond]: "How long the process was at the device; 0 while it still is."
        => |row| Ok(Value::Amount(stats(row)?.time));
};
