//! Runs the built program and compares all of what it says: standard output, standard error and the exit
//! status. What a test does not mention must be empty or zero.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::indexing_slicing,
    reason = "a helper shared by several test programs"
)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Variables that change what the program does; a test sets those that it wants.
const VARIABLES: &[&str] =
    &["RSMI_REPLAY", "RSMI_DEMO", "RSMI_NVML", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LD_LIBRARY_PATH"];

/// The repository's root.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A recorded machine.
pub fn machine(name: &str) -> PathBuf {
    root().join("tests/machines").join(name).with_extension("json")
}

/// The names of all recorded machines.
pub fn machines() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("tests/machines")).expect("the folder of machines");
    let files = folder.map(|entry| entry.expect("an entry").path());
    let mut names: Vec<String> = files
        .filter(|file| file.extension().is_some_and(|ending| ending == "json"))
        .map(|file| file.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 4, "{names:?}");
    names
}

/// All names that `--query-gpu` accepts.
pub fn all_fields() -> Vec<String> {
    let table = std::fs::read_to_string(root().join("tests/data/query-gpu-headers.tsv")).expect("the table of headers");
    let names: Vec<String> = table.lines().map(|line| line.split('\t').next().expect("a name").to_owned()).collect();
    assert_eq!(names.len(), 255);
    names
}

/// One run of the program.
pub struct Run {
    command: Command,
    shown: String,
    stdout: Option<Vec<u8>>,
    stderr: Option<String>,
    status: i32,
}

impl Run {
    /// The program under its own name.
    pub fn rsmi<S: Into<OsString>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::named(Path::new(env!("CARGO_BIN_EXE_rsmi")), args)
    }

    /// The program under the name nvidia-smi.
    pub fn nvidia_smi<S: Into<OsString>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::named(&link("nvidia-smi"), args)
    }

    /// The program under any name.
    pub fn named_as<S: Into<OsString>>(name: &str, args: impl IntoIterator<Item = S>) -> Self {
        Self::named(&link(name), args)
    }

    fn named<S: Into<OsString>>(program: &Path, args: impl IntoIterator<Item = S>) -> Self {
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        let shown = format!("{} {args:?}", program.display());
        let mut command = Command::new(program);
        command.args(args).current_dir(root()).stdin(Stdio::null());
        for variable in VARIABLES {
            command.env_remove(variable);
        }
        Run { command, shown, stdout: None, stderr: None, status: 0 }
    }

    /// On a recorded machine.
    pub fn on(self, name: &str) -> Self {
        self.with("RSMI_REPLAY", machine(name))
    }

    /// With a variable set.
    pub fn with(mut self, variable: &str, value: impl Into<OsString>) -> Self {
        self.command.env(variable, value.into());
        self
    }

    /// Expects this on standard output.
    pub fn stdout(mut self, expected: impl Into<Vec<u8>>) -> Self {
        self.stdout = Some(expected.into());
        self
    }

    /// Expects this on standard error.
    pub fn stderr(mut self, expected: &str) -> Self {
        self.stderr = Some(expected.to_owned());
        self
    }

    /// Expects this exit status.
    pub fn status(mut self, expected: i32) -> Self {
        self.status = expected;
        self
    }

    /// Runs, and compares everything.
    #[track_caller]
    pub fn check(mut self) {
        let (stdout, stderr) = (self.stdout.take().unwrap_or_default(), self.stderr.take().unwrap_or_default());
        let (status, shown) = (self.status, self.shown.clone());
        let output = self.output();
        let said = format!(
            "\n$ {shown}\n--- stdout\n{}--- stderr\n{}--- {:?}\n",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
            output.status
        );
        let expected = String::from_utf8_lossy(&stdout);
        assert_eq!(output.stdout, stdout, "stdout differs; expected\n{expected}\n{said}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), stderr, "stderr differs{said}");
        assert_eq!(output.status.code(), Some(status), "exit status differs{said}");
    }

    /// Runs to the end, whatever it says. A panic or a signal fails the test at once.
    #[track_caller]
    pub fn output(mut self) -> Output {
        let output = self.command.output().expect("the program starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked"), "$ {}\n{stderr}", self.shown);
        assert!(output.status.code().is_some(), "$ {}: {:?}\n{stderr}", self.shown, output.status);
        output
    }

    /// Starts, with standard output and error in pipes.
    pub fn start(mut self) -> Child {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    /// The command itself, for what a test does by hand.
    pub fn command(self) -> Command {
        self.command
    }
}

/// The program under another name.
pub fn link(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("links");
    std::fs::create_dir_all(&folder).expect("a folder for links");
    let link = folder.join(name);
    // Several tests may make it at once: the one that comes second finds it made.
    let made = std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_rsmi"), &link);
    assert!(made.is_ok() || link.exists(), "{made:?}");
    link
}

/// Waits for a child, but not for ever.
#[track_caller]
pub fn wait(child: &mut Child, most: Duration) -> std::process::ExitStatus {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child to wait for") {
            return status;
        }
        assert!(begin.elapsed() < most, "still running after {most:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
