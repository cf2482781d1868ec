//! Where a test can look on, fail a step, or end the process. The product passes [`Unwatched`]; there is no switch for it.

use std::io;

/// A moment of an apply. The number is the intent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// The journal's file is there, empty.
    JournalMade,
    /// Half of a piece of the journal is written.
    JournalTorn,
    /// A piece of the journal is written, not synced.
    JournalWritten,
    /// A piece of the journal is synced.
    JournalSynced,
    /// Before a new file or folder is made under its temporary name.
    Stage(usize),
    /// It is made, and empty.
    Made(usize),
    /// It is complete.
    Staged(usize),
    /// Before everything staged is synced.
    SyncStaged,
    /// Before a file leaves its place for a temporary name.
    Lift(usize),
    /// It left.
    Lifted(usize),
    /// Before two names are exchanged.
    Exchange(usize),
    /// Before a second name is given to a file that is replaced without an exchange.
    KeepOld(usize),
    /// It has it.
    OldKept(usize),
    /// Before something takes its place.
    Place(usize),
    /// It has it, not yet verified.
    Placed(usize),
    /// Before everything in place is synced.
    SyncPlaced,
    /// Before a step is taken back.
    Undo(usize),
    /// In between, where taking back has two steps.
    UndoHalf(usize),
    /// It is taken back.
    Undone(usize),
    /// Before what was displaced is removed.
    Clean(usize),
    /// Before the journal is removed.
    RemoveJournal,
}

/// Whoever looks on. An error stands for that of the operation which the moment comes before.
pub(super) trait Watch: Sync {
    /// Called at each moment, by the thread that takes the step.
    fn at(&self, moment: Moment) -> io::Result<()>;
}

/// Nobody looks on.
pub(super) struct Unwatched;

impl Watch for Unwatched {
    fn at(&self, _: Moment) -> io::Result<()> {
        Ok(())
    }
}
