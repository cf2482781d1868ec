//! `read`.

use snodo_bindings::read::{File, Host, Lines, ListQuery, Listing, ReadAnswer, ReadError};
use snodo_workspace::capability as domain;

use super::off_stack;
use crate::plugin::PluginState;

impl Host for PluginState {
    async fn read_file(&mut self, path: String) -> wasmtime::Result<Result<File, ReadError>> {
        let _call = self.enter("read")?;
        if !self.allows("read-file") {
            return Ok(Err(ReadError::NotGranted("read-file".to_owned())));
        }
        match self.reader()?.read_file(&path) {
            Ok(file) => {
                self.meter.charge_read(file.size)?;
                Ok(Ok(file.into()))
            }
            Err(error) => Ok(Err(error.into())),
        }
    }

    async fn read_lines(&mut self, path: String, first: u64, last: u64) -> wasmtime::Result<Result<Lines, ReadError>> {
        let _call = self.enter("read")?;
        if !self.allows("read-lines") {
            return Ok(Err(ReadError::NotGranted("read-lines".to_owned())));
        }
        let reader = self.reader()?;
        // A range far into a large file is looked for line by line.
        match off_stack(move || reader.read_lines(&path, first, last)).await? {
            Ok(lines) => {
                self.meter.charge_read(lines.content.as_bytes().len() as u64)?;
                Ok(Ok(lines.into()))
            }
            Err(error) => Ok(Err(error.into())),
        }
    }

    async fn read_files(&mut self, paths: Vec<String>) -> wasmtime::Result<Result<Vec<ReadAnswer>, ReadError>> {
        let _call = self.enter("read")?;
        if !self.allows("read-files") {
            return Ok(Err(ReadError::NotGranted("read-files".to_owned())));
        }
        let reader = self.reader()?;
        match off_stack(move || reader.read_files(&paths)).await? {
            Ok(answers) => {
                self.meter.charge_read(
                    answers
                        .iter()
                        .filter_map(|a| a.outcome.as_ref().ok())
                        .map(|f| f.size)
                        .sum(),
                )?;
                Ok(Ok(answers.into_iter().map(Into::into).collect()))
            }
            Err(error) => Ok(Err(error.into())),
        }
    }

    async fn list_files(&mut self, query: ListQuery) -> wasmtime::Result<Result<Listing, ReadError>> {
        let _call = self.enter("read")?;
        if !self.allows("list-files") {
            return Ok(Err(ReadError::NotGranted("list-files".to_owned())));
        }
        let (reader, cancel) = (self.reader()?, self.cancel.clone());
        let query: domain::ListQuery = query.into();
        match off_stack(move || reader.list_files(&query, &cancel)).await? {
            Ok(listing) => {
                self.meter
                    .charge_read(listing.entries.iter().map(|e| e.path.len() as u64).sum())?;
                Ok(Ok(listing.into()))
            }
            Err(error) => Ok(Err(error.into())),
        }
    }
}
