//! Which calls are under way, written down for another process: it can tell what a driver hangs in when the
//! process that asked cannot. The file has no name; both know it through the supervisor's folder in `/proc`.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a worker is doing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Note {
    /// Which round it is in, from 0.
    pub round: u64,
    /// True between two rounds.
    pub idle: bool,
    /// The calls that have not come back: the function, and the device that it is about.
    pub pending: Vec<(String, Option<u32>)>,
}

/// The file in which a worker writes down what it does: a line for the round, one for calls about the
/// machine as a whole, and one for each device, since devices are asked side by side.
#[derive(Debug)]
pub struct Progress {
    file: File,
    round: Mutex<u64>,
}

/// Bytes of a line: more than the longest name of a function.
const ROOM: usize = 96;
/// The line of the round.
const ROUND: u64 = 0;

/// The line of calls about a device, or about the machine.
fn place(device: Option<u32>) -> u64 {
    device.map_or(1, |device| u64::from(device) + 2)
}

impl Progress {
    /// A new file without a name; none where there is no such thing.
    pub fn create() -> Option<Self> {
        let fd = rustix::fs::memfd_create("rsmi", rustix::fs::MemfdFlags::CLOEXEC).ok()?;
        Some(Progress { file: File::from(fd), round: Mutex::default() })
    }

    /// The file that the supervisor made.
    pub fn open(path: &Path) -> Option<Self> {
        Some(Progress { file: File::options().read(true).write(true).open(path).ok()?, round: Mutex::default() })
    }

    /// Where another process finds it.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd()))
    }

    /// Forgets what was written.
    pub fn clear(&self) {
        let _ = self.file.set_len(0);
    }

    /// Writes a call down, makes it, and strikes it out.
    pub fn during<T>(&self, symbol: &str, device: Option<u32>, call: impl FnOnce() -> T) -> T {
        self.write(place(device), symbol);
        let answer = call();
        self.write(place(device), "");
        answer
    }

    /// Writes down that a round begins.
    pub fn begin(&self) {
        *self.now() += 1;
        let round = *self.now();
        self.write(ROUND, &format!("{round} busy"));
    }

    /// Writes down that a round is over.
    pub fn rest(&self) {
        let round = *self.now();
        self.write(ROUND, &format!("{round} idle"));
    }

    fn now(&self) -> std::sync::MutexGuard<'_, u64> {
        self.round.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// One write of always the same length: a reader sees one text or the other. That it fails is no reason
    /// not to ask the driver.
    fn write(&self, place: u64, text: &str) {
        let _ = self.file.write_all_at(format!("{text:<ROOM$}").as_bytes(), place * ROOM as u64);
    }

    /// What stands in the file.
    pub fn read(&self) -> Note {
        let length = self.file.metadata().map_or(0, |file| file.len());
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        let count = self.file.read_at(&mut bytes, 0).unwrap_or(0);
        bytes.truncate(count);
        let mut lines =
            bytes.chunks(ROOM).map(|line| String::from_utf8_lossy(line).trim_matches([' ', '\0']).to_owned());
        let round = lines.next().unwrap_or_default();
        let (round, state) = round.split_once(' ').unwrap_or(("0", "busy"));
        let about = |line: usize| line.checked_sub(1).and_then(|device| u32::try_from(device).ok());
        let calls = lines.enumerate().filter(|(_, symbol)| !symbol.is_empty());
        Note {
            round: round.parse().unwrap_or(0),
            idle: state == "idle",
            pending: calls.map(|(line, symbol)| (symbol, about(line))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_as_they_were_written() {
        let progress = Progress::create().expect("a file without a name");
        assert_eq!(progress.read(), Note::default());
        progress.begin();
        let other = Progress::open(&progress.path()).expect("the same file");
        let note = progress.during("nvmlDeviceGetTemperatureV", Some(2), || {
            progress.during("nvmlSystemGetDriverVersion", None, || {
                progress.during("nvmlDeviceGetName", Some(0), || other.read())
            })
        });
        let pending = [
            ("nvmlSystemGetDriverVersion".to_owned(), None),
            ("nvmlDeviceGetName".to_owned(), Some(0)),
            ("nvmlDeviceGetTemperatureV".to_owned(), Some(2)),
        ];
        assert_eq!(note, Note { round: 1, idle: false, pending: pending.to_vec() });
        progress.rest();
        assert_eq!(other.read(), Note { round: 1, idle: true, pending: Vec::new() });
        progress.clear();
        assert_eq!(other.read(), Note::default());
    }
}
