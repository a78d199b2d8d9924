//! The processes behind the pids that the devices list: whose they are, what they run, and how busy they
//! keep the processor. Each is looked up once, however many devices it is on.

use crate::host::{Knows, Process};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Over which time the processor load is measured.
const MEASURED: Duration = Duration::from_millis(100);

/// The processes by pid.
pub(super) struct People(BTreeMap<u32, Option<Person>>);

/// A process.
pub(super) struct Person {
    process: Process,
    /// Processor load in per cent of one core; none where the process ended while it was measured.
    pub(super) load: Option<f64>,
}

impl People {
    /// Looks the processes up; measures their `load` if asked. Where the host is not `moving` there is
    /// nothing to wait for.
    pub(super) fn look_up(host: &dyn Knows, pids: impl Iterator<Item = u32>, load: bool, moving: bool) -> Self {
        let mut people = BTreeMap::new();
        let mut begun = BTreeMap::new();
        for pid in pids {
            people.entry(pid).or_insert_with(|| {
                let process = host.process(pid);
                begun.insert(pid, Instant::now());
                let load = process.as_ref().map(whole_life);
                process.map(|process| Person { process, load })
            });
        }
        if load && moving && people.values().any(Option::is_some) {
            std::thread::sleep(MEASURED);
            for (pid, person) in &mut people {
                if let (Some(person), Some(begun)) = (person, begun.get(pid)) {
                    let before = person.process.cpu_time.unwrap_or(0);
                    let now = host.process(*pid).and_then(|process| process.cpu_time);
                    person.load = now.map(|now| percent(now.saturating_sub(before), begun.elapsed().as_secs_f64()));
                }
            }
        }
        People(people)
    }

    /// A process, unless the host does not show it.
    pub(super) fn get(&self, pid: u32) -> Option<&Person> {
        self.0.get(&pid)?.as_ref()
    }

    /// A line about those that the host does not show, where there are any.
    pub(super) fn left_out(&self) -> Option<String> {
        const NAMED: usize = 8;
        let pids: Vec<String> =
            self.0.iter().filter(|(_, person)| person.is_none()).map(|(pid, _)| pid.to_string()).collect();
        let (processes, they) = match pids.len() {
            0 => return None,
            1 => ("process is", "it has ended, is"),
            _ => ("processes are", "they have ended, are"),
        };
        let named: Vec<&str> = pids.iter().map(String::as_str).take(NAMED).collect();
        let more = if pids.len() > NAMED { ", …" } else { "" };
        Some(format!(
            "{} {processes} left out (pid {}{more}): {they} hidden from you, or in another PID namespace",
            pids.len(),
            named.join(", ")
        ))
    }
}

/// The share of its life that a process has computed, in per cent.
fn whole_life(process: &Process) -> f64 {
    match (process.cpu_time, process.age) {
        (Some(computed), Some(age)) if age > 0 => percent(computed, age as f64),
        _ => 0.0,
    }
}

/// Milliseconds of so many seconds in per cent, to one decimal place.
fn percent(milliseconds: u64, seconds: f64) -> f64 {
    let percent = if seconds > 0.0 { milliseconds as f64 / 10.0 / seconds } else { 0.0 };
    format!("{percent:.1}").parse().unwrap_or(0.0)
}

impl Person {
    /// The user's name.
    pub(super) fn user(&self) -> &str {
        self.process.user.as_deref().unwrap_or("?")
    }

    /// Memory that it holds on the host, in bytes.
    pub(super) fn resident(&self) -> Option<u64> {
        self.process.resident
    }

    /// The command line, word by word. A single word with spaces in it is a title that a program gave
    /// itself, and the words are in there. A question mark where there is none.
    pub(super) fn words(&self) -> Vec<String> {
        let words: Vec<String> = self.process.command.iter().map(|word| word.lossy().into_owned()).collect();
        match words.as_slice() {
            [] => vec!["?".to_owned()],
            [title] if title.contains(' ') => title.split(' ').map(str::to_owned).collect(),
            _ => words,
        }
    }

    /// The program's name without its folder.
    pub(super) fn command(&self) -> String {
        let first = self.words().into_iter().next().unwrap_or_default();
        first.rsplit('/').next().unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::answers::Text;

    fn person(words: &[&str]) -> Person {
        let command = words.iter().map(|word| Text::from(*word)).collect();
        Person { process: Process { command, ..Process::default() }, load: None }
    }

    #[test]
    fn commands_are_names_without_folders() {
        let cases: &[(&[&str], &str)] = &[
            (&["/usr/bin/python3", "train.py"], "python3"),
            (&["python3"], "python3"),
            (&[], "?"),
            (&["", "105"], ""),
            (&["nginx: worker process"], "nginx:"),
            (&["folder/"], ""),
        ];
        for (words, command) in cases {
            assert_eq!(person(words).command(), *command, "{words:?}");
        }
        let odd =
            Person { process: Process { command: vec![Text(b"bad\xff".to_vec())], ..Process::default() }, load: None };
        assert_eq!(odd.command(), "bad\u{fffd}");
    }

    #[test]
    fn loads_have_one_decimal_place() {
        let life = |cpu_time, age| whole_life(&Process { cpu_time, age, ..Process::default() });
        assert_eq!(life(Some(8_100), Some(9)), 90.0);
        assert_eq!(life(Some(1), Some(3)), 0.0);
        assert_eq!(life(Some(730_900), Some(812)), 90.0);
        assert_eq!(life(Some(5), Some(0)), 0.0);
        assert_eq!(life(None, Some(7)), 0.0);
        assert_eq!(percent(99, 0.1), 99.0);
    }

    #[test]
    fn those_left_out_are_counted_and_named() {
        let gone = |pids: std::ops::Range<u32>| People(pids.map(|pid| (pid, None)).collect()).left_out();
        assert_eq!(gone(0..0), None);
        assert!(gone(7..8).expect("a line").starts_with("1 process is left out (pid 7): "));
        assert!(gone(1..3).expect("a line").starts_with("2 processes are left out (pid 1, 2): "));
        assert!(gone(1..20).expect("a line").contains("7, 8, …)"));
    }
}
