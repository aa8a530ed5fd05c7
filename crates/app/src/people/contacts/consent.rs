//! Consent: the contact's row holds the present state, and its history has each decision that changed the state. The
//! status of a conversation blocks too (`inbox/conversations/status.rs`), and never lifts a block that was set here.

use domain::people::contacts::{Consent, ConsentChange, Contact, TargetRef};
use domain::{Field, TenantId, Timestamp};
use store::Tx;

use super::{Contacts, find_for_update, target};
use crate::{ActsFor, Error, Result};

/// A decision on consent. None leaves a member as it is.
#[derive(Debug, Clone, Default)]
pub struct ConsentUpdate {
    pub opted_in: Option<bool>,
    pub allow_broadcast: Option<bool>,
    pub allow_sms: Option<bool>,
    pub blocked: Option<bool>,
    /// Where the decision was made: a form, a shop, a keyword.
    pub source: Option<String>,
}

const MAX_SOURCE_CHARACTERS: usize = 200;

#[derive(Debug)]
struct ConsentDecision {
    tenant: TenantId,
    person: TargetRef,
    update: ConsentUpdate,
    now: Timestamp,
}

#[boxed::futures]
impl Contacts<'_> {
    pub async fn set_consent(&self, caller: &dyn ActsFor, to: &str, update: ConsentUpdate) -> Result<Contact> {
        let long = update.source.as_ref().is_some_and(|source| source.chars().count() > MAX_SOURCE_CHARACTERS);
        if long {
            return Err(Error::invalid(Field::Source, format!("at most {MAX_SOURCE_CHARACTERS} characters")));
        }
        let person = target(Field::Target, to).map_err(|_| super::NO_CONTACT)?;
        let decision = ConsentDecision { tenant: caller.tenant(), person, update, now: self.0.now().to_millis() };
        self.0.db().write(decision, |tx, decision| Box::pin(decide(tx, decision))).await
    }
}

async fn decide(tx: &mut Tx<'_>, decision: &ConsentDecision) -> Result<Contact> {
    let known = find_for_update(tx, decision.tenant, &decision.person).await?.ok_or(super::NO_CONTACT)?;
    let (contact, changes) = decided(&known, &decision.update, decision.now);
    if !changes.is_empty() {
        store::people::contacts::update(tx, decision.tenant, &known, &contact).await?;
    }
    let source = decision.update.source.as_deref().unwrap_or("API");
    for change in changes {
        let change = ConsentChange { at: decision.now, change: change.to_owned(), source: source.to_owned() };
        store::people::contacts::add_consent(tx, decision.tenant, contact.id, &change).await?;
    }
    Ok(contact)
}

/// The contact after a decision, and the changes to write into its history. A repeated decision is no change, except
/// that the first explicit opt-in or opt-out always is one.
pub(crate) fn decided(known: &Contact, update: &ConsentUpdate, now: Timestamp) -> (Contact, Vec<&'static str>) {
    let mut contact = known.clone();
    let mut changes = Vec::new();
    if let Some(opted_in) = update.opted_in
        && (opted_in != known.consent.opted_in || known.consent.at.is_none())
    {
        let source = Some(update.source.clone().unwrap_or_else(|| "API".to_owned()));
        contact.consent = Consent { opted_in, source, at: Some(now) };
        changes.push(if opted_in { "opt_in" } else { "opt_out" });
    }
    if let Some(allow) = update.allow_broadcast.filter(|allow| *allow != known.allow_broadcast) {
        contact.allow_broadcast = allow;
        changes.push(if allow { "allow_broadcast" } else { "deny_broadcast" });
    }
    if let Some(allow) = update.allow_sms.filter(|allow| *allow != known.allow_sms) {
        contact.allow_sms = allow;
        changes.push(if allow { "allow_sms" } else { "deny_sms" });
    }
    if let Some(blocked) = update.blocked.filter(|blocked| *blocked != known.blocked_at.is_some()) {
        contact.blocked_at = blocked.then_some(now);
        changes.push(if blocked { "block" } else { "unblock" });
    }
    if !changes.is_empty() {
        contact.updated_at = now;
    }
    (contact, changes)
}
