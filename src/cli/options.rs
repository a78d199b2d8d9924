//! Every option of both faces, one row each: how it is spelt and whether a value follows. Being in the
//! table is being known to both parsers, to near matches and, where nvidia-smi's spelling is not what
//! clap reads (`-lms`, `-pm`), to the translation between them.

use super::typed::Kind;

/// What an option asks for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Id {
    Help,
    Version,
    List,
    ListExcluded,
    HelpQuery(Kind),
    Query(Kind),
    Format,
    Devices,
    File,
    Loop,
    LoopMs,
    Columns,
    Report,
    Xml,
    Unit,
    Dtd,
    Display,
    Setting,
    ErrorOnWarning,
    Debug,
    Replay,
    Record,
    Anonymize,
    Demo,
    Nvml,
    Color,
    Timeout,
    Sort,
    Where,
}

impl Id {
    /// True for the switches that rsmi adds: they go with every command of either face.
    pub(super) fn is_added(self) -> bool {
        matches!(
            self,
            Id::Replay
                | Id::Record
                | Id::Anonymize
                | Id::Demo
                | Id::Nvml
                | Id::Color
                | Id::Timeout
                | Id::Sort
                | Id::Where
        )
    }
}

/// Whether a value follows an option, as the next word or behind `=`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Takes {
    Nothing,
    Value,
    PerhapsValue,
}

/// One option.
pub(super) struct Opt {
    pub(super) id: Id,
    /// nvidia-smi's short spelling with its dash; empty where there is none.
    pub(super) short: &'static str,
    /// The long spelling with its dashes.
    pub(super) long: &'static str,
    pub(super) takes: Takes,
}

impl Opt {
    /// True when this word, without anything behind `=`, is the option.
    pub(super) fn is_spelt(&self, word: &str) -> bool {
        word == self.long || (word == self.short && !word.is_empty())
    }
}

/// The option that a word spells.
pub(super) fn find(word: &str) -> Option<&'static Opt> {
    OPTIONS.iter().find(|option| option.is_spelt(word))
}

const fn row(id: Id, short: &'static str, long: &'static str, takes: Takes) -> Opt {
    Opt { id, short, long, takes }
}

use Takes::{Nothing, PerhapsValue, Value};

