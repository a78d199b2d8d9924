//! What is said of a wrong command line: the real nvidia-smi's lines, which scripts look for, byte for byte
//! and with its exit statuses, and rsmi's own.
//!
//! nvidia-smi ends with 255 where it does not know an option and nothing asked for a query, and with 2 for
//! most other mistakes. rsmi's own face ends with 2 for whatever is wrong in the arguments.

use super::plan::Refusal;
use crate::exit::Exit;
use crate::face::Face;

/// A refusal in nvidia-smi's words.
pub(super) fn nvidia(text: String, exit: Exit) -> Refusal {
    Refusal { face: Face::NvidiaSmi, text, exit }
}

/// A refusal in rsmi's words, which begin in lower case and have no line end. The drop-in uses them for
/// what the real nvidia-smi does not have, so there they name the speaker.
pub(super) fn own(face: Face, text: String, exit: Exit) -> Refusal {
    let text = match face {
        Face::Rsmi => text,
        Face::NvidiaSmi => format!("rsmi: {text}\n"),
        Face::Gpustat => return super::gpustat::error(&text),
    };
    Refusal { face, text, exit }
}

/// A wrong argument, in rsmi's words.
pub(super) fn wrong(face: Face, text: String) -> Refusal {
    own(face, text, Exit::BAD_ARGUMENT)
}

/// A word that no command of nvidia-smi has, where no command was named.
pub(super) fn unknown(word: &str) -> Refusal {
    nvidia(format!("ERROR: Option {word} is not recognized. Please run 'nvidia-smi -h'.\n\n"), Exit::OTHER)
}

/// A word that does not belong to a query, or a line that cannot be read.
pub(super) fn unknown_in_query(word: &str, exit: Exit) -> Refusal {
    nvidia(format!("ERROR: Option {word} is not recognized. Please run 'nvidia-smi -h' for help.\n\n"), exit)
}

/// An option beside a command that stands alone.
pub(super) fn not_valid(word: &str) -> Refusal {
    nvidia(
        format!("ERROR: Option {word} is not valid for this command. Please run 'nvidia-smi -h' for help.\n\n"),
        Exit::BAD_ARGUMENT,
    )
}

/// An option at the end of the line whose value is missing.
pub(super) fn missing_value(word: &str) -> Refusal {
    nvidia(format!("ERROR: Option {word} is missing its value. Please run 'nvidia-smi -h' for help.\n\n"), Exit::OTHER)
}

/// A mistake that has one fixed line.
pub(super) fn fixed(text: &str) -> Refusal {
    nvidia(text.to_owned(), Exit::BAD_ARGUMENT)
}

/// Two `-i` and nothing that could be changed.
pub(super) fn no_modification() -> Refusal {
    nvidia("Input combination for device modification is not valid.\n\n".to_owned(), Exit::OTHER)
}

/// A list of devices that names none. The real line has no end.
pub(super) fn empty_devices() -> Refusal {
    nvidia("Failed to parse device string on command line".to_owned(), Exit::OTHER)
}

/// A command that stands alone, twice.
pub(super) const TWO_COMMANDS: &str =
    "ERROR: Only one command can be run at a time. Please run 'nvidia-smi -h' for help.\n\n";
/// More than one `--query-*`.
pub(super) const TWO_QUERIES: &str = "Only one --query-* switch can be used at a time.\n";
/// A loop without time between its rounds.
pub(super) const LOOP_OF_ZERO: &str =
    "Provided [-l(ms) | --loop(-ms)=] value is incorrect. Loop frequency must be greater than 0.\n\n";
/// `-x` without `-q`.
pub(super) const XML_ALONE: &str = "Invalid combination of input arguments. Specify -q/--query and -x/--xml-format to run an XML query.  Please run 'nvidia-smi -h' for help.\n\n";
/// `-d` without `-q`.
pub(super) const SECTIONS_ALONE: &str = "Invalid combination of input arguments. Specify -q/--query and -d/--display to run a filtered query.  Please run 'nvidia-smi -h' for help.\n\n";
/// `-u` without `-q`.
pub(super) const UNIT_ALONE: &str = "Invalid combination of input arguments. Specify -q/--query and -u/--unit to run a unit query.  Please run 'nvidia-smi -h' for help.\n\n";
/// `-d` beside `-u`.
pub(super) const UNIT_SECTIONS: &str =
    "Invalid combination of input arguments: --display/-d flags can not be combined with -u/--unit flags.\n";
/// `-d` beside `-x`.
pub(super) const XML_SECTIONS: &str =
    "Invalid combination of input arguments: --display/-d flags can not be combined with -x/--xml-format flags.\n";
/// A section that `-d` does not know.
pub(super) const UNKNOWN_SECTION: &str = "Failed to parse --display/-d flags\n";
/// Something in `--format` that is no format.
pub(super) const UNKNOWN_MODIFIER: &str = "Format modifier is not recognized.\n";
