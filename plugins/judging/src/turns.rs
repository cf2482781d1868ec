//! How long a judge may look, and when it has to decide.

/// So many turns in a row that only ask for what was shown already end the looking. Such a turn costs nothing, so this is what bounds
/// them.
const STALLED: u32 = 3;

/// What the next turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Everything is offered.
    Open,
    /// Only the verdict is, and anything else is the end.
    VerdictOnly(Why),
}

/// Why nothing but a verdict is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// It is the last turn of the budget.
    Budget,
    /// The turn before had no call of a tool.
    Prose,
    /// The turns before asked only for what had been shown.
    Stalled,
    /// There is nothing to look at with.
    NoTools,
}

/// The turns of one judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turns {
    allowed: u32,
    charged: u32,
    stalled: u32,
    prose: bool,
    tools: bool,
}

impl Turns {
    /// So many turns that cost. Without `tools` each is for the verdict only.
    pub(crate) fn new(allowed: u32, tools: bool) -> Self {
        Self {
            allowed,
            charged: 0,
            stalled: 0,
            prose: false,
            tools,
        }
    }

    /// What the next turn is.
    pub(crate) fn next(&self) -> Turn {
        if !self.tools {
            Turn::VerdictOnly(Why::NoTools)
        } else if self.charged + 1 >= self.allowed {
            Turn::VerdictOnly(Why::Budget)
        } else if self.prose {
            Turn::VerdictOnly(Why::Prose)
        } else if self.stalled >= STALLED {
            Turn::VerdictOnly(Why::Stalled)
        } else {
            Turn::Open
        }
    }

    /// A turn without a call has passed.
    pub(crate) fn prose(&mut self) {
        self.charged += 1;
        self.stalled = 0;
        self.prose = true;
    }

    /// A turn with calls has passed; `progress`: at least one of them was not just a repetition.
    pub(crate) fn looked(&mut self, progress: bool) {
        if progress {
            self.charged += 1;
            self.stalled = 0;
        } else {
            self.stalled += 1;
        }
    }

    /// A verdict was sent back. What is left of the budget can be used again.
    pub(crate) fn sent_back(&mut self) {
        self.charged += 1;
        self.stalled = 0;
        self.prose = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_turn_of_the_budget_is_for_the_verdict() {
        let mut turns = Turns::new(3, true);
        assert_eq!(turns.next(), Turn::Open);
        turns.looked(true);
        assert_eq!(turns.next(), Turn::Open);
        turns.looked(true);
        assert_eq!(turns.next(), Turn::VerdictOnly(Why::Budget));
        assert_eq!(Turns::new(1, true).next(), Turn::VerdictOnly(Why::Budget));
        assert_eq!(Turns::new(200, false).next(), Turn::VerdictOnly(Why::NoTools));
    }

    #[test]
    fn the_turn_after_prose_is_for_the_verdict() {
        let mut turns = Turns::new(6, true);
        turns.prose();
        assert_eq!(turns.next(), Turn::VerdictOnly(Why::Prose));
    }

    #[test]
    fn repetition_is_free_three_times_in_a_row() {
        let mut turns = Turns::new(6, true);
        for _ in 0..10 {
            turns.looked(false);
            turns.looked(false);
            assert_eq!(turns.next(), Turn::Open);
            if turns.charged == 4 {
                break;
            }
            turns.looked(true);
        }
        assert_eq!(turns.charged, 4);
        turns.looked(false);
        assert_eq!(turns.next(), Turn::VerdictOnly(Why::Stalled));
    }

    #[test]
    fn a_verdict_that_was_sent_back_leaves_what_is_left_of_the_budget() {
        let mut turns = Turns::new(6, true);
        turns.prose();
        turns.sent_back();
        assert_eq!(turns.next(), Turn::Open);
        turns.looked(true);
        turns.looked(true);
        turns.looked(true);
        turns.sent_back();
        assert_eq!(turns.next(), Turn::VerdictOnly(Why::Budget));
    }
}
