//! What rsmi makes of a driver that fails: every call that a query of all fields makes, with every return
//! code, always, at the first tick only, and on one GPU of four; a GPU that is lost at any call; a start and
//! a count that go wrong; and noise.
//!
//! `cargo test` runs a part of it. The whole, which also writes its counts to `docs/reliability.md`:
//!
//! ```sh
//! cargo test --release --test faults -- --ignored --nocapture
//! ```

#![allow(clippy::indexing_slicing, clippy::print_stdout, reason = "a test may panic, and tells how far it is")]

mod common;
#[path = "common/fake.rs"]
mod fake;

use common::{Run, wait};
use fake::OnFake;
use rsmi::driver::Code;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// GPUs of the machine, and the one that is sick alone.
const GPUS: usize = 4;
const SICK: usize = 2;
/// After this a run hangs.
const HANG: Duration = Duration::from_secs(10);
/// The codes that a driver could answer: all that have a name, and some that none has used.
const CODES: [i64; 33] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 77,
    999, -1,
];
/// Statuses that the README documents.
const STATUSES: [i32; 16] = [0, 1, 2, 3, 4, 6, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18];
/// Drivers whose calls are tried besides those of 580.159: what they lack leads to older calls.
const DRIVERS: [&str; 4] = ["390", "450", "510", "580.65"];

/// How a run went.
#[derive(Debug)]
struct Seen {
    stdout: Vec<u8>,
    stderr: String,
    /// None where a signal ended it.
    status: Option<i32>,
    hung: bool,
}

impl Seen {
    /// Whatever else is expected: no panic, no signal, no hang, a documented status, few words.
    fn sound(&self) -> Result<(), String> {
        if self.hung {
            return Err("it hung".into());
        }
        let status = self.status.ok_or_else(|| format!("a signal ended it: {}", self.stderr))?;
        if self.stderr.contains("panicked") || self.stderr.contains("fake-nvml:") {
            return Err(self.stderr.clone());
        }
        if !STATUSES.contains(&status) && status != 255 {
            return Err(format!("status {status} is not documented"));
        }
        if self.stderr.lines().count() > GPUS.max(2) {
            return Err(format!("too many words: {}", self.stderr));
        }
        Ok(())
    }
}

/// Runs to the end; with `ticks`, a loop that is interrupted after so many lines.
fn see(run: Run, lines: Option<usize>) -> Seen {
    let mut child = run.start();
    let begin = Instant::now();
    let mut pipes: [Box<dyn ReadFd>; 2] =
        [Box::new(child.stdout.take().expect("a pipe")), Box::new(child.stderr.take().expect("a pipe"))];
    let mut texts = [Vec::new(), Vec::new()];
    let mut open = [true, true];
    let (mut hung, mut interrupted) = (false, false);
    let mut buffer = vec![0; 1 << 16];
    while open.contains(&true) {
        let left = HANG.saturating_sub(begin.elapsed());
        let ready: Vec<usize> = {
            let watched: Vec<usize> = (0..2).filter(|at| open[*at]).collect();
            let mut polled: Vec<PollFd<'_>> =
                watched.iter().map(|at| PollFd::from_borrowed_fd(pipes[*at].as_fd(), PollFlags::IN)).collect();
            let timeout = Timespec::try_from(left).expect("a short time");
            let count = poll(&mut polled, Some(&timeout)).unwrap_or(0);
            if count == 0 {
                hung = begin.elapsed() >= HANG;
            }
            watched.iter().zip(&polled).filter(|(_, polled)| !polled.revents().is_empty()).map(|(at, _)| *at).collect()
        };
        if hung {
            child.kill().expect("it can be killed");
            break;
        }
        for at in ready {
            let count = pipes[at].read(&mut buffer).expect("a pipe to read");
            open[at] = count > 0;
            texts[at].extend_from_slice(&buffer[..count]);
        }
        let enough = |lines| texts[0].iter().filter(|byte| **byte == b'\n').count() >= lines;
        if !interrupted && lines.is_some_and(enough) {
            interrupted = true;
            // It may have ended by itself.
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        }
    }
    let status = wait(&mut child, HANG).code();
    let [stdout, stderr] = texts;
    Seen { stdout, stderr: String::from_utf8_lossy(&stderr).into_owned(), status, hung }
}

