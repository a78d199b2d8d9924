//! What a command line means, once everything in it and in the environment has been looked at. Nothing
//! behind this point reads an argument, a variable or the state of the terminal again.

use crate::exit::Exit;
use crate::face::Face;
use crate::fields::gpu::GpuQuery;
use crate::fields::{accounted_apps, compute_apps, remapped_rows, retired_pages, supported_clocks};
use crate::format::Style;
use crate::supervise::Orders;
use crate::views::query::Asked;
use crate::views::report::Section;
use crate::views::{gpustat, summary};
use std::path::PathBuf;
use std::time::Duration;

/// Where answers come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The machine's driver, through this library or the system's.
    Live(Option<PathBuf>),
    /// A recording; `-` is standard input.
    Replay(PathBuf),
    /// The built-in machine.
    Demo,
}

/// Where output goes, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// A file in place of standard output.
    pub file: Option<PathBuf>,
    /// Repeat after this time, until interrupted.
    pub every: Option<Duration>,
    /// True when standard output is a terminal and the output goes there.
    pub terminal: bool,
    /// True when a loop should redraw in place: standard output is a terminal and the face does so.
    pub in_place: bool,
}

/// The fields of a query beside `--query-gpu`, and with them which query it is.
#[derive(Debug)]
pub enum ListFields {
    /// `--query-compute-apps`.
    ComputeApps(Asked<compute_apps::ComputeApps>),
    /// `--query-accounted-apps`.
    AccountedApps(Asked<accounted_apps::AccountedApps>),
    /// `--query-supported-clocks`.
    SupportedClocks(Asked<supported_clocks::SupportedClocks>),
    /// `--query-retired-pages`.
    RetiredPages(Asked<retired_pages::RetiredPages>),
    /// `--query-remapped-rows`.
    RemappedRows(Asked<remapped_rows::RemappedRows>),
}

/// What to do.
#[derive(Debug)]
pub enum Command {
    /// Print a text and end: help, version of a drop-in.
    Print(String),
    /// `--version`: versions of this program, the driver and CUDA.
    Version,
    /// `-L`.
    List,
    /// `-B`.
    ListExcluded,
    /// rsmi's own first screen.
    Summary(Box<summary::Options>),
    /// `--query-gpu`.
    QueryGpu {
        /// What is asked for.
        asked: Asked<GpuQuery>,
        /// How to write them.
        style: Style,
    },
    /// One of the queries whose devices have several records, or none.
    QueryList {
        /// What is asked for, and of which query.
        fields: ListFields,
        /// How to write them.
        style: Style,
    },
    /// The table of nvidia-smi without arguments.
    Table,
    /// The gpustat line.
    Gpustat(gpustat::Options),
    /// `-q` with the sections that `-d` names.
    Report(Vec<Section>),
    /// Something of nvidia-smi's that rsmi does not have yet: what it is called.
    Unbuilt(String),
    /// `--record FILE`.
    Record {
        /// The file to write; `-` is standard output.
        file: PathBuf,
        /// Whether names of machines and users are replaced.
        anonymize: bool,
    },
}

/// A command line with its meaning.
#[derive(Debug)]
pub struct Plan {
    /// Which program this is.
    pub face: Face,
    /// Where answers come from.
    pub source: Source,
    /// The devices that `-i` names, comma-separated as it was typed; all when absent.
    pub devices: Option<String>,
    /// Where output goes, and how often.
    pub output: Output,
    /// True when standard output is a terminal, whatever goes there.
    pub terminal: bool,
    /// True when standard error is a terminal.
    pub errors: bool,
    /// Columns of that terminal.
    pub width: Option<u16>,
    /// How long a round may take before a driver that does not answer is given up.
    pub timeout: Option<Duration>,
    /// Set where this process does the work of another that watches over the time.
    pub orders: Option<Orders>,
    /// What to do.
    pub command: Command,
}

/// A command line that means nothing: what to say, and the exit status.
///
/// Under the name nvidia-smi the text is the real program's, to standard output and as it stands; rsmi's
/// own face writes it to standard error behind its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Which program this is.
    pub face: Face,
    /// What to say. For nvidia-smi with all its line ends; for rsmi one line or a few without the last.
    pub text: String,
    /// The exit status.
    pub exit: Exit,
}
