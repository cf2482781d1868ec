//! `docs/authors/refusals.md` and the code say the same: every message that the code gives has exactly one row, every row is a message
//! that the code gives, and no variant of the errors that messages are made of is left out.

mod admission;
mod installed;
mod page;
mod plugins;
mod settings;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// What the code says, and which variants of its errors were seen saying it.
#[derive(Default)]
pub(crate) struct Told {
    messages: BTreeSet<String>,
    variants: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Told {
    /// A message.
    pub(crate) fn say(&mut self, message: &impl ToString) {
        self.messages.insert(message.to_string());
    }

    /// That a variant of an error took part in a message.
    pub(crate) fn by(&mut self, of: &'static str, variant: &impl Debug) {
        let text = format!("{variant:?}");
        let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
        self.variants.entry(of).or_default().insert(text[..end].to_owned());
    }
}

fn told() -> Told {
    let mut told = Told::default();
    admission::tell(&mut told);
    settings::tell(&mut told);
    installed::tell(&mut told);
    told
}

#[test]
fn every_message_has_its_row_and_every_row_its_message() {
    let told = told();
    // Of these only the source can be asked here: the rows have to be its texts.
    let of_source = source::messages();
    let rows = page::rows();
    let mut silent: Vec<&String> = Vec::new();
    let mut seen: BTreeMap<&String, Vec<&String>> = told.messages.iter().map(|m| (m, Vec::new())).collect();
    for row in &rows {
        if of_source.contains(&page::normal(row)) {
            continue;
        }
        let mut said = false;
        for (message, rows) in &mut seen {
            if page::matches(row, message) {
                rows.push(row);
                said = true;
            }
        }
        if !said {
            silent.push(row);
        }
    }
    assert!(silent.is_empty(), "rows that nothing says: {silent:#?}");
    let astray: Vec<_> = seen.iter().filter(|(_, rows)| rows.len() != 1).collect();
    assert!(astray.is_empty(), "messages without exactly one row: {astray:#?}");
    let normal: BTreeSet<String> = rows.iter().map(|row| page::normal(row)).collect();
    assert_eq!(normal.len(), rows.len(), "no row twice");
    let missing: Vec<_> = of_source.difference(&normal).collect();
    assert!(missing.is_empty(), "messages of the source without a row: {missing:#?}");
}

#[test]
fn no_words_of_a_refusal_are_left_unsaid() {
    let told = told();
    let said = |words: &String| told.messages.iter().any(|m| page::matches(&format!("…{words}…"), m));
    let unsaid: Vec<String> = source::words().into_iter().filter(|words| !said(words)).collect();
    assert!(unsaid.is_empty(), "{unsaid:#?}");
}

#[test]
fn every_variant_has_said_something() {
    let told = told();
    for (name, text) in source::ENUMS {
        let mut declared = source::variants(text, name);
        let said = told.variants.get(name).cloned().unwrap_or_default();
        // The one kind of file that is no reason for a refusal.
        assert_eq!(*name == "FileKind", declared.remove("Component"));
        assert_eq!(said, declared, "{name}");
    }
    let asked: BTreeSet<_> = source::ENUMS.iter().map(|(name, _)| *name).collect();
    assert_eq!(told.variants.keys().copied().collect::<BTreeSet<_>>(), asked);
}

#[test]
fn every_rule_is_named_at_the_head_of_a_table() {
    let heads = page::rules();
    for rule in source::variants(source::ENUMS[0].1, "Rule") {
        let mut name = String::new();
        for c in rule.chars() {
            if c.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        assert!(heads.contains(&name.as_str()), "`{name}`: {heads:?}");
    }
}

#[test]
fn what_holds_the_page_can_fail() {
    assert!(page::matches("a `…` b NAME", "a `x` b y"));
    assert!(!page::matches("a `…` b NAME", "a `x` c y"));
    assert!(!page::matches("a … b", "a x b and more"));
    let source = "enum E {\n    /// One.\n    #[error(\"one {} \\\n        `{x}`{{}}\", a(.x))]\n    One(u8),\n    Two {\n        x: u8,\n    },\n}\n";
    assert_eq!(
        source::variants(source, "E"),
        BTreeSet::from(["One".to_owned(), "Two".to_owned()])
    );
    assert_eq!(
        source::errors(source),
        [("E".to_owned(), "One".to_owned(), "one … `…`{}".to_owned())]
    );
}
