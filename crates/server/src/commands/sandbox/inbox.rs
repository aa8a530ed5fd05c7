//! `switchboard sandbox inbox`: a person's messages as the phone shows them.

use axum::http::Method;
use serde_json::Value;

use super::args::SandboxPerson;
use crate::commands::Context;
use crate::commands::contact::show::plain;
use crate::output::visible;

pub const JSON: &str = "\
With --json: {\"messages\": [{\"id\", \"from\", \"text\", \"buttons\": [{\"text\", \"type\", \"url\"}], \"received_at\", \"read_at\"}],
\"said\": [{\"id\", \"type\", \"text\", \"at\"}]}; url is the real link, or null for a button without one, and said is what the
person wrote.";

#[derive(Debug, clap::Args)]
pub struct Inbox {
    #[command(flatten)]
    person: SandboxPerson,
    /// Maximum number of messages: the newest ones.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=500))]
    limit: u32,
}

impl Inbox {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let path = format!("{}?limit={}", self.person.path("inbox"), self.limit);
        let answer = self.person.tenant.ask(context, Method::GET, &path, None).await?;
        Ok(context.output.print(&answer, || text(&answer))?)
    }
}

fn text(inbox: &Value) -> String {
    let messages: Vec<String> = inbox["messages"].as_array().into_iter().flatten().map(message).collect();
    if messages.is_empty() { "nothing has arrived yet".to_owned() } else { messages.join("\n") }
}

/// The text form of a message: time and sender, text, numbered buttons, id.
fn message(message: &Value) -> String {
    let read = if message["read_at"].is_null() { "unread" } else { "read" };
    let mut lines = vec![format!("{}  from {}  {read}", plain(&message["received_at"]), plain(&message["from"]))];
    lines.extend(plain(&message["text"]).lines().map(|line| format!("  {line}")));
    let buttons = message["buttons"].as_array().into_iter().flatten();
    lines.extend(buttons.zip(0..).map(|(button, number)| button_line(button, number)));
    lines.push(format!("  id {}", plain(&message["id"])));
    lines.iter().map(|line| visible(line) + "\n").collect()
}

fn button_line(button: &Value, number: usize) -> String {
    let link = button["url"].as_str().map(|url| format!(" → {url}")).unwrap_or_default();
    format!("  [{number}] {} ({}){link}", plain(&button["text"]), plain(&button["type"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_printed_with_its_buttons_and_without_control_characters() {
        let inbox = json!({"messages": [
            {"id": "wamid.1", "from": "14155550100", "text": "Hello Ada,\nyour order\u{1b}[2J is here.", "read_at": null,
             "received_at": "2026-04-24T10:00:00.000Z", "buttons": [
                {"text": "Track it", "type": "url", "url": "https://example.com/1"},
                {"text": "Stop", "type": "quick_reply", "url": null}]},
            {"id": "wamid.2", "from": "14155550100", "text": "Bye", "buttons": [],
             "received_at": "2026-04-24T10:01:00.000Z", "read_at": "2026-04-24T10:02:00.000Z"}]});
        let expected = "\
2026-04-24T10:00:00.000Z  from 14155550100  unread
  Hello Ada,
  your order\u{fffd}[2J is here.
  [0] Track it (url) → https://example.com/1
  [1] Stop (quick_reply)
  id wamid.1

2026-04-24T10:01:00.000Z  from 14155550100  read
  Bye
  id wamid.2
";
        assert_eq!(text(&inbox), expected);
        assert_eq!(text(&json!({"messages": []})), "nothing has arrived yet");
    }
}
