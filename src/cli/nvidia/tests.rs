//! What nvidia-smi 580.159 says of wrong lines, as it was seen to.

use super::super::plan::Command;
use super::super::tests::{good, refusal};
use crate::format::Format;

const UNKNOWN: &str = "is not recognized. Please run 'nvidia-smi -h'.\n\n";
const UNKNOWN_IN_QUERY: &str = "is not recognized. Please run 'nvidia-smi -h' for help.\n\n";
const NOT_VALID: &str = "is not valid for this command. Please run 'nvidia-smi -h' for help.\n\n";
const NO_VALUE: &str = "is missing its value. Please run 'nvidia-smi -h' for help.\n\n";

fn said(args: &[&str]) -> (String, u8) {
    let args: Vec<&str> = std::iter::once("nvidia-smi").chain(args.iter().copied()).collect();
    refusal(&args)
}

/// Lines of which one option is told, with how, and the status.
const OPTIONS: &[(&[&str], &str, &str, u8)] = &[
    (&["--frobnicate"], "--frobnicate", UNKNOWN, 255),
    (&["foo"], "foo", UNKNOWN, 255),
    (&["-i", "0", "0"], "0", UNKNOWN, 255),
    (&["--format=csv"], "--format=csv", UNKNOWN, 255),
    (&["-qx"], "-qx", UNKNOWN, 255),
    (&["-eow"], "-eow", UNKNOWN, 255),
    (&["-eow", "-q", "-d", "MEMORY"], "-eow", UNKNOWN, 255),
    (&["--query-gpu=memory.total", "--format=csv,noheader", "None"], "None", UNKNOWN_IN_QUERY, 2),
    (
        &["--query-gpu=memory.total", "--format=csv", "-i", "0", "-i", "0"],
        "--query-gpu=memory.total",
        UNKNOWN_IN_QUERY,
        255,
    ),
    (&["-L", "-i", "0"], "-i", NOT_VALID, 2),
    (&["-i", "0,0", "-L"], "-i", NOT_VALID, 2),
    (&["--id", "0", "-L"], "--id", NOT_VALID, 2),
    (&["-L", "-l", "1"], "-l", NOT_VALID, 2),
    (&["-L", "-q"], "-q", NOT_VALID, 2),
    (&["-h", "-q"], "-q", NOT_VALID, 2),
    (&["-h", "-L"], "-L", NOT_VALID, 2),
    (&["rusd", "-h"], "rusd", NOT_VALID, 2),
    (&["-i"], "-i", NO_VALUE, 255),
    (&["-col"], "-col", NO_VALUE, 255),
    (&["--columns"], "--columns", NO_VALUE, 255),
    (&["-pm"], "-pm", NO_VALUE, 255),
    (&["-pl"], "-pl", NO_VALUE, 255),
    (&["--gom"], "--gom", NO_VALUE, 255),
    (&["-q", "-d"], "-d", NO_VALUE, 255),
];

#[test]
fn a_wrong_option_is_named() {
    for (args, option, told, status) in OPTIONS {
        assert_eq!(said(args), (format!("ERROR: Option {option} {told}"), *status), "{args:?}");
    }
}

