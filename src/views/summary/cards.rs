//! The devices' part of the frame: a row for each, its MIG devices below it, and the totals.

use super::facts::{Card, Facts, Item, Part, share};
use super::grid::{Cell, Column, Grid, Room};
use super::text::wrap;
use super::theme::Paint;
use crate::format::terminal::clean;
use crate::value::{Reading, Reason, Value, mib};
use crate::views::query::condition;

/// What a column shows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    Index,
    NameShort,
    Name,
    BusId,
    Fan,
    Temperature,
    State,
    Draw,
    Power,
    MemoryShort,
    Memory,
    Busy,
    Mig,
    Ecc,
    Persistence,
    Compute,
}

/// A column, on screens at least `from` and less than `until` columns wide. Its rank says how soon it leaves
/// when the cells turn out wider than usual.
struct Spec {
    kind: Kind,
    from: usize,
    until: usize,
    column: Column,
    items: &'static [Item],
}

const ALWAYS: usize = usize::MAX;

fn specs(width: usize) -> Vec<Spec> {
    let spec = |kind, (from, until), title, right, room, rank, items| Spec {
        kind,
        from,
        until,
        column: Column { title, right, room, rank },
        items,
    };
    use Item as I;
    let all = vec![
        spec(Kind::Index, (0, ALWAYS), "GPU", true, Room::Fixed, 0, &[] as &[Item]),
        spec(Kind::NameShort, (0, 100), "Name", false, Room::Between(8, 30), 44, &[I::Name]),
        spec(Kind::Name, (100, ALWAYS), "Name", false, Room::Between(8, 40), 44, &[I::Name]),
        spec(Kind::BusId, (120, ALWAYS), "Bus-Id", false, Room::Fixed, 120, &[I::BusId]),
        spec(Kind::Fan, (92, ALWAYS), "Fan", true, Room::Fixed, 92, &[I::Fan]),
        spec(Kind::Temperature, (50, ALWAYS), "Temp", true, Room::Fixed, 50, &[I::Temperature]),
        spec(Kind::State, (76, ALWAYS), "Perf", false, Room::Fixed, 76, &[I::State]),
        spec(Kind::Draw, (56, 76), "Pwr", true, Room::Fixed, 56, &[I::Draw]),
        spec(Kind::Power, (76, ALWAYS), "Pwr:Usage/Cap", true, Room::Fixed, 56, &[I::Draw, I::Limit]),
        spec(Kind::MemoryShort, (0, 76), "Memory", true, Room::Bar, 1, &[I::Used, I::Total]),
        spec(Kind::Memory, (76, ALWAYS), "Memory-Usage", true, Room::Bar, 1, &[I::Used, I::Total]),
        spec(Kind::Busy, (0, ALWAYS), if width < 76 { "Util" } else { "GPU-Util" }, true, Room::Bar, 2, &[I::Busy]),
        spec(Kind::Mig, (140, ALWAYS), "MIG M.", false, Room::Fixed, 140, &[I::Mig]),
        spec(Kind::Ecc, (132, ALWAYS), "Uncorr. ECC", true, Room::Fixed, 132, &[I::Ecc, I::Errors]),
        spec(Kind::Persistence, (156, ALWAYS), "Persistence-M", false, Room::Fixed, 156, &[I::Persistence]),
        spec(Kind::Compute, (166, ALWAYS), "Compute M.", false, Room::Fixed, 166, &[]),
    ];
    all.into_iter().filter(|spec| (spec.from..spec.until).contains(&width)).collect()
}

/// True for a reading that a screen of this width shows, or must look at since it may be out of the ordinary.
///
/// Memory errors have a column on wide screens. On others they are a remark, from the second tick on: the first
/// such call of a process takes 4 ms, a tenth of all that the screen takes, and the later ones nothing.
pub(super) fn wants(width: usize, first: bool, item: Item) -> bool {
    matches!(item, Item::Compute | Item::Used | Item::Total | Item::Reserved)
        || (item == Item::Errors && !first)
        || specs(width).iter().any(|spec| spec.items.contains(&item))
}

/// The devices' part of the frame.
pub(super) fn grid(facts: &Facts, width: usize, units: bool) -> Grid {
    let specs = specs(width);
    let kinds: Vec<Kind> = specs.iter().map(|spec| spec.kind).collect();
    let columns: Vec<Column> = specs.into_iter().map(|spec| spec.column).collect();
    let mut rows = Vec::new();
    for card in &facts.cards {
        let index = Cell::plain(card.index.to_string());
        let rest = kinds.len().saturating_sub(2);
        if let Some(code) = card.sick {
            let text = condition(card.index, code);
            let reason = text.split_once(": ").map_or(text.as_str(), |(_, reason)| reason);
            // Broken rather than shortened: each word of it counts.
            let mut lead = Some(index);
            rows.extend(
                wrap(reason, width.saturating_sub(10), "  ")
                    .into_iter()
                    .map(|line| vec![lead.take().unwrap_or_default(), Cell::new(line, Paint::Bad).over(rest)]),
            );
            continue;
        }
        rows.push(kinds.iter().map(|kind| cell(card, *kind, units)).collect());
        for (text, paint) in remarks(card, &kinds) {
            rows.push(vec![Cell::default(), Cell::new(text, paint).over(rest)]);
        }
        let last = card.parts.len().saturating_sub(1);
        rows.extend(card.parts.iter().enumerate().map(|(at, part)| part_row(part, at == last, &kinds, units)));
    }
    if facts.cards.len() > 1 {
        rows.push(kinds.iter().map(|kind| total(&facts.cards, *kind, units)).collect());
    }
    Grid { columns, rows }
}