trait ReadFd: Read + std::os::fd::AsFd {}
impl<T: Read + std::os::fd::AsFd> ReadFd for T {}

/// The table that a query printed.
fn table(csv: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(csv);
    let line = |line: Result<csv::ByteRecord, _>| {
        let line = line.expect("CSV");
        let cells = line.iter().map(String::from_utf8_lossy);
        cells.map(|cell| cell.strip_prefix(' ').unwrap_or(&cell).to_owned()).collect()
    };
    reader.byte_records().map(line).collect()
}

/// A call that the query makes.
#[derive(Clone, Debug)]
struct Call {
    /// As a rule names it.
    key: String,
    /// How often a tick makes it.
    times: usize,
    /// Whether it is about a device.
    of_device: bool,
    /// Columns of the table whose fields make it.
    columns: BTreeSet<usize>,
    /// Values that an older call answers in its place, by column.
    older: BTreeMap<usize, Vec<String>>,
}

/// A driver on the machine, healthy: what it prints and what it is asked.
struct Healthy {
    driver: Option<&'static str>,
    table: Vec<Vec<String>>,
    calls: Vec<Call>,
}

fn four_gpus() -> &'static PathBuf {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    FILE.get_or_init(|| fake::write_machine("four-gpus", &fake::first_devices("h200x8", GPUS)))
}

fn command(driver: Option<&str>, query: &str, more: &[&str]) -> Run {
    let run = Run::rsmi([query, "--format=csv"].iter().chain(more).copied()).through(four_gpus());
    match driver {
        Some(name) => run.with("FAKE_NVML_DRIVER", name),
        None => run,
    }
}

fn traced(driver: Option<&str>, query: &str, more: &[&str]) -> (Seen, BTreeMap<String, (usize, bool)>) {
    traced_run(command(driver, query, more))
}

/// The calls of a run, each with how often it was made and whether it is about a device.
fn traced_run(run: Run) -> (Seen, BTreeMap<String, (usize, bool)>) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    let file = fake::folder("traces").join(format!("{}-{number}", std::process::id()));
    let seen = see(run.with("FAKE_NVML_TRACE", &file), None);
    // A run that asks no driver leaves none.
    let trace = std::fs::read_to_string(&file).unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    let mut calls: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    for line in trace.lines() {
        let (call, _) = line.split_once(" -> ").expect("a call and its end");
        let (key, of_device) = call.split_once(' ').map_or((call, false), |(key, _)| (key, true));
        // The number of a device is no argument here: a rule says which device.
        let key = if key.starts_with("nvmlDeviceGetHandleBy") { key.split('(').next().expect("a name") } else { key };
        let entry = calls.entry(key.to_owned()).or_insert((0, of_device));
        entry.0 += 1;
    }
    (seen, calls)
}

/// Asks a driver for all fields, and for each by itself: so it is known which calls a field makes.
fn healthy(driver: Option<&'static str>) -> Healthy {
    let (seen, calls) = traced(driver, &fake::query(), &[]);
    assert_eq!((seen.status, seen.stderr.as_str()), (Some(0), ""));
    let table = table(&seen.stdout);
    assert_eq!(table.len(), 1 + GPUS);
    let fields = fake::fields();
    let singles = in_parallel(fields.len(), |at| {
        let (seen, calls) = traced(driver, &format!("--query-gpu={}", fields[at]), &["-i", "0"]);
        assert_eq!(seen.status, Some(0), "{}", fields[at]);
        calls
    });
    let columns = |key: &String| (0..fields.len()).filter(|at| singles[*at].contains_key(key)).collect();
    let mut calls: Vec<Call> = calls
        .into_iter()
        .map(|(key, (times, of_device))| Call { columns: columns(&key), key, times, of_device, older: BTreeMap::new() })
        .collect();
    // An older call stands in for one that the library does not know, and may answer otherwise.
    let older = in_parallel(calls.len(), |at| {
        let rule = format!("{} -> code 13", calls[at].key);
        crate::table(&see(command(driver, &fake::query(), &[]).faults(rule), None).stdout)
    });
    for (call, instead) in calls.iter_mut().zip(older) {
        if instead.len() == table.len() {
            let cells = |column: usize| (1..=GPUS).map(|row| instead[row][column].clone()).collect();
            call.older = call.columns.iter().map(|column| (*column, cells(*column))).collect();
        }
    }
    Healthy { driver, table, calls }
}

