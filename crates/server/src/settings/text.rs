//! The help of `switchboard config` and the commented sample file, generated from the catalogue.

use std::fmt::Write;

use toml::Value;

use super::catalogue::CATALOGUE;
use super::kind::Kind;
use super::names::{CONFIG_ENV, DEFAULT_CONFIG_FILE};
use super::setting::Setting;

const WIDTH: usize = 100;

pub(super) fn introduction() -> String {
    format!(
        "A setting's value comes from the first of these that has one: its flag, its environment variable, the config \
         file, its default. The config file is TOML. If --config FILE or {CONFIG_ENV} names it, it must exist; \
         otherwise ./{DEFAULT_CONFIG_FILE} is read if it exists. In an environment variable, a list is separated by \
         commas, and a structured setting is JSON or inline TOML. An empty value leaves an optional setting unset. \
         Relative paths start at the working directory."
    )
}

/// Every setting with key, variable, flag, default, documentation and allowed values.
pub fn help_text() -> String {
    let mut text = wrapped(&introduction(), "");
    text.push_str(
        "\n`switchboard config sample` prints a config file with examples, `switchboard config show` the settings in \
         force.\n",
    );
    text.push_str("\nSettings:\n");
    for setting in &CATALOGUE {
        text.push('\n');
        text.push_str("  ");
        text.push_str(setting.key);
        text.push('\n');
        text.push_str(&wrapped(setting.doc, "      "));
        text.push_str(&wrapped(&names(setting), "      "));
        text.push_str(&wrapped(&format!("Default: {}", default_in_words(setting)), "      "));
        text.push_str(&wrapped(&format!("Allowed: {}", setting.kind.allowed()), "      "));
    }
    text
}

fn names(setting: &Setting) -> String {
    let flag = setting.flag.map_or_else(String::new, |flag| format!("  Flag: {flag}"));
    format!("Variable: {}{flag}", setting.env_name())
}

pub(super) fn default_in_words(setting: &Setting) -> String {
    match setting.default.value() {
        None => "not set".to_owned(),
        Some(Value::Table(plans)) if setting.kind == Kind::Plans => {
            let names: Vec<_> = plans.keys().map(String::as_str).collect();
            format!("{} (their limits are in `switchboard config sample`)", names.join(", "))
        }
        Some(value) => value.to_string(),
    }
}

/// A config file with every setting and its default, commented out. Prose has a space after `#`, settings have none.
pub fn sample_toml() -> String {
    let mut text =
        wrapped("All Switchboard settings with their defaults. To change one, remove the # in front of it.", "# ");
    text.push_str("#\n");
    text.push_str(&wrapped(&introduction(), "# "));
    let mut section = "";
    for setting in &CATALOGUE {
        if !setting.section().is_empty() && setting.section() != section {
            section = setting.section();
            // Formatting into a String cannot fail.
            let _ = write!(text, "\n[{section}]\n");
        }
        text.push('\n');
        text.push_str(&sample_entry(setting));
    }
    text
}

fn sample_entry(setting: &Setting) -> String {
    let mut text = wrapped(setting.doc, "# ");
    text.push_str(&wrapped(&names(setting), "# "));
    text.push_str(&wrapped(&format!("Allowed: {}", setting.kind.allowed()), "# "));
    if !setting.example.is_empty() {
        text.push_str("# Example:\n");
        text.extend(setting.example.lines().map(|line| format!("#   {line}\n")));
    }
    match setting.default.value() {
        Some(Value::Table(plans)) if setting.kind == Kind::Plans => {
            text.extend(plans.iter().map(|(name, plan)| sample_table(&format!("{}.{name}", setting.key), plan)));
        }
        Some(members) if setting.is_merged_by_member() => text.push_str(&sample_table(setting.key, &members)),
        value => {
            let value = value.unwrap_or_else(|| Value::String(String::new()));
            let _ = writeln!(text, "#{} = {value}", setting.name());
        }
    }
    text
}

fn sample_table(key: &str, value: &Value) -> String {
    let members = value.as_table().into_iter().flatten();
    let lines = members.map(|(name, value)| format!("#{name} = {value}\n"));
    format!("\n#[{key}]\n{}", lines.collect::<String>())
}

/// Wraps a paragraph to lines of [`WIDTH`], each with the prefix.
fn wrapped(paragraph: &str, prefix: &str) -> String {
    let mut text = String::new();
    let mut line = prefix.to_owned();
    for word in paragraph.split(' ') {
        if line.len() > prefix.len() && line.len() + 1 + word.len() > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            prefix.clone_into(&mut line);
        }
        if line.len() > prefix.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    text.push_str(line.trim_end());
    text.push('\n');
    text
}
