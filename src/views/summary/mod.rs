//! `rsmi` without a command: what a person wants to see first. One frame as wide as the screen, the devices
//! above and their processes below; what does not fit is left out by column, never cut off, and what cannot be
//! shown is said in a note. For programs the same as one JSON object.

mod cards;
mod facts;
mod grid;
mod json;
mod notes;
mod processes;
mod text;
mod theme;

pub use json::schema;
pub use processes::Key as ProcessKey;

use crate::exit::Exit;
use crate::fields::Field;
use crate::fields::gpu::GpuQuery;
use crate::filter::Choice;
use crate::format::terminal::clean;
use crate::format::{Format, Style};
use crate::gpu::{self, Gpu, System};
use crate::output::{complain, terminal_size};
use crate::views::query::condition;
use facts::{Before, Facts, Process, Wanted};
use grid::Steady;
use text::{shorten, width, wrap};
use theme::{Paint, Theme};

/// No frame is wider: the eye loses the line.
const WIDEST: usize = 250;
/// No frame is narrower; on a screen that is, the terminal cuts it.
const NARROWEST: usize = 24;
/// Columns of the frame itself: an edge and a blank on either side.
const EDGES: usize = 4;

/// How the summary is shown.
#[derive(Clone, Debug)]
pub struct Options {
    /// Format, color and, unless a terminal says otherwise, the width.
    pub style: Style,
    /// True when there will be another tick.
    pub looped: bool,
    /// True when each tick is drawn over the one before.
    pub in_place: bool,
    /// Which devices, and in which order.
    pub gpus: Choice<&'static Field<GpuQuery>>,
    /// Which processes, and in which order.
    pub processes: Choice<ProcessKey>,
}

/// The summary in progress.
pub struct Summary<'a> {
    system: &'a System<'a>,
    gpus: Vec<Gpu<'a>>,
    options: Options,
    theme: Theme,
    /// True until the first tick was begun.
    first: bool,
    before: Before,
    seen: processes::Seen,
    steady: (Steady, Steady),
    complained: Vec<u32>,
}

impl<'a> Summary<'a> {
    /// A summary of these devices.
    pub fn new(system: &'a System<'a>, devices: &[u32], options: Options) -> Self {
        let gpus = devices.iter().map(|index| system.gpu(*index)).collect();
        let theme = Theme::new(options.style.color);
        Summary {
            system,
            gpus,
            options,
            theme,
            first: true,
            before: Before::default(),
            seen: processes::Seen::default(),
            steady: Default::default(),
            complained: Vec::new(),
        }
    }

    /// Writes one tick and says how it went.
    pub fn tick(&mut self, out: &mut Vec<u8>) -> Exit {
        let first = std::mem::take(&mut self.first);
        gpu::tick(self.system, &self.gpus);
        let (columns, rows) = self.size();
        let json = self.options.style.format == Format::Json;
        let wanted = Wanted::new(|item| json || cards::wants(columns, first, item));
        let mut facts = facts::take(self.system, &self.gpus, &self.options.gpus, &wanted, &mut self.before);
        facts.processes = self.chosen(std::mem::take(&mut facts.processes));
        if json {
            json::write(&facts, self.options.looped, out);
            self.name_the_sick(&facts);
        } else {
            out.extend_from_slice(self.screen(&facts, columns, rows).as_bytes());
        }
        let sick = facts.cards.iter().find_map(|card| card.sick);
        sick.map_or(Exit::SUCCESS, Exit::of)
    }

    /// Columns of the frame, and rows of the screen where each tick is drawn over the one before. Asked again
    /// at each tick: the window may have another size by now.
    fn size(&self) -> (usize, Option<usize>) {
        let style = &self.options.style;
        let now = if style.clean { terminal_size() } else { None };
        let columns = now.map(|(columns, _)| columns).or(style.width).map_or(NARROWEST, usize::from);
        let rows = now.filter(|_| self.options.in_place).map(|(_, rows)| usize::from(rows));
        (columns.clamp(NARROWEST, WIDEST), rows.filter(|rows| *rows > 1))
    }

    /// The processes that are shown, in order: by device and number unless asked otherwise.
    fn chosen(&self, mut processes: Vec<Process>) -> Vec<Process> {
        let listed = |process: &Process| (process.listed.gpu_instance, process.listed.compute_instance);
        processes.sort_by_key(|process| (process.gpu, listed(process), process.listed.pid));
        self.options.processes.apply(processes, |process, key| key.read(process))
    }