/// Does `work` for each number below `count`, two at a time, and gives the results in order.
fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::SeqCst);
                    if at >= count {
                        return;
                    }
                    let result = work(at);
                    results.lock().expect("no panic in between").push((at, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic in between");
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// When a call fails.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum When {
    Always,
    FirstTick,
    OneGpu,
}

fn code_of(number: i64) -> Code {
    Code(number as u32)
}

/// The exit status that goes with a code, as the README has it.
fn documented(code: Code) -> i32 {
    match code.0 {
        number @ (2 | 3 | 4 | 6 | 8 | 9 | 12..=18) => number as i32,
        11 => 10,
        28 => 6,
        _ => 255,
    }
}

/// Whether a cell may say this of a call that failed with a code.
fn tells(field: &str, call: &str, cell: &str, code: Code) -> bool {
    let words = match (field, code.0) {
        // As the real one was seen to have it: of these two it says nothing but that the device is lost.
        ("temperature.memory" | "inforom.checksum_validation", 15) => false,
        // A wrong checksum is an answer.
        ("inforom.checksum_validation", 14) => cell == "invalid",
        ("temperature.memory" | "inforom.checksum_validation", _) => cell == "N/A",
        // So the H200's driver says of a list that nothing is in it.
        (field, 7) if field.starts_with("retired_pages.") => cell == "0",
        _ => false,
    };
    let reason = if matches!(code.0, 3 | 13) { cell == "[N/A]" } else { cell == format!("[{}]", code.words()) };
    // Some values have other numbers from 580.82 on; a driver of unknown version is not asked for them.
    let unknown_driver = call == "nvmlSystemGetDriverVersion" && cell == "[N/A]";
    words || reason || unknown_driver
}

/// A row of a run against the healthy one; `may` tells for a column what may stand in its place.
fn compare_row(row: &[String], healthy: &[String], may: impl Fn(usize, &str) -> bool) -> Result<usize, String> {
    if row.len() != healthy.len() {
        return Err(format!("{} cells in place of {}: {row:?}", row.len(), healthy.len()));
    }
    let mut changed = 0;
    for (column, (cell, right)) in row.iter().zip(healthy).enumerate() {
        if cell != right {
            changed += 1;
            if !may(column, cell) {
                return Err(format!("column {column}: `{cell}` in place of `{right}`"));
            }
        }
    }
    Ok(changed)
}

/// One call with one code.
fn try_code(healthy: &Healthy, call: &Call, number: i64, when: When) -> Result<(), String> {
    let code = code_of(number);
    let place = match when {
        When::Always => String::new(),
        When::FirstTick => format!(",nth=1-{}", call.times),
        When::OneGpu => format!(",gpu={SICK}"),
    };
    let rule = format!("{}{place} -> code {number}", call.key);
    let looped = when == When::FirstTick;
    let more: &[&str] = if looped { &["-lms", "30"] } else { &[] };
    let seen = see(command(healthy.driver, &fake::query(), more).faults(&rule), looped.then_some(1 + 2 * GPUS));
    let judge = || {
        seen.sound()?;
        let starts = call.key.starts_with("nvmlInit") || call.key == "nvmlDeviceGetCount_v2";
        if starts {
            return started_in_vain(&seen, code);
        }
        let handle = call.key == "nvmlDeviceGetHandleByIndex_v2";
        let sick = handle || (call.of_device && number == 15);
        let expected = if sick && !looped { documented(code) } else { 0 };
        if seen.status != Some(expected) {
            return Err(format!("status {:?} in place of {expected}", seen.status));
        }
        let lines = if !sick {
            0
        } else if when == When::OneGpu {
            1
        } else {
            GPUS
        };
        let said = seen.stderr.lines().filter(|line| line.contains(code.words())).count();
        if seen.stderr.lines().count() != lines || said != lines {
            return Err(format!("not {lines} lines: {}", seen.stderr));
        }
        let table = table(&seen.stdout);
        if table.len() < if looped { 1 + 2 * GPUS } else { 1 + GPUS } || table[0] != healthy.table[0] {
            return Err(format!("{} lines, {:?}", table.len(), table.first()));
        }
        let fields = fake::fields();
        let mut changed = 0;
        for (at, row) in table[1..].iter().enumerate().take(2 * GPUS) {
            let gpu = at % GPUS;
            let spared = at >= GPUS || (when == When::OneGpu && gpu != SICK);
            let may = |column: usize, cell: &str| {
                !spared
                    && call.columns.contains(&column)
                    && (tells(&fields[column], &call.key, cell, code)
                        || call
                            .older
                            .get(&column)
                            .is_some_and(|cells| cells[gpu] == cell && code.suggests_older_call()))
            };
            let row = compare_row(row, &healthy.table[1 + gpu], may);
            changed += row.map_err(|error| format!("tick {}, GPU {gpu}: {error}", 1 + at / GPUS))?;
        }
        // A call that nothing depends on would not be made.
        let missing = |cell: &String| cell == "N/A" || cell.starts_with('[');
        let lacking = call.columns.iter().all(|column| missing(&healthy.table[1][*column]));
        let hidden = lacking || code.suggests_older_call() || code.0 == 3;
        if changed == 0 && !hidden && when != When::FirstTick {
            return Err("nothing shows it".into());
        }
        Ok(())
    };
    judge().map_err(|error| {
        let driver = healthy.driver.map_or(String::new(), |driver| format!("FAKE_NVML_DRIVER={driver} "));
        format!("{driver}FAKE_NVML_FAULTS='{rule}'{}: {error}", if looped { " -lms 30" } else { "" })
    })
}

/// The library or its count refused: nothing on standard output, one message with what to do, the status.
fn started_in_vain(seen: &Seen, code: Code) -> Result<(), String> {
    let lines: Vec<&str> = seen.stderr.lines().collect();
    if !seen.stdout.is_empty() || lines.len() != 2 || !lines[1].contains("rsmi --demo") {
        return Err(format!("{seen:?}"));
    }
    if seen.status != Some(documented(code)) {
        return Err(format!("status {:?} in place of {}", seen.status, documented(code)));
    }
    Ok(())
}

/// Calls about the one GPU that two ticks make.
fn calls_of_two_ticks() -> usize {
    let trace = fake::folder("traces").join(format!("{}-ticks", std::process::id()));
    // So slow that no third tick begins.
    let run = command(None, &fake::query(), &["-lms", "1500"]).with("FAKE_NVML_TRACE", &trace);
    assert_eq!(see(run, Some(1 + 2 * GPUS)).status, Some(0));
    let text = std::fs::read_to_string(&trace).expect("a trace");
    std::fs::remove_file(trace).expect("the test's own file");
    let of_this = text.lines().filter(|line| line.contains(&format!(" gpu={SICK} ")));
    of_this.filter(|line| !line.starts_with("nvmlDeviceGetFieldValues(")).count()
}

/// One GPU is lost at its `nth` call and stays so; in a loop when that is in the second tick.
fn try_lost(healthy: &Healthy, nth: usize, looped: bool) -> Result<(), String> {
    let rule = format!("*,gpu={SICK},nth={nth}+ -> code 15");
    let more: &[&str] = if looped { &["-lms", "30"] } else { &[] };
    let seen = see(command(None, &fake::query(), more).faults(&rule), looped.then_some(1 + 2 * GPUS));
    let judge = || {
        seen.sound()?;
        let expected = if looped { 0 } else { 15 };
        if seen.status != Some(expected) {
            return Err(format!("status {:?} in place of {expected}", seen.status));
        }
        if seen.stderr.lines().count() != 1 || !seen.stderr.starts_with(&format!("rsmi: GPU {SICK}: GPU is lost")) {
            return Err(format!("not one line: {}", seen.stderr));
        }
        let table = table(&seen.stdout);
        if table.len() < if looped { 1 + 2 * GPUS } else { 1 + GPUS } {
            return Err(format!("{} lines", table.len()));
        }
        let mut lost = 0;
        for (at, row) in table[1..].iter().enumerate().take(2 * GPUS) {
            let gpu = at % GPUS;
            let may = |_, cell: &str| gpu == SICK && cell == "[GPU is lost]";
            lost += compare_row(row, &healthy.table[1 + gpu], may).map_err(|error| format!("GPU {gpu}: {error}"))?;
        }
        if lost == 0 { Err("nothing shows it".into()) } else { Ok(()) }
    };
    judge().map_err(|error| format!("FAKE_NVML_FAULTS='{rule}'{}: {error}", if looped { " -lms 30" } else { "" }))
}

/// A library that counts its devices wrongly.
fn try_count(count: u32) -> Result<(), String> {
    let rule = format!("nvmlDeviceGetCount_v2 -> value {count}");
    let seen = see(command(None, "--query-gpu=index,uuid", &[]).faults(&rule), None);
    let rows = table(&seen.stdout).len().saturating_sub(1);
    let right = match count {
        0 => seen.status == Some(6) && rows == 0,
        // No machine has so many: an unknown error.
        4097.. => seen.status == Some(255) && rows == 0,
        // Those that are not there are rows that say so.
        5.. => seen.status == Some(2) && rows == count as usize,
        _ => seen.status == Some(0) && rows == count as usize,
    };
    if right && !seen.hung && !seen.stderr.contains("panicked") {
        return Ok(());
    }
    Err(format!("FAKE_NVML_FAULTS='{rule}': {:?}, {rows} rows: {}", seen.status, seen.stderr))
}

/// Noise in all calls but the count: the table keeps its shape, whatever stands in it.
fn try_noise(seed: usize) -> Result<(), String> {
    let percent = [100, 50, 10][seed % 3];
    let json = seed % 2 == 1;
    let format = if json { "--format=json" } else { "--format=csv" };
    let run = Run::rsmi([fake::query().as_str(), format]).through(four_gpus());
    let run = run.with("FAKE_NVML_RANDOM", format!("{seed}:{percent}"));
    let seen = see(run.faults(format!("nvmlDeviceGetCount_v2 -> value {GPUS}")), None);
    let judge = || {
        seen.sound()?;
        if seen.stdout.is_empty() {
            return if seen.status != Some(0) && !seen.stderr.is_empty() { Ok(()) } else { Err("silence".into()) };
        }
        if json {
            let rows: Vec<serde_json::Value> =
                serde_json::from_slice(&seen.stdout).map_err(|error| format!("not JSON: {error}"))?;
            let whole = |row: &serde_json::Value| row.as_object().is_some_and(|row| row.len() == 213);
            return if rows.len() == GPUS && rows.iter().all(whole) { Ok(()) } else { Err("not 4 rows".into()) };
        }
        let table = table(&seen.stdout);
        let columns = fake::fields().len();
        if table.len() != 1 + GPUS || table.iter().any(|row| row.len() != columns) {
            return Err(format!("rows of {:?} cells", table.iter().map(Vec::len).collect::<Vec<_>>()));
        }
        Ok(())
    };
    judge().map_err(|error| format!("FAKE_NVML_RANDOM={seed}:{percent} {format}: {error}"))
}

/// What is shown besides the query of all fields. A line that is not built yet is passed over.
const VIEWS: [&[&str]; 17] = [
    &[],
    &["-L"],
    &["--version"],
    &["-q"],
    &["-q", "-d", "MEMORY"],
    &["-q", "-x"],
    &["--query-compute-apps=pid,name,used_memory,gpu_uuid", "--format=csv"],
    &["--query-accounted-apps=pid,gpu_utilization,max_memory_usage", "--format=csv"],
    &["--query-supported-clocks=memory,graphics", "--format=csv"],
    &["--query-retired-pages=address,cause", "--format=csv"],
    &["--query-remapped-rows=gpu_uuid,remapped_rows.correctable", "--format=csv"],
    &["gpustat"],
    &["gpustat", "--json"],
    &["dmon", "-c", "1"],
    &["pmon", "-c", "1"],
    &["topo", "-m"],
    &["-q", "-d", "CLOCK"],
];

/// A view under one of the names of the program.
#[derive(Copy, Clone)]
struct View {
    line: &'static [&'static str],
    drop_in: bool,
}

