//! Code blocks that show commands behind a prompt and what they print. Tests that run the commands of the pages use it
//! too.

/// A command or a line of what it printed.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// Without the prompt; it has several lines if a quotation or a backslash continues it.
    Command(String),
    Printed(String),
}

/// Splits a block with prompts.
pub fn split(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ ") else {
            parts.push(Part::Printed(line.to_owned()));
            continue;
        };
        let mut command = first.to_owned();
        while continues(&command) {
            let Some(next) = lines.next() else { break };
            command.push('\n');
            command.push_str(next);
        }
        parts.push(Part::Command(command));
    }
    parts
}

/// Whether a shell would read on: a quotation is open, or the line ends with a backslash.
fn continues(command: &str) -> bool {
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None | Some('"'), '\\') if characters.next().is_none() => return true,
            _ => {}
        }
    }
    quote.is_some()
}
