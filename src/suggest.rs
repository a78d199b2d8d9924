//! Near matches: which name was meant by one that does not exist.

/// The name nearest to what was typed, when one is near enough to be worth naming. Case, spaces around the
/// name and `-` in place of `_` or `.` do not count as differences.
///
/// ```
/// let names = ["temperature.gpu", "temperature.memory"];
/// assert_eq!(rsmi::suggest::nearest("temprature.gpu", names), Some("temperature.gpu"));
/// assert_eq!(rsmi::suggest::nearest("banana", names), None);
/// ```
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = plain(typed);
    let limit = limit(typed.len());
    let near = names.into_iter().filter_map(|name| {
        let name_plain = plain(name);
        // A length that differs by more than the limit cannot be near; most names fall out here.
        if name_plain.len().abs_diff(typed.len()) > limit {
            return None;
        }
        let distance = distance(&typed, &name_plain);
        (distance <= limit).then_some((distance, name))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// `, did you mean …?` where something is near, else nothing.
pub fn hint<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, names).map(|name| format!(", did you mean `{name}`?")).unwrap_or_default()
}

/// Says that a word is none of a few that are accepted: ``unknown format `jsn`, did you mean …? accepted: …``.
pub fn none_of(what: &str, word: &str, accepted: &[&str]) -> String {
    let hint = hint(word, accepted.iter().copied());
    let stop = if hint.is_empty() { "," } else { "" };
    format!("unknown {what} `{word}`{hint}{stop} accepted: {}", accepted.join(", "))
}

/// How many slips still leave a name recognizable.
fn limit(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    }
}

fn plain(name: &str) -> Vec<char> {
    let same = |c: char| if matches!(c, '-' | '.') { '_' } else { c };
    name.trim().chars().flat_map(char::to_lowercase).map(same).collect()
}

/// Insertions, removals, replacements and swaps of neighbours between two names (Damerau's distance, each
/// stretch edited once).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut last_a = None;
    for (i, &ca) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        let mut last_b = None;
        let mut left = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let mut best = (left + 1).min(at(&above, j + 1) + 1).min(at(&above, j) + usize::from(ca != cb));
            if last_a == Some(cb) && last_b == Some(ca) {
                best = best.min(at(&before, j.wrapping_sub(1)) + 1);
            }
            row.push(best);
            left = best;
            last_b = Some(cb);
        }
        before = std::mem::replace(&mut above, row);
        last_a = Some(ca);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(a: &str, b: &str) -> usize {
        distance(&plain(a), &plain(b))
    }

    #[test]
    fn slips_are_counted() {
        assert_eq!(apart("", ""), 0);
        assert_eq!(apart("", "abc"), 3);
        assert_eq!(apart("abc", ""), 3);
        assert_eq!(apart("json", "jsn"), 1);
        assert_eq!(apart("json", "josn"), 1);
        assert_eq!(apart("json", "jsoon"), 1);
        assert_eq!(apart("kitten", "sitting"), 3);
        assert_eq!(apart("ca", "ac"), 1);
    }

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["index", "name", "memory.used", "memory.total", "clocks.max.sm", "pci.bus_id"];
        let cases = [
            ("INDEX", Some("index")),
            (" name", Some("name")),
            ("nmae", Some("name")),
            ("memory_used", Some("memory.used")),
            ("memroy.totl", Some("memory.total")),
            ("pci.bus-id", Some("pci.bus_id")),
            ("x", None),
            ("", None),
            ("bogus", None),
        ];
        for (typed, expected) in cases {
            assert_eq!(nearest(typed, names), expected, "{typed:?}");
        }
    }

    #[test]
    fn the_hint_is_empty_when_nothing_is_near() {
        assert_eq!(hint("jsn", ["csv", "json"]), ", did you mean `json`?");
        assert_eq!(hint("xml", ["csv", "json"]), "");
    }
}
