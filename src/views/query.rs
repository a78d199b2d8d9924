//! `--query-*`: the asked fields of each record, in any format, once or in a loop. One view for all queries:
//! which records a device has is the query's own matter. A device that is out of service is a record like any
//! other, whose cells say why; it is named on standard error, and the exit status tells of it.

use crate::driver::Code;
use crate::exit::Exit;
use crate::fields::gpu::Row;
use crate::fields::{self, Field};
use crate::filter::Choice;
use crate::format::{Column, Formatter, Style};
use crate::gpu::{self, Gpu, System};
use crate::output::complain;
use crate::value::Reading;

/// What a query asks for.
pub struct Asked<Q: fields::Query> {
    /// The fields in the order asked; empty for an empty list.
    pub fields: Vec<&'static Field<Q>>,
    /// Which records, and in which order.
    pub choice: Choice<&'static Field<Q>>,
}

impl<Q: fields::Query> std::fmt::Debug for Asked<Q> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").field("fields", &self.fields).field("choice", &self.choice).finish()
    }
}

/// A query in progress.
pub struct Query<'a, Q: fields::Query> {
    system: &'a System<'a>,
    gpus: Vec<Gpu<'a>>,
    fields: Vec<&'static Field<Q>>,
    choice: Choice<&'static Field<Q>>,
    formatter: Formatter,
    reported: Reported,
}

impl<'a, Q: fields::Query> Query<'a, Q> {
    /// A query for these fields of these devices.
    pub fn new(system: &'a System<'a>, devices: &[u32], asked: Asked<Q>, style: Style, looped: bool) -> Self {
        let Asked { fields, choice } = asked;
        let column = |field: &&'static Field<Q>| Column { name: field.name, header: field.header(), unit: field.unit };
        let formatter = Formatter::new(style, fields.iter().map(column).collect(), looped);
        let gpus = devices.iter().map(|index| system.gpu(*index)).collect();
        Query { system, gpus, fields, choice, formatter, reported: Reported::default() }
    }

    /// Writes one tick and says how it went.
    pub fn tick(&mut self, out: &mut Vec<u8>) -> Exit {
        gpu::tick(self.system, &self.gpus);
        let now = self.system.host().now();
        let (system, fields, choice) = (self.system, &self.fields, &self.choice);
        let records = gpu::each(&self.gpus, |gpu| {
            let mut records: Vec<(Vec<Reading>, Vec<Reading>)> = Vec::new();
            Q::visit(&Row { gpu, system, now }, &mut |row| {
                if choice.passes(&|field| (field.get)(row)) {
                    let place = choice.place(|field| (field.get)(row));
                    records.push((place, fields.iter().map(|field| (field.get)(row)).collect()));
                }
            });
            records
        });
        let mut records: Vec<(Vec<Reading>, Vec<Reading>)> = records.into_iter().flatten().collect();
        choice.sort(&mut records);
        self.formatter.begin(out);
        records.into_iter().for_each(|(_, readings)| self.formatter.record(readings, out));
        self.formatter.end(out);
        self.reported.report(&self.gpus)
    }
}

/// The devices that were said to be out of service.
#[derive(Default)]
pub struct Reported(Vec<(u32, Code)>);

impl Reported {
    /// Names the devices that are out of service, each once for as long as it stays so, and says what exit
    /// status that makes.
    pub fn report(&mut self, gpus: &[Gpu]) -> Exit {
        let condemned: Vec<(u32, Code)> = gpus.iter().filter_map(|gpu| Some((gpu.index(), gpu.condemned()?))).collect();
        // What did not answer in time has been named by the process that watched over the time.
        let new = |sick: &&(u32, Code)| !self.0.contains(sick) && sick.1 != Code::NO_ANSWER;
        for (index, code) in condemned.iter().filter(new) {
            complain(&condition(*index, *code));
        }
        let exit = condemned.first().map_or(Exit::SUCCESS, |(_, code)| Exit::of(*code));
        self.0 = condemned;
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
