//! How busy the engines were over the driver's last sample period, and what the encoders work on. With MIG
//! on, a device as a whole has no answer to the former.

use super::read::{amount, number};
use super::{GpuQuery, Row};
use crate::driver::answers::{EncoderStats, Utilization};
use crate::driver::calls;
use crate::fields::{Field, Section};
use crate::value::Reading;

pub(super) static SECTION: Section<GpuQuery> = Section { title: "Utilization", fields: FIELDS };

pub(super) static ENCODER: Section<GpuQuery> = Section { title: "Encoder sessions", fields: ENCODER_FIELDS };

fn rate(row: &Row, of: fn(&Utilization) -> u32) -> Reading {
    amount(row.gpu.ask(calls::UtilizationRates).map(|rates| of(&rates)))
}

static FIELDS: &[Field<GpuQuery>] = fields! {
    "utilization.gpu" [Percent]: "Share of the time in which any kernel ran."
        => |row| rate(row, |rates| rates.gpu);
    "utilization.memory" [Percent]: "Share of the time in which memory was read or written."
        => |row| rate(row, |rates| rates.memory);
    "utilization.encoder" [Percent]: "How busy the video encoders were."
        => |row| amount(row.gpu.ask(calls::EncoderUtilization));
    "utilization.decoder" [Percent]: "How busy the video decoders were."
        => |row| amount(row.gpu.ask(calls::DecoderUtilization));
    "utilization.jpeg" [Percent]: "How busy the JPEG decoders were."
        => |row| amount(row.gpu.ask(calls::JpegUtilization));
    "utilization.ofa" [Percent]: "How busy the optical flow accelerators were."
        => |row| amount(row.gpu.ask(calls::OfaUtilization));
};

fn encoder(row: &Row, part: fn(&EncoderStats) -> u32) -> Reading {
    number(row.gpu.ask(calls::EncoderSessions).map(|stats| part(&stats)))
}

static ENCODER_FIELDS: &[Field<GpuQuery>] = fields! {
    "encoder.stats.sessionCount": "Video encoder sessions that are open."
        => |row| encoder(row, |stats| stats.sessions);
    "encoder.stats.averageFps": "Frames a second, averaged over the encoder sessions."
        => |row| encoder(row, |stats| stats.fps);
    // The header of this one has no unit.
    "encoder.stats.averageLatency": "Microseconds from frame to encoded frame, averaged over the sessions."
        => |row| encoder(row, |stats| stats.latency);
};
