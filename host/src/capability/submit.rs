//! `submit`.

use std::sync::Arc;

use snodo_bindings::submit::{Host, Operation, ProgressEvent, Submission, SubmitError};
use snodo_workspace::capability as domain;
use snodo_workspace::capability::Submit;

use super::{NotOfThisRole, off_stack};
use crate::plugin::{Given, PluginState};

impl PluginState {
    fn submitter(&self) -> Result<Arc<dyn Submit>, NotOfThisRole> {
        match &self.given {
            Given::Coder(given) => Ok(Arc::clone(&given.submit)),
            Given::Judge(..) | Given::Closed => Err(NotOfThisRole("submit")),
        }
    }
}

impl Host for PluginState {
    async fn submit_files(&mut self, operations: Vec<Operation>) -> wasmtime::Result<Result<Submission, SubmitError>> {
        let _call = self.enter("submit")?;
        let submitter = self.submitter()?;
        let operations: Vec<domain::Operation> = operations.into_iter().map(Into::into).collect();
        self.meter.charge_submit(operations.iter().map(size).sum())?;
        // The files that it replaces are read to be compared.
        let taken = off_stack(move || submitter.submit_files(operations)).await?;
        Ok(taken.map(Into::into).map_err(Into::into))
    }

    async fn withdraw(&mut self, paths: Vec<String>) -> wasmtime::Result<Result<Vec<String>, SubmitError>> {
        let _call = self.enter("submit")?;
        Ok(self.submitter()?.withdraw(&paths).map_err(Into::into))
    }

    async fn progress(&mut self, event: ProgressEvent) -> wasmtime::Result<()> {
        let _call = self.enter("submit")?;
        self.submitter()?.progress(event.into());
        Ok(())
    }
}

fn size(operation: &domain::Operation) -> u64 {
    match operation {
        domain::Operation::Write { path, content, .. } => (path.len() + content.as_bytes().len()) as u64,
        domain::Operation::Delete { path } | domain::Operation::SetExecutable { path, .. } => path.len() as u64,
        domain::Operation::Rename { from, to } => (from.len() + to.len()) as u64,
    }
}
