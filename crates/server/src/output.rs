//! Output of commands: a result as text or JSON on standard output, a failure on standard error. The commands decide
//! the content.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

use comfy_table::{ContentArrangement, presets};
use serde::Serialize;
use serde_json::json;

use crate::bootstrap::InstallationError;
use crate::commands::sandbox::client::ControlError;
use crate::settings::SettingsError;

const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;

#[derive(Debug, Clone, Copy)]
pub struct Output {
    json: bool,
}

impl Output {
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    pub fn is_json(self) -> bool {
        self.json
    }

    /// Prints a result: one line of JSON, or the text.
    pub fn print(self, result: &impl Serialize, text: impl FnOnce() -> String) -> io::Result<()> {
        if self.json { print(&serde_json::to_string(result)?) } else { print(&text()) }
    }

    /// Prints a result to standard error, because standard output carries the data.
    pub fn print_to_stderr(self, result: &impl Serialize, text: impl FnOnce() -> String) -> io::Result<()> {
        let text = if self.json { serde_json::to_string(result)? } else { text() };
        writeln!(io::stderr(), "{text}")
    }
}

/// Prints to standard output; adds a line break if the text does not end with one.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// A hint on standard error.
pub fn print_notice(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

pub fn warn(text: &str) {
    // Without a standard error the warning is dropped.
    let _ = writeln!(io::stderr(), "warning: {}", one_line(text));
}

/// Whether the program that reads the output closed the pipe (`switchboard audit list | head`), which is no failure.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

pub fn failure(output: Output, error: &anyhow::Error) -> ExitCode {
    let (kind, parameter) = classify(error);
    let mut message = one_line(&error.chain().map(text).collect::<Vec<_>>().join(": "));
    if let Some(hint) = hint(error) {
        let _ = write!(message, ": {hint}");
    }
    print_error(output, kind, &message, parameter.as_deref());
    ExitCode::from(FAILED)
}

/// The text of one error of a chain. Places are spelled as in the API.
fn text(error: &(dyn std::error::Error + 'static)) -> String {
    error.downcast_ref::<app::Error>().map_or_else(|| error.to_string(), api::spelled_text)
}

/// Prints an error of usage; also help and version, which clap reports as errors.
pub fn usage(output: Output, error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if output.json {
        print_error(output, "usage", &usage_message(error), None);
    } else {
        let _ = error.print();
    }
    ExitCode::from(WRONG_USAGE)
}

/// clap's message without the usage, on one line.
fn usage_message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let message = text.split("\n\nUsage:").next().unwrap_or_default();
    let message = message.split("\n\nFor more information").next().unwrap_or_default();
    one_line(message.strip_prefix("error: ").unwrap_or(message))
}

fn print_error(output: Output, kind: &str, message: &str, parameter: Option<&str>) {
    let line = if output.json {
        let mut error = json!({"kind": kind, "message": message});
        if let Some(parameter) = parameter {
            error["parameter"] = parameter.into();
        }
        json!({ "error": error }).to_string()
    } else {
        format!("error: {message}")
    };
    let _ = writeln!(io::stderr(), "{line}");
}

fn classify(error: &anyhow::Error) -> (&'static str, Option<String>) {
    if error.chain().any(<dyn std::error::Error>::is::<SettingsError>) {
        return ("settings", None);
    }
    if error.chain().any(|cause| matches!(cause.downcast_ref(), Some(store::Error::Unavailable(_)))) {
        return ("unavailable", None);
    }
    if let Some(error) = error.chain().find_map(|cause| cause.downcast_ref::<InstallationError>()) {
        return (error.kind(), None);
    }
    if let Some(control_error) = error.chain().find_map(|cause| cause.downcast_ref::<ControlError>()) {
        let (kind, parameter) = control_error.classified();
        return (kind, parameter.map(str::to_owned));
    }
    match error.chain().find_map(|cause| cause.downcast_ref::<app::Error>()) {
        Some(app::Error::Invalid { place, .. }) => ("invalid", Some(api::spelled(place))),
        Some(app::Error::Refused { place, .. }) => ("refused", Some(api::spelled(place))),
        Some(app::Error::Conflict { place, .. } | app::Error::Ambiguous { place, .. }) => {
            ("conflict", Some(api::spelled(place)))
        }
        Some(app::Error::NoChannel { place, .. }) => ("not_found", Some(api::spelled(place))),
        Some(app::Error::KeyReused | app::Error::KeyInUse) => ("conflict", None),
        Some(app::Error::TooManyTries { .. } | app::Error::TenantSuspended) => ("refused", None),
        Some(app::Error::LimitReached { .. }) => ("limit", None),
        Some(app::Error::NotFound(_) | app::Error::Missing { .. }) => ("not_found", None),
        Some(app::Error::Fault(_) | app::Error::Store(_)) | None => ("failure", None),
    }
}

fn hint(error: &anyhow::Error) -> Option<&'static str> {
    match error.downcast_ref::<app::Error>()? {
        app::Error::NotFound(app::Thing::Tenant) => Some("`switchboard tenant list` shows all tenants"),
        app::Error::NotFound(app::Thing::Account) => Some("`switchboard account list` shows all accounts"),
        app::Error::NotFound(app::Thing::Contact) => {
            Some("`switchboard contact list --search NAME` finds contacts by name")
        }
        app::Error::NotFound(app::Thing::Channel) => Some("`switchboard channel list` shows all channels"),
        app::Error::NotFound(app::Thing::ParkedRecord) => {
            Some("`switchboard channel parked list` shows the parked records")
        }
        app::Error::NotFound(app::Thing::Webhook) => Some("`switchboard webhook list` shows all webhooks"),
        app::Error::NotFound(app::Thing::Token) => Some("`switchboard token list` shows all tokens"),
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().map(visible).collect::<Vec<_>>().join(" ")
}

/// Replaces control characters: names and messages come from people and must not control the terminal.
pub fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A table without borders. An empty cell is printed as a dash, so that columns stay distinguishable.
#[derive(Debug)]
pub struct Table(comfy_table::Table);

impl Table {
    /// Spaces between two columns.
    const GAP: u16 = 2;

    pub fn new(headings: &[&str]) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(headings.iter().map(|heading| heading.to_uppercase()));
        for column in table.column_iter_mut() {
            column.set_padding((0, Self::GAP));
        }
        Self(table)
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.add_row(cells.into_iter().map(|cell| if cell.is_empty() { "-".to_owned() } else { visible(&cell) }));
    }

    pub fn to_text(&self) -> String {
        self.0.trim_fmt() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_display_width_without_control_characters() {
        let mut table = Table::new(&["id", "name"]);
        table.row(["1".to_owned(), "日本".to_owned()]);
        table.row(["100138".to_owned(), "a\u{1b}[2Jb".to_owned()]);
        table.row([String::new(), String::new()]);
        assert_eq!(table.to_text(), "ID      NAME\n1       日本\n100138  a\u{fffd}[2Jb\n-       -\n");
    }

    #[test]
    fn a_failure_is_one_line() {
        assert_eq!(one_line("a\n  b\u{7}\r\nc"), "a b\u{fffd} c");
    }
}
