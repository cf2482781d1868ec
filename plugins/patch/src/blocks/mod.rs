//! SEARCH/REPLACE blocks: the lines to look for and the lines to put in their place.

mod apply;
mod parse;

pub(crate) use apply::apply;
pub(crate) use parse::{Marker, parse, path};

use crate::lines::Line;

/// One block.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    /// Where it begins in the task, from 0.
    pub(crate) at: usize,
    /// As the task names it.
    pub(crate) path: String,
    pub(crate) search: Vec<Line<'a>>,
    pub(crate) replace: Vec<Line<'a>>,
}
