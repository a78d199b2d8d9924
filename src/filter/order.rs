//! The order of records.

use super::Resolve;
use super::eval::{shown_number, words};
use crate::value::{Reading, Value};
use std::cmp::Ordering;

/// Reads a list such as `-memory.free,index`.
pub(super) fn parse<K>(list: &str, resolve: Resolve<K>) -> Result<Vec<(K, bool)>, String> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let plain = name.strip_prefix(['-', '+']).unwrap_or(name);
            Ok((resolve(plain)?.0, name.starts_with('-')))
        })
        .collect()
}

/// The order of two records by what was read off them.
pub(super) fn compare_all<K>(order: &[(K, bool)], left: &[Reading], right: &[Reading]) -> Ordering {
    let pairs = left.iter().zip(right).zip(order);
    let orderings = pairs.map(|((left, right), (_, descending))| compare(left, right, *descending));
    orderings.fold(Ordering::Equal, Ordering::then)
}

/// What has no value comes last, whichever end is first.
fn compare(left: &Reading, right: &Reading, descending: bool) -> Ordering {
    match (left, right) {
        (Ok(left), Ok(right)) if descending => values(right, left),
        (Ok(left), Ok(right)) => values(left, right),
        (left, right) => left.is_err().cmp(&right.is_err()),
    }
}

/// Numbers come before words where a field has both; so there is one order of all values.
fn values(left: &Value, right: &Value) -> Ordering {
    match (shown_number(left), shown_number(right)) {
        (Some(left), Some(right)) => left.total_cmp(&right),
        (None, None) => natural(&words(left), &words(right)),
        (left, right) => left.is_none().cmp(&right.is_none()),
    }
}

/// Text as a person sorts it: in any case, and numbers within it by their size, so that P2 comes before P10
/// and driver 580.65 before 580.159.
pub(super) fn natural(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left, right);
    loop {
        let (one, behind_one) = piece(left);
        let (other, behind_other) = piece(right);
        if one.is_empty() || other.is_empty() {
            return one.len().cmp(&other.len());
        }
        let ordering = match (one.starts_with(is_digit), other.starts_with(is_digit)) {
            (true, true) => digits(one, other),
            _ => one.to_lowercase().cmp(&other.to_lowercase()),
        };
        if ordering.is_ne() {
            return ordering;
        }
        (left, right) = (behind_one, behind_other);
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// The digits at the start, or what comes before the first digit.
fn piece(text: &str) -> (&str, &str) {
    let digits = text.starts_with(is_digit);
    text.split_at(text.find(|c| is_digit(c) != digits).unwrap_or(text.len()))
}

fn digits(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}
