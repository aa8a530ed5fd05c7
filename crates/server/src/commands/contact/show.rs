//! `switchboard contact show`, and the text form of a contact.

use app::people::contacts::{ContactNames, write_contact_line};
use domain::people::contacts::ContactView;
use serde_json::Value;

use super::args::ContactArg;
use crate::commands::Context;
use crate::output::Table;

pub async fn run(context: &Context, which: &ContactArg) -> anyhow::Result<()> {
    let (app, me) = which.tenant.open(context).await?;
    let names = app.people().contacts().names(&me).await?;
    let mut found = Value::Null;
    app.people().contacts().find(&me, &which.target, &mut |contact| found = as_json(contact, &names)).await?;
    Ok(context.output.print(&found, || text(&found))?)
}

/// A contact as JSON, as a line of the export has it.
pub fn as_json(contact: &ContactView<'_>, names: &ContactNames) -> Value {
    let mut line = Vec::new();
    write_contact_line(&mut line, contact, names);
    serde_json::from_slice(&line).unwrap_or_default()
}

const MEMBERS: [&str; 14] = [
    "id",
    "phone",
    "bsuid",
    "parent_bsuid",
    "username",
    "name",
    "source",
    "opted_in",
    "allow_broadcast",
    "allow_sms",
    "blocked",
    "teams",
    "segments",
    "created",
];

fn text(contact: &Value) -> String {
    let mut table = Table::new(&["what", "value"]);
    for member in MEMBERS {
        table.row([member.to_owned(), plain(&contact[member])]);
    }
    table.row(["last_updated".to_owned(), plain(&contact["last_updated"])]);
    for param in contact["custom_params"].as_array().into_iter().flatten() {
        table.row([format!("attribute {}", plain(&param["name"])), plain(&param["value"])]);
    }
    table.to_text()
}

pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
