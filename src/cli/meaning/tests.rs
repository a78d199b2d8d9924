//! What a good line means, and what the surroundings add to it.

use super::super::plan::{Command, Source};
use super::super::tests::{good, read_in};
use crate::cli::plan::Plan;
use crate::format::{Format, Style};

type Line = &'static [&'static str];
type Variables = &'static [(&'static str, &'static str)];

fn on_terminal(args: &[&str], variables: &[(&str, &str)]) -> Plan {
    read_in(args, variables, true).unwrap_or_else(|refusal| panic!("{args:?}: {}", refusal.text))
}

fn in_pipe(args: &[&str], variables: &[(&str, &str)]) -> Plan {
    read_in(args, variables, false).unwrap_or_else(|refusal| panic!("{args:?}: {}", refusal.text))
}

fn style(plan: &Plan) -> Style {
    match &plan.command {
        Command::QueryGpu { style, .. } => *style,
        Command::Summary(options) => options.style,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_face_has_its_own_default_format() {
    let format = |args: &[&str]| style(&good(args)).format;
    assert_eq!(format(&["rsmi"]), Format::Table);
    assert_eq!(format(&["rsmi", "--format=noheader"]), Format::Table);
    assert_eq!(format(&["rsmi", "--format=csv,noheader"]), Format::Csv);
    assert_eq!(format(&["rsmi", "--format=json"]), Format::Json);
    assert_eq!(format(&["nvidia-smi", "--query-gpu=memory.total"]), Format::Csv);
    assert_eq!(format(&["nvidia-smi", "--query-gpu=memory.total", "--format=table"]), Format::Table);
}

#[test]
fn the_default_fields_exist() {
    let missing: Vec<_> = super::DEFAULT_FIELDS.iter().filter(|name| super::REGISTRY.find(name).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn an_empty_list_asks_for_no_field() {
    let plan = good(&["nvidia-smi", "--query-gpu=", "--format=csv"]);
    assert!(matches!(plan.command, Command::QueryGpu { asked, .. } if asked.fields.is_empty()));
}

#[test]
fn a_loop_redraws_only_rsmis_table_on_a_terminal() {
    assert!(on_terminal(&["rsmi", "-l", "1"], &[]).output.in_place);
    assert!(!on_terminal(&["rsmi"], &[]).output.in_place);
    assert!(!on_terminal(&["rsmi", "-l", "1", "--format=csv"], &[]).output.in_place);
    assert!(!on_terminal(&["rsmi", "-l", "1", "-f", "x"], &[]).output.in_place);
    assert!(!in_pipe(&["rsmi", "-l", "1"], &[]).output.in_place);
    let drop_in = ["nvidia-smi", "--query-gpu=memory.total", "--format=table", "-l", "1"];
    assert!(!on_terminal(&drop_in, &[]).output.in_place);
}

#[test]
fn color_is_a_switch_then_variables_then_a_terminal() {
    let cases: &[(Line, Variables, bool, bool)] = &[
        (&["rsmi"], &[], true, true),
        (&["rsmi"], &[], false, false),
        (&["rsmi", "-f", "x"], &[], true, false),
        (&["rsmi", "--format=csv"], &[], true, false),
        (&["rsmi"], &[("TERM", "dumb")], true, false),
        (&["rsmi"], &[("NO_COLOR", "1")], true, false),
        (&["rsmi"], &[("NO_COLOR", "")], true, true),
        (&["rsmi"], &[("CLICOLOR_FORCE", "1")], false, true),
        (&["rsmi"], &[("CLICOLOR_FORCE", "0")], false, false),
        (&["rsmi"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true, false),
        (&["rsmi"], &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], false, true),
        (&["rsmi", "--color=always"], &[("NO_COLOR", "1")], false, true),
        (&["rsmi", "--color", "never"], &[("CLICOLOR_FORCE", "1")], true, false),
        (&["rsmi", "--color=auto"], &[], true, true),
        (&["nvidia-smi", "--query-gpu=memory.total", "--format=table"], &[("CLICOLOR_FORCE", "1")], true, false),
        (&["nvidia-smi", "--query-gpu=memory.total", "--format=table", "--color=always"], &[], false, true),
        (&["nvidia-smi", "--query-gpu=memory.total", "--color=always"], &[], true, false),
    ];
    for (args, variables, terminal, expected) in cases {
        let plan = if *terminal { on_terminal(args, variables) } else { in_pipe(args, variables) };
        assert_eq!(style(&plan).color, *expected, "{args:?} {variables:?} {terminal}");
    }
}

#[test]
fn the_width_is_that_of_the_terminal_written_to() {
    assert_eq!(style(&on_terminal(&["rsmi"], &[])).width, Some(100));
    // A query's table is as wide as its cells where nobody looks; the screen is 120 columns then, or COLUMNS.
    let query = "--query-gpu=index";
    assert_eq!(style(&on_terminal(&["rsmi", query, "-f", "x"], &[])).width, None);
    assert_eq!(style(&in_pipe(&["rsmi", query], &[("COLUMNS", "90")])).width, None);
    assert_eq!(style(&in_pipe(&["rsmi"], &[])).width, Some(120));
    assert_eq!(style(&in_pipe(&["rsmi"], &[("COLUMNS", "90")])).width, Some(90));
    assert_eq!(style(&in_pipe(&["rsmi"], &[("COLUMNS", "many")])).width, Some(120));
    assert_eq!(style(&on_terminal(&["rsmi"], &[("COLUMNS", "90")])).width, Some(100));
    assert_eq!(style(&on_terminal(&["rsmi", "-f", "x"], &[])).width, Some(120));
}

#[test]
fn a_switch_beats_a_variable() {
    let cases: &[(Line, Variables, Source)] = &[
        (&["rsmi"], &[], Source::Live(None)),
        (&["rsmi"], &[("RSMI_NVML", "x.so")], Source::Live(Some("x.so".into()))),
        (&["rsmi"], &[("RSMI_DEMO", "1"), ("RSMI_NVML", "x.so")], Source::Demo),
        (&["rsmi"], &[("RSMI_DEMO", "0")], Source::Live(None)),
        (&["rsmi"], &[("RSMI_REPLAY", "x.json"), ("RSMI_DEMO", "1")], Source::Replay("x.json".into())),
        (&["rsmi"], &[("RSMI_REPLAY", "")], Source::Live(None)),
        (&["nvidia-smi", "-L"], &[("RSMI_DEMO", "1")], Source::Demo),
        (&["rsmi", "--demo"], &[("RSMI_REPLAY", "x.json")], Source::Demo),
        (&["rsmi", "--nvml", "y.so"], &[("RSMI_DEMO", "1")], Source::Live(Some("y.so".into()))),
        (&["nvidia-smi", "-L", "--replay", "-"], &[("RSMI_DEMO", "1")], Source::Replay("-".into())),
    ];
    for (args, variables, source) in cases {
        assert_eq!(in_pipe(args, variables).source, *source, "{args:?} {variables:?}");
    }
}
