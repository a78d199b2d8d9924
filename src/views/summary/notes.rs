//! What the screen cannot show and should not hide: memory that belongs to nobody on it, processes that the
//! driver keeps back, processes that the host does not know. Each with what to do about it.

use super::facts::{Card, Facts, Item};
use crate::driver::Code;
use crate::value::{Reason, mib};

/// Memory that a device holds and no listed process does, in bytes. What the driver takes for itself beside
/// each process is no riddle: it counts from `LEAST` on, and only where it is more than 1 % of what is used.
pub(super) fn unaccounted(card: &Card) -> Option<u64> {
    /// Bytes. Ten small processes on an H200 left 67 MiB that none of them owned to.
    const LEAST: u64 = 128 << 20;
    /// Drivers that have only the older call count their own share as used, which is up to 700 MiB.
    const LEAST_WITH_RESERVE: u64 = 1 << 30;
    let bytes = |item| match card.get(item) {
        Ok(crate::value::Value::Bytes(bytes)) => Some(bytes),
        _ => None,
    };
    let used = bytes(Item::Used)?;
    let listed = card.listed.as_ref().ok()?;
    // Where one process' memory is not told, the sum says nothing.
    let owned = listed.iter().try_fold(0_u64, |sum, process| Some(sum.saturating_add(process.used?)))?;
    let left = used.saturating_sub(owned);
    let least = if bytes(Item::Reserved).is_some() { LEAST } else { LEAST_WITH_RESERVE };
    (left >= least && left > used / 100).then_some(left)
}

/// The notes, one a paragraph.
pub(super) fn notes(facts: &Facts) -> Vec<String> {
    [hidden_memory(facts), refused(facts), unknown(facts)].into_iter().flatten().collect()
}

fn hidden_memory(facts: &Facts) -> Option<String> {
    let found: Vec<(u32, u64)> = facts.cards.iter().filter_map(|card| Some((card.index, unaccounted(card)?))).collect();
    if found.is_empty() {
        return None;
    }
    let each: Vec<String> = found.iter().map(|(index, bytes)| format!("GPU {index} {}MiB", mib(*bytes))).collect();
    Some(format!(
        "in use, but by no process that is listed: {}. The driver hides processes of other PID namespaces: look from \
         the host, or from a container started with --pid=host",
        each.join(", ")
    ))
}

fn refused(facts: &Facts) -> Option<String> {
    let all = facts.cards.iter().filter(|card| card.sick.is_none());
    let denied = Reason::Code(Code::NO_PERMISSION);
    let mut lists: Vec<(u32, Code)> = Vec::new();
    let mut memory: Vec<u32> = Vec::new();
    for card in all {
        match &card.listed {
            Err(code) if !code.means_absent() => lists.push((card.index, *code)),
            _ if card.get(Item::Used) == Err(denied) => memory.push(card.index),
            _ => {}
        }
    }
    let names =
        |indexes: &mut dyn Iterator<Item = u32>| indexes.map(|index| index.to_string()).collect::<Vec<_>>().join(", ");
    let who = |code: Code| if code == Code::NO_PERMISSION { "; run it as root, or ask your administrator" } else { "" };
    match lists.first() {
        Some((_, code)) => Some(format!(
            "processes of GPU {} cannot be listed: {}{}",
            names(&mut lists.iter().map(|(index, _)| *index)),
            code.words(),
            who(*code)
        )),
        None if !memory.is_empty() => Some(format!(
            "memory of GPU {} is not told: {}{}",
            names(&mut memory.iter().copied()),
            Code::NO_PERMISSION.words(),
            who(Code::NO_PERMISSION)
        )),
        None => None,
    }
}

fn unknown(facts: &Facts) -> Option<String> {
    let mut pids: Vec<u32> =
        facts.processes.iter().filter(|process| process.host.is_none()).map(|process| process.listed.pid).collect();
    pids.sort_unstable();
    pids.dedup();
    let shown: Vec<String> = pids.iter().take(3).map(u32::to_string).collect();
    let more = if pids.len() > shown.len() { ", …" } else { "" };
    let is = if pids.len() == 1 { "process is" } else { "processes are" };
    (!pids.is_empty()).then(|| {
        format!(
            "{} {is} not to be found here (PID {}{more}): ended, of another PID namespace, or hidden by /proc's \
             hidepid; look from the host, or as root",
            pids.len(),
            shown.join(", ")
        )
    })
}
