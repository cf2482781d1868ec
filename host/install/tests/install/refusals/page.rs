//! The page's side.

const PAGE: &str = include_str!("../../../../../docs/authors/refusals.md");

/// What stands for what differs from case to case.
const HOLES: [&str; 2] = ["NAME", "…"];

/// The messages of the page's tables.
pub(crate) fn rows() -> Vec<String> {
    let mut rows = Vec::new();
    for line in PAGE.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 3, "{line}");
        assert!(
            !(cells[1].is_empty() && cells[2].is_empty()),
            "nothing is said of it: {line}"
        );
        rows.push(code(cells[0]));
    }
    assert!(rows.len() > 100);
    rows
}

/// The names of rules, in brackets before each table of admission.
pub(crate) fn rules() -> Vec<&'static str> {
    let heads = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("(`")?.split_once("`.)"));
    heads.flat_map(|(names, _)| names.split("`, `")).collect()
}

/// What a code span holds.
fn code(cell: &str) -> String {
    let ticks = cell.len() - cell.trim_start_matches('`').len();
    let (open, inner) = cell.split_at(ticks);
    let inner = inner
        .strip_suffix(open)
        .unwrap_or_else(|| panic!("{cell} is one code span"));
    assert!(!inner.contains(open), "{cell} is one code span");
    // One space on either side belongs to the span, where it holds backticks itself.
    inner
        .strip_prefix(' ')
        .and_then(|i| i.strip_suffix(' '))
        .unwrap_or(inner)
        .to_owned()
}

/// With one sign for all that differs.
pub(crate) fn normal(text: &str) -> String {
    let mut text = HOLES.iter().fold(text.to_owned(), |text, hole| text.replace(hole, "…"));
    while text.contains("……") {
        text = text.replace("……", "…");
    }
    text
}

/// Whether a message is what a row says.
pub(crate) fn matches(row: &str, message: &str) -> bool {
    let row = normal(row);
    let mut parts = row.split('…');
    let (first, last) = (parts.next().unwrap_or_default(), parts.next_back());
    let Some(mut rest) = message.strip_prefix(first) else {
        return false;
    };
    let Some(last) = last else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}
