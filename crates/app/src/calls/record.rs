//! Records calls that were made on other equipment.

use std::collections::{BTreeSet, HashMap};

use domain::calls::{Call, CallParty};
use domain::delivery::events::Fact;
use domain::messaging::channels::Channel;
use domain::{Field, TenantId};
use store::Tx;

use super::draft::{CallDraft, ChannelReference};
use super::operator::find_operator;
use crate::base::emit::emit;
use crate::{Error, Result};

/// Records calls, which are all of one tenant. The result has an entry for each draft; a refused call is an error there and does not
/// stop the others.
pub(super) async fn insert(tx: &mut Tx<'_>, drafts: &[CallDraft]) -> Result<Vec<Result<Call>>> {
    let Some(tenant) = drafts.first().map(CallDraft::tenant) else { return Ok(Vec::new()) };
    let call_ids: Vec<&str> = drafts.iter().map(|draft| draft.call.call_id.as_str()).collect();
    let phones: BTreeSet<&str> = drafts.iter().filter_map(|draft| draft.call.caller.wa_id.as_deref()).collect();
    let phones: Vec<&str> = phones.into_iter().collect();
    let context = store::calls::context(tx, tenant, &call_ids, &phones).await?;
    let mut known: HashMap<String, Call> = context.known.into_iter().map(|call| (call.call_id.clone(), call)).collect();
    let people: HashMap<String, CallParty> = context.callers.into_iter().collect();
    let (mut outcomes, mut new, mut facts) = (Vec::with_capacity(drafts.len()), Vec::new(), Vec::new());
    for draft in drafts {
        if let Some(call) = known.get(&draft.call.call_id) {
            outcomes.push(Ok(call.clone()));
            continue;
        }
        let mut call = draft.call.clone();
        set_caller(&mut call, &people);
        let completed = match set_operator(tx, tenant, &mut call, draft.operator.as_deref()).await {
            Ok(()) => set_channel(&mut call, &draft.via, &context.channels),
            refused => refused,
        };
        match completed {
            Err(error @ Error::Store(_)) => return Err(error),
            Err(refused) => outcomes.push(Err(refused)),
            Ok(()) => {
                known.insert(call.call_id.clone(), call.clone());
                facts.push(Fact::call(draft.now, &call));
                new.push(call.clone());
                outcomes.push(Ok(call));
            }
        }
    }
    // In this order, so that two groups with the same calls wait for each other in the same order.
    new.sort_unstable_by(|one, other| one.call_id.cmp(&other.call_id));
    store::calls::insert_new(tx, tenant, &new).await?;
    emit(tx, tenant, &facts).await?;
    Ok(outcomes)
}

async fn set_operator(tx: &mut Tx<'_>, tenant: TenantId, call: &mut Call, who: Option<&str>) -> Result<()> {
    if let Some(who) = who {
        call.operator = Some(find_operator(tx, tenant, who).await?);
    }
    Ok(())
}

/// Sets the channel of a call. A name must be that of a channel; a business number may also belong to other equipment.
fn set_channel(call: &mut Call, via: &ChannelReference, channels: &[Channel]) -> Result<()> {
    let known = channels.iter().find(|channel| via.matches(channel));
    call.channel_id = known.map(|channel| channel.id);
    call.channel_phone_number = match (known, via) {
        (Some(channel), _) => Some(channel.phone_number.clone()),
        (None, ChannelReference::Number(digits)) => Some(digits.clone()),
        (None, ChannelReference::Name(_)) => {
            return Err(Error::invalid(Field::Channel, "expected a channel's name or a phone number"));
        }
    };
    Ok(())
}

/// Completes the person on the call from the contact that has the person's number, if there is one.
fn set_caller(call: &mut Call, people: &HashMap<String, CallParty>) {
    if let Some(known) = call.caller.wa_id.as_ref().and_then(|phone| people.get(phone)) {
        call.caller = known.clone();
    }
}
