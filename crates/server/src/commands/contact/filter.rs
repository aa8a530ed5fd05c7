//! Filter arguments of contact list and export.

use app::{App, Command};
use clap::Args;
use domain::people::contacts::{Condition, ContactFilter, OPERATORS};
use serde::Deserialize;

#[derive(Debug, Args)]
pub struct ContactFilterArgs {
    /// Only contacts whose name, phone number or handle contains this text; ignores case.
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Only contacts that meet all of these conditions, as JSON: [{"name":"city","operator":"==","value":"Berlin"}].
    #[arg(long, value_name = "JSON", value_parser = conditions)]
    attribute: Option<Conditions>,
    /// Only contacts in this segment: its id or name.
    #[arg(long)]
    segment: Option<String>,
}

/// A type of its own, because clap would treat a `Vec` as a repeated flag.
#[derive(Debug, Clone)]
pub struct Conditions(Vec<Condition>);

#[derive(Deserialize)]
struct Attribute {
    name: String,
    operator: String,
    #[serde(default)]
    value: String,
}

fn conditions(text: &str) -> Result<Conditions, String> {
    let example = "expected JSON such as [{\"name\":\"city\",\"operator\":\"==\",\"value\":\"Berlin\"}]";
    let attributes: Vec<Attribute> = serde_json::from_str(text).map_err(|error| format!("{example}: {error}"))?;
    let condition = |Attribute { name, operator, value }: Attribute| {
        let operator = operator.parse().map_err(|()| format!("operator {operator:?}: {OPERATORS}"))?;
        Ok(Condition { name, operator, value })
    };
    attributes.into_iter().map(condition).collect::<Result<_, _>>().map(Conditions)
}

impl ContactFilterArgs {
    pub async fn filter(self, app: &App, caller: &Command) -> app::Result<ContactFilter> {
        let conditions = self.attribute.map(|Conditions(conditions)| conditions).unwrap_or_default();
        let mut filter = ContactFilter { search: self.search, conditions, ..ContactFilter::default() };
        if let Some(named) = &self.segment {
            app.people().contacts().within_segment(caller, named, &mut filter).await?;
        }
        Ok(filter)
    }
}
