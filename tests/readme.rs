//! The README is run: every command in its `console` blocks, in order, in one scratch folder, with the built
//! program as `rsmi` and as `nvidia-smi` on the path. What a block shows must be what comes, on either
//! channel, to the byte.
//!
//! - A line `…` stands for any lines.
//! - In a block that shows no output at all only the exit status counts.
//! - A status other than 0 must be shown, by `$ echo $?` as the next command.
//! - `$ export NAME=VALUE` holds for all commands that follow.
//! - A command that uses jq is left out, with a word, where there is no jq.

#![allow(clippy::expect_used)]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A command and the output that stands below it.
#[derive(Debug)]
struct Step {
    line: usize,
    command: String,
    shown: Vec<String>,
    /// False in a block that shows commands only.
    compared: bool,
}

#[test]
fn every_command_does_what_the_readme_shows() {
    let steps = steps(&readme());
    assert!(steps.len() >= 20, "found only {} commands", steps.len());
    let scratch = Scratch::new();
    let mut wrong = Vec::new();
    let mut exported = String::new();
    let mut steps = steps.into_iter().peekable();
    while let Some(step) = steps.next() {
        let status =
            steps.next_if(|next| next.command == "echo $?").map_or("0".to_owned(), |next| next.shown.join("\n"));
        if step.command.starts_with("export ") {
            exported.push_str(&format!("{}\n", step.command));
        } else if mentions_jq(&step.command) && !has_jq() {
            remark(&format!("README.md:{}: left out, there is no jq here: {}", step.line, step.command));
        } else {
            wrong.extend(check(&step, &status, scratch.run(&exported, &step.command)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What is wrong with a command's output or status.
fn check(step: &Step, status: &str, (said, ended): (String, String)) -> Option<String> {
    let lines: Vec<&str> = said.lines().collect();
    let same = !step.compared || matches(&step.shown, &lines);
    let problem = format!("README.md:{}: $ {}", step.line, step.command);
    match (same, ended == status) {
        (true, true) => None,
        (true, false) => Some(format!("{problem}\nends with {ended}, shown is {status}; it said:\n{said}")),
        (false, _) => Some(format!("{problem}\nshown:\n{}\n\nsaid, status {ended}:\n{said}", step.shown.join("\n"))),
    }
}

fn matches(shown: &[String], said: &[&str]) -> bool {
    match shown.split_first() {
        None => said.is_empty(),
        Some((line, rest)) if line == "…" => {
            (0..=said.len()).any(|skip| matches(rest, said.get(skip..).unwrap_or_default()))
        }
        Some((line, rest)) => said.split_first().is_some_and(|(first, others)| first == line && matches(rest, others)),
    }
}

/// The commands of all `console` blocks.
fn steps(readme: &str) -> Vec<Step> {
    let mut all = Vec::new();
    let mut block: Option<Vec<Step>> = None;
    for (at, line) in readme.lines().enumerate() {
        match (&mut block, line) {
            (None, "```console") => block = Some(Vec::new()),
            (None, _) => {}
            (Some(steps), "```") => {
                let compared = steps.iter().any(|step| !step.shown.is_empty());
                all.extend(steps.drain(..).map(|step| Step { compared, ..step }));
                block = None;
            }
            (Some(steps), line) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => {
                    steps.push(Step { line: at + 1, command: command.to_owned(), shown: Vec::new(), compared: true });
                }
                (None, Some(step)) => step.shown.push(line.to_owned()),
                (None, None) => panic!("README.md:{}: a console block begins with a command", at + 1),
            },
        }
    }
    assert!(block.is_none(), "a console block of README.md has no end");
    all
}

/// A folder with a link to the tests, and another with the program under its names.
struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("readme-{}", std::process::id()));
        let (work, bin) = (folder.join("work"), folder.join("bin"));
        for folder in [&work, &bin] {
            std::fs::create_dir_all(folder).expect("a scratch folder");
        }
        symlink(root().join("tests"), work.join("tests")).expect("a link to the tests");
        for name in ["rsmi", "nvidia-smi"] {
            symlink(env!("CARGO_BIN_EXE_rsmi"), bin.join(name)).expect("a link to the program");
        }
        Scratch { folder }
    }

    /// Runs a command as a person would; both channels in the order of their writing, and the status.
    fn run(&self, exported: &str, command: &str) -> (String, String) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path: OsString =
            std::env::join_paths([self.folder.join("bin")].into_iter().chain(std::env::split_paths(&path)))
                .expect("a path");
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{exported}{command}")])
            .current_dir(self.folder.join("work"))
            .env("PATH", path)
            .env("LC_ALL", "C")
            .env_remove("RSMI_REPLAY")
            .env_remove("RSMI_DEMO")
            .env_remove("RSMI_NVML")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let status = output.status.code().map_or("a signal".to_owned(), |code| code.to_string());
        (String::from_utf8_lossy(&output.stdout).into_owned(), status)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Left-overs under the target folder harm nobody.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn every_dependency_has_its_line() {
    let readme = readme();
    let listed: BTreeSet<&str> = section(&readme, "## Dependencies")
        .filter_map(|line| line.strip_prefix("- `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    let manifest = manifest();
    let used: BTreeSet<&str> = ["[dependencies]", "[dev-dependencies]"]
        .into_iter()
        .flat_map(|heading| table(&manifest, heading))
        .filter_map(|line| line.split_once(" = "))
        // What lies in this repository is no dependency on anybody.
        .filter(|(_, source)| !source.contains("path = "))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(listed, used, "the README's list, and Cargo.toml");
}

#[test]
fn the_readme_names_the_oldest_rust_of_the_manifest() {
    let manifest = manifest();
    let oldest = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).expect("a rust-version");
    let phrase = format!("Rust {} or newer", oldest.trim_matches('"'));
    assert!(readme().contains(&phrase), "the README should say `{phrase}`");
}

#[test]
fn every_added_switch_is_in_the_readme() {
    let help = Command::new(env!("CARGO_BIN_EXE_rsmi")).arg("--help").output().expect("the program");
    let help = String::from_utf8(help.stdout).expect("UTF-8");
    let added: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "What rsmi adds")
        .filter_map(|line| line.split_whitespace().next()?.split('=').next())
        .filter(|word| word.starts_with("--"))
        .collect();
    assert!(added.len() >= 6, "{added:?}");
    let readme = readme();
    for switch in added {
        let row = format!("| `{switch}");
        assert!(section(&readme, "## What rsmi adds").any(|line| line.starts_with(&row)), "{switch}");
    }
}

#[test]
fn the_readme_is_short_and_its_links_lead_somewhere() {
    let readme = readme();
    assert!(readme.lines().count() < 250, "{} lines", readme.lines().count());
    let targets = readme.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    for target in targets.filter(|target| !target.contains("://") && !target.starts_with('#')) {
        assert!(root().join(target).exists(), "{target}");
    }
}

/// The lines of a table in the manifest.
fn table<'a>(manifest: &'a str, heading: &'a str) -> impl Iterator<Item = &'a str> {
    manifest.lines().skip_while(move |line| *line != heading).skip(1).take_while(|line| !line.starts_with('['))
}

/// The lines below a heading of the README, up to the next one of its level.
fn section<'a>(readme: &'a str, heading: &'a str) -> impl Iterator<Item = &'a str> {
    readme.lines().skip_while(move |line| *line != heading).skip(1).take_while(|line| !line.starts_with("## "))
}

fn mentions_jq(command: &str) -> bool {
    command.split_whitespace().any(|word| word == "jq")
}

fn has_jq() -> bool {
    let jq = Command::new("jq").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    jq.is_ok_and(|status| status.success())
}

/// Says something past the test harness, which keeps what a passing test prints to itself.
fn remark(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("README.md")
}

fn manifest() -> String {
    std::fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml")
}
