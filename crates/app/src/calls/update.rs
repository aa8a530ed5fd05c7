//! Completes a recorded call: its operator, its times and how it ended.

use domain::calls::{Call, CallStatus};
use domain::delivery::events::Fact;
use domain::people::bsuid::is_generated;
use domain::{Change, Field, TenantId, Timestamp};
use store::Tx;

use super::draft::check_text;
use super::operator::find_operator;
use crate::base::emit::emit;
use crate::{Error, Result};

/// Changes of a call. An absent member stays unchanged.
#[derive(Debug, Clone, Default)]
pub struct CallUpdate {
    pub operator: Change<String>,
    pub team_name: Change<String>,
    pub status: Option<CallStatus>,
    pub answered_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub end_reason: Change<String>,
}

pub(super) async fn apply(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    known: &Call,
    update: &CallUpdate,
    now: Timestamp,
) -> Result<Call> {
    let mut call = known.clone();
    refresh_caller(tx, tenant, &mut call).await?;
    set_people(tx, tenant, &mut call, update).await?;
    set_progress(&mut call, update)?;
    call.check().map_err(|error| Error::of_field(&error))?;
    store::calls::update(tx, tenant, &call).await?;
    // A better name of the person alone is no change of the call.
    let before = Call { caller: call.caller.clone(), ..known.clone() };
    emit(tx, tenant, Fact::call_changed(now, &before, &call).as_slice()).await?;
    Ok(call)
}

/// Names the person by the network's BSUID, if the network has named the person since the call was recorded.
async fn refresh_caller(tx: &mut Tx<'_>, tenant: TenantId, call: &mut Call) -> Result<()> {
    let (Some(bsuid), Some(phone)) = (&call.caller.bsuid, &call.caller.wa_id) else { return Ok(()) };
    if is_generated(bsuid) {
        let callers = store::calls::context(tx, tenant, &[], &[phone.as_str()]).await?.callers;
        if let Some((_, caller)) = callers.into_iter().next() {
            call.caller = caller;
        }
    }
    Ok(())
}

async fn set_people(tx: &mut Tx<'_>, tenant: TenantId, call: &mut Call, update: &CallUpdate) -> Result<()> {
    match &update.operator {
        Change::Set(who) => call.operator = Some(find_operator(tx, tenant, who).await?),
        Change::Clear => call.operator = None,
        Change::Keep => {}
    }
    set_text(Field::TeamName, &mut call.team_name, &update.team_name)
}

fn set_text(field: Field, present: &mut Option<String>, change: &Change<String>) -> Result<()> {
    match change {
        Change::Keep => {}
        Change::Clear => *present = None,
        Change::Set(text) => {
            check_text(field, Some(text))?;
            *present = Some(text.clone());
        }
    }
    Ok(())
}

fn set_progress(call: &mut Call, update: &CallUpdate) -> Result<()> {
    set_text(Field::EndReason, &mut call.end_reason, &update.end_reason)?;
    if let Some(answered) = update.answered_at {
        call.answered_at = Some(answered.to_millis());
    }
    if let Some(ended) = update.ended_at {
        call.ended_at = Some(ended.to_millis());
    }
    if update.answered_at.is_some() || update.ended_at.is_some() {
        // The client's times replace the talk time that the network reported.
        call.talk_seconds = None;
    }
    if let Some(next) = update.status {
        if !call.status.may_become(next) {
            return Err(Error::conflict(Field::Status, format!("a call that is {} cannot become {next}", call.status)));
        }
        call.status = next;
    }
    Ok(())
}
