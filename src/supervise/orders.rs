//! What a supervisor tells its worker, through a variable.

use std::path::PathBuf;

/// The variable that makes a process a worker.
pub(crate) const VARIABLE: &str = "RSMI_WORKER";

/// What a worker is told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Orders {
    /// The file in which calls are written down.
    pub progress: PathBuf,
    /// True when the supervisor's standard output is a terminal.
    pub terminal: bool,
    /// True when its standard error is one.
    pub errors: bool,
    /// Columns of that terminal.
    pub width: Option<u16>,
    /// True when an earlier worker has written rounds already.
    pub continued: bool,
    /// Devices that are not asked: a worker before this one got no answer from them.
    pub skip: Vec<u32>,
}

impl Orders {
    /// Reads what [`Display`](std::fmt::Display) wrote.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(6, ';');
        let (terminal, errors) = (parts.next()? == "1", parts.next()? == "1");
        let (width, continued) = (parts.next()?.parse().ok(), parts.next()? == "1");
        let skip = parts.next()?.split(',').filter_map(|index| index.parse().ok()).collect();
        Some(Orders { progress: PathBuf::from(parts.next()?), terminal, errors, width, continued, skip })
    }
}

impl std::fmt::Display for Orders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let width = self.width.map_or(String::new(), |width| width.to_string());
        let skip: Vec<String> = self.skip.iter().map(u32::to_string).collect();
        let flag = |flag: bool| if flag { 1 } else { 0 };
        write!(
            f,
            "{};{};{width};{};{};{}",
            flag(self.terminal),
            flag(self.errors),
            flag(self.continued),
            skip.join(","),
            self.progress.display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_survive_the_way_through_a_variable() {
        for orders in [
            Orders { progress: PathBuf::from("/proc/1/fd/3"), ..Orders::default() },
            Orders {
                progress: PathBuf::from("/x;y"),
                terminal: true,
                errors: true,
                width: Some(80),
                continued: true,
                skip: vec![2, 11],
            },
        ] {
            assert_eq!(Orders::parse(&orders.to_string()), Some(orders));
        }
        assert_eq!(Orders::parse(""), None);
        assert_eq!(Orders::parse("1;1;2;3"), None);
    }
}
