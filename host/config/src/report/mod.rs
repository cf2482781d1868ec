//! Faults and warnings on their way to a person or a program.

mod excerpt;

use std::collections::HashSet;
use std::fmt::{self, Write as _};

use miette::{Diagnostic, LabeledSpan, Severity, SourceCode};
use serde::Serialize;

use crate::fault::{Fault, FaultKind, Rule};
use crate::printable::printable;
use crate::source::{Place, small};
use crate::warning::{Warning, WarningKind};

use excerpt::Excerpt;

/// How many faults of one file are kept; more are counted. A file with more is to be corrected in steps anyway, and a
/// hostile one must not fill memory with messages.
const KEPT: usize = 50;

/// Collects while a file is read.
#[derive(Debug, Default)]
pub(crate) struct Log {
    faults: Vec<Fault>,
    warnings: Vec<Warning>,
    more_faults: usize,
    more_warnings: usize,
}

impl Log {
    pub(crate) fn fault(&mut self, place: Place, kind: impl FnOnce() -> FaultKind) {
        if self.faults.len() < KEPT {
            self.faults.push(Fault { place, kind: kind() });
        } else {
            self.more_faults += 1;
        }
    }

    pub(crate) fn warn(&mut self, place: Place, kind: impl FnOnce() -> WarningKind) {
        if self.warnings.len() < KEPT {
            self.warnings.push(Warning { place, kind: kind() });
        } else {
            self.more_warnings += 1;
        }
    }

    pub(crate) fn is_faulty(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Takes from every fault and warning what the file says, for a file that holds credentials.
    pub(crate) fn conceal(&mut self) {
        let faults = std::mem::take(&mut self.faults).into_iter();
        self.faults = faults
            .map(|Fault { place, kind }| Fault {
                place,
                kind: kind.concealed(),
            })
            .collect();
        let warnings = std::mem::take(&mut self.warnings).into_iter();
        self.warnings = warnings
            .map(|Warning { place, kind }| Warning {
                place,
                kind: kind.concealed(),
            })
            .collect();
    }

    /// The lines with faults.
    pub(crate) fn faulty_lines(&self) -> HashSet<u32> {
        self.faults.iter().map(|fault| fault.place.line).collect()
    }

    /// The warnings in the file's order; the rest as one. The faults stay.
    pub(crate) fn take_warnings(&mut self) -> Vec<Warning> {
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.sort_by_key(|w| w.place.offset);
        let count = std::mem::take(&mut self.more_warnings);
        if count > 0 {
            let place = warnings.last().map_or(Place::START, |w| w.place);
            warnings.push(Warning {
                place,
                kind: WarningKind::More { count },
            });
        }
        warnings
    }

    /// The faults as an error of a file.
    pub(crate) fn into_error(self, what: &'static str, name: &str, text: &str) -> FileError {
        let source = Excerpt::new(name, text);
        let mut faults = self.faults;
        faults.sort_by_key(|fault| fault.place.offset);
        for Fault { place, .. } in &mut faults {
            place.length = small(source.label_length(place.offset as usize, place.length as usize));
        }
        let inner = Inner {
            what,
            name: name.to_owned(),
            source,
            faults,
            more: self.more_faults,
        };
        FileError { inner: Box::new(inner) }
    }
}

/// A configuration file that cannot be used: one or many faults, in the file's order.
///
/// It is a [`miette::Diagnostic`] with the file's excerpt (fit to be printed, whatever the file holds);
/// [`FileError::plain`] gives plain lines, and serialising it gives what a program wants to know.
#[derive(Debug)]
pub struct FileError {
    // Boxed, so that a `Result` with it stays small.
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    what: &'static str,
    name: String,
    source: Excerpt,
    faults: Vec<Fault>,
    more: usize,
}

impl FileError {
    /// The file's name, as given.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// At least one; of very many the first.
    pub fn faults(&self) -> &[Fault] {
        &self.inner.faults
    }

    /// Faults that are only counted.
    pub fn more(&self) -> usize {
        self.inner.more
    }

    /// One line for each fault and one for its way out, without colours or excerpts.
    pub fn plain(&self) -> String {
        let mut out = String::new();
        for fault in &self.inner.faults {
            line(
                &mut out,
                &self.inner.name,
                "error",
                fault.place,
                fault.kind.rule(),
                &fault.to_string(),
                &fault.kind.help(),
            );
        }
        if self.inner.more > 0 {
            // Writing to a text cannot fail.
            let _ = writeln!(
                out,
                "{}: {} more fault(s)",
                printable(&self.inner.name),
                self.inner.more
            );
        }
        out
    }
}

/// Warnings as plain lines, as [`FileError::plain`] gives faults.
pub fn plain_warnings(name: &str, warnings: &[Warning]) -> String {
    let mut out = String::new();
    for warning in warnings {
        line(
            &mut out,
            name,
            "warning",
            warning.place,
            warning.kind.rule(),
            &warning.to_string(),
            &warning.kind.help(),
        );
    }
    out
}

fn line(out: &mut String, name: &str, level: &str, place: Place, rule: Rule, message: &str, help: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(
        out,
        "{}:{}:{}: {level}[{}]: {message}\n  help: {help}",
        printable(name),
        place.line,
        place.column,
        rule.as_str()
    );
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.inner.faults.len() + self.inner.more;
        write!(
            f,
            "the {} `{}` cannot be used: {count} fault{}",
            self.inner.what,
            printable(&self.inner.name),
            if count == 1 { "" } else { "s" }
        )
    }
}

impl std::error::Error for FileError {}

impl Diagnostic for FileError {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.inner.source)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.inner.faults.iter().map(|fault| fault as &dyn Diagnostic)))
    }
}

impl Diagnostic for Fault {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.kind.rule().as_str()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.kind.help()))
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(label(self.place))
    }
}

impl Diagnostic for Warning {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.kind.rule().as_str()))
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity::Warning)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.kind.help()))
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(label(self.place))
    }
}

fn label(place: Place) -> Box<dyn Iterator<Item = LabeledSpan>> {
    let span = (place.offset as usize, place.length as usize);
    Box::new(std::iter::once(LabeledSpan::new_with_span(None, span)))
}

/// What a program is told of a fault or a warning.
#[derive(Serialize)]
struct Told<'a> {
    line: u32,
    column: u32,
    rule: Rule,
    message: &'a str,
    help: &'a str,
}

impl Serialize for Fault {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (message, help) = (self.to_string(), self.kind.help());
        Told {
            line: self.place.line,
            column: self.place.column,
            rule: self.kind.rule(),
            message: &message,
            help: &help,
        }
        .serialize(to)
    }
}

impl Serialize for Warning {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (message, help) = (self.to_string(), self.kind.help());
        Told {
            line: self.place.line,
            column: self.place.column,
            rule: self.kind.rule(),
            message: &message,
            help: &help,
        }
        .serialize(to)
    }
}

impl Serialize for FileError {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Whole<'a> {
            file: &'a str,
            message: String,
            faults: &'a [Fault],
            #[serde(skip_serializing_if = "is_zero")]
            more: usize,
        }
        // By reference because that is how serde calls it.
        #[allow(clippy::trivially_copy_pass_by_ref)]
        fn is_zero(n: &usize) -> bool {
            *n == 0
        }
        Whole {
            file: &self.inner.name,
            message: self.to_string(),
            faults: &self.inner.faults,
            more: self.inner.more,
        }
        .serialize(to)
    }
}
