//! `change`.

use std::sync::Arc;

use snodo_bindings::change::{BeforeError, ChangeError, ChangeSummary, DiffAnswer, DiffQuery, File, Host, ReadError};
use snodo_workspace::capability as domain;
use snodo_workspace::capability::Change;

use super::{NotOfThisRole, off_stack};
use crate::plugin::{Given, PluginState};

impl PluginState {
    fn change(&self) -> Result<Arc<dyn Change>, NotOfThisRole> {
        match &self.given {
            Given::Judge(given, _) => Ok(Arc::clone(&given.change)),
            Given::Coder(_) | Given::Closed => Err(NotOfThisRole("change")),
        }
    }
}

impl Host for PluginState {
    async fn summary(&mut self) -> wasmtime::Result<Result<ChangeSummary, ChangeError>> {
        let _call = self.enter("change")?;
        if !self.allows("summary") {
            return Ok(Err(ChangeError::NotGranted("summary".to_owned())));
        }
        let change = self.change()?;
        Ok(off_stack(move || change.summary())
            .await?
            .map(Into::into)
            .map_err(Into::into))
    }

    async fn diff(&mut self, query: DiffQuery) -> wasmtime::Result<Result<DiffAnswer, ChangeError>> {
        let _call = self.enter("change")?;
        if !self.allows("diff") {
            return Ok(Err(ChangeError::NotGranted("diff".to_owned())));
        }
        let change = self.change()?;
        let mut query: domain::DiffQuery = query.into();
        query.max_bytes = query.max_bytes.min(self.meter.limits().call_bytes);
        match off_stack(move || change.diff(&query)).await? {
            Ok(answer) => {
                let lines = answer.files.iter().flat_map(|f| &f.hunks).flat_map(|h| &h.lines);
                self.meter.charge_read(lines.map(|l| l.text.len() as u64).sum())?;
                Ok(Ok(answer.into()))
            }
            Err(error) => Ok(Err(error.into())),
        }
    }

    async fn before(&mut self, path: String) -> wasmtime::Result<Result<File, BeforeError>> {
        let _call = self.enter("change")?;
        if !self.allows("before") {
            return Ok(Err(BeforeError::Read(ReadError::NotGranted("before".to_owned()))));
        }
        let change = self.change()?;
        match off_stack(move || change.before(&path)).await? {
            Ok(file) => {
                self.meter.charge_read(file.size)?;
                Ok(Ok(file.into()))
            }
            Err(error) => Ok(Err(error.into())),
        }
    }
}
