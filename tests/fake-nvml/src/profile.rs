//! What a driver's library had: the functions that it exports, the version that it tells, the struct
//! versions that it knows, how wide its process entries are and how it numbers field values.

/// A driver that `FAKE_NVML_DRIVER` can name.
#[derive(Debug)]
pub struct Profile {
    /// As the variable spells it.
    pub name: &'static str,
    /// Version of the kernel driver.
    pub driver: &'static str,
    /// Version of the library.
    pub library: &'static str,
    /// CUDA version, as 1000 × major + 10 × minor.
    pub cuda: i32,
    /// Bytes of an entry that the third form of the process lists writes.
    pub process_entry: usize,
}

/// The profiles, oldest first.
pub const PROFILES: [Profile; 10] = [
    profile("390", "390.157", "9.390.157", 9010),
    profile("418", "418.226.00", "10.418.226.00", 10010),
    profile("450", "450.248.02", "11.450.248.02", 11000),
    profile("470", "470.256.02", "11.470.256.02", 11040),
    profile("510", "510.108.03", "11.510.108.03", 11060),
    Profile { process_entry: 40, ..profile("535.54", "535.54.03", "12.535.54.03", 12020) },
    profile("550", "550.163.01", "12.550.163.01", 12040),
    profile("580.65", "580.65.06", "13.580.65.06", 13000),
    profile("580.82", "580.82.07", "13.580.82.07", 13000),
    profile("610", "610.43.02", "13.610.43.02", 13030),
];

const fn profile(name: &'static str, driver: &'static str, library: &'static str, cuda: i32) -> Profile {
    Profile { name, driver, library, cuda, process_entry: 24 }
}

/// A driver version's first two numbers, for comparison: `580.82.07` is (580, 82).
pub fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().split('.').map(str::parse::<u32>);
    Some((parts.next()?.ok()?, parts.next().and_then(Result::ok).unwrap_or(0)))
}

/// The functions that appeared in a version, from `introduced.txt`.
fn introduced() -> impl Iterator<Item = (&'static str, (u32, u32))> {
    let lines = include_str!("../introduced.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?, version(words.next()?)?))
    })
}

impl Profile {
    /// The profile by that name.
    pub fn named(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name == name)
    }

    /// The driver's version for comparison.
    pub fn version(&self) -> (u32, u32) {
        version(self.driver).unwrap_or_default()
    }

    /// What the profile itself answers, whatever was recorded.
    pub fn answer(&self, symbol: &str) -> Option<serde_json::Value> {
        match symbol {
            "nvmlSystemGetDriverVersion" => Some(self.driver.into()),
            "nvmlSystemGetNVMLVersion" => Some(self.library.into()),
            "nvmlSystemGetCudaDriverVersion" | "nvmlSystemGetCudaDriverVersion_v2" => Some(self.cuda.into()),
            _ => None,
        }
    }

    /// The functions that this driver's library does not export.
    pub fn absent(&self) -> impl Iterator<Item = &'static str> {
        let own = self.version();
        introduced().filter(move |(_, since)| own < *since).map(|(symbol, _)| symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_lack_what_came_later() {
        let lacks = |driver: &str, symbol: &str| {
            Profile::named(driver).expect("a profile").absent().any(|absent| absent == symbol)
        };
        assert!(lacks("418", "nvmlDeviceGetMigMode") && !lacks("450", "nvmlDeviceGetMigMode"));
        assert!(lacks("470", "nvmlDeviceGetMemoryInfo_v2") && !lacks("510", "nvmlDeviceGetMemoryInfo_v2"));
        assert!(lacks("550", "nvmlDeviceGetTemperatureV") && !lacks("580.65", "nvmlDeviceGetTemperatureV"));
        assert!(!lacks("390", "nvmlDeviceGetCount_v2"));
        assert_eq!(Profile::named("610").expect("a profile").absent().count(), 0);
    }

    #[test]
    fn only_exported_functions_are_listed() {
        for (symbol, _) in introduced() {
            assert!(crate::SYMBOLS.contains(&symbol), "{symbol}");
        }
    }
}
