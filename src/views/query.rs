//! `--query-gpu`: the asked fields of each device, in any format, once or in a loop. A device that is out
//! of service is a row like any other, whose cells say why; it is named on standard error, and the exit
//! status tells of it.

use crate::cli::plan::Style;
use crate::driver::Code;
use crate::exit::Exit;
use crate::fields::Field;
use crate::fields::gpu::{GpuQuery, Row};
use crate::format::{Column, Formatter};
use crate::gpu::{Gpu, System};
use crate::output::complain;

/// A query in progress.
pub struct Query<'a> {
    system: &'a System<'a>,
    gpus: Vec<Gpu<'a>>,
    fields: Vec<&'static Field<GpuQuery>>,
    formatter: Formatter,
    ticks: usize,
    reported: Vec<(u32, Code)>,
}

impl<'a> Query<'a> {
    /// A query for these fields of these devices.
    pub fn new(
        system: &'a System<'a>,
        devices: &[u32],
        fields: Vec<&'static Field<GpuQuery>>,
        style: Style,
        looped: bool,
    ) -> Self {
        let column =
            |field: &&'static Field<GpuQuery>| Column { name: field.name, header: field.header(), unit: field.unit };
        let formatter = Formatter::new(style, fields.iter().map(column).collect(), looped);
        let gpus = devices.iter().map(|index| system.gpu(*index)).collect();
        Query { system, gpus, fields, formatter, ticks: 0, reported: Vec::new() }
    }

    /// Writes one tick and says how it went.
    pub fn tick(&mut self, out: &mut Vec<u8>) -> Exit {
        if self.ticks > 0 {
            self.system.tick();
            self.gpus.iter().for_each(Gpu::tick);
        }
        self.ticks += 1;
        let now = self.system.host().now();
        self.formatter.begin(out);
        for gpu in &self.gpus {
            let row = Row { gpu, system: self.system, now };
            let readings = self.fields.iter().map(|field| (field.get)(&row)).collect();
            self.formatter.record(readings, out);
        }
        self.formatter.end(out);
        self.report()
    }

    /// Names the devices that are out of service, each once for as long as it stays so.
    fn report(&mut self) -> Exit {
        let condemned: Vec<(u32, Code)> =
            self.gpus.iter().filter_map(|gpu| Some((gpu.index(), gpu.condemned()?))).collect();
        for (index, code) in condemned.iter().filter(|sick| !self.reported.contains(sick)) {
            complain(&condition(*index, *code));
        }
        let exit = condemned.first().map_or(Exit::SUCCESS, |(_, code)| Exit::of(*code));
        self.reported = condemned;
        exit
    }
}

/// One line about a device that is out of service, with what can be done.
pub fn condition(index: u32, code: Code) -> String {
    let advice = match code {
        Code::GPU_IS_LOST => "; it has fallen off the bus, reboot the machine to get it back",
        Code::RESET_REQUIRED => "; reset it or reboot the machine",
        Code::NO_PERMISSION => "; ask for access to its device node",
        _ => "",
    };
    format!("GPU {index}: {}{advice}", code.words())
}