impl View {
    fn run(self) -> Run {
        let line = self.line.iter().copied();
        if self.drop_in { Run::nvidia_smi(line) } else { Run::rsmi(line) }.through(four_gpus())
    }

    /// Whether it can be had, and the calls that it makes.
    fn calls(self) -> Option<BTreeSet<String>> {
        let (seen, calls) = traced_run(self.run());
        (seen.status == Some(0)).then(|| calls.into_keys().collect())
    }
}

/// Another view with one call that fails: it is sound and not silent.
fn try_view(view: View, key: &str, code: i64) -> Result<(), String> {
    let rule = format!("{key} -> code {code}");
    let seen = see(view.run().faults(&rule), None);
    let silent = seen.stdout.is_empty() && seen.stderr.is_empty();
    let judged = seen.sound().and_then(|()| if silent { Err("silence".into()) } else { Ok(()) });
    judged.map_err(|error| format!("FAKE_NVML_FAULTS='{rule}' {:?} (drop-in: {}): {error}", view.line, view.drop_in))
}

/// A line of the page of counts.
struct Counted {
    what: &'static str,
    tried: usize,
    failed: Vec<String>,
}

fn count(what: &'static str, tried: usize, work: impl Fn(usize) -> Result<(), String> + Sync) -> Counted {
    let begin = Instant::now();
    let failed: Vec<String> = in_parallel(tried, work).into_iter().filter_map(Result::err).collect();
    println!("{what}: {tried} tried, {} failed, {:.1} s", failed.len(), begin.elapsed().as_secs_f64());
    for failure in failed.iter().take(40) {
        println!("    {failure}");
    }
    Counted { what, tried, failed }
}

