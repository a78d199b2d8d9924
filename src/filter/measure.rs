//! What a field's numbers measure, and the units in which a person may give one.

use crate::value::Unit;

/// What the numbers of a field measure.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Measure {
    /// A count, or text: no unit.
    Plain,
    /// Degrees; their headers name no unit.
    Celsius,
    /// Per cent.
    Percent,
    /// Memory.
    MiB,
    /// Frequency.
    MHz,
    /// Power.
    Watt,
    /// Time in microseconds.
    Microsecond,
    /// Time in milliseconds.
    Millisecond,
    /// Time in seconds.
    Second,
}

/// Every unit that some measure knows: `GiB` of `500 GiB` belongs to the number before it.
const ALL: [Measure; 8] = [
    Measure::Celsius,
    Measure::Percent,
    Measure::MiB,
    Measure::MHz,
    Measure::Watt,
    Measure::Microsecond,
    Measure::Millisecond,
    Measure::Second,
];

const SECONDS: [(&str, f64); 6] =
    [("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)];
const MIB: f64 = 1_048_576.0;

impl Measure {
    /// What a query field measures.
    pub fn of(name: &str, unit: Option<Unit>) -> Self {
        match unit {
            None if name.starts_with("temperature.") => Measure::Celsius,
            None => Measure::Plain,
            Some(Unit::Percent) => Measure::Percent,
            Some(Unit::MiB) => Measure::MiB,
            Some(Unit::MHz) => Measure::MHz,
            Some(Unit::Watt) => Measure::Watt,
            Some(Unit::Microsecond) => Measure::Microsecond,
            Some(Unit::Millisecond) => Measure::Millisecond,
        }
    }

    /// The units that go with it, the field's own first, and how much of the own unit one of each is.
    fn units(self) -> Vec<(&'static str, f64)> {
        let times = |factor: f64| SECONDS.iter().map(|(name, seconds)| (*name, seconds * factor)).collect();
        match self {
            Measure::Plain => Vec::new(),
            Measure::Celsius => vec![("C", 1.0), ("°C", 1.0)],
            Measure::Percent => vec![("%", 1.0)],
            Measure::MiB => vec![
                ("MiB", 1.0),
                ("GiB", 1024.0),
                ("KiB", 1.0 / 1024.0),
                ("TiB", MIB),
                ("B", 1.0 / MIB),
                ("KB", 1e3 / MIB),
                ("MB", 1e6 / MIB),
                ("GB", 1e9 / MIB),
                ("TB", 1e12 / MIB),
                // As everybody says them of memory.
                ("K", 1.0 / 1024.0),
                ("M", 1.0),
                ("G", 1024.0),
                ("T", MIB),
            ],
            Measure::MHz => vec![("MHz", 1.0), ("GHz", 1e3), ("kHz", 1e-3), ("Hz", 1e-6)],
            Measure::Watt => vec![("W", 1.0), ("kW", 1e3), ("mW", 1e-3)],
            Measure::Microsecond => times(1e6),
            Measure::Millisecond => times(1e3),
            Measure::Second => times(1.0),
        }
    }

    /// So much of a unit in the field's own unit; none where the unit does not go with it. Case matters only
    /// where it tells two units apart.
    pub(super) fn convert(self, number: f64, unit: &str) -> Option<f64> {
        let units = self.units();
        let same = units.iter().find(|(name, _)| *name == unit);
        let found = same.or_else(|| units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)));
        found.map(|(_, factor)| number * factor)
    }

    /// The units that are accepted, for a message.
    pub(super) fn accepted(self) -> String {
        self.units().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// True for a word that is a unit of something.
    pub(super) fn any(word: &str) -> bool {
        ALL.iter().any(|measure| measure.convert(1.0, word).is_some())
    }
}
