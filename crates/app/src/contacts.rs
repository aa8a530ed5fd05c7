//! Contacts: adding, and paging through them with V1's filters.

use domain::bsuid::Bsuid;
use domain::contacts::{Condition, Contact, CustomParam, check, merge_params};
use domain::phone::PhoneNumber;
use domain::{Id, TenantId, Timestamp};
use store::Tx;
use store::contacts::Stretch;

use crate::{App, Error, Principal, Result};

#[derive(Debug)]
pub struct Contacts<'a>(&'a App);

impl App {
    pub fn contacts(&self) -> Contacts<'_> {
        Contacts(self)
    }
}

#[derive(Debug, Default)]
pub struct ContactFilter {
    /// Part of the name, in any letter case, or of the number.
    pub name: Option<String>,
    pub conditions: Vec<Condition>,
    /// First and last instant of the day on which the contact was made.
    pub created: Option<(Timestamp, Timestamp)>,
}

impl ContactFilter {
    fn is_empty(&self) -> bool {
        self.name.is_none() && self.conditions.is_empty() && self.created.is_none()
    }

    fn allows(&self, contact: &Contact) -> bool {
        let named = self.name.as_ref().is_none_or(|part| {
            let digits = part.trim_start_matches('+');
            let in_number = !digits.is_empty() && contact.phone.as_ref().is_some_and(|phone| phone.contains(digits));
            in_number || contact.name.to_lowercase().contains(&part.to_lowercase())
        });
        named && self.conditions.iter().all(|condition| condition.holds(&contact.custom_params))
    }
}

#[derive(Debug)]
pub struct ContactPage {
    pub contacts: Vec<Contact>,
    /// Exact without a filter; with one it is counted up to `COUNTED`.
    pub total: i64,
}

pub const COUNTED: i64 = 10_000;
/// Contacts that are looked at in one go.
const STRETCH: i64 = 500;

impl Contacts<'_> {
    /// Newest first; pages count from zero here.
    pub async fn page(
        &self,
        principal: &Principal,
        filter: &ContactFilter,
        page: i64,
        size: i64,
    ) -> Result<ContactPage> {
        let skip = page.saturating_mul(size);
        if filter.is_empty() {
            let all = Stretch { from: Timestamp::from_micros(i64::MIN), before: END, offset: skip, limit: size };
            let contacts = store::contacts::page(self.0.db(), principal.tenant(), all).await?;
            let total = store::contacts::count(self.0.db(), principal.tenant()).await?;
            return Ok(ContactPage { contacts, total });
        }
        self.filtered(principal.tenant(), filter, skip, size).await
    }

    /// Walks the list in stretches, so that a long walk holds up nobody for long.
    async fn filtered(&self, tenant: TenantId, filter: &ContactFilter, skip: i64, size: i64) -> Result<ContactPage> {
        let from = filter.created.map_or(Timestamp::from_micros(i64::MIN), |(first, _)| first);
        let mut before =
            filter.created.map_or(END, |(_, last)| (Timestamp::from_micros(last.micros().saturating_add(1)), None));
        let mut page = ContactPage { contacts: Vec::new(), total: 0 };
        loop {
            let stretch = Stretch { from, before, offset: 0, limit: STRETCH };
            let contacts = store::contacts::page(self.0.db(), tenant, stretch).await?;
            let Some(last) = contacts.last() else { return Ok(page) };
            before = (last.created_at, Some(last.id));
            for contact in contacts.into_iter().filter(|contact| filter.allows(contact)) {
                page.total += 1;
                if page.total > skip && i64::try_from(page.contacts.len()).is_ok_and(|shown| shown < size) {
                    page.contacts.push(contact);
                }
            }
            if page.total >= COUNTED.max(skip.saturating_add(size)) {
                page.total = COUNTED;
                return Ok(page);
            }
            tokio::task::yield_now().await;
        }
    }

    /// Adds a contact; the same number again updates it.
    pub async fn add(
        &self,
        principal: &Principal,
        phone: &str,
        name: &str,
        params: Vec<CustomParam>,
    ) -> Result<Contact> {
        let phone = PhoneNumber::parse(phone).map_err(|error| Error::invalid("whatsappNumber", error))?;
        check(name, &params).map_err(|error| Error::from_member_text(&error))?;
        let now = self.0.now().to_millis();
        let country = phone.country().unwrap_or_default();
        let contact = Contact {
            id: Id::new(now),
            bsuid: Bsuid::generate(&country).to_string(),
            parent_bsuid: Bsuid::generate_parent(&country).to_string(),
            username: None,
            phone: Some(phone.digits().to_owned()),
            name: name.to_owned(),
            source: "API".to_owned(),
            custom_params: params,
            opted_in: true,
            allow_broadcast: true,
            allow_sms: true,
            created_at: now,
            updated_at: now,
        };
        self.0.db().write((principal.tenant(), contact), |tx, (tenant, new)| Box::pin(upsert(tx, *tenant, new))).await
    }
}

/// Before which every contact is.
const END: (Timestamp, Option<Id>) = (Timestamp::from_micros(i64::MAX), None);

async fn upsert(tx: &mut Tx<'_>, tenant: TenantId, new: &Contact) -> Result<Contact> {
    if store::contacts::insert(tx, tenant, new).await? {
        return Ok(new.clone());
    }
    let phone = new.phone.as_deref().unwrap_or_default();
    let mut known = store::contacts::by_phone(tx, tenant, phone).await?.ok_or(Error::NotFound("contact"))?;
    if !new.name.is_empty() {
        known.name.clone_from(&new.name);
    }
    merge_params(&mut known.custom_params, &new.custom_params);
    known.updated_at = new.updated_at;
    store::contacts::update(tx, tenant, &known).await?;
    Ok(known)
}
