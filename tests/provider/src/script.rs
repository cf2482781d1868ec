//! Scripts that many tests need.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::reply::Reply;
use crate::seen::Seen;

/// One reply after the other. When they are used up, a refusal that says so: no client tries again after it.
pub fn queue(replies: impl IntoIterator<Item = Reply>) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    let left = Mutex::new(replies.into_iter().collect::<VecDeque<_>>());
    move |_| {
        left.lock()
            .unwrap()
            .pop_front()
            .unwrap_or_else(|| Reply::error(418, "script_over", "the test's script has no reply left"))
    }
}

/// The same reply to everything.
pub fn always(reply: Reply) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    move |_| reply.clone()
}

/// By the model that is asked for; `otherwise` for every other.
pub fn by_model<const N: usize>(
    replies: [(&'static str, Reply); N],
    otherwise: Reply,
) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    move |seen| {
        let found = replies.iter().find(|(model, _)| *model == seen.model);
        found.map_or_else(|| otherwise.clone(), |(_, reply)| reply.clone())
    }
}

/// By the first of these tools that is on offer; `otherwise` if none is.
pub fn by_tool<const N: usize>(
    replies: [(&'static str, Reply); N],
    otherwise: Reply,
) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    move |seen| {
        let found = replies.iter().find(|(tool, _)| seen.offers(tool));
        found.map_or_else(|| otherwise.clone(), |(_, reply)| reply.clone())
    }
}

/// A whole run: judges say this, the classifier says `feature`, a coder submits these files. Judges are known by `submit_verdict`, coders by
/// `submit_files`; whoever is offered neither is the classifier.
pub fn run(
    severity: &'static str,
    files: &'static [(&'static str, &'static str)],
) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    move |seen| {
        if seen.offers("submit_verdict") {
            Reply::verdict(severity, "the provider of the tests says so")
        } else if seen.offers("submit_files") && seen.turn() == 0 {
            Reply::submit_files(files)
        } else if seen.offers("submit_files") {
            Reply::text("done")
        } else {
            Reply::classify("feature")
        }
    }
}
