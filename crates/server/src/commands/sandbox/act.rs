//! Acts of simulated people: say, tap, open, call, pay, prefer; and their phones.

use axum::http::Method;
use serde_json::{Value, json};

use super::args::{SandboxPerson, object};
use crate::commands::Context;
use crate::commands::contact::show::plain;
use crate::output::visible;

pub const PHONE_JSON: &str = "With --json: {\"online\"}.";
pub const JSON: &str = "With --json: the response of the API operation with the same name.";

#[derive(Debug, clap::Args)]
#[group(id = "said", required = true, multiple = true, args = ["text", "named_text", "image", "location", "reaction"])]
pub struct Say {
    #[command(flatten)]
    person: SandboxPerson,
    /// The message's text, or the image's caption.
    text: Option<String>,
    /// Same as the TEXT argument.
    #[arg(long = "text", value_name = "TEXT", conflicts_with = "text")]
    named_text: Option<String>,
    /// Send an image.
    #[arg(long, conflicts_with_all = ["location", "reaction"])]
    image: bool,
    /// Send a location.
    #[arg(long, value_name = "LATITUDE,LONGITUDE", value_parser = coordinates, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["text", "named_text", "reaction"])]
    location: Option<Coordinates>,
    /// React with this emoji to the message in --reply-to; an empty text removes the reaction.
    #[arg(long, value_name = "EMOJI", conflicts_with_all = ["text", "named_text"], requires = "reply_to")]
    reaction: Option<String>,
    /// The id of the message to reply to.
    #[arg(long, value_name = "MESSAGE_ID")]
    reply_to: Option<String>,
    /// The channel to write to, by name, number or id; default: the channel of --reply-to, or the default channel.
    #[arg(long)]
    channel: Option<String>,
}

/// Latitude and longitude.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Coordinates(f64, f64);

fn coordinates(text: &str) -> Result<Coordinates, &'static str> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let pair = text.split_once(',').and_then(|(latitude, longitude)| number(latitude).zip(number(longitude)));
    pair.map(|(latitude, longitude)| Coordinates(latitude, longitude))
        .ok_or("expected coordinates such as 52.52,13.405")
}

#[derive(Debug, clap::Args)]
pub struct Tap {
    #[command(flatten)]
    person: SandboxPerson,
    /// The button's text, or its number in `inbox`.
    #[arg(required_unless_present = "named_button")]
    button: Option<String>,
    /// Same as the BUTTON argument.
    #[arg(long = "button", value_name = "BUTTON", conflicts_with = "button")]
    named_button: Option<String>,
    /// The message's id; default: the newest message with this button.
    #[arg(long, value_name = "MESSAGE_ID")]
    message: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct Open {
    #[command(flatten)]
    person: SandboxPerson,
    /// The button's text, or its index among the message's links, starting at 0; default: the first.
    button: Option<String>,
    /// Same as the BUTTON argument.
    #[arg(long = "button", value_name = "BUTTON", conflicts_with = "button")]
    named_button: Option<String>,
    /// The message's id; default: the newest message with a link.
    #[arg(long, value_name = "MESSAGE_ID")]
    message: Option<String>,
    /// Have the network report the click as well.
    #[arg(long)]
    report: bool,
}

#[derive(Debug, clap::Args)]
pub struct Call {
    #[command(flatten)]
    person: SandboxPerson,
    /// Duration of the answered call in seconds; default: 60.
    #[arg(long, conflicts_with = "missed")]
    seconds: Option<u32>,
    /// The business does not answer.
    #[arg(long)]
    missed: bool,
    /// The channel to call, by name, number or id; default: the default channel.
    #[arg(long)]
    channel: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct Pay {
    #[command(flatten)]
    person: SandboxPerson,
    /// The id of the message with the order; default: the most recently changed unpaid order.
    #[arg(long, value_name = "MESSAGE_ID", conflicts_with = "reference_id")]
    message: Option<String>,
    /// The order's reference id.
    #[arg(long)]
    reference_id: Option<String>,
    /// Outcome: captured (default), failed, pending, twice, refunded, late, lost, disagree or other_amount.
    #[arg(long)]
    outcome: Option<String>,
    /// Delay of the network's report in seconds; default: 0, or 3600 for the outcome late.
    #[arg(long, value_name = "SECONDS")]
    after_seconds: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub struct Prefer {
    #[command(flatten)]
    person: SandboxPerson,
    /// Whether the person stops or resumes marketing messages.
    #[arg(long)]
    marketing: Marketing,
    /// The channel that gets the report, by name, number or id; default: the default channel.
    #[arg(long)]
    channel: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Marketing {
    Stop,
    Resume,
}

#[derive(Debug, clap::Args)]
pub struct Phone {
    #[command(flatten)]
    person: SandboxPerson,
    /// The phone's new state. Messages to the person wait while it is offline and arrive when it is online again.
    #[arg(value_name = "online|offline")]
    state: PhoneSwitch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PhoneSwitch {
    Online,
    Offline,
}

impl Say {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        act(context, &self.person, "say", &self.body()).await
    }

    fn body(&self) -> Value {
        let text = self.text.as_ref().or(self.named_text.as_ref());
        let (text, image) =
            if self.image { (Value::Null, object([("caption", json!(text))])) } else { (json!(text), Value::Null) };
        let coordinates = |Coordinates(latitude, longitude)| json!({"latitude": latitude, "longitude": longitude});
        object([
            ("text", text),
            ("image", image),
            ("location", self.location.map_or(Value::Null, coordinates)),
            ("reaction", json!(self.reaction)),
            ("reply_to", json!(self.reply_to)),
            ("channel", json!(self.channel)),
        ])
    }
}

impl Tap {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let body = object([("button", json!(self.button.or(self.named_button))), ("message", json!(self.message))]);
        act(context, &self.person, "tap", &body).await
    }
}

impl Open {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let body = object([
            ("button", json!(self.button.or(self.named_button))),
            ("message", json!(self.message)),
            ("report", flag(self.report)),
        ]);
        act(context, &self.person, "open", &body).await
    }
}

impl Call {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let body =
            object([("seconds", json!(self.seconds)), ("missed", flag(self.missed)), ("channel", json!(self.channel))]);
        act(context, &self.person, "call", &body).await
    }
}

impl Pay {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let body = object([
            ("message", json!(self.message)),
            ("reference_id", json!(self.reference_id)),
            ("outcome", json!(self.outcome)),
            ("after_seconds", json!(self.after_seconds)),
        ]);
        act(context, &self.person, "pay", &body).await
    }
}

