//! Both faces together: which face it is, and that good lines mean the same to both.

use super::plan::{Command, Plan, Refusal};
use super::{Surroundings, interpret};
use crate::face::Face;
use std::ffi::OsString;

/// Interprets a line of words in empty surroundings; the first word is the program's name.
pub(super) fn read(args: &[&str]) -> Result<Plan, Refusal> {
    read_in(args, &[], false)
}

/// The same with these variables, on a terminal of 100 columns or not on one.
pub(super) fn read_in(args: &[&str], variables: &[(&str, &str)], terminal: bool) -> Result<Plan, Refusal> {
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| OsString::from(value))
    };
    let width = terminal.then_some(100);
    let surroundings = Surroundings {
        variable: &variable,
        stdout_is_terminal: terminal,
        stderr_is_terminal: false,
        width,
        orders: None,
    };
    interpret(args.iter().map(OsString::from).collect(), &surroundings)
}

/// What a line is refused with, as text and status; the plan that came instead makes it fail.
pub(super) fn refusal(args: &[&str]) -> (String, u8) {
    match read(args) {
        Err(refusal) => (refusal.text, refusal.exit.0),
        Ok(plan) => panic!("{args:?} became {plan:?}"),
    }
}

/// The plan of a line that must have one.
pub(super) fn good(args: &[&str]) -> Plan {
    read(args).unwrap_or_else(|refusal| panic!("{args:?}: {}", refusal.text))
}

#[test]
fn the_name_decides_the_face() {
    let cases: &[(&[&str], Face)] = &[
        (&["nvidia-smi", "-L"], Face::NvidiaSmi),
        (&["/usr/bin/nvidia-smi", "-L"], Face::NvidiaSmi),
        (&["rsmi", "nvidia-smi", "-L"], Face::NvidiaSmi),
        (&["target/debug/rsmi", "-L"], Face::Rsmi),
        (&["nvidia-smi-old", "-L"], Face::Rsmi),
        (&["", "-L"], Face::Rsmi),
    ];
    for (args, face) in cases {
        assert_eq!(good(args).face, *face, "{args:?}");
    }
    assert_eq!(refusal(&["rsmi", "-L", "nvidia-smi"]).1, 2);
    assert_eq!(good(&[]).face, Face::Rsmi);
}

#[test]
fn good_lines_mean_the_same_to_both_faces() {
    let lines: &[&[&str]] = &[
        &["-h"],
        &["--version"],
        &["-L"],
        &["--list-gpus"],
        &["-B"],
        &["--help-query-gpu"],
        &["--query-gpu=memory.total", "--format=csv"],
        &["--query-gpu", "memory.total", "--format", "csv"],
        &["--format=csv", "--query-gpu=memory.total"],
        &["--query-gpu=memory.total,memory.total", "--format=nounits,csv,noheader"],
        &["--query-gpu=memory.total,", "--format=csv"],
        &["--query-gpu=", "--format=csv"],
        &["--query-gpu=memory.total", "--format=json"],
        &["--query-gpu=memory.total", "--format=table,noheader"],
        &["--query-gpu=bogus", "--query-gpu=memory.total", "--format=csv"],
        &["--query-gpu=memory.total", "--format=csv", "-i", "0,1"],
        &["--query-gpu=memory.total", "--format=csv", "-i=0"],
        &["--query-gpu=memory.total", "--format=csv", "--id=0"],
        &["--query-gpu=memory.total", "--format=csv", "-i", "-1"],
        &["--query-gpu=memory.total", "--format=csv", "-f", "x.csv"],
        &["--query-gpu=memory.total", "--format=csv", "-f=x.csv"],
        &["--query-gpu=memory.total", "--format=csv", "--filename=x.csv"],
        &["--query-gpu=memory.total", "--format=csv", "-l", "1"],
        &["--query-gpu=memory.total", "--format=csv", "--loop=1"],
        &["--query-gpu=memory.total", "--format=csv", "-l"],
        &["-l", "--query-gpu=memory.total", "--format=csv"],
        &["--query-gpu=memory.total", "--format=csv", "-lms", "500"],
        &["--query-gpu=memory.total", "--format=csv", "-lms=500"],
        &["--query-gpu=memory.total", "--format=csv", "--loop-ms=700"],
        &["--demo", "-L"],
        &["--replay", "x.json", "-L"],
        &["--nvml=/x/libnvidia-ml.so", "--version"],
        &["--record", "-", "--anonymize", "-i", "0"],
    ];
    for line in lines {
        let plan = |name: &'static str| {
            let args: Vec<&str> = std::iter::once(name).chain(line.iter().copied()).collect();
            let plan = good(&args);
            let command = match plan.command {
                // The usage is the face's own.
                Command::Print(text) if text.contains("usage:") => "usage".to_owned(),
                // Only rsmi's own face quotes, and only what nvidia-smi would break a line with.
                command => format!("{command:?}").replace("quoted: true", "quoted: false"),
            };
            (plan.source, plan.devices, plan.output, command)
        };
        assert_eq!(plan("rsmi"), plan("nvidia-smi"), "{line:?}");
    }
}

