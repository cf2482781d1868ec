//! A file with the notice at its head.

use crate::style::Style;

/// Among so many lines the notice is looked for.
const HEAD: usize = 20;

/// The text with the notice, in comments; none if it is there already, or there is nothing to put it on.
pub fn with_notice(text: &str, style: Style, notice: &str) -> Option<String> {
    let first = notice.lines().next()?.trim();
    if text.trim().is_empty() || text.lines().take(HEAD).any(|line| line.contains(first)) {
        return None;
    }
    let line_end = if text
        .split_inclusive('\n')
        .next()
        .is_some_and(|line| line.ends_with("\r\n"))
    {
        "\r\n"
    } else {
        "\n"
    };
    let (head, rest) = text.split_at(first_lines(text));
    let mut out = head.to_owned();
    // A file of which all has to stay at the head may end without a line's end.
    if !head.is_empty() && !head.ends_with('\n') && head != BOM {
        out.push_str(line_end);
    }
    for line in comment(style, notice) {
        out.push_str(&line);
        out.push_str(line_end);
    }
    let starts_blank = rest.lines().next().is_none_or(|line| line.trim().is_empty());
    if !starts_blank {
        out.push_str(line_end);
    }
    out.push_str(rest);
    Some(out)
}

/// A byte-order mark.
const BOM: &str = "\u{feff}";

/// How many bytes have to stay at the head: a byte-order mark, and lines that mean something only as the first.
fn first_lines(text: &str) -> usize {
    let mut at = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let mut lines = text[at..].split_inclusive('\n').peekable();
    // `#![` is an attribute of Rust's.
    let is_first =
        |line: &str| (line.starts_with("#!") && !line.starts_with("#![")) || line.starts_with("<?") || is_doctype(line);
    // PEP 263: in the first or second line.
    let is_encoding = |line: &str| line.starts_with('#') && (line.contains("coding:") || line.contains("coding="));
    if let Some(line) = lines.next_if(|line| is_first(line)) {
        at += line.len();
    }
    if let Some(line) = lines.next_if(|line| is_encoding(line) || is_doctype(line)) {
        at += line.len();
    }
    at
}

fn is_doctype(line: &str) -> bool {
    line.get(..9)
        .is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"))
}

fn comment(style: Style, notice: &str) -> Vec<String> {
    let marked = |mark: &str, line: &str| format!("{mark}{line}").trim_end().to_owned();
    match style {
        Style::Lines(mark) => {
            let mark = format!("{mark} ");
            notice.lines().map(|line| marked(&mark, line)).collect()
        }
        Style::Block(begin, mark, end) => {
            let mut lines = vec![begin.to_owned()];
            lines.extend(notice.lines().map(|line| marked(mark, line)));
            lines.push(end.to_owned());
            lines
        }
    }
}
