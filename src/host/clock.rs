//! The local time, as nvidia-smi writes it: no zone, dots and slashes that no locale changes. A `TZ` that
//! names no zone means UTC.

use jiff::civil::DateTime;

/// A moment in local time.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Moment(DateTime);

impl Moment {
    /// This moment.
    pub fn now() -> Self {
        Moment(jiff::tz::TimeZone::system().to_datetime(jiff::Timestamp::now()))
    }

    /// A moment from a recording, written as [`Display`](std::fmt::Display) does.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Moment)
    }

    /// `2026/11/29 12:05:00.380`, for the field `timestamp`.
    pub fn stamp(self) -> String {
        self.0.strftime("%Y/%m/%d %H:%M:%S%.3f").to_string()
    }

    /// `Sun Nov 29 12:05:00 2026`, for the classic table and `-q`.
    pub fn asctime(self) -> String {
        self.0.strftime("%a %b %e %H:%M:%S %Y").to_string()
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%dT%H:%M:%S%.3f"))
    }
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
        assert_eq!(Moment::parse("yesterday"), None);
    }
}
