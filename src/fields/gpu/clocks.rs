//! Clocks.

use super::GpuQuery;
use super::read::amount;
use crate::driver::calls::{ApplicationsClock, Clock, DefaultApplicationsClock, Domain, MaxClock};
use crate::fields::{Field, Section};

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Clocks", fields: FIELDS };

static FIELDS: &[Field<GpuQuery>] = fields! {
    "clocks.current.graphics" [MHz], "clocks.gr": "Clock of the shaders now."
        => |row| amount(row.gpu.ask(Clock(Domain::Graphics)));
    "clocks.current.sm" [MHz], "clocks.sm": "Clock of the streaming multiprocessors now."
        => |row| amount(row.gpu.ask(Clock(Domain::Sm)));
    "clocks.current.memory" [MHz], "clocks.mem": "Clock of the memory now."
        => |row| amount(row.gpu.ask(Clock(Domain::Memory)));
    "clocks.current.video" [MHz], "clocks.video": "Clock of the video encoders and decoders now."
        => |row| amount(row.gpu.ask(Clock(Domain::Video)));
    "clocks.applications.graphics" [MHz], "clocks.applications.gr": "Shader clock that was set for applications."
        => |row| amount(row.gpu.ask(ApplicationsClock(Domain::Graphics)));
    "clocks.applications.memory" [MHz], "clocks.applications.mem": "Memory clock that was set for applications."
        => |row| amount(row.gpu.ask(ApplicationsClock(Domain::Memory)));
    "clocks.default_applications.graphics" [MHz], "clocks.default_applications.gr":
        "Shader clock for applications where none was set."
        => |row| amount(row.gpu.ask(DefaultApplicationsClock(Domain::Graphics)));
    "clocks.default_applications.memory" [MHz], "clocks.default_applications.mem":
        "Memory clock for applications where none was set."
        => |row| amount(row.gpu.ask(DefaultApplicationsClock(Domain::Memory)));
    "clocks.max.graphics" [MHz], "clocks.max.gr": "Greatest clock of the shaders."
        => |row| amount(row.gpu.ask(MaxClock(Domain::Graphics)));
    "clocks.max.sm" [MHz]: "Greatest clock of the streaming multiprocessors."
        => |row| amount(row.gpu.ask(MaxClock(Domain::Sm)));
    "clocks.max.memory" [MHz], "clocks.max.mem": "Greatest clock of the memory."
        => |row| amount(row.gpu.ask(MaxClock(Domain::Memory)));
};
