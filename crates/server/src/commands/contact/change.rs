//! `switchboard contact merge`, `unmerge` and `delete`.

use domain::{MergeId, TenantId};
use serde_json::json;

use super::args::ContactArg;
use super::open::open_app;
use crate::commands::Context;

pub const MERGE_JSON: &str = "\
TARGET and DUPLICATE are phone numbers, contact ids or BSUIDs.
With --json: {\"merge_id\", \"contact_id\"}. `switchboard contact unmerge MERGE_ID` undoes it.";
pub const UNMERGE_JSON: &str = "\
`switchboard contact history` shows a contact's merges.
With --json: {\"contact_ids\": [kept, merged]}.";
pub const DELETE_JSON: &str = "\
TARGET is a phone number, a contact id or a BSUID. A later message from the same number creates a new contact.
If the contact's files and events cannot all be erased at once, a server goes on with it.
With --json: {\"contact_id\", \"deleted\", \"cleanup_completed\"}.";

#[derive(Debug, clap::Args)]
pub struct Merge {
    /// A phone number, contact id or BSUID.
    target: String,
    /// Another contact of the same person.
    duplicate: String,
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
}

#[derive(Debug, clap::Args)]
pub struct Unmerge {
    /// The merge's id.
    id: MergeId,
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
}

impl Merge {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = open_app(context, self.tenant).await?;
        let merged = app.people().contacts().merge(&app::Command(self.tenant), &self.target, &self.duplicate).await?;
        let result = json!({"merge_id": merged.id, "contact_id": merged.contact.id});
        Ok(context.output.print(&result, || format!("merged into {}: merge {}", merged.contact.id, merged.id))?)
    }
}

impl Unmerge {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = open_app(context, self.tenant).await?;
        let (kept, other) = app.people().contacts().undo_merge(&app::Command(self.tenant), self.id).await?;
        let result = json!({"contact_ids": [kept.id, other.id]});
        Ok(context.output.print(&result, || format!("{} and {} are separate contacts again", kept.id, other.id))?)
    }
}

pub async fn delete(context: &Context, which: &ContactArg) -> anyhow::Result<()> {
    let app = open_app(context, which.tenant).await?;
    let id = app.people().contacts().delete(&app::Command(which.tenant), &which.target).await?;
    let completed = app.platform().erasures().begin(&app::Command(which.tenant), id).await;
    let result = json!({"contact_id": id, "deleted": true, "cleanup_completed": completed});
    let rest = if completed { "" } else { "; a server goes on to erase its files and events" };
    Ok(context.output.print(&result, || format!("contact {id} deleted{rest}"))?)
}
