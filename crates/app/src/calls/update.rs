//! Completing a call that is recorded: who handled it, and how it ended.

use domain::calls::{Call, Status};
use domain::{TenantId, Timestamp};
use store::Tx;

use super::record::check_text;
use crate::{Error, Result};

/// Members that are absent stay as they are; those that may be cleared are two options deep.
#[derive(Debug, Clone, Default)]
pub struct CallUpdate {
    pub operator: Option<Option<String>>,
    pub team_name: Option<Option<String>>,
    pub status: Option<Status>,
    pub answered_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub end_reason: Option<Option<String>>,
}

pub(super) async fn apply(tx: &mut Tx<'_>, tenant: TenantId, mut call: Call, update: &CallUpdate) -> Result<Call> {
    set_people(tx, tenant, &mut call, update).await?;
    set_course(&mut call, update)?;
    call.check().map_err(|error| Error::from_member_text(&error))?;
    store::calls::update(tx, tenant, &call).await?;
    Ok(call)
}

async fn set_people(tx: &mut Tx<'_>, tenant: TenantId, call: &mut Call, update: &CallUpdate) -> Result<()> {
    match &update.operator {
        Some(Some(who)) => call.operator = Some(super::operator(tx, tenant, who).await?),
        Some(None) => call.operator = None,
        None => {}
    }
    if let Some(team) = &update.team_name {
        check_text("team_name", team.as_deref())?;
        call.team_name.clone_from(team);
    }
    Ok(())
}

fn set_course(call: &mut Call, update: &CallUpdate) -> Result<()> {
    if let Some(reason) = &update.end_reason {
        check_text("end_reason", reason.as_deref())?;
        call.end_reason.clone_from(reason);
    }
    if let Some(answered) = update.answered_at {
        call.answered_at = Some(answered.to_millis());
    }
    if let Some(ended) = update.ended_at {
        call.ended_at = Some(ended.to_millis());
    }
    if let Some(next) = update.status {
        if !call.status.may_become(next) {
            return Err(Error::conflict("status", format!("a call that is {} cannot become {next}", call.status)));
        }
        call.status = next;
    }
    Ok(())
}
