//! A limit on how long the driver may take. A driver that hangs does so in the kernel, where neither a
//! thread nor the process that it belongs to can be stopped, and a process that cannot end keeps its caller
//! waiting. So with a limit the work is done by a second process, the worker, which holds neither the
//! caller's output nor its errors: both come through pipes, and the one whom the caller waits for can leave
//! whenever it likes.
//!
//! The worker writes down each call before it makes it. When the limit has passed it is killed, the device
//! and the call are named, and another worker does the same work without that device, whose cells then say
//! that there was no answer. Without a limit there is no second process and nothing is written down.

mod orders;

pub use orders::Orders;
pub(crate) use orders::VARIABLE;

use crate::driver::Progress;
use crate::exit::Exit;
use crate::output::complain;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long another worker has when the first used up all the time there was. A healthy one needs a tenth.
const AGAIN: Duration = Duration::from_millis(300);
/// How far all of them together may go beyond the limit.
const GRACE: Duration = Duration::from_millis(900);
/// How long an interrupted worker may take to end by itself.
const PARTING: Duration = Duration::from_millis(50);
/// How often a loop's worker is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// What the supervisor needs to know of a command.
#[derive(Clone, Debug)]
pub struct Job {
    /// The command line, with the name under which the program was started.
    pub arguments: Vec<OsString>,
    /// How long one round may take.
    pub limit: Duration,
    /// True when the command repeats.
    pub loops: bool,
    /// True when standard output is a terminal.
    pub terminal: bool,
    /// True when standard error is one.
    pub errors: bool,
    /// Columns of that terminal.
    pub width: Option<u16>,
}

/// How a worker's time ended.
enum Outcome {
    Ended(Exit),
    Stuck,
    Interrupted,
}

/// Does the job under its limit; none where no worker could be started, and the caller should do it itself.
pub fn run(job: &Job) -> Option<Exit> {
    let progress = Progress::create()?;
    let interrupted = interrupts();
    let mut orders = Orders {
        progress: progress.path(),
        terminal: job.terminal,
        errors: job.errors,
        width: job.width,
        ..Orders::default()
    };
    let (start, mut time) = (Instant::now(), job.limit);
    loop {
        progress.clear();
        let mut worker = Worker::start(job, &orders)?;
        let outcome = worker.watch(job, time, &progress, &interrupted);
        let _ = worker.child.kill();
        match outcome {
            Outcome::Ended(exit) => return Some(exit),
            Outcome::Interrupted => return Some(if job.loops { Exit::SUCCESS } else { Exit::INTERRUPTED }),
            Outcome::Stuck => {
                let pending = progress.read().pending;
                let known = orders.skip.len();
                told(&pending, job.limit).iter().for_each(|line| complain(line));
                orders.skip.extend(pending.iter().filter_map(|(_, device)| *device));
                if orders.skip.len() == known {
                    return Some(Exit::NO_ANSWER);
                }
                orders.continued |= worker.wrote;
                if !job.loops {
                    time = AGAIN.min((job.limit + GRACE).saturating_sub(start.elapsed()));
                }
            }
        }
    }
}

/// A line for each call that did not come back: what was asked, of which device, and within what time.
fn told(pending: &[(String, Option<u32>)], limit: Duration) -> Vec<String> {
    let seconds = limit.as_secs_f64();
    if pending.is_empty() {
        return vec![format!("no answer from the driver within {seconds} s")];
    }
    let line = |(symbol, device): &(String, Option<u32>)| match device {
        Some(device) => format!("no answer from {symbol} on GPU {device} within {seconds} s"),
        None => format!("no answer from {symbol} within {seconds} s"),
    };
    pending.iter().map(line).collect()
}

/// Set by SIGINT and SIGTERM, which the worker gets by itself when they come from the terminal.
fn interrupts() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Where a handler cannot be set the signal ends this process, which is what it asks for.
        let _ = signal_hook::flag::register(signal, flag.clone());
    }
    flag
}

struct Worker {
    child: Child,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// True once it has written something that the caller has seen.
    wrote: bool,
}

