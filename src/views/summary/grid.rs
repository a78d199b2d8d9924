//! A part of the frame: columns that are given their widths, and rows in which a cell may take the place of
//! several columns. comfy-table, which lays out the tables of queries, has neither cells over several columns
//! nor bars that fill a column, and cannot be told to keep its widths from one tick to the next.

use super::text::{shorten, width};
use super::theme::{Paint, Theme};

/// Columns between two cells.
const BETWEEN: usize = 2;

/// What becomes of a column's room.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Room {
    /// As wide as its widest cell; left out whole where that does not fit.
    Fixed,
    /// Narrower where room is short, down to so many columns, and no wider than so many.
    Between(usize, usize),
    /// Takes what is left over, at least so many columns.
    Rest(usize),
    /// A number with a bar behind it, which takes a share of what is left over.
    Bar,
}

/// A column.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) title: &'static str,
    /// Numbers stand at the right.
    pub(super) right: bool,
    pub(super) room: Room,
    /// The greater, the sooner it is left out.
    pub(super) rank: u16,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) paint: Paint,
    /// How full the bar is, from 0 to 1.
    pub(super) bar: Option<f64>,
    /// More columns that it takes the place of.
    pub(super) over: usize,
}

impl Cell {
    pub(super) fn new(text: impl Into<String>, paint: Paint) -> Self {
        Cell { text: text.into(), paint, bar: None, over: 0 }
    }

    pub(super) fn plain(text: impl Into<String>) -> Self {
        Cell::new(text, Paint::Plain)
    }

    /// The cell in the place of so many more columns.
    pub(super) fn over(self, over: usize) -> Self {
        Cell { over, ..self }
    }
}

/// Widths that the columns had in the ticks before: a column does not shrink while its frame is redrawn.
#[derive(Clone, Debug, Default)]
pub(super) struct Steady {
    inner: usize,
    widths: Vec<usize>,
}

/// Columns and rows.
pub(super) struct Grid {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// A column with its place and its widths: of all, and of the text in front of a bar.
struct Fit {
    place: usize,
    text: usize,
    whole: usize,
}

impl Grid {
    /// The lines of the grid, each exactly so many columns wide: the headings, unless not wanted, and the rows.
    pub(super) fn lines(&self, inner: usize, header: bool, steady: &mut Steady, theme: &Theme) -> Vec<String> {
        let fits = self.fit(inner, header, steady);
        let mut lines = Vec::with_capacity(self.rows.len() + 1);
        if header {
            let titles: Vec<Cell> = self.columns.iter().map(|column| Cell::new(column.title, Paint::Title)).collect();
            lines.push(self.line(&titles, &fits, inner, theme));
        }
        lines.extend(self.rows.iter().map(|row| self.line(row, &fits, inner, theme)));
        lines
    }

    /// The widest cell of each column, and what it was before.
    fn natural(&self, inner: usize, header: bool, steady: &mut Steady) -> Vec<usize> {
        let title = |column: &Column| if header { width(column.title) } else { 0 };
        let mut natural: Vec<usize> = self.columns.iter().map(title).collect();
        for row in &self.rows {
            let mut place = 0;
            for cell in row {
                if let Some(widest) = natural.get_mut(place).filter(|_| cell.over == 0) {
                    *widest = width(&cell.text).max(*widest);
                }
                place += 1 + cell.over;
            }
        }
        if steady.inner == inner && steady.widths.len() == natural.len() {
            natural.iter_mut().zip(&steady.widths).for_each(|(now, before)| *now = (*now).max(*before));
        }
        *steady = Steady { inner, widths: natural.clone() };
        natural
    }

