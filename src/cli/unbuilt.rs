//! What nvidia-smi has and rsmi does not yet. Such a line is read, so that its mistakes are told, its
//! devices are looked for, and then it is refused in one honest line. Building something removes its row.

use super::typed::Task;

/// What a task is called that nothing does yet.
pub(super) fn name(task: &Task) -> String {
    match task {
        Task::Columns => "`--columns`".to_owned(),
        Task::Report { xml: false } => "`-q`".to_owned(),
        Task::Report { xml: true } => "`-q -x`".to_owned(),
        Task::Dtd => "`--dtd`".to_owned(),
        Task::Debug => "`--debug`".to_owned(),
        Task::Setting(option) => format!("`{option}`"),
        Task::Word(word) => format!("`{word}`"),
        Task::Help
        | Task::HelpQuery(_)
        | Task::Version
        | Task::List
        | Task::ListExcluded
        | Task::Gpustat(_)
        | Task::Query(..)
        | Task::Summary => "this".to_owned(),
    }
}