/// All cases of a group of calls at one moment, or every so manieth of them, each call with other codes.
fn cases(healthy: &Healthy, when: When, sparse: usize) -> Vec<(&Call, i64)> {
    let calls = healthy.calls.iter().filter(|call| call.of_device || when != When::OneGpu);
    let all = calls.flat_map(|call| CODES.map(|code| (call, code)));
    all.enumerate().filter(|(at, _)| at % sparse == 0).map(|(_, case)| case).collect()
}

/// The matrix: all of it for `sparse` 1, else about one case of so many.
fn matrix(sparse: usize) -> Vec<Counted> {
    let modern = healthy(None);
    println!("{} calls", modern.calls.len());
    let mut counted = Vec::new();
    let mut codes = |what, healthy: &Healthy, when, sparse| {
        let cases = cases(healthy, when, sparse);
        counted.push(count(what, cases.len(), |at| try_code(healthy, cases[at].0, cases[at].1, when)));
    };
    codes("a call fails, always", &modern, When::Always, sparse);
    codes("a call fails on one GPU of four", &modern, When::OneGpu, sparse);
    codes("a call fails at the first tick of two", &modern, When::FirstTick, sparse);
    let known: BTreeSet<String> = modern.calls.iter().map(|call| call.key.clone()).collect();
    let drivers: &[&str] = if sparse == 1 { &DRIVERS } else { &DRIVERS[..1] };
    let older: Vec<Healthy> = drivers
        .iter()
        .map(|driver| {
            let mut old = healthy(Some(driver));
            // What that driver does not have cannot fail otherwise.
            let absent: Vec<&str> =
                fake_nvml::profile::Profile::named(driver).expect("a known driver").absent().collect();
            let symbol = |call: &Call| call.key.split('(').next().expect("a name").to_owned();
            old.calls.retain(|call| !known.contains(&call.key) && !absent.contains(&symbol(call).as_str()));
            old
        })
        .collect();
    let all: Vec<(&Healthy, &Call, i64)> = older
        .iter()
        .flat_map(|old| cases(old, When::Always, 1).into_iter().map(move |(call, code)| (old, call, code)))
        .collect();
    let all: Vec<_> = all.into_iter().step_by(sparse).collect();
    counted.push(count("a call that only older drivers are asked fails", all.len(), |at| {
        try_code(all[at].0, all[at].1, all[at].2, When::Always)
    }));
    let calls: usize = modern
        .calls
        .iter()
        .filter(|call| call.of_device && !call.key.contains("FieldValues("))
        .map(|call| call.times / GPUS)
        .sum();
    let last = calls.div_ceil(sparse);
    counted.push(count("a GPU is lost at its Nth call", last, |at| try_lost(&modern, 1 + at * sparse, false)));
    // What never changes is not asked again: a second tick is shorter.
    let second = calls_of_two_ticks().checked_sub(calls).expect("a second tick").div_ceil(sparse);
    counted.push(count("a GPU is lost at the Nth call of its second tick", second, |at| {
        try_lost(&modern, calls + 1 + at * sparse, true)
    }));
    let counts = [0, 1, 3, 4, 5, 64, 4096, 4097, u32::MAX];
    counted.push(count("the count fails when it is asked again", 1, |_| {
        let rule = "nvmlDeviceGetCount_v2,nth=2+ -> code 999";
        let seen = see(command(None, &fake::query(), &[]).faults(rule), None);
        if table(&seen.stdout) == modern.table && seen.status == Some(0) { Ok(()) } else { Err(rule.to_owned()) }
    }));
    counted.push(count("a count of GPUs that is not theirs", counts.len(), |at| try_count(counts[at])));
    let views = VIEWS.iter().flat_map(|line| [false, true].map(|drop_in| View { line, drop_in }));
    let views: Vec<(View, BTreeSet<String>)> = views.filter_map(|view| Some((view, view.calls()?))).collect();
    let all = views.iter().flat_map(|(view, calls)| calls.iter().flat_map(|key| CODES.map(|code| (*view, key, code))));
    let all: Vec<_> = all.step_by(if sparse == 1 { 1 } else { 4 * sparse }).collect();
    println!("{} other views under their names", views.len());
    counted.push(count("other views, a call fails", all.len(), |at| try_view(all[at].0, all[at].1, all[at].2)));
    counted.push(count("noise in all calls", 10_000 / sparse.pow(2).min(200), try_noise));
    counted
}

