//! The program: reads the command line, does what it means, ends with its status.

use rsmi::{cli, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let exit = match cli::interpret(std::env::args_os().collect(), &cli::Surroundings::of_this_process()) {
        Ok(plan) => run::execute(plan),
        Err(refusal) => run::refuse(refusal),
    };
    ExitCode::from(exit.0)
}
