//! `switchboard contact merge`, `unmerge` and `delete`.

use domain::MergeId;
use serde_json::json;

use super::args::ContactArg;
use crate::commands::Context;
use crate::commands::confirmation::Confirmation;
use crate::commands::tenant_arg::TenantArg;

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
    #[command(flatten)]
    tenant: TenantArg,
}

#[derive(Debug, clap::Args)]
pub struct Unmerge {
    /// The merge's id.
    id: MergeId,
    #[command(flatten)]
    tenant: TenantArg,
}

#[derive(Debug, clap::Args)]
pub struct Delete {
    #[command(flatten)]
    which: ContactArg,
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Merge {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = self.tenant.open(context).await?;
        let merged = app.people().contacts().merge(&me, &self.target, &self.duplicate).await?;
        let result = json!({"merge_id": merged.id, "contact_id": merged.contact.id});
        Ok(context.output.print(&result, || format!("merged into {}: merge {}", merged.contact.id, merged.id))?)
    }
}

impl Unmerge {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = self.tenant.open(context).await?;
        let (kept, other) = app.people().contacts().undo_merge(&me, self.id).await?;
        let result = json!({"contact_ids": [kept.id, other.id]});
        Ok(context.output.print(&result, || format!("{} and {} are separate contacts again", kept.id, other.id))?)
    }
}

impl Delete {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = self.which.tenant.open(context).await?;
        let (contacts, target) = (app.people().contacts(), &self.which.target);
        let mut found = String::new();
        contacts.find(&me, target, &mut |contact| found = format!("contact {} ({target})", contact.id)).await?;
        self.confirmation.ask(&found)?;
        let id = contacts.delete(&me, target).await?;
        let completed = app.platform().erasures().begin(&me, id).await;
        let result = json!({"contact_id": id, "deleted": true, "cleanup_completed": completed});
        let rest = if completed { "" } else { "; a server goes on to erase its files and events" };
        Ok(context.output.print(&result, || format!("contact {id} deleted{rest}"))?)
    }
}
