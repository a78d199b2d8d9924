//! Any command line: it means something, or there is something to say about it, in every face.
//!
//! The input is the words, each ended by a NUL; the first byte chooses the name under which the program is
//! started and whether it is on a terminal.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rsmi::cli::{Surroundings, interpret};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

fuzz_target!(|data: &[u8]| {
    let Some((choice, words)) = data.split_first() else { return };
    let name = ["rsmi", "nvidia-smi", "/usr/bin/nvidia-smi", "gpustat"][usize::from(choice % 4)];
    let mut args = vec![OsString::from(name)];
    args.extend(words.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())));
    let surroundings = Surroundings {
        variable: &|_| None,
        stdout_is_terminal: choice & 4 != 0,
        width: (choice & 4 != 0).then_some(80),
        ..Surroundings::of_this_process()
    };
    if let Err(refusal) = interpret(args, &surroundings) {
        assert!(!refusal.text.is_empty() && refusal.exit.0 != 0, "{refusal:?}");
    }
});
