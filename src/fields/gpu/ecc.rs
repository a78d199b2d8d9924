//! ECC: its mode, and the memory errors that it has found. Which places a device counts depends on its
//! generation; since Ampere they are DRAM and SRAM, and the others answer that they are not supported.

use super::read::{DISABLED_ENABLED, NO_YES, fact, number, word};
use super::{GpuQuery, Row};
use crate::driver::answers::{Mode, SramEcc};
use crate::driver::calls::ErrorKind::{self, Corrected, Uncorrected};
use crate::driver::calls::Location::{self, Cbu, Dram, L1, L2, RegisterFile, Sram, Texture};
use crate::driver::calls::Since::{self, Aggregate, Volatile};
use crate::driver::calls::{self, MemoryErrors, SramErrors, TotalErrors};
use crate::fields::{Field, Section};
use crate::value::{Reading, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "ECC", fields: FIELDS };

pub(super) static SRAM: Section<GpuQuery> = Section { title: "Uncorrected errors in SRAM", fields: SRAM_FIELDS };

fn mode(row: &Row, when: fn(&Mode) -> u32) -> Reading {
    word(when(&row.gpu.ask(calls::EccMode)?), DISABLED_ENABLED)
}

fn errors(row: &Row, kind: ErrorKind, since: Since, location: Location) -> Reading {
    number(row.gpu.ask(MemoryErrors(kind, since, location)))
}

fn total(row: &Row, kind: ErrorKind, since: Since) -> Reading {
    number(row.gpu.ask(TotalErrors(kind, since)))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "ecc.mode.current": "Whether memory errors are corrected now."
        => |row| mode(row, |mode| mode.current);
    "ecc.mode.pending": "Whether memory errors are corrected from the next boot on."
        => |row| mode(row, |mode| mode.pending);
    "ecc.errors.corrected.volatile.device_memory": "Corrected errors in device memory since the driver was loaded."
        => |row| errors(row, Corrected, Volatile, Dram);
    "ecc.errors.corrected.volatile.dram":
        "Corrected errors in DRAM since the driver was loaded; device memory by its newer name."
        => |row| errors(row, Corrected, Volatile, Dram);
    "ecc.errors.corrected.volatile.register_file": "Corrected errors in the register files since the driver was loaded."
        => |row| errors(row, Corrected, Volatile, RegisterFile);
    "ecc.errors.corrected.volatile.l1_cache": "Corrected errors in the L1 caches since the driver was loaded."
        => |row| errors(row, Corrected, Volatile, L1);
    "ecc.errors.corrected.volatile.l2_cache": "Corrected errors in the L2 cache since the driver was loaded."
        => |row| errors(row, Corrected, Volatile, L2);
    "ecc.errors.corrected.volatile.texture_memory": "Corrected errors in texture memory since the driver was loaded."
        => |row| errors(row, Corrected, Volatile, Texture);
    "ecc.errors.corrected.volatile.cbu": "Corrected errors in the branch units since the driver was loaded."
        => |row| errors(row, Corrected, Volatile, Cbu);
    "ecc.errors.corrected.volatile.sram": "Corrected errors in SRAM since the driver was loaded."
        => |row| errors(row, Corrected, Volatile, Sram);
    "ecc.errors.corrected.volatile.total": "Corrected errors in all places since the driver was loaded."
        => |row| total(row, Corrected, Volatile);
    "ecc.errors.corrected.aggregate.device_memory": "Corrected errors in device memory in the life of the board."
        => |row| errors(row, Corrected, Aggregate, Dram);
    "ecc.errors.corrected.aggregate.dram":
        "Corrected errors in DRAM in the life of the board; device memory by its newer name."
        => |row| errors(row, Corrected, Aggregate, Dram);
    "ecc.errors.corrected.aggregate.register_file": "Corrected errors in the register files in the life of the board."
        => |row| errors(row, Corrected, Aggregate, RegisterFile);
    "ecc.errors.corrected.aggregate.l1_cache": "Corrected errors in the L1 caches in the life of the board."
        => |row| errors(row, Corrected, Aggregate, L1);
    "ecc.errors.corrected.aggregate.l2_cache": "Corrected errors in the L2 cache in the life of the board."
        => |row| errors(row, Corrected, Aggregate, L2);
    "ecc.errors.corrected.aggregate.texture_memory": "Corrected errors in texture memory in the life of the board."
        => |row| errors(row, Corrected, Aggregate, Texture);
    "ecc.errors.corrected.aggregate.cbu": "Corrected errors in the branch units in the life of the board."
        => |row| errors(row, Corrected, Aggregate, Cbu);
    "ecc.errors.corrected.aggregate.sram": "Corrected errors in SRAM in the life of the board."
        => |row| errors(row, Corrected, Aggregate, Sram);
    "ecc.errors.corrected.aggregate.total": "Corrected errors in all places in the life of the board."
        => |row| total(row, Corrected, Aggregate);
    "ecc.errors.uncorrected.volatile.device_memory": "Uncorrected errors in device memory since the driver was loaded."
        => |row| errors(row, Uncorrected, Volatile, Dram);
    "ecc.errors.uncorrected.volatile.dram":
        "Uncorrected errors in DRAM since the driver was loaded; device memory by its newer name."
        => |row| errors(row, Uncorrected, Volatile, Dram);
    "ecc.errors.uncorrected.volatile.register_file":
        "Uncorrected errors in the register files since the driver was loaded."
        => |row| errors(row, Uncorrected, Volatile, RegisterFile);
    "ecc.errors.uncorrected.volatile.l1_cache": "Uncorrected errors in the L1 caches since the driver was loaded."
        => |row| errors(row, Uncorrected, Volatile, L1);
    "ecc.errors.uncorrected.volatile.l2_cache": "Uncorrected errors in the L2 cache since the driver was loaded."
        => |row| errors(row, Uncorrected, Volatile, L2);
    "ecc.errors.uncorrected.volatile.texture_memory":
        "Uncorrected errors in texture memory since the driver was loaded."
        => |row| errors(row, Uncorrected, Volatile, Texture);
    "ecc.errors.uncorrected.volatile.cbu": "Uncorrected errors in the branch units since the driver was loaded."
        => |row| errors(row, Uncorrected, Volatile, Cbu);
    "ecc.errors.uncorrected.volatile.sram": "Uncorrected errors in SRAM since the driver was loaded."
        => |row| errors(row, Uncorrected, Volatile, Sram);
    "ecc.errors.uncorrected.volatile.total": "Uncorrected errors in all places since the driver was loaded."
        => |row| total(row, Uncorrected, Volatile);
    "ecc.errors.uncorrected.aggregate.device_memory": "Uncorrected errors in device memory in the life of the board."
        => |row| errors(row, Uncorrected, Aggregate, Dram);
    "ecc.errors.uncorrected.aggregate.dram":
        "Uncorrected errors in DRAM in the life of the board; device memory by its newer name."
        => |row| errors(row, Uncorrected, Aggregate, Dram);
    "ecc.errors.uncorrected.aggregate.register_file":
        "Uncorrected errors in the register files in the life of the board."
        => |row| errors(row, Uncorrected, Aggregate, RegisterFile);
    "ecc.errors.uncorrected.aggregate.l1_cache": "Uncorrected errors in the L1 caches in the life of the board."
        => |row| errors(row, Uncorrected, Aggregate, L1);
    "ecc.errors.uncorrected.aggregate.l2_cache": "Uncorrected errors in the L2 cache in the life of the board."
        => |row| errors(row, Uncorrected, Aggregate, L2);
    "ecc.errors.uncorrected.aggregate.texture_memory": "Uncorrected errors in texture memory in the life of the board."
        => |row| errors(row, Uncorrected, Aggregate, Texture);
    "ecc.errors.uncorrected.aggregate.cbu": "Uncorrected errors in the branch units in the life of the board."
        => |row| errors(row, Uncorrected, Aggregate, Cbu);
    "ecc.errors.uncorrected.aggregate.sram": "Uncorrected errors in SRAM in the life of the board."
        => |row| errors(row, Uncorrected, Aggregate, Sram);
    "ecc.errors.uncorrected.aggregate.total": "Uncorrected errors in all places in the life of the board."
        => |row| total(row, Uncorrected, Aggregate);
};

