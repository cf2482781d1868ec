//! Search the files of the workspace: the import `search`. The same view, and the same rules, as [`read`](crate::read).

use crate::bindings::imports::snodo::plugin::search as raw;
use crate::imports;
use crate::read::CEILING;

pub use raw::{
    LetterCase, SearchError, Symbol, SymbolKind, SymbolQuery, Symbols, Syntax, TextMatch, TextMatches, TextQuery,
};

/// Lines that match.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let workspace = snodo_plugin::testing::Workspace::new().file("src/a.py", "import os\nopen(\"x\")\n");
/// # workspace.with_coder_imports(|| {
/// let calls = search::text(&search::TextQuery::literal("open(").under("src").context(2, 2))?;
/// assert_eq!((calls.matches[0].path.as_str(), calls.matches[0].line), ("src/a.py", 2));
/// assert_eq!(calls.matches[0].before, ["import os"]);
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why the search was not carried out.
#[doc(alias = "search-text")]
pub fn text(query: &TextQuery) -> Result<TextMatches, SearchError> {
    imports::search_text(query)
}

/// Lines that define a name, by rules over the text: an honest guess, not a compiler's answer.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let workspace = snodo_plugin::testing::Workspace::new().file("a.rs", "struct Point;\nfn f(p: Point) {}\n");
/// # workspace.with_coder_imports(|| {
/// let found = search::symbol(&search::SymbolQuery::named("Point"))?;
/// assert_eq!((found.symbols[0].line, found.symbols[0].kind), (1, search::SymbolKind::Type));
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why the search was not carried out.
#[doc(alias = "search-symbol")]
pub fn symbol(query: &SymbolQuery) -> Result<Symbols, SearchError> {
    imports::search_symbol(query)
}

impl TextQuery {
    fn new(pattern: impl Into<String>, syntax: Syntax) -> Self {
        Self {
            pattern: pattern.into(),
            syntax,
            letter_case: LetterCase::Sensitive,
            whole_word: false,
            under: String::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            hidden: false,
            ignored: false,
            context_before: 0,
            context_after: 0,
            limit: CEILING,
        }
    }

    /// The text itself, case-sensitive, in the whole workspace but hidden and ignored files.
    ///
    /// ```
    /// # use snodo_plugin::search::{LetterCase, TextQuery};
    /// let query = TextQuery::literal("todo").letter_case(LetterCase::Insensitive).whole_word().include("*.rs").exclude("vendor");
    /// assert_eq!(query.include, ["*.rs"]);
    /// ```
    pub fn literal(text: impl Into<String>) -> Self {
        Self::new(text, Syntax::Literal)
    }

    /// A regular expression: no look-around, no back-references.
    ///
    /// ```
    /// # use snodo_plugin::search::TextQuery;
    /// let query = TextQuery::regex(r"TODO\(\w+\)").under("src").hidden().ignored().limit(50);
    /// assert_eq!(query.limit, 50);
    /// ```
    pub fn regex(pattern: impl Into<String>) -> Self {
        Self::new(pattern, Syntax::Regex)
    }

    /// Whether letter case counts.
    #[must_use]
    pub fn letter_case(mut self, letter_case: LetterCase) -> Self {
        self.letter_case = letter_case;
        self
    }

    /// Only whole words.
    #[must_use]
    pub fn whole_word(mut self) -> Self {
        self.whole_word = true;
        self
    }

    /// Only below this folder, or in this file.
    #[must_use]
    pub fn under(mut self, path: impl Into<String>) -> Self {
        self.under = path.into();
        self
    }

    /// Only paths that match one of the globs given so.
    #[must_use]
    pub fn include(mut self, glob: impl Into<String>) -> Self {
        self.include.push(glob.into());
        self
    }

    /// Not the paths that match this glob.
    #[must_use]
    pub fn exclude(mut self, glob: impl Into<String>) -> Self {
        self.exclude.push(glob.into());
        self
    }

    /// Dot files too.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// What ignore files name too.
    #[must_use]
    pub fn ignored(mut self) -> Self {
        self.ignored = true;
        self
    }

    /// With lines of context, at most 20 each way.
    #[must_use]
    pub fn context(mut self, before: u32, after: u32) -> Self {
        self.context_before = before;
        self.context_after = after;
        self
    }

    /// At most this many matching lines.
    #[must_use]
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }
}

impl SymbolQuery {
    /// A name, literal and whole, defined anywhere but in hidden and ignored files.
    ///
    /// ```
    /// # use snodo_plugin::search::{SymbolKind, SymbolQuery};
    /// let query = SymbolQuery::named("main").kind(SymbolKind::Function).under("src").limit(1);
    /// assert_eq!(query.kind, Some(SymbolKind::Function));
    /// ```
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: None,
            under: String::new(),
            hidden: false,
            ignored: false,
            limit: CEILING,
        }
    }

    /// Only definitions of this kind.
    #[must_use]
    pub fn kind(mut self, kind: SymbolKind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Only below this folder, or in this file.
    #[must_use]
    pub fn under(mut self, path: impl Into<String>) -> Self {
        self.under = path.into();
        self
    }

    /// Dot files too.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// What ignore files name too.
    #[must_use]
    pub fn ignored(mut self) -> Self {
        self.ignored = true;
        self
    }

    /// At most this many definitions.
    #[must_use]
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }
}
