//! What somebody probably meant.

/// The longest word that is compared; longer ones are no typing errors of ours.
const LONGEST: usize = 48;

/// The candidate nearest to `given`, if one is near enough to be a slip of the keyboard: at most a third of its
/// letters (and never more than three) changed, added, left out or swapped. Case, `-` and `_` count as equal.
pub(crate) fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given: Vec<char> = folded(given)?;
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let Some(letters) = folded(candidate) else { continue };
        let allowed = (letters.len().max(given.len()) / 3).clamp(1, 3);
        let distance = distance(&given, &letters);
        if distance <= allowed && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn folded(word: &str) -> Option<Vec<char>> {
    if word.len() > LONGEST {
        return None;
    }
    Some(
        word.chars()
            .flat_map(char::to_lowercase)
            .map(|c| if c == '-' { '_' } else { c })
            .collect(),
    )
}

/// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const KEYS: [&str; 4] = ["validators", "protected_paths", "modes", "modules"];

    #[test]
    fn slips_are_recognised() {
        assert_eq!(nearest("validatros", KEYS), Some("validators"));
        assert_eq!(nearest("Protected-Paths", KEYS), Some("protected_paths"));
        assert_eq!(nearest("mode", KEYS), Some("modes"));
    }

    #[test]
    fn other_words_are_not() {
        assert_eq!(nearest("queue", KEYS), None);
        assert_eq!(nearest("", KEYS), None);
        assert_eq!(nearest(&"v".repeat(10_000), KEYS), None);
    }
}
