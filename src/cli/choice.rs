//! `--where` and `--sort`: the names in them are looked up among what the command can be sorted and chosen by.

use super::plan::Refusal;
use super::refusals::wrong;
use super::typed::Typed;
use crate::face::Face;
use crate::fields::gpu::{GpuQuery, REGISTRY};
use crate::fields::{Field, Query, Registry};
use crate::filter::{Choice, Measure, Resolve};
use crate::suggest;
use crate::views::summary::ProcessKey;

/// The records of a query: any of its fields counts, also one that is not shown.
pub(super) fn of_query<Q: Query>(
    face: Face,
    typed: &Typed,
    registry: &'static Registry<Q>,
) -> Result<Choice<&'static Field<Q>>, Refusal> {
    let resolve = |name: &str| {
        field(registry, name).ok_or_else(|| {
            let hint = suggest::hint(name, registry.names());
            let rest = format!("; `rsmi --help-{}` lists them", registry.switch);
            format!("unknown field `{name}`{}", if hint.is_empty() { rest } else { hint })
        })
    };
    told(face, typed.condition.as_deref(), None, &resolve)
        .and_then(|condition| Ok(condition.with_order(told(face, None, typed.sort.as_deref(), &resolve)?)))
}

/// What the summary shows: devices by the fields of `--query-gpu`, processes by keys of their own. A condition
/// and an order each speak of one of the two.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) gpus: Choice<&'static Field<GpuQuery>>,
    pub(super) processes: Choice<ProcessKey>,
}

pub(super) fn of_summary(face: Face, typed: &Typed) -> Result<Summary, Refusal> {
    let (mut gpus, mut processes) = (Choice::default(), Choice::default());
    for (condition, order) in [(typed.condition.as_deref(), None), (None, typed.sort.as_deref())] {
        if condition.is_none() && order.is_none() {
            continue;
        }
        let of_processes = Choice::parse(condition, order, &|name| ProcessKey::find(name).ok_or_else(String::new));
        let of_gpus = Choice::parse(condition, order, &|name| field(&REGISTRY, name).ok_or_else(String::new));
        match (of_processes, of_gpus) {
            (Ok(choice), _) if order.is_some() => processes = processes.with_order(choice),
            (Ok(choice), _) => processes = choice.with_order(processes),
            (_, Ok(choice)) if order.is_some() => gpus = gpus.with_order(choice),
            (_, Ok(choice)) => gpus = choice.with_order(gpus),
            (Err(_), Err(_)) => return Err(neither(face, condition, order)),
        }
    }
    Ok(Summary { gpus, processes })
}

/// Why something is neither about devices nor about processes.
fn neither(face: Face, condition: Option<&str>, order: Option<&str>) -> Refusal {
    let any = |name: &str| {
        let known = ProcessKey::find(name).map(|(_, measure)| measure);
        let known = known.or_else(|| field(&REGISTRY, name).map(|(_, measure)| measure));
        known.map(|measure| ((), measure)).ok_or_else(|| {
            let hint = suggest::hint(name, ProcessKey::names().chain(REGISTRY.names()));
            let keys: Vec<&str> = ProcessKey::names().collect();
            let rest =
                format!("; of processes there are {}, of GPUs what `rsmi --help-query-gpu` lists", keys.join(", "));
            format!("unknown field `{name}`{}", if hint.is_empty() { rest } else { hint })
        })
    };
    match told(face, condition, order, &any) {
        Err(refusal) => refusal,
        Ok(_) => {
            let (option, text) =
                if let Some(text) = condition { ("--where", text) } else { ("--sort", order.unwrap_or_default()) };
            wrong(face, format!("`{option}` speaks of GPUs or of processes, not of both as in `{text}`"))
        }
    }
}

fn field<Q: Query>(registry: &Registry<Q>, name: &str) -> Option<(&'static Field<Q>, Measure)> {
    registry.find(name).map(|field| (field, Measure::of(field.name, field.unit)))
}

fn told<K>(
    face: Face,
    condition: Option<&str>,
    order: Option<&str>,
    resolve: Resolve<K>,
) -> Result<Choice<K>, Refusal> {
    let option = if condition.is_some() { "--where" } else { "--sort" };
    Choice::parse(condition, order, resolve).map_err(|text| wrong(face, format!("`{option}`: {text}")))
}