impl Worker {
    fn start(job: &Job, orders: &Orders) -> Option<Self> {
        use std::os::unix::process::CommandExt;
        let mut arguments = job.arguments.iter();
        let mut command = Command::new(std::env::current_exe().ok()?);
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        let command = command.args(arguments).env(VARIABLE, orders.to_string());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
        Some(Worker { stdout: child.stdout.take(), stderr: child.stderr.take(), child, wrote: false })
    }

    /// Passes on what the worker says until it ends or its time is over.
    fn watch(&mut self, job: &Job, time: Duration, progress: &Progress, interrupted: &AtomicBool) -> Outcome {
        let mut began = Instant::now();
        let mut round = progress.read().round;
        loop {
            if interrupted.load(Ordering::SeqCst) {
                return self.part();
            }
            let left = time.saturating_sub(began.elapsed());
            let open = self.pass_on(if job.loops { left.min(GLANCE).max(Duration::from_millis(1)) } else { left });
            match open {
                Some(true) => {}
                Some(false) => return Outcome::Ended(self.status()),
                // The reader of our own output has gone away.
                None => return Outcome::Ended(Exit::SUCCESS),
            }
            // What is done once is one round from its start on; in a loop each round has its own time.
            let note = progress.read();
            if job.loops && (note.round != round || note.idle) {
                (round, began) = (note.round, Instant::now());
            }
            if began.elapsed() >= time {
                return Outcome::Stuck;
            }
        }
    }

    /// Waits for something to pass on, but not longer than `time`. False once there is nothing left to
    /// come; none when it could not be written.
    fn pass_on(&mut self, time: Duration) -> Option<bool> {
        let mut fds = Vec::with_capacity(2);
        fds.extend(self.stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        fds.extend(self.stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        if fds.is_empty() {
            return Some(false);
        }
        let wait = Timespec::try_from(time).ok();
        if poll(&mut fds, wait.as_ref()).is_err() {
            return Some(true);
        }
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut ready = ready.into_iter();
        if self.stdout.is_some() && ready.next() == Some(true) {
            match forward(self.stdout.as_mut(), |bytes| {
                std::io::stdout().write_all(bytes).and_then(|()| std::io::stdout().flush())
            }) {
                Forward::Some => self.wrote = true,
                Forward::End => self.stdout = None,
                Forward::Refused => return None,
            }
        }
        if self.stderr.is_some() && ready.next() == Some(true) {
            // That nobody reads the errors is no reason to stop.
            if let Forward::End = forward(self.stderr.as_mut(), |bytes| std::io::stderr().write_all(bytes)) {
                self.stderr = None;
            }
        }
        Some(true)
    }

    /// The status of a worker that has closed its output; it ends at once then.
    fn status(&mut self) -> Exit {
        let code = self.child.wait().ok().and_then(|status| status.code());
        code.and_then(|code| u8::try_from(code).ok()).map_or(Exit::OTHER, Exit)
    }

    /// Lets an interrupted worker end by itself, for a moment.
    fn part(&mut self) -> Outcome {
        if let Some(pid) = rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap_or(0)) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        let begin = Instant::now();
        while begin.elapsed() < PARTING {
            match self.pass_on(PARTING.saturating_sub(begin.elapsed())) {
                Some(true) => {}
                Some(false) | None => break,
            }
        }
        Outcome::Interrupted
    }
}

enum Forward {
    Some,
    End,
    Refused,
}

fn forward(pipe: Option<&mut impl Read>, write: impl FnOnce(&[u8]) -> std::io::Result<()>) -> Forward {
    let mut buffer = [0; 1 << 16];
    let count = match pipe.map(|pipe| pipe.read(&mut buffer)) {
        Some(Ok(count)) if count > 0 => count,
        Some(Err(error)) if error.kind() == std::io::ErrorKind::Interrupted => return Forward::Some,
        _ => return Forward::End,
    };
    match write(buffer.get(..count).unwrap_or_default()) {
        Ok(()) => Forward::Some,
        Err(_) => Forward::Refused,
    }
}
