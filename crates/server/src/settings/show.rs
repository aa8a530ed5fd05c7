//! `config show`: the settings in force with their sources. Uses their serialized form, in which secrets are masked.

use std::fmt::Write;

use api::ShownSetting;
use serde_json::{Map, Value, json};

use super::catalogue::CATALOGUE;
use super::error::Source;
use super::{Loaded, Settings};

struct Row<'a> {
    key: String,
    value: Value,
    source: &'a Source,
    doc: &'static str,
}

/// The settings for administrators in the console.
pub fn for_console(loaded: &Loaded) -> Vec<ShownSetting> {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => as_toml(other),
    };
    let source = |source: &Source| match source {
        Source::Default => "default",
        Source::File(_) => "file",
        Source::Env(_) => "environment",
        Source::Flag(_) => "flag",
    };
    let one = |row: Row<'_>| {
        // The lines of a doc comment begin with a space.
        let description = row.doc.split_whitespace().collect::<Vec<_>>().join(" ");
        ShownSetting { name: row.key, value: text(&row.value), source: source(row.source), description }
    };
    rows(loaded).into_iter().map(one).collect()
}

/// JSON, or lines of TOML with the source as a comment.
pub fn render(loaded: &Loaded, json: bool) -> String {
    let rows = rows(loaded);
    if json { as_json(loaded, rows) } else { as_lines(loaded, &rows) }
}

fn rows(loaded: &Loaded) -> Vec<Row<'_>> {
    let settings = masked(&loaded.settings);
    let mut rows = Vec::new();
    for setting in &CATALOGUE {
        let value = value_at(&settings, setting.key);
        if let (true, Value::Object(members)) = (setting.is_merged_by_member(), value) {
            let row =
                |(name, member): (&String, &Value)| (format!("{}.{name}", setting.key), member.clone(), setting.doc);
            rows.extend(members.iter().map(row));
        } else {
            rows.push((setting.key.to_owned(), value.clone(), setting.doc));
        }
    }
    let source = |key: &str| loaded.sources.get(key).unwrap_or(&Source::Default);
    rows.into_iter().map(|(key, value, doc)| Row { source: source(&key), key, value, doc }).collect()
}

/// The settings as JSON, with masked secrets. Serializing can fail only for paths that are not Unicode, and paths come
/// from text.
fn masked(settings: &Settings) -> Value {
    serde_json::to_value(settings).unwrap_or_default()
}

pub(super) fn value_at<'a>(settings: &'a Value, key: &str) -> &'a Value {
    key.split('.').fold(settings, |value, name| &value[name])
}

fn as_json(loaded: &Loaded, rows: Vec<Row<'_>>) -> String {
    let entry =
        |row: Row<'_>| (row.key, json!({"value": row.value, "source": row.source.layer(), "from": row.source.place()}));
    let settings: Map<String, Value> = rows.into_iter().map(entry).collect();
    let file = loaded.file.as_ref().map(|path| path.display().to_string());
    format!("{:#}\n", json!({"config_file": file, "settings": settings, "warnings": loaded.warnings}))
}

fn as_lines(loaded: &Loaded, rows: &[Row<'_>]) -> String {
    /// Longer values (plans) do not shift the comments of other lines.
    const WIDEST: usize = 60;
    let lines: Vec<_> = rows.iter().map(|row| (format!("{} = {}", row.key, as_toml(&row.value)), row.source)).collect();
    let width = lines.iter().map(|(line, _)| line.chars().count()).filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let file = loaded.file.as_ref().map_or_else(|| "none".to_owned(), |path| path.display().to_string());
    let mut text = format!("# config file: {file}\n");
    for (line, source) in lines {
        // Formatting into a String cannot fail.
        let _ = writeln!(text, "{line:width$}  # {source}");
    }
    text.extend(loaded.warnings.iter().map(|warning| format!("# warning: {warning}\n")));
    text
}

fn as_toml(value: &Value) -> String {
    if value.is_null() {
        return "\"\"".to_owned();
    }
    toml::Value::try_from(value).map_or_else(|_| value.to_string(), |value| value.to_string())
}