    /// Chooses the columns that have room and gives them their widths.
    fn fit(&self, inner: usize, header: bool, steady: &mut Steady) -> Vec<Fit> {
        let natural = self.natural(inner, header, steady);
        let least = |column: &Column, natural: usize| match column.room {
            Room::Fixed | Room::Bar => natural,
            Room::Between(least, _) => natural.min(least),
            Room::Rest(least) => least,
        };
        let mut kept: Vec<(usize, &Column, usize)> = self
            .columns
            .iter()
            .zip(&natural)
            .enumerate()
            .map(|(place, (column, natural))| (place, column, *natural))
            .collect();
        let needs = |kept: &[(usize, &Column, usize)]| -> usize {
            let cells: usize = kept.iter().map(|(_, column, natural)| least(column, *natural)).sum();
            cells + BETWEEN * kept.len().saturating_sub(1)
        };
        while kept.len() > 1 && needs(&kept) > inner {
            let last = kept.iter().enumerate().max_by_key(|(at, (_, column, _))| (column.rank, *at));
            let Some(at) = last.map(|(at, _)| at) else { break };
            kept.remove(at);
        }
        let mut left = inner.saturating_sub(needs(&kept));
        let mut fits: Vec<Fit> = Vec::with_capacity(kept.len());
        for (place, column, natural) in &kept {
            let base = least(column, *natural);
            let wish = match column.room {
                Room::Between(_, most) => (*natural).min(most).saturating_sub(base),
                _ => 0,
            };
            let more = wish.min(left);
            left -= more;
            fits.push(Fit { place: *place, text: base + more, whole: base + more });
        }
        self.share(left, &mut fits);
        // One column that is too wide by itself is cut like any text.
        if let [only] = fits.as_mut_slice() {
            only.whole = inner;
            only.text = only.text.min(inner);
        }
        fits
    }

    /// Gives what is left over to those who can use it: a column for the rest, else the bars, of which the
    /// first gets the larger part, else whatever can be wider, else the last.
    fn share(&self, left: usize, fits: &mut [Fit]) {
        /// Fewer columns make no bar.
        const LEAST_BAR: usize = 6;
        let room = |fit: &Fit| self.columns.get(fit.place).map_or(Room::Fixed, |column| column.room);
        if let Some(rest) = fits.iter_mut().find(|fit| matches!(room(fit), Room::Rest(_))) {
            rest.text += left;
            rest.whole += left;
            return;
        }
        let bars = fits.iter().filter(|fit| room(fit) == Room::Bar).count();
        let mut left = left;
        if bars > 0 && left >= LEAST_BAR {
            let first = if bars > 1 && left >= 2 * LEAST_BAR + 2 { left - left * 2 / 5 } else { left };
            for fit in fits.iter_mut().filter(|fit| room(fit) == Room::Bar) {
                let part = if left > first { first } else { left.min(first) };
                fit.whole += part;
                left -= part;
                if left < LEAST_BAR {
                    break;
                }
            }
        }
        let flexible = fits.iter().position(|fit| matches!(room(fit), Room::Between(..)));
        let takes = flexible.unwrap_or(fits.len().saturating_sub(1));
        if let Some(fit) = fits.get_mut(takes) {
            fit.whole += left;
            fit.text += left;
        }
    }