impl Prefer {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let marketing = json!(self.marketing == Marketing::Resume);
        let body = object([("marketing", marketing), ("channel", json!(self.channel))]);
        act(context, &self.person, "prefer", &body).await
    }
}

impl Phone {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let body = json!({"online": self.state == PhoneSwitch::Online});
        let path = self.person.path("phone");
        let answer = self.person.tenant.ask(context, Method::PUT, &path, Some(&body)).await?;
        Ok(context.output.print(&answer, || text(&answer))?)
    }
}

/// Null if false, so that `object` leaves the member out.
fn flag(is: bool) -> Value {
    if is { Value::Bool(true) } else { Value::Null }
}

async fn act(context: &Context, person: &SandboxPerson, what: &str, body: &Value) -> anyhow::Result<()> {
    let answer = person.tenant.ask(context, Method::POST, &person.path(what), Some(body)).await?;
    Ok(context.output.print(&answer, || text(&answer))?)
}

/// Members with a value, one per line; members of lists and objects indented below.
pub fn text(answer: &Value) -> String {
    let text = indented(answer, "");
    if text.is_empty() { "done".to_owned() } else { text }
}

fn indented(answer: &Value, before: &str) -> String {
    let members = answer.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    members.map(|(name, value)| member(name, value, before)).collect()
}

fn member(name: &str, value: &Value, before: &str) -> String {
    let deeper = format!("{before}  ");
    match value {
        Value::Object(_) => format!("{before}{name}:\n{}", indented(value, &deeper)),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let items: Vec<String> = items.iter().map(|item| format!("{deeper}{}", in_one_line(item))).collect();
            format!("{before}{name}:\n{}\n", items.join("\n"))
        }
        value => visible(&format!("{before}{name}: {}", plain(value))) + "\n",
    }
}

fn in_one_line(item: &Value) -> String {
    let members = item.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    visible(&members.map(|(name, value)| format!("{name} {}", plain(value))).collect::<Vec<_>>().join("  "))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct SayCommand {
        #[command(flatten)]
        say: Say,
    }

    fn said(arguments: &[&str]) -> Result<Value, clap::Error> {
        SayCommand::try_parse_from(["x", "--person", "ada"].iter().chain(arguments)).map(|command| command.say.body())
    }

    #[test]
    fn a_person_says_one_thing_at_a_time() {
        assert_eq!(said(&["Hello"]).unwrap(), json!({"text": "Hello"}));
        assert_eq!(said(&["Look", "--image"]).unwrap(), json!({"image": {"caption": "Look"}}));
        assert_eq!(said(&["--image"]).unwrap(), json!({"image": {}}));
        let place = json!({"location": {"latitude": -33.9, "longitude": 18.4}});
        assert_eq!(said(&["--location", "-33.9, 18.4"]).unwrap(), place);
        let reaction = json!({"reaction": "👍", "reply_to": "wamid.1"});
        assert_eq!(said(&["--reaction", "👍", "--reply-to", "wamid.1"]).unwrap(), reaction);
        for wrong in [
            vec![],
            vec!["--reaction", "👍"],
            vec!["Hi", "--location", "1,2"],
            vec!["--location", "here"],
            vec!["--location", "inf,1"],
            vec!["Hi", "--reaction", "👍", "--reply-to", "wamid.1"],
        ] {
            assert!(said(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn an_answer_is_printed_in_lines() {
        let answer = json!({"message": "wamid.1", "none": null, "said": {"id": "a\u{7}b"}, "transactions": ["t1", "t2"],
            "hops": [{"url": "https://a.example", "status": 302}, {"url": "https://b.example", "error": "no answer"}]});
        let expected = "hops:\n  status 302  url https://a.example\n  error no answer  url https://b.example\n\
            message: wamid.1\nsaid:\n  id: a\u{fffd}b\ntransactions: t1, t2\n";
        assert_eq!(text(&answer), expected);
        assert_eq!(text(&json!({})), "done");
    }
}
