//! A model string that names a coder.

/// Prefixes that name a coder of snodo's, which is a program of its own. In snodo's order.
const PROGRAMS: [&str; 5] = ["claude-cli", "codex-cli", "opencode-cli", "opencode", "agy"];

/// The coder that a model string names, and what is left for it: `claude-cli/opus` is the coder `claude-cli` with the model `opus`, and
/// `NAME/x` the plugin `NAME` with `x`. None where the string names a model: it is for whoever asks models in this process (snodo has three
/// coders for that, told apart by the model's name; here it is one).
///
/// A plugin's name goes before a provider's of the same name, as in snodo.
pub fn coder_prefix<'m>(model: &'m str, plugin_names: &[&str]) -> Option<(&'m str, &'m str)> {
    let (name, rest) = model.split_once('/')?;
    (PROGRAMS.contains(&name) || plugin_names.contains(&name)).then_some((name, rest))
}