/// Lines whose values or combinations are wrong; all end with 2.
const VALUES: &[(&[&str], &str)] = &[
    (&["--query-gpu=bogus", "--format=csv"], "Field \"bogus\" is not a valid field to query.\n\n"),
    (&["--query-gpu=memory.total,bogus", "--format=csv"], "Field \"bogus\" is not a valid field to query.\n\n"),
    (
        &["--query-gpu=memory.total, name", "--format=csv, noheader"],
        "Field \" name\" is not a valid field to query.\n\n",
    ),
    (&["--query-gpu=MEMORY.TOTAL", "--format=csv"], "Field \"MEMORY.TOTAL\" is not a valid field to query.\n\n"),
    (&["--query-gpu=memory.total", "--format=bogus"], "Format modifier is not recognized.\n"),
    (&["--query-gpu=memory.total", "--format=csv,noheader,nobytes"], "Format modifier is not recognized.\n"),
    (&["--query-gpu=memory.total", "--format=csv,json"], "Format modifier is not recognized.\n"),
    (
        &["--query-gpu=memory.total", "--query-compute-apps=pid", "--format=csv"],
        "Only one --query-* switch can be used at a time.\n",
    ),
    (
        &["--query-gpu=memory.total", "--format=csv", "-l", "0"],
        "Provided [-l(ms) | --loop(-ms)=] value is incorrect. Loop frequency must be greater than 0.\n\n",
    ),
    (
        &["--query-gpu=memory.total", "--format=csv", "-lms", "0"],
        "Provided [-l(ms) | --loop(-ms)=] value is incorrect. Loop frequency must be greater than 0.\n\n",
    ),
    (
        &["-x"],
        "Invalid combination of input arguments. Specify -q/--query and -x/--xml-format to run an XML query.  Please run 'nvidia-smi -h' for help.\n\n",
    ),
    (
        &["-q", "-x", "-d", "MEMORY"],
        "Invalid combination of input arguments: --display/-d flags can not be combined with -x/--xml-format flags.\n",
    ),
    (
        &["-q", "-i", "0", "-d", "MEMORY", "-x"],
        "Invalid combination of input arguments: --display/-d flags can not be combined with -x/--xml-format flags.\n",
    ),
    (&["-q", "-d", "NOPE"], "Failed to parse --display/-d flags\n"),
    (&["-q", "-d", "MEMORY,NOPE"], "Failed to parse --display/-d flags\n"),
    (&["-q", "-d", "RESET_STATUS"], "Failed to parse --display/-d flags\n"),
];

#[test]
fn a_wrong_value_is_told() {
    for (args, text) in VALUES {
        assert_eq!(said(args), ((*text).to_owned(), 2), "{args:?}");
    }
}

#[test]
fn loops_are_read_as_nvidia_smi_reads_them() {
    let cases: &[(&[&str], u64)] = &[
        (&["-l"], 5000),
        (&["-l", "2"], 2000),
        (&["-l", "abc"], 5000),
        (&["-l", "0.5"], 5000),
        (&["-l", "-1"], 5000),
        (&["-lms", "500"], 500),
        (&["-lms", "5", "-l", "1"], 1000),
        (&["--loop", "1", "--loop-ms", "500"], 500_000),
    ];
    for (args, millis) in cases {
        let line = ["nvidia-smi", "--query-gpu=memory.total"].iter().chain(*args).copied();
        let every = good(&line.collect::<Vec<_>>()).output.every;
        assert_eq!(every.map(|every| every.as_millis() as u64), Some(*millis), "{args:?}");
    }
}

#[test]
fn formats_are_read_in_any_order() {
    let cases = [
        (None, true, true),
        (Some("--format="), true, true),
        (Some("--format=csv"), true, true),
        (Some("--format=noheader"), false, true),
        (Some("--format=nounits,noheader,csv"), false, false),
    ];
    for (format, header, units) in cases {
        let line: Vec<&str> = ["nvidia-smi", "--query-gpu=memory.total"].into_iter().chain(format).collect();
        let Command::QueryGpu { style, .. } = good(&line).command else { panic!("{line:?}") };
        assert_eq!((style.format, style.header, style.units), (Format::Csv, header, units), "{line:?}");
    }
}

#[test]
fn help_for_a_query_prints_whatever_else_is_there() {
    let plan = good(&["nvidia-smi", "--help-query-gpu", "--query-gpu=index"]);
    assert!(matches!(plan.command, Command::Print(_)));
}

#[test]
fn words_that_are_no_text_are_refused_or_kept() {
    use super::super::{Surroundings, interpret};
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let odd = || OsString::from_vec(b"/tmp/\xff".to_vec());
    let surroundings = Surroundings {
        variable: &|_| None,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        width: None,
        orders: None,
    };
    for name in ["nvidia-smi", "rsmi"] {
        let line = |rest: Vec<OsString>| std::iter::once(OsString::from(name)).chain(rest).collect();
        let plan = interpret(line(vec!["--query-gpu=memory.total".into(), "-f".into(), odd()]), &surroundings);
        assert_eq!(plan.ok().and_then(|plan| plan.output.file), Some(odd().into()));
        assert!(interpret(line(vec![odd()]), &surroundings).is_err());
    }
}