/// All options.
pub(super) static OPTIONS: &[Opt] = &[
    row(Id::Help, "-h", "--help", Nothing),
    row(Id::Version, "", "--version", Nothing),
    row(Id::List, "-L", "--list-gpus", Nothing),
    row(Id::ListExcluded, "-B", "--list-excluded-gpus", Nothing),
    row(Id::HelpQuery(Kind::Gpu), "", "--help-query-gpu", Nothing),
    row(Id::HelpQuery(Kind::SupportedClocks), "", "--help-query-supported-clocks", Nothing),
    row(Id::HelpQuery(Kind::ComputeApps), "", "--help-query-compute-apps", Nothing),
    row(Id::HelpQuery(Kind::AccountedApps), "", "--help-query-accounted-apps", Nothing),
    row(Id::HelpQuery(Kind::RetiredPages), "", "--help-query-retired-pages", Nothing),
    row(Id::HelpQuery(Kind::RemappedRows), "", "--help-query-remapped-rows", Nothing),
    row(Id::Query(Kind::Gpu), "", "--query-gpu", Value),
    row(Id::Query(Kind::SupportedClocks), "", "--query-supported-clocks", Value),
    row(Id::Query(Kind::ComputeApps), "", "--query-compute-apps", Value),
    row(Id::Query(Kind::AccountedApps), "", "--query-accounted-apps", Value),
    row(Id::Query(Kind::RetiredPages), "", "--query-retired-pages", Value),
    row(Id::Query(Kind::RemappedRows), "", "--query-remapped-rows", Value),
    row(Id::Format, "", "--format", Value),
    row(Id::Devices, "-i", "--id", Value),
    row(Id::File, "-f", "--filename", Value),
    row(Id::Loop, "-l", "--loop", PerhapsValue),
    row(Id::LoopMs, "-lms", "--loop-ms", PerhapsValue),
    row(Id::Columns, "-col", "--columns", Value),
    row(Id::Report, "-q", "--query", Nothing),
    row(Id::Xml, "-x", "--xml-format", Nothing),
    row(Id::Unit, "-u", "--unit", Nothing),
    row(Id::Dtd, "", "--dtd", Nothing),
    row(Id::Display, "-d", "--display", Value),
    row(Id::Debug, "", "--debug", Value),
    row(Id::ErrorOnWarning, "-eow", "--error-on-warning", Nothing),
    row(Id::Setting, "-pm", "--persistence-mode", Value),
    row(Id::Setting, "-e", "--ecc-config", Value),
    row(Id::Setting, "-p", "--reset-ecc-errors", Value),
    row(Id::Setting, "-c", "--compute-mode", Value),
    row(Id::Setting, "", "--gom", Value),
    row(Id::Setting, "-r", "--gpu-reset", PerhapsValue),
    row(Id::Setting, "-vm", "--virt-mode", Value),
    row(Id::Setting, "-lgc", "--lock-gpu-clocks", Value),
    row(Id::Setting, "-m", "--mode", Value),
    row(Id::Setting, "-rgc", "--reset-gpu-clocks", Nothing),
    row(Id::Setting, "-lmc", "--lock-memory-clocks", Value),
    row(Id::Setting, "-rmc", "--reset-memory-clocks", Nothing),
    row(Id::Setting, "-lmcd", "--lock-memory-clocks-deferred", Value),
    row(Id::Setting, "-rmcd", "--reset-memory-clocks-deferred", Nothing),
    row(Id::Setting, "-ac", "--applications-clocks", Value),
    row(Id::Setting, "-rac", "--reset-applications-clocks", Nothing),
    row(Id::Setting, "-pl", "--power-limit", Value),
    row(Id::Setting, "-sc", "--scope", Value),
    row(Id::Setting, "-cc", "--cuda-clocks", Value),
    row(Id::Setting, "-am", "--accounting-mode", Value),
    row(Id::Setting, "-caa", "--clear-accounted-apps", Nothing),
    row(Id::Setting, "", "--auto-boost-default", Value),
    row(Id::Setting, "", "--auto-boost-permission", Value),
    row(Id::Setting, "-mig", "--multi-instance-gpu", Value),
    row(Id::Setting, "-gtt", "--gpu-target-temp", Value),
    row(Id::Setting, "-den", "--dram-encryption", Value),
    row(Id::Setting, "", "--set-hostname", Value),
    row(Id::Setting, "", "--get-hostname", Nothing),
    row(Id::Setting, "-t", "--toggle-led", Value),
    row(Id::Replay, "", "--replay", Value),
    row(Id::Record, "", "--record", Value),
    row(Id::Anonymize, "", "--anonymize", Nothing),
    row(Id::Demo, "", "--demo", Nothing),
    row(Id::Nvml, "", "--nvml", Value),
    row(Id::Color, "", "--color", Value),
    row(Id::Timeout, "", "--timeout", Value),
    row(Id::Sort, "", "--sort", Value),
    row(Id::Where, "", "--where", Value),
];

/// The commands that are a word, as the first argument.
pub(super) static WORDS: &[&str] = &[
    "dmon",
    "daemon",
    "replay",
    "pmon",
    "topo",
    "drain",
    "nvlink",
    "c2c",
    "clocks",
    "encodersessions",
    "fbcsessions",
    "vgpu",
    "mig",
    "compute-policy",
    "boost-slider",
    "power-hint",
    "base-clocks",
    "conf-compute",
    "gpm",
    "pci",
    "power-smoothing",
    "power-profiles",
    "prm",
];

/// The sections that `-q -d` can ask for, in any case.
pub(super) static SECTIONS: &[&str] = &[
    "MEMORY",
    "UTILIZATION",
    "ECC",
    "TEMPERATURE",
    "POWER",
    "CLOCK",
    "COMPUTE",
    "PIDS",
    "PERFORMANCE",
    "SUPPORTED_CLOCKS",
    "PAGE_RETIREMENT",
    "ACCOUNTING",
    "ENCODER_STATS",
    "SUPPORTED_GPU_TARGET_TEMP",
    "VOLTAGE",
    "FBC_STATS",
    "ROW_REMAPPER",
    "GSP_FIRMWARE_VERSION",
    "POWER_SMOOTHING",
    "POWER_PROFILES",
];

/// The first name in a list of sections that is none.
pub(super) fn unknown_section(list: &str) -> Option<&str> {
    let known = |name: &str| SECTIONS.iter().any(|section| section.eq_ignore_ascii_case(name));
    list.split(',').find(|name| !name.is_empty() && !known(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spelling_stands_for_two_options() {
        let spellings = OPTIONS.iter().flat_map(|option| [option.short, option.long]).filter(|word| !word.is_empty());
        let mut all: Vec<_> = spellings.collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn sections_are_known_in_any_case() {
        assert_eq!(unknown_section("memory,Ecc,POWER"), None);
        assert_eq!(unknown_section(","), None);
        assert_eq!(unknown_section("MEMORY,NOPE"), Some("NOPE"));
        assert_eq!(unknown_section("RESET_STATUS"), Some("RESET_STATUS"));
    }
}
