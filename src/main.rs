//! The program: reads the command line, does what it means, ends with its status.

use rsmi::{cli, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let exit = match cli::interpret(arguments.clone(), &cli::Surroundings::of_this_process()) {
        Ok(plan) => run::start(plan, arguments),
        Err(refusal) => run::refuse(refusal),
    };
    ExitCode::from(exit.0)
}
