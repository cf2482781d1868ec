//! Reasoning that stands in the answer itself, between `<think>` and `</think>`.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The answer without the reasoning at its beginning, and whether there was some. One that was opened and never closed is all reasoning. Some
/// templates put the opening mark into the question, so that the answer holds the closing one alone: what is in front of it is reasoning.
/// Marks behind the answer's beginning are text like any other.
pub(crate) fn apart(text: &str) -> (&str, bool) {
    let mut rest = text;
    let mut reasoned = false;
    loop {
        let start = rest.trim_start();
        if let Some(inside) = start.strip_prefix(OPEN) {
            reasoned = true;
            let Some(end) = inside.find(CLOSE) else {
                return ("", true);
            };
            rest = &inside[end + CLOSE.len()..];
            continue;
        }
        let close = (!reasoned).then(|| start.find(CLOSE)).flatten();
        if let Some(end) = close
            && !start[..end].contains(OPEN)
        {
            reasoned = true;
            rest = &start[end + CLOSE.len()..];
            continue;
        }
        return (if reasoned { start } else { rest }, reasoned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_taken_off_the_beginning() {
        for (text, answer, reasoned) in [
            ("plain", "plain", false),
            (" plain ", " plain ", false),
            ("<think>a</think>b", "b", true),
            ("\n<think>\na\n</think>\n\nb\n", "b\n", true),
            ("<think>pass</think>", "", true),
            ("<think>pass", "", true),
            ("<think>a</think><think>b</think>c", "c", true),
            ("a</think>b", "b", true),
            ("b <think>c</think>", "b <think>c</think>", false),
            ("<think>a</think>b</think>c", "b</think>c", true),
            ("", "", false),
        ] {
            assert_eq!(apart(text), (answer, reasoned), "{text:?}");
        }
    }
}
