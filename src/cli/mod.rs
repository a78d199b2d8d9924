//! What was typed, and what it means: two steps. After the second nobody reads the environment.
//!
//! Two parsers, one for each face, turn a command line into the same [`typed::Typed`]: `nvidia` says what
//! the real nvidia-smi says about a wrong one, `modern` says it in rsmi's own words. `meaning` makes a
//! [`plan::Plan`] of it. Both parsers walk the one table in `options`.

mod help;
mod meaning;
mod modern;
mod nvidia;
mod options;
pub mod plan;
mod refusals;
pub mod suggest;
mod typed;
mod unbuilt;

use plan::{Face, Plan, Refusal};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;

/// What a command line's meaning depends on besides itself.
pub struct Surroundings<'a> {
    /// Looks a variable of the environment up.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// True when standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// Columns of that terminal.
    pub width: Option<u16>,
}

impl Surroundings<'static> {
    /// The environment and the terminal of this process.
    pub fn of_this_process() -> Self {
        let stdout = std::io::stdout();
        let stdout_is_terminal = stdout.is_terminal();
        // A terminal that knows no size says 0 columns.
        let size = || rustix::termios::tcgetwinsize(&stdout).ok().map(|size| size.ws_col).filter(|width| *width > 0);
        let width = if stdout_is_terminal { size() } else { None };
        Surroundings { variable: &|name| std::env::var_os(name), stdout_is_terminal, width }
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
    };
    meaning::plan(face, typed, surroundings)
}

/// The face, and what follows its name.
fn face(args: Vec<OsString>) -> (Face, Vec<OsString>) {
    const DROP_IN: &str = "nvidia-smi";
    let mut args = args.into_iter().peekable();
    let started_as = args.next().unwrap_or_default();
    if Path::new(&started_as).file_name().is_some_and(|name| name == DROP_IN) {
        return (Face::NvidiaSmi, args.collect());
    }
    match args.next_if(|word| word == DROP_IN) {
        Some(_) => (Face::NvidiaSmi, args.collect()),
        None => (Face::Rsmi, args.collect()),
    }
}

#[cfg(test)]
mod tests;