/// What is out of the ordinary and has no column on this screen.
fn remarks(card: &Card, kinds: &[Kind]) -> Vec<(String, Paint)> {
    let mut remarks = Vec::new();
    if let Some(errors) = card.number(Item::Errors).filter(|errors| *errors > 0.0) {
        remarks.push((format!("{errors} uncorrected ECC errors since the driver was loaded"), Paint::Bad));
    }
    if !kinds.contains(&Kind::Compute)
        && let Ok(mode @ Value::Word(_)) = card.get(Item::Compute)
        && !card.says(Item::Compute, "Default")
    {
        remarks.push((format!("Compute mode {}", shown(&mode)), Paint::Warn));
    }
    remarks
}

fn cell(card: &Card, kind: Kind, units: bool) -> Cell {
    match kind {
        Kind::Index => Cell::plain(card.index.to_string()),
        Kind::Name => of(card.get(Item::Name), |value| Cell::plain(shown(value))),
        // On a narrow screen everybody knows whose they are.
        Kind::NameShort => of(card.get(Item::Name), |value| {
            let name = shown(value);
            Cell::plain(name.strip_prefix("NVIDIA ").unwrap_or(&name))
        }),
        Kind::BusId => of(card.get(Item::BusId), |value| Cell::plain(shown(value))),
        Kind::Fan => of(card.get(Item::Fan), |value| with_unit(value, units, "%", Paint::Plain)),
        Kind::Temperature => of(card.get(Item::Temperature), |value| {
            let degrees = value.number().unwrap_or(0.0);
            with_unit(value, units, "C", level(degrees > 80.0, degrees > 70.0))
        }),
        Kind::State => of(card.get(Item::State), |value| Cell::plain(shown(value))),
        Kind::Draw => of(card.get(Item::Draw), |value| Cell::plain(watts(value, units))),
        Kind::Power => power(&card.get(Item::Draw), &card.get(Item::Limit), units),
        Kind::MemoryShort | Kind::Memory => {
            let (used, total) = (card.get(Item::Used), card.get(Item::Total));
            match (&used, &total) {
                (Ok(used), Ok(total)) => memory(&shown(used), &shown(total), card.memory_share(), kind, units),
                _ => absent(&used),
            }
        }
        Kind::Busy => of(card.get(Item::Busy), |value| {
            let busy = value.number().unwrap_or(0.0);
            let paint = if busy == 0.0 { Paint::Quiet } else { Paint::Good };
            Cell { bar: Some((busy / 100.0).min(1.0)), ..with_unit(value, units, "%", paint) }
        }),
        Kind::Mig => of(card.get(Item::Mig), |value| {
            let paint = if card.says(Item::Mig, "Enabled") { Paint::Part } else { Paint::Quiet };
            Cell::new(shown(value), paint)
        }),
        Kind::Ecc if card.says(Item::Ecc, "Disabled") => Cell::new("Off", Paint::Quiet),
        Kind::Ecc => of(card.get(Item::Errors), |value| {
            Cell::new(shown(value), if value.number() == Some(0.0) { Paint::Plain } else { Paint::Bad })
        }),
        Kind::Persistence => of(card.get(Item::Persistence), |value| match shown(value).as_str() {
            "Enabled" => Cell::plain("On"),
            "Disabled" => Cell::new("Off", Paint::Quiet),
            other => Cell::plain(other),
        }),
        Kind::Compute => of(card.get(Item::Compute), |value| {
            let usual = card.says(Item::Compute, "Default");
            Cell::new(shown(value), if usual { Paint::Plain } else { Paint::Warn })
        }),
    }
}

