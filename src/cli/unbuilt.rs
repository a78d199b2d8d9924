//! What nvidia-smi has and rsmi does not yet. Such a line is read, so that its mistakes are told, its
//! devices are looked for, and then it is refused in one honest line. Building something removes its row.

use super::typed::{Kind, Task};

/// What a task is called that nothing does yet.
pub(super) fn name(task: &Task) -> String {
    match task {
        Task::Summary => "the table of `nvidia-smi` without arguments".to_owned(),
        Task::Columns => "`--columns`".to_owned(),
        Task::Report { xml: false } => "`-q`".to_owned(),
        Task::Report { xml: true } => "`-q -x`".to_owned(),
        Task::Dtd => "`--dtd`".to_owned(),
        Task::Debug => "`--debug`".to_owned(),
        Task::Setting(option) => format!("`{option}`"),
        Task::Word(word) => format!("`{word}`"),
        Task::Query(kind, _) => format!("`--query-{}`", switch(*kind)),
        Task::HelpQuery(kind) => format!("`--help-query-{}`", switch(*kind)),
        Task::Help | Task::Version | Task::List | Task::ListExcluded => "this".to_owned(),
    }
}

fn switch(kind: Kind) -> &'static str {
    match kind {
        Kind::Gpu => "gpu",
        Kind::SupportedClocks => "supported-clocks",
        Kind::ComputeApps => "compute-apps",
        Kind::AccountedApps => "accounted-apps",
        Kind::RetiredPages => "retired-pages",
        Kind::RemappedRows => "remapped-rows",
    }
}