#[test]
fn what_is_not_built_is_known_to_both_faces() {
    let cases: &[(&[&str], &str)] = &[
        (&["-q"], "`-q`"),
        (&["-q", "-d", "memory,ECC"], "`-q`"),
        (&["-q", "-i=0"], "`-q`"),
        (&["-q", "-x"], "`-q -x`"),
        (&["--dtd"], "`--dtd`"),
        (&["-col", "2"], "`--columns`"),
        (&["-pm", "1"], "`--persistence-mode`"),
        (&["-pl=300", "-i", "0"], "`--power-limit`"),
        (&["-r"], "`--gpu-reset`"),
        (&["-r", "bus"], "`--gpu-reset`"),
        (&["dmon", "-c", "1"], "`dmon`"),
        (&["topo", "-m"], "`topo`"),
    ];
    for (line, text) in cases {
        let with = |name| std::iter::once(name).chain(line.iter().copied()).collect::<Vec<_>>();
        for face in ["rsmi", "nvidia-smi"] {
            let Command::Unbuilt(what) = good(&with(face)).command else { panic!("{line:?} is built") };
            assert_eq!(what, *text);
        }
    }
}

#[test]
fn without_arguments_the_drop_in_shows_its_table() {
    for line in [&["nvidia-smi"][..], &["nvidia-smi", "-l", "-1"], &["rsmi", "nvidia-smi", "-i", "0"]] {
        assert!(matches!(good(line).command, Command::Table), "{line:?}");
    }
}

#[test]
fn the_other_queries_are_known_to_both_faces() {
    use crate::cli::plan::ListFields;
    for face in ["rsmi", "nvidia-smi"] {
        let Command::QueryList { fields, .. } = good(&[face, "--query-compute-apps=pid,name"]).command else {
            panic!("no query");
        };
        assert!(matches!(fields, ListFields::ComputeApps(asked) if asked.fields.len() == 2));
        let Command::Print(help) = good(&[face, "--help-query-retired-pages"]).command else { panic!("no text") };
        assert!(help.starts_with("List of valid properties to query for the switch \"--query-retired-pages\":\n"));
    }
}

#[test]
fn programs_find_every_field_in_the_help() {
    let Command::Print(text) = good(&["nvidia-smi", "--help-query-gpu"]).command else { panic!("no text") };
    let (first, rest) = text.split_once("\n\n").unwrap_or_default();
    assert_eq!(first, "List of valid properties to query for the switch \"--query-gpu\":");
    // What `(?m)\n\s*\n^"([^"]+)"` finds.
    let found = |text: &str| {
        let name = text.strip_prefix('"')?.split('"').next()?;
        Some(name.to_owned())
    };
    let names: Vec<String> = rest.split("\n\n").filter_map(found).collect();
    let fields: Vec<&str> = crate::fields::gpu::REGISTRY.fields().map(|field| field.name).collect();
    assert_eq!(names, fields);
}
