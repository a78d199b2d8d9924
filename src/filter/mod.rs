//! `--where` and `--sort`: which records are shown, and in which order. Both speak of fields by name, also of
//! fields that are not shown, and know nothing of where a record comes from: whoever has records hands in a
//! way to read a field off one.
//!
//! An expression is comparisons joined by `and`, `or`, `not` and parentheses. A comparison with a value that
//! is missing is neither true nor false, and a record is shown only for what is true: `not (x < 5)` does not
//! bring a lost device in.

mod eval;
mod lexer;
mod measure;
mod order;
mod parser;

pub use measure::Measure;

use crate::value::Reading;

/// Finds a field and what it measures by name, or says in one line why there is none.
pub type Resolve<'a, K> = &'a dyn Fn(&str) -> Result<(K, Measure), String>;

/// What a comparison does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Op {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Unequal,
    Contains,
}

/// What a field is compared with.
#[derive(Clone, PartialEq, Debug)]
enum Operand {
    /// `null`: no value.
    Missing,
    /// A word or quoted text, and the number in the field's unit that it is, if it is one.
    Given { text: String, number: Option<f64> },
}

/// A condition on fields of the kind `K`.
#[derive(Clone, PartialEq, Debug)]
enum Expr<K> {
    Test(K, Op, Operand),
    All(Vec<Expr<K>>),
    Any(Vec<Expr<K>>),
    Not(Box<Expr<K>>),
}

/// Which records are shown, and in which order. The default leaves them as they are.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice<K> {
    condition: Option<Expr<K>>,
    /// Fields to sort by, each with true for the greatest first.
    order: Vec<(K, bool)>,
}

impl<K> Default for Choice<K> {
    fn default() -> Self {
        Choice { condition: None, order: Vec::new() }
    }
}

impl<K> Choice<K> {
    /// Reads the values of `--where` and `--sort`.
    ///
    /// # Errors
    /// One line on what is wrong.
    pub fn parse(condition: Option<&str>, order: Option<&str>, resolve: Resolve<K>) -> Result<Self, String> {
        Ok(Choice {
            condition: condition.map(|text| parser::parse(text, resolve)).transpose()?,
            order: order.map_or(Ok(Vec::new()), |list| order::parse(list, resolve))?,
        })
    }

    /// The same condition with the order of another choice.
    pub fn with_order(self, other: Self) -> Self {
        Choice { condition: self.condition, order: other.order }
    }

    /// True for a record that is shown.
    pub fn passes(&self, read: &dyn Fn(&K) -> Reading) -> bool {
        self.condition.as_ref().is_none_or(|condition| condition.holds(read) == Some(true))
    }

    /// What the records are sorted by, read off one of them.
    pub fn place(&self, read: impl Fn(&K) -> Reading) -> Vec<Reading> {
        self.order.iter().map(|(key, _)| read(key)).collect()
    }

    /// Sorts records by their places. Those that the order does not tell apart stay as they were.
    pub fn sort<R>(&self, rows: &mut [(Vec<Reading>, R)]) {
        if !self.order.is_empty() {
            rows.sort_by(|(left, _), (right, _)| order::compare_all(&self.order, left, right));
        }
    }

    /// The records that are shown, in order. Records that the order does not tell apart stay as they were.
    pub fn apply<R>(&self, mut rows: Vec<R>, read: impl Fn(&R, &K) -> Reading) -> Vec<R> {
        rows.retain(|row| self.passes(&|key| read(row, key)));
        if self.order.is_empty() {
            return rows;
        }
        // Each field is read once a record, not once a comparison.
        let mut placed: Vec<(Vec<Reading>, R)> =
            rows.into_iter().map(|row| (self.place(|key| read(&row, key)), row)).collect();
        self.sort(&mut placed);
        placed.into_iter().map(|(_, row)| row).collect()
    }
}

#[cfg(test)]
mod tests;
