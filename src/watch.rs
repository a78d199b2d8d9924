//! The one loop for everything that repeats. Ticks are due at whole multiples of the interval after the
//! first, by a clock that nobody can set: a slow tick does not shift those behind it, and a tick that was
//! missed altogether is left out rather than made up for.
//!
//! SIGINT and SIGTERM end the loop with status 0. Outside of a write the signal ends the process at once,
//! also while a call into the driver hangs; during a write the row is finished first.

use crate::exit::Exit;
use crate::output::{Sink, WriteError, terminal_size};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How a command repeats.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Rhythm {
    /// Once, or again after this time.
    pub every: Option<Duration>,
    /// Redraw over the last tick instead of writing below it.
    pub in_place: bool,
}

/// Runs `tick` once, or until interrupted or until it breaks off. It writes to the buffer that it is given and
/// says with which status the program should end if this was the last.
pub fn run(rhythm: Rhythm, sink: &mut Sink, mut tick: impl FnMut(&mut Vec<u8>) -> ControlFlow<Exit, Exit>) -> Exit {
    let mut buffer = Vec::new();
    let Some(every) = rhythm.every else {
        let (ControlFlow::Continue(exit) | ControlFlow::Break(exit)) = tick(&mut buffer);
        return sink.write(&buffer).map_or_else(|WriteError(failed)| failed, |()| exit);
    };
    let signals = Signals::catch();
    let mut screen = Screen::default();
    let first = Instant::now();
    loop {
        buffer.clear();
        if let ControlFlow::Break(exit) = tick(&mut buffer) {
            return exit;
        }
        if rhythm.in_place {
            screen.redraw(&mut buffer);
        }
        if let Err(WriteError(failed)) = signals.hold(|| sink.write(&buffer)) {
            return failed;
        }
        std::thread::sleep(until_next(first.elapsed(), every));
    }
}

/// Time left until the next multiple of `every`.
fn until_next(elapsed: Duration, every: Duration) -> Duration {
    let every = every.as_nanos().max(1);
    let left = every - elapsed.as_nanos() % every;
    Duration::from_nanos(u64::try_from(left).unwrap_or(u64::MAX))
}

/// Signals that end a loop.
struct Signals {
    /// True while nothing is being written: a signal may end the process.
    free: Arc<AtomicBool>,
    /// Set by a signal that came during a write.
    caught: Arc<AtomicBool>,
}

impl Signals {
    fn catch() -> Self {
        let signals = Signals { free: Arc::new(AtomicBool::new(true)), caught: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
            // Where a handler cannot be set the signal's own effect remains: the loop ends all the same.
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 0, signals.free.clone());
            let _ = signal_hook::flag::register(signal, signals.caught.clone());
        }
        signals
    }

    /// Does `work` to its end even when a signal comes, which then takes effect.
    fn hold(&self, work: impl FnOnce() -> Result<(), WriteError>) -> Result<(), WriteError> {
        self.free.store(false, Ordering::SeqCst);
        let done = work();
        self.free.store(true, Ordering::SeqCst);
        if self.caught.load(Ordering::SeqCst) {
            std::process::exit(0);
        }
        done
    }
}

/// Redraws a frame over the one before it. The cursor is moved up and each line is overwritten to its end:
/// nothing is erased before it is replaced, so nothing flickers, and no mode of the terminal outlives the
/// frame that set it, so there is nothing to restore.
#[derive(Default)]
struct Screen {
    lines: usize,
}

impl Screen {
    fn redraw(&mut self, buffer: &mut Vec<u8>) {
        let rows = terminal_size().map(|(_, rows)| usize::from(rows)).filter(|rows| *rows > 1);
        let frame = self.frame(&String::from_utf8_lossy(buffer), rows.unwrap_or(usize::MAX));
        *buffer = frame.into_bytes();
    }

    /// The bytes that put `text` where the last frame stands, on a terminal of so many rows.
    fn frame(&mut self, text: &str, rows: usize) -> String {
        let up = self.lines.min(rows.saturating_sub(1));
        // Lines that do not fit are cut by the terminal rather than wrapped: a wrapped line would take two
        // rows, and the next frame would start too low.
        let mut frame = String::from("\u{1b}[?7l\r");
        if up > 0 {
            frame.push_str(&format!("\u{1b}[{up}A"));
        }
        let total = text.lines().count();
        let shown = if total < rows { total } else { rows.saturating_sub(2) };
        for line in text.lines().take(shown) {
            frame.push_str(line);
            frame.push_str("\u{1b}[K\r\n");
        }
        self.lines = shown;
        if shown < total {
            frame.push_str(&format!("… {} more lines\u{1b}[K\r\n", total - shown));
            self.lines += 1;
        }
        frame.push_str("\u{1b}[J\u{1b}[?7h");
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_due_at_multiples_of_the_interval() {
        let ms = Duration::from_millis;
        assert_eq!(until_next(ms(0), ms(500)), ms(500));
        assert_eq!(until_next(ms(20), ms(500)), ms(480));
        // A tick that took longer than the interval: the one that it ran over is left out.
        assert_eq!(until_next(ms(1_240), ms(500)), ms(260));
        assert!(until_next(ms(7), Duration::ZERO) > Duration::ZERO);
    }

    #[test]
    fn a_shorter_frame_leaves_nothing_of_the_longer_one() {
        let mut screen = Screen::default();
        let first = screen.frame("one\ntwo\nthree\n", 24);
        assert!(!first.contains('A'), "the first frame starts where the cursor is: {first:?}");
        let second = screen.frame("four\n", 24);
        assert!(second.starts_with("\u{1b}[?7l\r\u{1b}[3A"), "{second:?}");
        assert!(second.ends_with("four\u{1b}[K\r\n\u{1b}[J\u{1b}[?7h"), "{second:?}");
    }

    #[test]
    fn a_frame_taller_than_the_screen_says_so() {
        let mut screen = Screen::default();
        let text: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let frame = screen.frame(&text, 10);
        assert_eq!(frame.matches("\r\n").count(), 9);
        assert!(frame.contains("… 92 more lines"), "{frame:?}");
        assert_eq!(screen.lines, 9);
    }
}
