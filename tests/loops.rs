//! What repeats: the schedule, whole rows, signals, pipes that close, disks that are full, and the screen.

#![allow(clippy::indexing_slicing)]

mod common;

use common::{Run, wait};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const QUERY: [&str; 2] = ["--query-gpu=index,name,memory.used", "--format=csv"];
/// Far more than a tick takes, far less than a hang.
const SOON: Duration = Duration::from_secs(10);

fn looping(interval: &str) -> Run {
    Run::rsmi(QUERY.iter().copied().chain(["-lms", interval])).on("h200")
}

fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_child(child);
    kill_process(pid, signal).expect("a signal sent");
}

#[test]
fn a_loop_has_one_header_and_whole_rows() {
    let mut child = looping("20").start();
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("UTF-8");
    assert_eq!(next(), "index, name, memory.used [MiB]");
    for _ in 0..5 {
        assert_eq!(next(), "0, NVIDIA H200, 0 MiB");
    }
    send(&child, Signal::TERM);
    assert_eq!(wait(&mut child, SOON).code(), Some(0));
}

#[test]
fn interrupts_end_a_loop_with_0_at_once_and_cut_no_row() {
    for signal in [Signal::INT, Signal::TERM] {
        // At moments that fall before, into and between ticks.
        for moment in (0..40).map(|step| Duration::from_micros(step * 1_700)) {
            let mut child = looping("5").start();
            let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
            let mut text = String::new();
            stdout.read_line(&mut text).expect("a first line: the handlers are in place");
            std::thread::sleep(moment);
            send(&child, signal);
            let begin = Instant::now();
            let status = wait(&mut child, SOON);
            assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
            assert_eq!(status.code(), Some(0), "{signal:?} after {moment:?}");
            stdout.read_to_string(&mut text).expect("UTF-8");
            assert!(text.ends_with('\n'), "{text:?}");
            for line in text.lines().skip(1) {
                assert_eq!(line, "0, NVIDIA H200, 0 MiB", "{signal:?} after {moment:?}");
            }
        }
    }
}

#[test]
fn ticks_keep_their_schedule() {
    // The demo's clock moves; a recording's stands still.
    let args = ["--demo", "-i", "0", "--query-gpu=timestamp", "--format=csv,noheader", "-lms", "50"];
    let mut child = Run::rsmi(args).start();
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let stamps: Vec<u64> = (0..21)
        .map(|_| {
            let line = lines.next().expect("a line").expect("UTF-8");
            let digits = |from: usize, to: usize| line[from..to].parse::<u64>().expect("digits");
            // 2026/11/29 12:05:00.380
            ((digits(11, 13) * 60 + digits(14, 16)) * 60 + digits(17, 19)) * 1000 + digits(20, 23)
        })
        .collect();
    send(&child, Signal::INT);
    wait(&mut child, SOON);
    let took = (stamps[20] + 86_400_000 - stamps[0]) % 86_400_000;
    // Twenty intervals of 50 ms. On a busy machine ticks are left out, never made up for, so more is possible.
    assert!(took >= 995, "{took}: {stamps:?}");
}

#[test]
fn a_reader_that_goes_away_is_a_quiet_end() {
    for (args, lines) in [(vec!["-lms", "5"], 1), (vec!["-lms", "5"], 0), (vec![], 0)] {
        for face in [Run::rsmi as fn(Vec<&'static str>) -> Run, Run::nvidia_smi] {
            let line: Vec<&str> = QUERY.iter().copied().chain(args.iter().copied()).collect();
            let mut child = face(line).on("h200").start();
            let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
            let mut text = String::new();
            for _ in 0..lines {
                stdout.read_line(&mut text).expect("a line");
            }
            drop(stdout);
            let status = wait(&mut child, SOON);
            let mut stderr = String::new();
            child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("UTF-8");
            assert_eq!(stderr, "", "{args:?}");
            assert_eq!(status.code(), Some(0), "{args:?}");
        }
    }
}

#[test]
fn a_full_disk_is_an_error_with_a_message() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let lines: [&[&str]; 6] = [&QUERY, &["-L"], &["--version"], &["--help"], &["--help-query-gpu"], &["--record", "-"]];
    for line in lines {
        let child = Run::rsmi(line.iter().copied()).on("h200").command().stdout(full()).stderr(Stdio::piped()).spawn();
        let output = child.expect("a start").wait_with_output().expect("an end");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(stderr, "rsmi: write error: No space left on device\n", "{line:?}");
        assert_eq!(output.status.code(), Some(1), "{line:?}");
    }
    let file = Run::rsmi(["--query-gpu=index", "-f", "/dev/full"]).on("h200");
    file.stderr("rsmi: write error: No space left on device\n").status(1).check();
    // In a loop, too, and at the first tick.
    let looped = Run::rsmi(["--query-gpu=index", "-f", "/dev/full", "-l", "1"]).on("h200");
    looped.stderr("rsmi: write error: No space left on device\n").status(1).check();
}

#[test]
fn a_closed_stderr_changes_nothing() {
    let mut command = Run::rsmi(["--query-gpu=bogus"]).command();
    let status = command.stdout(Stdio::null()).stderr(std::fs::File::open("/dev/null").expect("read only")).status();
    assert_eq!(status.expect("an end").code(), Some(2));
}

