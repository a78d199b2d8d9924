//! The device's number and the modes that an administrator sets: display, persistence, addressing,
//! accounting, driver model.

use super::read::{DISABLED_ENABLED, NO_YES, number, word};
use super::{GpuQuery, Row};
use crate::driver::answers::Mode;
use crate::driver::{Code, calls};
use crate::fields::{Field, Section};
use crate::value::{Reading, Reason, Value};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Display and modes", fields: FIELDS };

/// Only Windows has driver models; Linux answers that there are none.
fn driver_model(row: &Row, when: fn(&Mode) -> u32) -> Reading {
    word(when(&row.gpu.ask(calls::DriverModel)?), &["WDDM", "TCC", "MCDM"])
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "index": "Number of the device from 0; it may change at the next boot."
        => |row| Ok(Value::Number(row.gpu.index().into()));
    // nvidia-smi 580 asks nothing for this one and prints the error on every machine.
    "display_mode": "No longer answered; see `display_attached` and `display_active`."
        => |_| Err(Reason::Code(Code::DEPRECATED));
    "display_attached": "Whether a display is plugged in, as far as the driver can tell."
        => |row| word(row.gpu.ask(calls::DisplayMode)?, NO_YES);
    "display_active": "Whether the device draws a display, even if none is plugged in."
        => |row| word(row.gpu.ask(calls::DisplayActive)?, DISABLED_ENABLED);
    "persistence_mode": "Whether the driver stays loaded while nothing uses the device."
        => |row| word(row.gpu.ask(calls::Persistence)?, DISABLED_ENABLED);
    "addressing_mode": "How kernels reach ordinary host memory: HMM in software, ATS in hardware, or not."
        => |row| word(row.gpu.ask(calls::AddressingMode)?, &["None", "HMM", "ATS"]);
    "accounting.mode": "Whether statistics are kept of each process that computes."
        => |row| word(row.gpu.ask(calls::AccountingMode)?, DISABLED_ENABLED);
    "accounting.buffer_size": "How many processes accounting remembers before it drops the oldest."
        => |row| number(row.gpu.ask(calls::AccountingBufferSize));
    "driver_model.current": "Windows driver model in use; not available on Linux."
        => |row| driver_model(row, |mode| mode.current);
    "driver_model.pending": "Windows driver model from the next boot on; not available on Linux."
        => |row| driver_model(row, |mode| mode.pending);
};