/// A MIG device below its parent.
fn part_row(part: &Part, last: bool, kinds: &[Kind], units: bool) -> Vec<Cell> {
    let id = |answer: &Result<u32, _>| answer.as_ref().map_or("?".to_owned(), u32::to_string);
    let label = format!(
        "{} {} GI {} CI {} Dev {}",
        if last { "└" } else { "├" },
        clean(&part.profile),
        id(&part.gpu_instance),
        id(&part.compute_instance),
        part.place
    );
    let place = kinds.iter().position(|kind| matches!(kind, Kind::MemoryShort | Kind::Memory));
    let (Some(place), Some(kind)) = (place, place.and_then(|place| kinds.get(place))) else {
        return vec![Cell::default(), Cell::new(label, Paint::Part).over(kinds.len().saturating_sub(2))];
    };
    let memory = match &part.memory {
        Ok(of) => {
            let share = share(of.used as f64, of.total as f64);
            memory(&mib(of.used).to_string(), &mib(of.total).to_string(), share, *kind, units)
        }
        Err(code) => absent(&Err(Reason::Code(*code))),
    };
    let mut row = vec![Cell::default(), Cell::new(label, Paint::Part).over(place.saturating_sub(2)), memory];
    row.extend(std::iter::repeat_n(Cell::default(), kinds.len() - place - 1));
    row
}

/// Sums over the devices that answered, and the mean of how busy they are.
fn total(cards: &[Card], kind: Kind, units: bool) -> Cell {
    let numbers = |item: Item| cards.iter().filter_map(move |card| card.number(item));
    let sum = |item: Item| numbers(item).reduce(|sum, next| sum + next);
    let unit = |text: String, unit: &str| if units { text + unit } else { text };
    let cell = match kind {
        Kind::Index => Cell::plain("all"),
        Kind::Name | Kind::NameShort => Cell::plain(format!("{} GPUs", cards.len())),
        Kind::Draw => sum(Item::Draw).map_or(Cell::default(), |draw| Cell::plain(unit(format!("{draw:.0}"), "W"))),
        Kind::Power => match (sum(Item::Draw), sum(Item::Limit)) {
            (Some(draw), Some(limit)) => {
                Cell::plain(format!("{} / {}", unit(format!("{draw:.0}"), "W"), unit(format!("{limit:.0}"), "W")))
            }
            _ => Cell::default(),
        },
        Kind::MemoryShort | Kind::Memory => match (sum(Item::Used), sum(Item::Total)) {
            (Some(used), Some(total)) => {
                memory(&format!("{used:.0}"), &format!("{total:.0}"), share(used, total), kind, units)
            }
            _ => Cell::default(),
        },
        Kind::Busy => match (sum(Item::Busy), numbers(Item::Busy).count()) {
            (Some(sum), count) => {
                let mean = sum / count as f64;
                Cell { bar: Some((mean / 100.0).min(1.0)), ..Cell::plain(unit(format!("{mean:.0}"), "%")) }
            }
            _ => Cell::default(),
        },
        _ => Cell::default(),
    };
    // What is true of one device needs no look when it is the mean of all.
    Cell { paint: Paint::Title, ..cell }
}

fn memory(used: &str, total: &str, share: Option<f64>, kind: Kind, units: bool) -> Cell {
    let text = match (kind, units) {
        (Kind::MemoryShort, true) => format!("{used}/{total}MiB"),
        (Kind::MemoryShort, false) => format!("{used}/{total}"),
        (_, true) => format!("{used}MiB / {total}MiB"),
        (_, false) => format!("{used} / {total}"),
    };
    let paint = share.map_or(Paint::Plain, |share| match used {
        "0" => Paint::Quiet,
        _ => level(share >= 0.9, share >= 0.7),
    });
    Cell { bar: share, ..Cell::new(text, paint) }
}

fn power(draw: &Reading, limit: &Reading, units: bool) -> Cell {
    let (Ok(shown), Ok(cap)) = (draw, limit) else {
        return match draw {
            Ok(draw) => Cell::plain(format!("{} / N/A", watts(draw, units))),
            Err(_) => absent(draw),
        };
    };
    Cell::plain(format!("{} / {}", watts(shown, units), watts(cap, units)))
}

/// Whole watts, as nvidia-smi's table has them.
fn watts(value: &Value, units: bool) -> String {
    let number = value.number().unwrap_or(0.0).trunc();
    if units { format!("{number}W") } else { number.to_string() }
}

fn level(bad: bool, warn: bool) -> Paint {
    match (bad, warn) {
        (true, _) => Paint::Bad,
        (false, true) => Paint::Warn,
        (false, false) => Paint::Plain,
    }
}

fn with_unit(value: &Value, units: bool, unit: &str, paint: Paint) -> Cell {
    let text = shown(value);
    Cell::new(if units { text + unit } else { text }, paint)
}

fn of(reading: Reading, cell: impl FnOnce(&Value) -> Cell) -> Cell {
    match &reading {
        Ok(value) => cell(value),
        Err(_) => absent(&reading),
    }
}

/// nvidia-smi's words in the place of a value: `N/A` where there is none, `ERR!` where something is wrong.
fn absent(reading: &Reading) -> Cell {
    match reading {
        Err(Reason::Code(code)) if !code.means_absent() && *code != crate::driver::Code::NO_PERMISSION => {
            Cell::new("ERR!", Paint::Bad)
        }
        _ => Cell::new("N/A", Paint::Quiet),
    }
}

fn shown(value: &Value) -> String {
    clean(&String::from_utf8_lossy(&value.plain())).into_owned()
}
