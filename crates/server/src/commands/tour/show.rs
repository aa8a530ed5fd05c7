//! How the tour is shown: for people as text, in colours on a terminal; for programs as one JSON object for each step.

use std::fmt::Write as _;
use std::io;

use anyhow::{Context as _, anyhow};
use console::style;
use serde::Serialize;
use serde_json::Value;

use super::client::Exchange;
use super::receiver::ReceivedPost;
use super::stage::{Report, Stage};
use super::steps::{PERSON, Step};
use super::text::brief;
use super::verification::Verification;
use crate::output::{self, Output, visible};
use crate::serve::Running;

/// The width of explanations.
const WIDTH: usize = 96;

/// A step with what it did, as JSON.
#[derive(Serialize)]
pub struct StepView {
    step: usize,
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// Whether the step did what its title says.
    done: bool,
    requests: Vec<Exchange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<ReceivedPost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<Verification>,
}

impl StepView {
    pub fn new(index: usize, step: Step, report: Report, done: bool) -> Self {
        let Report { requests, received, verification } = report;
        let (name, title, about) = (step.name(), step.title(), step.about());
        Self { step: index + 1, name, title, about, done, requests, received, verification }
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for exchange in &self.requests {
            text.push_str(&exchanged(exchange));
        }
        if let Some(post) = &self.received {
            text.push_str(&received(post));
        }
        if let Some(verification) = &self.verification {
            text.push_str(&verified(verification));
        }
        text
    }
}

fn exchanged(exchange: &Exchange) -> String {
    let command = indented(&exchange.command_line(), "    ");
    let status = exchange.status().to_string();
    let status = if exchange.status() < 300 { style(status).green() } else { style(status).red() };
    format!("  {} {}\n  {status} {}\n\n", style("$").dim(), style(command).cyan(), brief(exchange.answer()))
}

fn received(post: &ReceivedPost) -> String {
    let mut text = format!("  {} POST {}\n", style("received").green(), post.url);
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let _ = writeln!(text, "  {}: {}", style(name).dim(), visible(post.header(name)));
    }
    let _ = write!(text, "  {}\n\n", brief(&post.body));
    text
}

fn verified(verification: &Verification) -> String {
    let Verification { secret, signed_content, computed, received, verified } = verification;
    let result =
        if *verified { style("the signature is valid").green() } else { style("the signature is not valid").red() };
    let signed = brief(signed_content);
    format!(
        "  {}   {secret}\n  {}   {signed}\n  {} {computed}\n  {} {}\n  {result}\n\n",
        style("secret").dim(),
        style("signed").dim(),
        style("computed").dim(),
        style("received").dim(),
        visible(received),
    )
}

/// The text with every line but the first moved to the right.
fn indented(text: &str, by: &str) -> String {
    text.replace('\n', &format!("\n{by}"))
}

/// The text in lines of at most `WIDTH` characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        if let Some(line) = lines.last_mut().filter(|line| line.len() + word.len() < WIDTH) {
            let gap = if line.is_empty() { "" } else { " " };
            let _ = write!(line, "{gap}{word}");
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n")
}

/// Prints for people; programs get one object when the step has ended.
fn print_text(output: Output, text: &str) -> anyhow::Result<()> {
    if output.is_json() { Ok(()) } else { written(output::print(text)) }
}

/// A tour whose output pipe is closed has failed. For other commands a closed pipe is a success.
fn written(outcome: io::Result<()>) -> anyhow::Result<()> {
    outcome.map_err(|error| anyhow!("cannot write the output: {error}"))
}

pub fn introduction(output: Output, url: &str) -> anyhow::Result<()> {
    let count = Step::ALL.len();
    print_text(output, &format!("A tour of Switchboard in {count} steps, on a temporary server at {url}\n"))
}

pub fn heading(output: Output, index: usize, step: Step) -> anyhow::Result<()> {
    let title = format!("{} of {}: {}", index + 1, Step::ALL.len(), step.title());
    print_text(output, &format!("{}\n{}\n\n", style(title).bold(), wrapped(step.about())))
}

pub fn step(output: Output, step: &StepView) -> anyhow::Result<()> {
    written(output.print(step, || step.to_text()))
}

pub fn prompt() -> anyhow::Result<()> {
    written(output::print(&style("Press Enter for the next step, Ctrl-C to stop.").dim().to_string()))
}

pub fn end(output: Output) -> anyhow::Result<()> {
    let all = style("All steps succeeded.").green();
    print_text(
        output,
        &format!("{all} The server and its data are now removed; `switchboard tour --open` keeps them until Ctrl-C."),
    )
}

/// Pages of the console that show what the tour did.
#[derive(Serialize)]
pub struct ConsoleLinks {
    url: String,
    log_in: String,
    conversation: String,
    phone: String,
    delivery: String,
}

impl ConsoleLinks {
    pub fn new(running: &Running, stage: &Stage) -> anyhow::Result<Self> {
        let first = running.first.as_ref().context("the new database already has a tenant")?;
        let post = stage.event.as_ref().context("no event has arrived")?;
        let event: Value = serde_json::from_str(&post.body).unwrap_or_default();
        let console = format!("{}/console", running.url);
        let (webhook, delivery) = (&stage.webhook.id, post.header("webhook-id"));
        Ok(Self {
            url: running.url.clone(),
            log_in: first.code.url(&running.url),
            conversation: format!("{console}/inbox/{}", event["conversationId"].as_str().unwrap_or_default()),
            phone: format!("{console}/phone/{PERSON}"),
            delivery: format!("{console}/connector/webhooks/{webhook}/deliveries/{delivery}"),
        })
    }

    pub fn log_in(&self) -> &str {
        &self.log_in
    }
}

/// Prints where to look. The link to log in is a secret: it ends with the server.
pub fn links(output: Output, links: &ConsoleLinks) -> anyhow::Result<()> {
    let text = || {
        format!(
            "{} The server keeps running until you press Ctrl-C.\n\n\
             \x20 log in         {}\n\
             \x20                (works once; choose any password)\n\
             \x20 the message    {}\n\
             \x20 Ada's phone    {}\n\
             \x20 the delivery   {}\n",
            style("All steps succeeded.").green(),
            links.log_in,
            links.conversation,
            links.phone,
            links.delivery
        )
    };
    written(output.print(links, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explanations_fit_a_terminal_and_lose_no_word() {
        for step in Step::ALL {
            let text = wrapped(step.about());
            assert!(text.lines().all(|line| !line.is_empty() && line.len() <= WIDTH), "{text}");
            assert_eq!(text.replace('\n', " "), step.about());
            assert!(text.lines().count() <= 3, "a step is short: {text}");
        }
    }
}
