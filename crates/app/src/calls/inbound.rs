//! The network's calls: one row for each call id of the network, joined from all reports about it.

use channels::webhook::{
    CallEvent, CallEventKind, CallOutcome, CallProgress, CallStatusReport, Notification, Person, Record,
};
use domain::calls::{Call, CallDirection, CallParty, CallReport, CallStatus};
use domain::delivery::events::Fact;
use domain::people::contacts::Contact;
use domain::people::phone::PhoneNumber;
use domain::{Id, Timestamp};
use futures_util::future::BoxFuture;
use store::Tx;

use crate::Result;
use crate::base::emit::emit;
use crate::messaging::inbound::RecordHandler;
use crate::messaging::inbound::arrival::{Arrival, Refused, lost_race};
use crate::messaging::inbound::effects::people;

/// The end reason of a call that the person rejected.
const REJECTED: &str = "rejected";

/// Applies the network's reports of calls.
#[derive(Debug)]
pub(crate) struct InboundCalls;

impl RecordHandler for InboundCalls {
    fn handle<'t>(
        &self,
        tx: &'t mut Tx<'_>,
        arrival: &'t Arrival<'_>,
        record: &'t Record,
    ) -> Option<BoxFuture<'t, Result<Refused>>> {
        match &record.notification {
            Notification::Call(event) => {
                Some(Box::pin(async move { apply_event(tx, arrival, event).await.map(|()| None) }))
            }
            Notification::CallStatus(status) => {
                Some(Box::pin(async move { apply_status(tx, arrival, status).await.map(|()| None) }))
            }
            _ => None,
        }
    }
}

async fn apply_event(tx: &mut Tx<'_>, arrival: &Arrival<'_>, event: &CallEvent) -> Result<()> {
    let is_end = event.event == CallEventKind::Terminate;
    let ended = is_end.then(|| arrival.when(event.ended.unwrap_or(event.at)));
    // A start time means that the call was answered. If the network gives a duration, the time of the answer is
    // computed from it and the end: the network's clock may be ahead of ours, and times after the arrival are cut.
    let talk_seconds = event.duration.filter(|seconds| *seconds >= 0 && is_end);
    let talked = |at: Timestamp| match (talk_seconds, ended) {
        (Some(seconds), Some(ended)) => ended.plus_seconds(-seconds),
        _ => arrival.when(at),
    };
    let answered = event.started.filter(|_| is_end).map(talked);
    let report = CallReport {
        answered_at: answered,
        ended_at: ended,
        talk_seconds,
        // The network reports "failed" also for a call that was not answered, which counts as missed.
        failed: event.outcome == Some(CallOutcome::Failed) && (event.error.is_some() || answered.is_some()),
        end_reason: event.error.as_ref().and_then(|error| error.message.clone().or_else(|| error.title.clone())),
        from_number: number(event.from.as_deref()),
        to_number: number(event.to.as_deref()),
        ..CallReport::new(arrival.when(event.at))
    };
    apply_report(tx, arrival, &event.id, event.direction, &event.person, &report).await
}

/// Applies a status of a call that the business made; calls of people have no statuses.
async fn apply_status(tx: &mut Tx<'_>, arrival: &Arrival<'_>, status: &CallStatusReport) -> Result<()> {
    let at = arrival.when(status.at);
    let made = CallReport::new(at);
    let report = match status.status {
        CallProgress::Ringing => made,
        CallProgress::Accepted => CallReport { answered_at: Some(at), ..made },
        CallProgress::Rejected => CallReport { ended_at: Some(at), end_reason: Some(REJECTED.to_owned()), ..made },
    };
    apply_report(tx, arrival, &status.id, CallDirection::Outbound, &status.recipient, &report).await
}

fn number(text: Option<&str>) -> Option<String> {
    text.and_then(PhoneNumber::spelled)
}

async fn apply_report(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    call_id: &str,
    direction: CallDirection,
    person: &Person,
    report: &CallReport,
) -> Result<()> {
    let contact = people::resolve_contact(tx, arrival, person, report.at).await?;
    let caller = caller(contact.as_ref(), person);
    let known = match store::calls::by_call_id(tx, arrival.tenant, call_id).await? {
        Some(found) => store::calls::for_update(tx, arrival.tenant, found.id).await?,
        None => None,
    };
    let Some(known) = known else {
        let mut call = new_call(arrival, call_id, direction, &caller, report.at);
        call.apply_report(report);
        if !store::calls::insert(tx, arrival.tenant, &call).await? {
            return Err(lost_race());
        }
        return emit(tx, arrival.tenant, &[Fact::call(arrival.now, &call)]).await;
    };
    let mut call = known.clone();
    call.apply_report(report);
    call.caller = join_callers(call.caller, caller);
    if call == known {
        return Ok(());
    }
    store::calls::update(tx, arrival.tenant, &call).await?;
    emit(tx, arrival.tenant, Fact::call_changed(arrival.now, &known, &call).as_slice()).await
}

fn new_call(arrival: &Arrival<'_>, call_id: &str, direction: CallDirection, caller: &CallParty, at: Timestamp) -> Call {
    let (business, person) = (arrival.channel.phone_number.clone(), caller.wa_id.clone().unwrap_or_default());
    let (from_number, to_number) = match direction {
        CallDirection::Inbound => (person, business.clone()),
        CallDirection::Outbound => (business.clone(), person),
    };
    Call {
        id: Id::new(arrival.now),
        call_id: call_id.to_owned(),
        direction,
        status: CallStatus::Ringing,
        from_number,
        to_number,
        started_at: at.to_millis(),
        answered_at: None,
        ended_at: None,
        end_reason: None,
        operator: None,
        team_name: None,
        caller: caller.clone(),
        conversation_id: None,
        channel_id: Some(arrival.channel.id),
        channel_phone_number: Some(business),
        talk_seconds: None,
    }
}

fn caller(contact: Option<&Contact>, person: &Person) -> CallParty {
    CallParty {
        contact_id: contact.map(|contact| contact.id),
        bsuid: contact.map(|contact| contact.bsuid.clone()),
        parent_bsuid: contact.map(|contact| contact.parent_bsuid.clone()),
        username: contact.and_then(|contact| contact.username.clone()),
        wa_id: number(person.wa_id.as_deref()).or_else(|| contact.and_then(|contact| contact.phone.clone())),
    }
}

/// Joins what a report says about the person into the known caller. A report that identifies a contact replaces the
/// caller, but keeps the known number if it has none. A report that identifies no contact changes nothing.
fn join_callers(known: CallParty, seen: CallParty) -> CallParty {
    if seen.contact_id.is_none() {
        return known;
    }
    CallParty { wa_id: seen.wa_id.or(known.wa_id), ..seen }
}
