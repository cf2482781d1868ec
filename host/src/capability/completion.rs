//! `completion`. Admission refuses it in a build that serves no model client; the interface is linked only for a store that
//! was given one.

use snodo_bindings::completion::{Answer, CompletionError, Host, Request};

use super::NotOfThisRole;
use crate::plugin::{Given, PluginState};

impl Host for PluginState {
    async fn complete(&mut self, request: Request) -> wasmtime::Result<Result<Answer, CompletionError>> {
        let _call = self.enter("completion")?;
        let client = match &self.given {
            Given::Coder(given) => given.completion.clone(),
            Given::Judge(given, _) => given.completion.clone(),
            Given::Closed => None,
        };
        let client = client.ok_or(NotOfThisRole("completion"))?;
        Ok(client
            .complete(request.into())
            .await
            .map(Into::into)
            .map_err(Into::into))
    }
}
