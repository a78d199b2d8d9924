//! The local time, as nvidia-smi writes it: no zone, dots and slashes that no locale changes. Reading the
//! clock is all that happens when a moment is taken; what the local time was is worked out when somebody
//! wants to see it, and the zone is read once.
//!
//! The zone is found as the C library finds it: `TZ` names a file, a zone or a rule, else there is
//! `/etc/localtime`, and what cannot be read means UTC. jiff's own search would look through the whole
//! zone database first, which costs more than the question to the driver.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A moment.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Moment(Kind);

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    Clock(Timestamp),
    Recorded(DateTime),
}

impl Moment {
    /// This moment.
    pub fn now() -> Self {
        Moment(Kind::Clock(Timestamp::now()))
    }

    /// A moment from a recording, written as [`Display`](std::fmt::Display) does.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(|local| Moment(Kind::Recorded(local)))
    }

    /// The moment so many seconds after the beginning of 1970, unless no calendar goes that far.
    pub fn at(seconds: u64) -> Option<Self> {
        Timestamp::from_second(i64::try_from(seconds).ok()?).ok().map(|timestamp| Moment(Kind::Clock(timestamp)))
    }

    fn local(self) -> DateTime {
        match self.0 {
            Kind::Clock(timestamp) => zone().to_datetime(timestamp),
            Kind::Recorded(local) => local,
        }
    }

    /// `2026/11/29 12:05:00.380`, for the field `timestamp`.
    pub fn stamp(self) -> String {
        self.local().strftime("%Y/%m/%d %H:%M:%S%.3f").to_string()
    }

    /// `Sun Nov 29 12:05:00 2026`, for the classic table and `-q`.
    pub fn asctime(self) -> String {
        self.local().strftime("%a %b %e %H:%M:%S %Y").to_string()
    }
}

impl Moment {
    /// `2026-11-29T12:05:00.380125`, for gpustat: to the microsecond, of which a whole second has none.
    pub fn iso(self) -> String {
        let local = self.local();
        let format = if local.subsec_nanosecond() < 1000 { "%Y-%m-%dT%H:%M:%S" } else { "%Y-%m-%dT%H:%M:%S%.6f" };
        local.strftime(format).to_string()
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.local().strftime("%Y-%m-%dT%H:%M:%S%.3f"))
    }
}

/// The zone of this machine.
fn zone() -> &'static TimeZone {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    ZONE.get_or_init(|| {
        let found = match std::env::var("TZ") {
            Ok(name) if name.is_empty() => None,
            Ok(name) => zone_called(&name),
            Err(_) => zone_in(Path::new("/etc/localtime")),
        };
        found.unwrap_or(TimeZone::UTC)
    })
}

/// What `TZ` can be: a file, a zone of the database, or a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
fn zone_called(name: &str) -> Option<TimeZone> {
    let name = name.strip_prefix(':').unwrap_or(name);
    let file = match Path::new(name) {
        path if path.is_absolute() => path.to_owned(),
        path => PathBuf::from("/usr/share/zoneinfo").join(path),
    };
    zone_in(&file).or_else(|| TimeZone::posix(name).ok())
}

fn zone_in(file: &Path) -> Option<TimeZone> {
    TimeZone::tzif("local", &std::fs::read(file).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_each_form() {
        let moment = Moment::parse("2026-03-05T07:08:09.045").expect("a moment");
        assert_eq!(moment.stamp(), "2026/03/05 07:08:09.045");
        assert_eq!(moment.asctime(), "Thu Mar  5 07:08:09 2026");
        assert_eq!(moment.to_string(), "2026-03-05T07:08:09.045");
        assert_eq!(moment.iso(), "2026-03-05T07:08:09.045000");
        assert_eq!(Moment::parse("2026-03-05T07:08:09").map(Moment::iso).as_deref(), Some("2026-03-05T07:08:09"));
        assert_eq!(Moment::parse("yesterday"), None);
    }

    #[test]
    fn zones_are_rules_or_files_and_nonsense_is_none() {
        let hours = |name: &str| zone_called(name).map(|zone| zone.to_offset(Timestamp::UNIX_EPOCH).seconds() / 3600);
        assert_eq!(hours("XYZ-5"), Some(5));
        assert_eq!(hours(":/nonexistent"), None);
        assert_eq!(hours("No/Such_Zone"), None);
        assert_eq!(hours(""), None);
    }
}