    /// On standard error, each once for as long as it stays so: in JSON nobody sees a row that looks sick.
    fn name_the_sick(&mut self, facts: &Facts) {
        let sick = facts.cards.iter().filter_map(|card| Some((card.index, card.sick?)));
        for (index, code) in sick.clone().filter(|(index, _)| !self.complained.contains(index)) {
            complain(&condition(index, code));
        }
        self.complained = sick.map(|(index, _)| index).collect();
    }

    /// The whole screen.
    fn screen(&mut self, facts: &Facts, columns: usize, rows: Option<usize>) -> String {
        let (header, units) = (self.options.style.header, self.options.style.units);
        let inner = columns.saturating_sub(EDGES);
        let mut screen = String::new();
        if header {
            self.heading(facts, columns, &mut screen);
        }
        let cards = cards::grid(facts, columns, units).lines(inner, header, &mut self.steady.0, &self.theme);
        let notes: Vec<String> =
            notes::notes(facts).iter().flat_map(|note| wrap(&format!("! {note}"), columns, "  ")).collect();
        // Headings, rules and edges are eight lines; what is left of the screen is for processes.
        let used = 8 + cards.len() + notes.len();
        let room = rows.map(|rows| rows.saturating_sub(used + 1).max(3)).filter(|room| *room < facts.processes.len());
        let shown = facts.processes.get(..room.unwrap_or(facts.processes.len())).unwrap_or_default();
        let grid = processes::grid(facts, shown, columns, units, &mut self.seen);
        let mut processes = grid.lines(inner, header, &mut self.steady.1, &self.theme);
        if let Some(room) = room {
            let text = format!("… {} more processes", facts.processes.len() - room);
            let mut line = String::new();
            let text = shorten(&text, inner);
            self.theme.write(&text, Paint::Quiet, &mut line);
            line.extend(std::iter::repeat_n(' ', inner - width(&text)));
            processes.push(line);
        }
        rule(['┌', '─', '┐'], columns, &mut screen);
        part(&cards, header, columns, &mut screen);
        rule(['├', '─', '┤'], columns, &mut screen);
        part(&processes, header, columns, &mut screen);
        rule(['└', '─', '┘'], columns, &mut screen);
        for note in notes {
            self.theme.write(&note, Paint::Warn, &mut screen);
            screen.push('\n');
        }
        screen
    }

    /// The line above the frame: the machine and the time at the left, the versions at the right.
    fn heading(&self, facts: &Facts, columns: usize, screen: &mut String) {
        let taken = facts.now.to_string().replace('T', " ");
        let taken = taken.split('.').next().unwrap_or_default();
        let version =
            |version: &Result<String, _>| version.as_ref().map_or("N/A".to_owned(), |v| clean(v).into_owned());
        let versions = format!("Driver {}  CUDA {}", version(&facts.driver), version(&facts.cuda));
        let versions = shorten(&versions, columns / 2);
        let room = columns.saturating_sub(width(&versions) + width(taken) + 4);
        let host = shorten(&clean(&facts.host), room);
        let left = shorten(taken, columns.saturating_sub(width(&versions) + width(&host) + 4));
        self.theme.write(&host, Paint::Title, screen);
        screen.push_str("  ");
        screen.push_str(&left);
        let used = width(&host) + 2 + width(&left) + width(&versions);
        screen.extend(std::iter::repeat_n(' ', columns.saturating_sub(used)));
        self.theme.write(&versions, Paint::Quiet, screen);
        screen.push('\n');
    }
}

fn rule([left, middle, right]: [char; 3], columns: usize, screen: &mut String) {
    screen.push(left);
    screen.extend(std::iter::repeat_n(middle, columns.saturating_sub(2)));
    screen.push(right);
    screen.push('\n');
}

/// Lines between the edges, a double rule below the headings.
fn part(lines: &[String], header: bool, columns: usize, screen: &mut String) {
    for (at, line) in lines.iter().enumerate() {
        screen.push_str("│ ");
        screen.push_str(line);
        screen.push_str(" │\n");
        if header && at == 0 {
            rule(['╞', '═', '╡'], columns, screen);
        }
    }
}
