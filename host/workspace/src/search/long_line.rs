//! Patterns over very long lines.
//!
//! The usual engine is linear in the text, but with a factor: a pattern of some thousand states can take a second for a few
//! kilobytes, and cannot be stopped within one call. Between lines that does no harm. A single line of megabytes, though, is for its author to
//! choose, so it is given to this engine: a lazily built automaton, taken byte by byte, that looks every now and then whether to go on.

use std::ops::Range;

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::Hir;

use crate::capability::Cancel;

/// Bytes of each thread's table of states, which is begun anew when it is full.
const TABLE_BYTES: usize = 4 * 1024 * 1024;

/// Bytes after which the flag is looked at. A byte can take a millisecond when its state has to be built first.
const LOOK_AFTER: usize = 256;

/// The pattern, forwards to find where a match ends, and backwards to find where it starts.
#[derive(Debug)]
pub(super) struct LongLine {
    forward: DFA,
    backward: DFA,
}

/// One thread's tables.
#[derive(Debug)]
pub(super) struct Tables {
    forward: Cache,
    backward: Cache,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    GivenUp,
    /// The automaton cannot tell words of other scripts apart.
    Unable,
}

impl LongLine {
    /// `None` for what this engine cannot do at all.
    pub(super) fn new(pattern: &Hir) -> Option<Self> {
        let nfa = |reverse| {
            let config = thompson::Config::new()
                .utf8(false)
                .reverse(reverse)
                .which_captures(thompson::WhichCaptures::None);
            NFA::compiler().configure(config).build_from_hir(pattern).ok()
        };
        let dfa = |nfa, kind| {
            let config = DFA::config()
                .match_kind(kind)
                .cache_capacity(TABLE_BYTES)
                .skip_cache_capacity_check(true)
                // As far as it goes without letters outside ASCII; there it says that it cannot.
                .unicode_word_boundary(true);
            DFA::builder().configure(config).build_from_nfa(nfa).ok()
        };
        Some(Self {
            forward: dfa(nfa(false)?, MatchKind::LeftmostFirst)?,
            backward: dfa(nfa(true)?, MatchKind::All)?,
        })
    }

    pub(super) fn tables(&self) -> Tables {
        Tables {
            forward: self.forward.create_cache(),
            backward: self.backward.create_cache(),
        }
    }

    /// The first match in a line.
    pub(super) fn find(
        &self,
        tables: &mut Tables,
        line: &[u8],
        cancel: &Cancel,
    ) -> Result<Option<Range<usize>>, NoAnswer> {
        let Some(end) = self.end(&mut tables.forward, line, cancel)? else {
            return Ok(None);
        };
        let start = self.start(&mut tables.backward, &line[..end], line, cancel)?;
        Ok(Some(start..end))
    }

    /// Where the leftmost match ends.
    fn end(&self, cache: &mut Cache, line: &[u8], cancel: &Cancel) -> Result<Option<usize>, NoAnswer> {
        let dfa = &self.forward;
        let mut state = dfa
            .start_state_forward(cache, &Input::new(line))
            .map_err(|_| NoAnswer::Unable)?;
        let mut last = None;
        for (at, byte) in line.iter().enumerate() {
            if at % LOOK_AFTER == 0 && cancel.is_cancelled() {
                return Err(NoAnswer::GivenUp);
            }
            state = dfa.next_state(cache, state, *byte).map_err(|_| NoAnswer::Unable)?;
            match Step::of(state) {
                Step::On => {}
                // A match shows one byte late.
                Step::Match => last = Some(at),
                Step::Dead => return Ok(last),
                Step::Unable => return Err(NoAnswer::Unable),
            }
        }
        state = dfa.next_eoi_state(cache, state).map_err(|_| NoAnswer::Unable)?;
        match Step::of(state) {
            Step::Match => Ok(Some(line.len())),
            Step::On | Step::Dead => Ok(last),
            Step::Unable => Err(NoAnswer::Unable),
        }
    }

    /// Where the match that ends with `part`, the beginning of `line`, starts.
    fn start(&self, cache: &mut Cache, part: &[u8], line: &[u8], cancel: &Cancel) -> Result<usize, NoAnswer> {
        let dfa = &self.backward;
        let input = Input::new(line).range(..part.len()).anchored(Anchored::Yes);
        let mut state = dfa.start_state_reverse(cache, &input).map_err(|_| NoAnswer::Unable)?;
        let mut last = part.len();
        for (at, byte) in part.iter().enumerate().rev() {
            if at % LOOK_AFTER == 0 && cancel.is_cancelled() {
                return Err(NoAnswer::GivenUp);
            }
            state = dfa.next_state(cache, state, *byte).map_err(|_| NoAnswer::Unable)?;
            match Step::of(state) {
                Step::On => {}
                Step::Match => last = at + 1,
                Step::Dead => return Ok(last),
                Step::Unable => return Err(NoAnswer::Unable),
            }
        }
        state = dfa.next_eoi_state(cache, state).map_err(|_| NoAnswer::Unable)?;
        match Step::of(state) {
            Step::Match => Ok(0),
            Step::On | Step::Dead => Ok(last),
            Step::Unable => Err(NoAnswer::Unable),
        }
    }
}

/// What a state says.
enum Step {
    On,
    Match,
    Dead,
    Unable,
}

impl Step {
    fn of(state: LazyStateID) -> Self {
        if !state.is_tagged() || state.is_start() {
            Self::On
        } else if state.is_match() {
            Self::Match
        } else if state.is_dead() {
            Self::Dead
        } else if state.is_quit() {
            Self::Unable
        } else {
            Self::On
        }
    }
}
