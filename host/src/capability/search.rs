//! `search`.

use snodo_bindings::search::{Host, SearchError, SymbolQuery, Symbols, TextMatches, TextQuery};
use snodo_workspace::capability as domain;

use super::off_stack;
use crate::plugin::PluginState;

impl Host for PluginState {
    async fn search_text(&mut self, query: TextQuery) -> wasmtime::Result<Result<TextMatches, SearchError>> {
        let _call = self.enter("search")?;
        if !self.allows("search-text") {
            return Ok(Err(SearchError::NotGranted("search-text".to_owned())));
        }
        let (searcher, cancel) = (self.searcher()?, self.cancel.clone());
        let query: domain::TextQuery = query.into();
        match off_stack(move || searcher.search_text(&query, &cancel)).await? {
            Ok(found) => {
                self.meter.charge_read(found.matches.iter().map(text_bytes).sum())?;
                Ok(Ok(found.into()))
            }
            Err(error) => Ok(Err(error.try_into()?)),
        }
    }

    async fn search_symbol(&mut self, query: SymbolQuery) -> wasmtime::Result<Result<Symbols, SearchError>> {
        let _call = self.enter("search")?;
        if !self.allows("search-symbol") {
            return Ok(Err(SearchError::NotGranted("search-symbol".to_owned())));
        }
        let (searcher, cancel) = (self.searcher()?, self.cancel.clone());
        let query: domain::SymbolQuery = query.into();
        match off_stack(move || searcher.search_symbol(&query, &cancel)).await? {
            Ok(found) => {
                self.meter
                    .charge_read(found.symbols.iter().map(|s| (s.path.len() + s.text.len()) as u64).sum())?;
                Ok(Ok(found.into()))
            }
            Err(error) => Ok(Err(error.try_into()?)),
        }
    }
}

fn text_bytes(found: &domain::TextMatch) -> u64 {
    let context: usize = found.before.iter().chain(&found.after).map(String::len).sum();
    (found.path.len() + found.text.len() + context) as u64
}
