//! Faults on request, from `FAKE_NVML_FAULTS`: rules that change what a call answers.
//!
//! ```text
//! RULES  = RULE [; RULE]…
//! RULE   = CALL [,gpu=N] [,nth=A | A-B | A+] -> ACTION
//! CALL   = a function, with its arguments or without; `*` stands for any text
//! ACTION = code N | value JSON | bytes HEX | delay MS | hang | grow N | abort
//! ```
//!
//! `nth` counts the calls that match the rule's CALL and gpu, from 1. Of several rules that match, every
//! delay is taken and every growth added, and the first that gives an answer gives it.

use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a rule does.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// The call fails with this code.
    Code(u32),
    /// The call answers this, as a recording would.
    Value(Value),
    /// The call leaves these bytes where its answer goes, as far as there is room.
    Bytes(Vec<u8>),
    /// The call takes so long.
    Delay(Duration),
    /// The call never returns.
    Hang,
    /// Each matching call makes the list longer by so many entries, for good.
    Grow(u32),
    /// The process is aborted.
    Abort,
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    pattern: String,
    gpu: Option<u32>,
    first: u64,
    last: u64,
    action: Action,
    seen: AtomicU64,
    grown: AtomicU64,
}

/// What the rules make of a call.
#[derive(Default, Debug)]
pub struct Outcome {
    /// The answer that takes the recorded one's place.
    pub answer: Option<Action>,
    /// How long the call takes.
    pub delay: Duration,
    /// Entries to add to a list.
    pub grow: u64,
}

/// Reads the rules.
pub fn parse(text: &str) -> Result<Vec<Rule>, String> {
    let rules = split(text, ';').into_iter().filter(|rule| !rule.trim().is_empty());
    rules
        .map(|rule| Rule::parse(rule).ok_or_else(|| format!("FAKE_NVML_FAULTS: cannot read `{}`", rule.trim())))
        .collect()
}

/// Splits at a sign that stands neither in quotes nor in brackets.
fn split(text: &str, sign: char) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0i32, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ if c == sign && depth == 0 => {
                parts.extend(text.get(start..at));
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.extend(text.get(start..));
    parts
}

impl Rule {
    fn parse(text: &str) -> Option<Self> {
        let (when, what) = text.split_once("->")?;
        let mut parts = split(when, ',').into_iter().map(str::trim);
        let pattern = parts.next().filter(|pattern| !pattern.is_empty())?.to_owned();
        let (mut gpu, mut first, mut last) = (None, 1, u64::MAX);
        for part in parts {
            match part.split_once('=')? {
                ("gpu", number) => gpu = Some(number.parse().ok()?),
                ("nth", range) => (first, last) = parse_range(range)?,
                _ => return None,
            }
        }
        let action = parse_action(what.trim())?;
        Some(Self { pattern, gpu, first, last, action, seen: AtomicU64::new(0), grown: AtomicU64::new(0) })
    }

    fn matches(&self, symbol: &str, key: &str, gpu: Option<u32>) -> bool {
        (self.gpu.is_none() || self.gpu == gpu) && (glob(&self.pattern, key) || glob(&self.pattern, symbol))
    }
}

fn parse_range(text: &str) -> Option<(u64, u64)> {
    if let Some(first) = text.strip_suffix('+') {
        return Some((first.parse().ok()?, u64::MAX));
    }
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.parse().ok()?, last.parse().ok()?))
}

fn parse_action(text: &str) -> Option<Action> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    Some(match word {
        // `-1` is how a C program would write the greatest code.
        "code" => Action::Code(rest.parse::<i64>().ok()? as u32),
        "value" => Action::Value(serde_json::from_str(rest).ok()?),
        "bytes" => Action::Bytes(parse_hex(rest)?),
        "delay" => Action::Delay(Duration::from_millis(rest.parse().ok()?)),
        "hang" if rest.is_empty() => Action::Hang,
        "grow" => Action::Grow(rest.parse().ok()?),
        "abort" if rest.is_empty() => Action::Abort,
        _ => return None,
    })
}

fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    if digits.len() % 2 == 1 {
        return None;
    }
    let value = |pair: &[u8]| pair.iter().fold(0, |sum, digit| sum * 16 + digit);
    Some(digits.chunks_exact(2).map(value).collect())
}

/// Whether `text` is what `pattern` describes, `*` standing for any text.
fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => text.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices()
                .map(|(at, _)| at)
                .chain([rest.len()])
                .any(|at| rest.get(at..).is_some_and(|tail| glob(after, tail)))
        }),
    }
}

/// What `rules` make of a call.
pub fn apply(rules: &[Rule], symbol: &str, key: &str, gpu: Option<u32>) -> Outcome {
    outcome(rules.iter().filter(|rule| rule.matches(symbol, key, gpu)))
}

/// The same for a part of a call, which only rules with arguments speak of.
pub fn apply_to_part(rules: &[Rule], key: &str, gpu: Option<u32>) -> Outcome {
    let parts = rules.iter().filter(|rule| rule.pattern.contains('('));
    outcome(parts.filter(|rule| rule.matches(key, key, gpu)))
}

fn outcome<'a>(matching: impl Iterator<Item = &'a Rule>) -> Outcome {
    let mut outcome = Outcome::default();
    for rule in matching {
        let nth = rule.seen.fetch_add(1, Ordering::SeqCst) + 1;
        let due = (rule.first..=rule.last).contains(&nth);
        match &rule.action {
            Action::Grow(by) => {
                let more = if due { u64::from(*by) } else { 0 };
                outcome.grow += rule.grown.fetch_add(more, Ordering::SeqCst) + more;
            }
            Action::Delay(time) if due => outcome.delay += *time,
            answer if due && outcome.answer.is_none() => outcome.answer = Some(answer.clone()),
            _ => {}
        }
    }
    outcome
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        let rules = parse(r#"*,gpu=1,nth=40+ -> code 15; nvmlDeviceGetName -> value "a;b" ; nvmlX(1,2),nth=2-3->hang"#);
        let rules = rules.expect("three rules");
        assert_eq!(rules.len(), 3);
        assert_eq!((rules[0].gpu, rules[0].first, rules[0].last), (Some(1), 40, u64::MAX));
        assert_eq!(rules[1].action, Action::Value("a;b".into()));
        assert_eq!((rules[2].pattern.as_str(), rules[2].first, rules[2].last), ("nvmlX(1,2)", 2, 3));
        assert_eq!(Rule::parse("* -> code -1").map(|rule| rule.action), Some(Action::Code(u32::MAX)));
        assert_eq!(Rule::parse("* -> bytes 00 ffA5").map(|rule| rule.action), Some(Action::Bytes(vec![0, 255, 165])));
        for wrong in ["*", "* -> sing", "-> hang", "*,cpu=1 -> hang", "* -> bytes 0", "* -> value {"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_rule_counts_its_own_calls() {
        let rules = parse("nvml*Name,gpu=1,nth=2 -> code 6").expect("a rule");
        let codes: Vec<bool> = [0, 1, 1, 1]
            .map(|gpu| apply(&rules, "nvmlDeviceGetName", "nvmlDeviceGetName", Some(gpu)).answer.is_some())
            .to_vec();
        assert_eq!(codes, [false, false, true, false]);
    }

    #[test]
    fn growth_stays() {
        let rules = parse("*,nth=1-2 -> grow 3").expect("a rule");
        let grown: Vec<u64> = (0..3).map(|_| apply(&rules, "nvmlX", "nvmlX", None).grow).collect();
        assert_eq!(grown, [3, 6, 6]);
    }
}
