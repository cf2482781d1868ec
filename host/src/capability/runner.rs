//! `runner`.

use std::sync::Arc;

use snodo_bindings::runner::{Host, Observation, RunnerError};
use snodo_workspace::capability::Runner;

use super::NotOfThisRole;
use crate::plugin::{Given, PluginState};

impl PluginState {
    fn runner(&self) -> Result<Arc<dyn Runner>, NotOfThisRole> {
        match &self.given {
            Given::Coder(given) => Ok(Arc::clone(&given.runner)),
            Given::Judge(given, _) => given.runner.as_ref().map(Arc::clone).ok_or(NotOfThisRole("runner")),
            Given::Closed => Err(NotOfThisRole("runner")),
        }
    }
}

impl Host for PluginState {
    async fn run_tests(&mut self, path: Option<String>) -> wasmtime::Result<Result<Observation, RunnerError>> {
        let _call = self.enter("runner")?;
        if !self.allows("run-tests") {
            return Ok(Err(RunnerError::NotGranted("run-tests".to_owned())));
        }
        let runner = self.runner()?;
        Ok(runner.run_tests(path).await.map(Into::into).map_err(Into::into))
    }
}