    /// One line: each cell in the room of the columns that it stands for.
    fn line(&self, row: &[Cell], fits: &[Fit], inner: usize, theme: &Theme) -> String {
        let mut line = String::with_capacity(inner + 16);
        let mut used = 0;
        let mut place = 0;
        for cell in row {
            let end = place + cell.over;
            let own: Vec<&Fit> = fits.iter().filter(|fit| (place..=end).contains(&fit.place)).collect();
            let first = self.columns.get(place);
            place = end + 1;
            let Some(last) = own.last() else { continue };
            if used > 0 {
                line.push_str("  ");
                used += BETWEEN;
            }
            let whole = own.iter().map(|fit| fit.whole).sum::<usize>() + BETWEEN * (own.len() - 1);
            let text = if cell.over == 0 { last.text } else { whole };
            let right = cell.over == 0 && first.is_some_and(|column| column.right);
            write_cell(cell, text, whole, right, theme, &mut line);
            used += whole;
        }
        line.extend(std::iter::repeat_n(' ', inner.saturating_sub(used)));
        line
    }
}

/// Writes a cell into `whole` columns, of which the text has `room`.
fn write_cell(cell: &Cell, room: usize, whole: usize, right: bool, theme: &Theme, line: &mut String) {
    let text = shorten(&cell.text, room);
    let blank = room - width(&text);
    let pad = |line: &mut String, count: usize| line.extend(std::iter::repeat_n(' ', count));
    if right {
        pad(line, blank);
    }
    theme.write(&text, cell.paint, line);
    if !right {
        pad(line, blank);
    }
    let left = whole - room;
    match cell.bar.filter(|_| left > 2) {
        Some(share) => {
            line.push(' ');
            bar(share, left - 1, cell.paint, theme, line);
        }
        None => pad(line, left),
    }
}

/// A bar. What is in use at all shows, and what is not full does not look so.
fn bar(share: f64, columns: usize, paint: Paint, theme: &Theme, line: &mut String) {
    let exact = share.clamp(0.0, 1.0) * columns as f64;
    let full = match exact.round() as usize {
        0 if share > 0.0 => 1,
        full if full == columns && share < 1.0 => columns - 1,
        full => full,
    };
    theme.write(&"█".repeat(full), paint, line);
    theme.write(&"░".repeat(columns.saturating_sub(full)), Paint::Quiet, line);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let column = |title, right, room, rank| Column { title, right, room, rank };
        let columns = vec![
            column("GPU", true, Room::Fixed, 0),
            column("Name", false, Room::Between(4, 20), 0),
            column("Memory", true, Room::Bar, 1),
            column("Fan", true, Room::Fixed, 9),
        ];
        let memory = |text: &str, share| Cell { bar: Some(share), ..Cell::plain(text) };
        let rows = vec![
            vec![Cell::plain("0"), Cell::plain("NVIDIA H200"), memory("10MiB", 0.01), Cell::plain("40%")],
            vec![Cell::plain("1"), Cell::plain("机器"), memory("100MiB", 0.999), Cell::plain("")],
            vec![Cell::plain("2"), Cell::plain("GPU is lost, reboot").over(2)],
            vec![Cell::plain(""), Cell::plain("part").over(1), memory("5MiB", 0.5)],
        ];
        Grid { columns, rows }
    }

    fn lines(inner: usize) -> Vec<String> {
        grid().lines(inner, true, &mut Steady::default(), &Theme::new(false))
    }

    #[test]
    fn every_line_is_as_wide_as_it_should_be() {
        for inner in 1..120 {
            for line in lines(inner) {
                assert_eq!(width(&line), inner, "{inner}: {line:?}");
            }
        }
    }

    /// Line `at` holds `text`.
    fn holds(lines: &[String], at: usize, text: &str) -> bool {
        lines.get(at).is_some_and(|line| line.contains(text))
    }

    #[test]
    fn columns_leave_by_rank_and_bars_take_what_is_left() {
        let wide = lines(60);
        assert!(holds(&wide, 0, "Fan") && holds(&wide, 1, "░"), "{wide:#?}");
        assert!(holds(&wide, 2, "█████") && holds(&wide, 2, "░"), "{wide:#?}");
        let narrow = lines(22);
        assert!(!holds(&narrow, 0, "Fan") && holds(&narrow, 0, "Memory"), "{narrow:#?}");
        assert!(holds(&narrow, 1, "NVI") && holds(&narrow, 3, "…"), "{narrow:#?}");
    }

    #[test]
    fn a_column_does_not_shrink_while_its_frame_is_redrawn() {
        let mut steady = Steady::default();
        let theme = Theme::new(false);
        let first = grid().lines(60, true, &mut steady, &theme);
        let mut later = grid();
        later.rows = vec![vec![Cell::plain("0"), Cell::plain("x"), Cell::plain(""), Cell::plain("")]];
        let second = later.lines(60, true, &mut steady, &theme);
        assert_eq!(first.first(), second.first());
        // A terminal of another size begins anew.
        assert_ne!(later.lines(59, true, &mut steady, &theme).first(), first.first());
    }
}
