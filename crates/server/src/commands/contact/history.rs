//! `switchboard contact history`.

use app::people::contacts::History;
use serde_json::{Value, json};

use super::args::ContactArg;
use crate::commands::Context;
use crate::output::Table;

pub const JSON: &str = "\
TARGET is a phone number, a contact id or a BSUID.
With --json: {\"contact_id\", \"identities\": [{\"kind\", \"value\", \"first_seen\", \"last_seen\"}], \"consents\": [{\"at\", \"change\", \
\"source\"}], \"merges\": [{\"id\", \"merged_id\", \"reason\", \"merged_at\", \"undone_at\"}]}.";

pub async fn run(context: &Context, which: &ContactArg) -> anyhow::Result<()> {
    let (app, me) = which.tenant.open(context).await?;
    let history = app.people().contacts().history(&me, &which.target).await?;
    Ok(context.output.print(&as_json(&history), || table(&history))?)
}

fn as_json(history: &History) -> Value {
    let identities = history.identities.iter().map(|one| {
        let (first, last) = (one.first_seen.to_rfc3339(), one.last_seen.to_rfc3339());
        json!({"kind": one.kind.name(), "value": one.value, "first_seen": first, "last_seen": last})
    });
    let consents = history
        .consents
        .iter()
        .map(|one| json!({"at": one.at.to_rfc3339(), "change": one.change, "source": one.source}));
    let merges = history.merges.iter().map(|one| {
        let (merged, undone) = (one.merged_at.to_rfc3339(), one.undone_at.map(domain::Timestamp::to_rfc3339));
        json!({"id": one.id, "merged_id": one.merged_id, "reason": one.reason, "merged_at": merged, "undone_at": undone})
    });
    json!({
        "contact_id": history.contact.id,
        "identities": identities.collect::<Vec<_>>(),
        "consents": consents.collect::<Vec<_>>(),
        "merges": merges.collect::<Vec<_>>(),
    })
}

fn table(history: &History) -> String {
    let mut table = Table::new(&["at", "what", "value", "from"]);
    for one in &history.identities {
        let seen = format!("{} until {}", one.value, one.last_seen.to_rfc3339());
        table.row([one.first_seen.to_rfc3339(), format!("known by {}", one.kind.name()), seen, String::new()]);
    }
    for one in &history.consents {
        table.row([one.at.to_rfc3339(), "consent".to_owned(), one.change.clone(), one.source.clone()]);
    }
    for one in &history.merges {
        let undone = one.undone_at.map_or_else(String::new, |at| format!("undone {}", at.to_rfc3339()));
        table.row([one.merged_at.to_rfc3339(), format!("merge {}", one.id), format!("with {}", one.merged_id), undone]);
    }
    table.to_text()
}
