//! Which parts of a whole were seen.

/// Half-open ranges, in order, apart from each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// With `start..end` too.
    pub(crate) fn add(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        let (mut start, mut end) = (start, end);
        self.0.retain(|&(from, to)| {
            let apart = to < start || from > end;
            if !apart {
                start = start.min(from);
                end = end.max(to);
            }
            apart
        });
        let at = self.0.partition_point(|&(from, _)| from < start);
        self.0.insert(at, (start, end));
    }

    /// Whether all of `start..end` is in it. Nothing is in everything.
    pub(crate) fn covers(&self, start: u64, end: u64) -> bool {
        start >= end || self.0.iter().any(|&(from, to)| from <= start && end <= to)
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    #[test]
    fn parts_that_touch_become_one() {
        let mut ranges = Ranges::default();
        assert!(ranges.is_empty() && ranges.covers(5, 5) && !ranges.covers(0, 1));
        ranges.add(10, 20);
        ranges.add(30, 40);
        ranges.add(0, 0);
        assert!(ranges.covers(12, 20) && !ranges.covers(12, 21) && !ranges.covers(15, 35));
        ranges.add(20, 30);
        assert_eq!(ranges, Ranges(vec![(10, 40)]));
        ranges.add(0, 5);
        ranges.add(50, 60);
        assert_eq!(ranges, Ranges(vec![(0, 5), (10, 40), (50, 60)]));
        ranges.add(3, u64::MAX);
        assert_eq!(ranges, Ranges(vec![(0, u64::MAX)]));
    }
}