#[test]
fn a_part_of_the_matrix() {
    let counted = matrix(29);
    let failed: usize = counted.iter().map(|line| line.failed.len()).sum();
    assert_eq!(failed, 0, "see above");
}

const PAGE: &str = "docs/reliability.md";
const BEGIN: &str = "<!-- counts: written by tests/faults.rs -->";
const END: &str = "<!-- end of counts -->";

/// The whole. Writes the page's table.
#[test]
#[ignore = "some minutes; run it with --release"]
fn the_whole_matrix() {
    let counted = matrix(1);
    let mut lines = String::from("| what | tried | failed |\n|---|---:|---:|\n");
    let mut total = (0, 0);
    for line in &counted {
        writeln!(lines, "| {} | {} | {} |", line.what, line.tried, line.failed.len()).expect("text");
        total = (total.0 + line.tried, total.1 + line.failed.len());
    }
    writeln!(lines, "| all | {} | {} |", total.0, total.1).expect("text");
    let page = common::root().join(PAGE);
    let text = std::fs::read_to_string(&page).expect("the page");
    let (before, rest) = text.split_once(BEGIN).expect("the place of the table");
    let (_, after) = rest.split_once(END).expect("its end");
    std::fs::write(&page, format!("{before}{BEGIN}\n{lines}{END}{after}")).expect("the page is written");
    assert_eq!(total.1, 0, "see above");
}

/// The page's table is one that a whole run wrote, and nothing had failed.
#[test]
fn the_page_has_its_counts() {
    let text = std::fs::read_to_string(common::root().join(PAGE)).expect("the page");
    let lines = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).expect("the table").0;
    let rows: Vec<(&str, usize, usize)> = lines
        .lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            (cells[0], cells[1].parse().expect("a number"), cells[2].parse().expect("a number"))
        })
        .collect();
    let (last, rows) = rows.split_last().expect("rows");
    assert_eq!((last.0, last.2), ("all", 0));
    assert_eq!(rows.iter().map(|row| row.1).sum::<usize>(), last.1);
    assert!(last.1 > 10_000 && rows.iter().all(|row| row.1 > 0 && row.2 == 0), "{rows:?}");
}