fn sram(row: &Row, part: fn(&SramEcc) -> u64) -> Reading {
    Ok(Value::Number(part(&row.gpu.ask(SramErrors)?)))
}

static SRAM_FIELDS: &[Field<GpuQuery>] = fields! {
    "ecc.errors.uncorrected.volatile.sram.parity":
        "Uncorrected SRAM errors found by parity since the driver was loaded."
        => |row| sram(row, |errors| errors.volatile_parity);
    "ecc.errors.uncorrected.volatile.sram.secded":
        "Uncorrected SRAM errors found by SEC-DED codes since the driver was loaded."
        => |row| sram(row, |errors| errors.volatile_secded);
    "ecc.errors.uncorrected.aggregate.sram.parity": "Uncorrected SRAM errors found by parity in the life of the board."
        => |row| sram(row, |errors| errors.aggregate_parity);
    "ecc.errors.uncorrected.aggregate.sram.secded":
        "Uncorrected SRAM errors found by SEC-DED codes in the life of the board."
        => |row| sram(row, |errors| errors.aggregate_secded);
    "ecc.errors.uncorrected.aggregate.sram.thresholdExceeded":
        "Whether SRAM had so many errors that the board should go."
        => |row| fact(row.gpu.ask(SramErrors)?.threshold_exceeded, NO_YES);
    "ecc.errors.uncorrected.aggregate.sram.l2": "Uncorrected SRAM errors in the L2 cache in the life of the board."
        => |row| sram(row, |errors| errors.l2);
    "ecc.errors.uncorrected.aggregate.sram.sm":
        "Uncorrected SRAM errors in the multiprocessors in the life of the board."
        => |row| sram(row, |errors| errors.sm);
    "ecc.errors.uncorrected.aggregate.sram.mcu":
        "Uncorrected SRAM errors in the microcontrollers in the life of the board."
        => |row| sram(row, |errors| errors.mcu);
    "ecc.errors.uncorrected.aggregate.sram.pcie":
        "Uncorrected SRAM errors in the PCIe buffers in the life of the board."
        => |row| sram(row, |errors| errors.pcie);
    "ecc.errors.uncorrected.aggregate.sram.other": "Uncorrected SRAM errors elsewhere in the life of the board."
        => |row| sram(row, |errors| errors.other);
};
