//! The table of patterns, and which of its rules can match a line at all.

/// What one kind of credential looks like.
#[derive(Debug)]
pub(crate) struct Rule {
    /// By which it is reported.
    pub(crate) name: &'static str,
    /// For people.
    pub(crate) meaning: &'static str,
    /// Of its groups, exactly one takes part in a match: the value.
    pub(crate) pattern: &'static str,
    /// In lower case; a line without any of them cannot match.
    pub(crate) keywords: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// Finds the rules whose keywords occur in a line, in one pass over it: nearly all lines hold none, and are done with so.
pub(crate) struct Prefilter {
    /// For each pair of bytes that a keyword may start with: which of the `groups`, or none.
    group_of: Vec<Option<u8>>,
    /// Keywords that start with one pair, each with its rule's index.
    groups: Vec<Vec<(usize, &'static str)>>,
}

impl Prefilter {
    pub(crate) fn new() -> Self {
        let mut group_of: Vec<Option<u8>> = vec![None; 1 << 16];
        let mut groups: Vec<Vec<(usize, &'static str)>> = Vec::new();
        for (rule, keyword) in RULES
            .iter()
            .enumerate()
            .flat_map(|(at, rule)| rule.keywords.iter().map(move |k| (at, *k)))
        {
            // A keyword has two bytes at least, and there are fewer than 256 of them: the tests see to it.
            let [first, second, ..] = keyword.as_bytes() else {
                continue;
            };
            let group = group_of[pair(*first, *second)].get_or_insert_with(|| {
                groups.push(Vec::new());
                u8::try_from(groups.len() - 1).unwrap_or(u8::MAX)
            });
            groups[usize::from(*group)].push((rule, keyword));
        }
        Self { group_of, groups }
    }

    /// Indexes of the rules that can match, in the table's order.
    pub(crate) fn candidates(&self, line: &str) -> Vec<usize> {
        let bytes = line.as_bytes();
        let mut found: Vec<usize> = Vec::new();
        for (at, two) in bytes.windows(2).enumerate() {
            let Some(group) = self.group_of[pair(two[0].to_ascii_lowercase(), two[1].to_ascii_lowercase())] else {
                continue;
            };
            for (rule, keyword) in &self.groups[usize::from(group)] {
                if !found.contains(rule) && starts_with(&bytes[at..], keyword) {
                    found.push(*rule);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

/// Whether the bytes start with the keyword, in any letter case of ASCII.
fn starts_with(bytes: &[u8], keyword: &str) -> bool {
    bytes
        .get(..keyword.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(keyword.as_bytes()))
}