#[test]
fn a_file_is_written_whole_and_standard_output_stays_empty() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("loops-file.csv");
    let path = file.to_str().expect("UTF-8");
    std::fs::write(&file, "what was there before\n".repeat(100)).expect("a file");
    Run::nvidia_smi(["--query-gpu=index", "--format=csv", "-f", path]).on("h200").check();
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "index\n0\n");
}

#[test]
fn json_in_a_loop_is_a_document_a_line() {
    let args = ["--query-gpu=index,memory.used", "--format=json", "-lms", "10"];
    let mut child = Run::rsmi(args).on("h200").start();
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for _ in 0..3 {
        assert_eq!(lines.next().expect("a line").expect("UTF-8"), r#"[{"index":0,"memory.used":0}]"#);
    }
    send(&child, Signal::INT);
    wait(&mut child, SOON);
}

#[test]
fn a_recording_of_several_frames_is_replayed_frame_by_frame() {
    let frames = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("loops-frames.json");
    let text = |name: &str| {
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(common::machine(name)).expect("a recording")).expect("JSON");
        json.to_string()
    };
    std::fs::write(&frames, format!("{}\n{}\n", text("h200"), text("h200-loaded"))).expect("a file");
    let args = ["--query-gpu=utilization.gpu", "--format=csv,noheader", "-lms", "5"];
    let mut child = Run::rsmi(args).with("RSMI_REPLAY", &frames).start();
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let seen: Vec<String> = (0..4).map(|_| lines.next().expect("a line").expect("UTF-8")).collect();
    // The last frame stays.
    assert_eq!(seen, ["0 %", "99 %", "99 %", "99 %"]);
    send(&child, Signal::INT);
    wait(&mut child, SOON);
}

/// A terminal: `script` is not everywhere, so the test makes one.
struct Terminal {
    master: std::fs::File,
    slave: std::fs::File,
}

impl Terminal {
    fn new(columns: u16, rows: u16) -> Self {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal to use");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let path = std::path::PathBuf::from(name.into_string().expect("UTF-8"));
        let slave = std::fs::OpenOptions::new().read(true).write(true).open(path).expect("its other end");
        let size = rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&slave, size).expect("a size");
        Terminal { master: std::fs::File::from(master), slave }
    }

    fn spawn(&self, run: Run) -> Child {
        let slave = self.slave.try_clone().expect("a copy");
        run.command().stdout(slave).stderr(Stdio::null()).spawn().expect("a start")
    }

    /// What was written so far, once it holds `needle` so often.
    fn read_until(&mut self, needle: &str, times: usize) -> String {
        let mut text = Vec::new();
        let mut buffer = [0; 4096];
        while String::from_utf8_lossy(&text).matches(needle).count() < times {
            let count = self.master.read(&mut buffer).expect("something to read");
            text.extend_from_slice(&buffer[..count]);
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

#[test]
fn on_a_terminal_a_loop_redraws_in_place_and_leaves_the_terminal_as_it_was() {
    let mut terminal = Terminal::new(120, 30);
    let before = rustix::termios::tcgetattr(&terminal.slave).expect("its modes");
    let mut child = terminal.spawn(Run::rsmi(["-lms", "30"]).on("h200").with("TERM", "xterm"));
    let text = terminal.read_until("\u{1b}[?7h", 3);
    send(&child, Signal::INT);
    assert_eq!(wait(&mut child, SOON).code(), Some(0));
    // The second frame goes up as many lines as the first has, and every line is erased to its end.
    let frames: Vec<&str> = text.split("\u{1b}[?7h").collect();
    let lines = frames[0].matches("\r\n").count();
    assert!(lines >= 4, "{:?}", frames[0]);
    assert!(frames[1].contains(&format!("\u{1b}[{lines}A")), "{:?}", frames[1]);
    assert_eq!(frames[1].matches("\u{1b}[K").count(), lines);
    // No other screen, no hidden cursor, and wrapping is on again at the end of each frame.
    assert!(!text.contains("[?1049h") && !text.contains("[?25l"), "{text:?}");
    let after = rustix::termios::tcgetattr(&terminal.slave).expect("its modes");
    assert_eq!((before.input_modes, before.local_modes), (after.input_modes, after.local_modes));
}

#[test]
fn a_table_is_as_wide_as_its_terminal_and_colored_only_there() {
    let mut terminal = Terminal::new(80, 30);
    let mut child = terminal.spawn(Run::rsmi([] as [&str; 0]).on("h200").with("TERM", "xterm"));
    wait(&mut child, SOON);
    let text = terminal.read_until("┘", 1);
    assert!(text.contains("\u{1b}[1m"), "{text:?}");
    let plain = strip(&text);
    assert!(plain.lines().all(|line| line.trim_end().chars().count() <= 80), "{plain}");
    let piped = Run::rsmi([] as [&str; 0]).on("h200").output();
    assert!(!piped.stdout.contains(&0x1b));
    let mut terminal = Terminal::new(80, 30);
    let run = Run::rsmi([] as [&str; 0]).on("h200").with("TERM", "xterm").with("NO_COLOR", "1");
    wait(&mut terminal.spawn(run), SOON);
    assert!(!terminal.read_until("┘", 1).contains('\u{1b}'));
}

/// The text without its escape sequences.
fn strip(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            rest.by_ref().find(|c| c.is_ascii_alphabetic());
        } else {
            plain.push(c);
        }
    }
    plain
}
