//! Writes `host/data/secrets.json`, the one table of the whole product, as Rust: the component then carries no parser for it.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let table_path = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../host/data/secrets.json");
    println!("cargo::rerun-if-changed={}", table_path.display());
    let table: Value = serde_json::from_str(&fs::read_to_string(&table_path)?)?;

    let mut rust = String::from("pub(crate) const RULES: &[Rule] = &[\n");
    for rule in table["rules"].as_array().ok_or("`rules` is a list")? {
        let text = |key: &str| rule[key].as_str().ok_or_else(|| format!("`{key}` of a rule is a text"));
        let keywords = rule["keywords"]
            .as_array()
            .ok_or("`keywords` of a rule is a list")?
            .iter()
            .map(|keyword| keyword.as_str().ok_or("a keyword is a text"))
            .collect::<Result<Vec<&str>, _>>()?;
        writeln!(
            rust,
            "    Rule {{ name: {:?}, meaning: {:?}, pattern: {:?}, keywords: &{:?} }},",
            text("name")?,
            text("meaning")?,
            text("pattern")?,
            keywords
        )?;
    }
    rust.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("rules.rs"), rust)?;
    Ok(())
}
