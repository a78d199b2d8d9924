//! One bad line for each message of rsmi's own face, and what its good lines mean.

use super::super::tests::{good, refusal};
use std::time::Duration;

const BAD: &[(&[&str], &str)] = &[
    (&["--fromat=csv"], "unknown option `--fromat`, did you mean `--format`?"),
    (&["--frobnicate"], "unknown option `--frobnicate`; see `rsmi --help`"),
    (&["-z"], "unknown option `-z`; see `rsmi --help`"),
    (&["banana"], "unknown command `banana`; see `rsmi --help`"),
    (&["dmn"], "unknown command `dmn`, did you mean `dmon`?"),
    (&["--demo", "dmon"], "command `dmon` must come first, as in `rsmi dmon`"),
    (&["-i"], "option `--id` needs a value, as in `--id=0`"),
    (&["--query-gpu"], "option `--query-gpu` needs a value, as in `--query-gpu=index,name`"),
    (&["-pm"], "option `--persistence-mode` needs a value, as in `--persistence-mode=VALUE`"),
    (&["--demo=1"], "option `--demo` takes no value, but got `1`"),
    (&["-L", "-q"], "`--list-gpus` and `--query` cannot be used together"),
    (
        &["--query-gpu=memory.total", "--query-compute-apps=pid"],
        "`--query-gpu` and `--query-compute-apps` cannot be used together",
    ),
    (&["--record=x", "-L"], "`--list-gpus` and `--record` cannot be used together"),
    (&["--record=x", "-f", "y"], "`--record` and `--filename` cannot be used together"),
    (&["--anonymize"], "`--anonymize` needs `--record`, as in `--record=FILE --anonymize`"),
    (&["-x"], "`--xml-format` needs `--query`"),
    (&["-d", "MEMORY"], "`--display` needs `--query`"),
    (&["-q", "-x", "-d", "MEMORY"], "`--display` and `--xml-format` cannot be used together"),
    (&["-l", "1", "-lms", "5"], "`--loop` and `--loop-ms` cannot be used together"),
    (&["-l", "0"], "`--loop` takes a number of seconds greater than 0, not `0`"),
    (&["-l", "abc"], "`--loop` takes a number of seconds greater than 0, not `abc`"),
    (&["-l", "-1"], "`--loop` takes a number of seconds greater than 0, not `-1`"),
    (&["-l=inf"], "`--loop` takes a number of seconds greater than 0, not `inf`"),
    (&["-lms", "0"], "`--loop-ms` takes a number of milliseconds greater than 0, not `0`"),
    (&["-L", "-l", "1"], "`--loop` goes with a query or the default table only"),
    (&["-L", "--format=json"], "`--format` goes with a query or the default table only"),
    (&["--replay=x", "--demo"], "`--replay` and `--demo` cannot be used together"),
    (&["--color=nver"], "unknown color `nver`, did you mean `never`? accepted: auto, always, never"),
    (&["--color=red"], "unknown color `red`, accepted: auto, always, never"),
    (&["--query-gpu=banana"], "unknown field `banana`; `rsmi --help-query-gpu` lists them"),
    (&["--query-gpu=temprature.gpu"], "unknown field `temprature.gpu`, did you mean `temperature.gpu`?"),
    (&["--query-gpu=index, name"], "unknown field ` name`, did you mean `name`?"),
    (&["--query-gpu=memory.totl"], "unknown field `memory.totl`, did you mean `memory.total`?"),
    (&["--query-gpu=MEMORY.TOTAL"], "unknown field `MEMORY.TOTAL`, did you mean `memory.total`?"),
    (&["--query-gpu=memory.total, memory.total"], "unknown field ` memory.total`, did you mean `memory.total`?"),
    (&["--query-gpu=memory_total"], "unknown field `memory_total`, did you mean `memory.total`?"),
    (&["--format=jsn"], "unknown format `jsn`, did you mean `json`? accepted: table, csv, json, noheader, nounits"),
    (&["--format=xml"], "unknown format `xml`, accepted: table, csv, json, noheader, nounits"),
    (&["--format=csv,json"], "formats `csv` and `json` cannot be used together"),
];

#[test]
fn every_mistake_has_its_line() {
    for (args, text) in BAD {
        let line: Vec<&str> = std::iter::once("rsmi").chain(args.iter().copied()).collect();
        assert_eq!(refusal(&line), ((*text).to_owned(), 2), "{args:?}");
    }
}

#[test]
fn an_unknown_section_is_told_with_those_there_are() {
    let (text, status) = refusal(&["rsmi", "-q", "-d", "MEMROY"]);
    assert!(text.starts_with("unknown section `MEMROY`, did you mean `MEMORY`? accepted: MEMORY, UTIL"), "{text}");
    assert_eq!(status, 2);
}

#[test]
fn seconds_can_be_a_fraction() {
    assert_eq!(good(&["rsmi", "-l", "0.5"]).output.every, Some(Duration::from_millis(500)));
    assert_eq!(good(&["rsmi", "-l"]).output.every, Some(Duration::from_secs(5)));
    assert_eq!(good(&["rsmi"]).output.every, None);
}

#[test]
fn devices_can_be_named_one_by_one() {
    assert_eq!(good(&["rsmi", "-i", "0", "--id=2,3"]).devices.as_deref(), Some("0,2,3"));
    assert_eq!(good(&["rsmi", "-L", "-i", "1"]).devices.as_deref(), Some("1"));
}
