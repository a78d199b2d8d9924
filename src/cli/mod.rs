//! What was typed, and what it means: two steps. After the second nobody reads the environment.
//!
//! Three parsers, one for each face, turn a command line into the same [`typed::Typed`]: `nvidia` says what
//! the real nvidia-smi says about a wrong one, `gpustat` what gpustat says, `modern` says it in rsmi's own
//! words. `meaning` makes a [`plan::Plan`] of it. `nvidia` and `modern` walk the one table in `options`, from which
//! `gpustat` has only what rsmi adds.

mod choice;
mod gpustat;
mod help;
mod meaning;
mod modern;
mod nvidia;
mod options;
pub mod plan;
mod python;
mod refusals;
mod typed;
mod unbuilt;

use crate::face::Face;
use crate::supervise::{self, Orders};
use plan::{Plan, Refusal};
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::Path;

/// What a command line's meaning depends on besides itself.
pub struct Surroundings<'a> {
    /// Looks a variable of the environment up.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// True when standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// True when standard error is a terminal.
    pub stderr_is_terminal: bool,
    /// Columns of that terminal.
    pub width: Option<u16>,
    /// Set where this process does the work of another that watches over the time.
    pub orders: Option<Orders>,
}

impl Surroundings<'static> {
    /// The environment and the terminal of this process.
    pub fn of_this_process() -> Self {
        let stdout = std::io::stdout();
        let stdout_is_terminal = stdout.is_terminal();
        let width = crate::output::terminal_size().filter(|_| stdout_is_terminal).map(|(columns, _)| columns);
        let orders = std::env::var(supervise::VARIABLE).ok().and_then(|text| Orders::parse(&text));
        // A worker's own outputs are pipes; what matters is where they lead.
        let (stdout_is_terminal, stderr_is_terminal, width) = match &orders {
            Some(orders) => (orders.terminal, orders.errors, orders.width),
            None => (stdout_is_terminal, std::io::stderr().is_terminal(), width),
        };
        Surroundings { variable: &|name| std::env::var_os(name), stdout_is_terminal, stderr_is_terminal, width, orders }
    }
}

impl Surroundings<'_> {
    /// A variable that is set to something; an empty one counts as not set.
    fn set(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// A variable that switches something on: set, and not to 0.
    fn on(&self, name: &str) -> bool {
        self.set(name).is_some_and(|value| value != "0")
    }
}

/// Finds out what a command line means. Its first word, the name under which the program was started,
/// decides the face.
///
/// # Errors
/// What to say of a command line that means nothing.
pub fn interpret(args: Vec<OsString>, surroundings: &Surroundings) -> Result<Plan, Refusal> {
    let (face, args) = face(args);
    let typed = match face {
        Face::Rsmi => modern::parse(args)?,
        Face::NvidiaSmi => nvidia::parse(args)?,
        Face::Gpustat => gpustat::parse(args)?,
    };
    meaning::plan(face, typed, surroundings)
}

/// The face, and what follows its name.
fn face(args: Vec<OsString>) -> (Face, Vec<OsString>) {
    let drop_in = |name: &OsStr| match name.to_str() {
        Some("nvidia-smi") => Some(Face::NvidiaSmi),
        Some("gpustat") => Some(Face::Gpustat),
        _ => None,
    };
    let mut args = args.into_iter().peekable();
    let started_as = args.next().unwrap_or_default();
    if let Some(face) = Path::new(&started_as).file_name().and_then(drop_in) {
        return (face, args.collect());
    }
    let named = args.peek().and_then(|word| drop_in(word));
    if named.is_some() {
        args.next();
    }
    (named.unwrap_or(Face::Rsmi), args.collect())
}

#[cfg(test)]
mod tests;
