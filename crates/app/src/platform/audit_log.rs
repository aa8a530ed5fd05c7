//! Searches a tenant's audit log. An entry refers to accounts, tokens and contacts by id only, but people search for
//! names. The search is therefore in the last room, which may look up all of them.
//!
//! A page reads a bounded number of entries, newest first, by the index on their times, and compares each with the
//! search. It may therefore have fewer entries than its limit, or none, and still return a cursor.

use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;

use domain::identity::audit::AuditEntry;
use domain::identity::audit_search::{AuditTopic, SearchWords};
use domain::{AccountId, AuditEntryId, ContactId, Field, Id, TenantId, Timestamp, TokenId};

use crate::base::cursor;
use crate::platform::Platform;
use crate::{ActsFor, Error, Result};

const AREA: &[u8] = b"audit";
/// Most entries that one page reads; the next page continues after them.
const MOST_READ: usize = 5000;
/// Entries that one statement reads if conditions have to be checked after reading.
const BATCH: i64 = 500;

/// A search for entries. An entry must satisfy every member that is set.
#[derive(Debug, Clone, Default)]
pub struct AuditSearch {
    pub words: SearchWords,
    /// As entries name the actor: `account:<id>`, `token:<id>`, `command`.
    pub actor: Option<String>,
    pub topic: Option<AuditTopic>,
    /// Both ends are included.
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub cursor: Option<String>,
    pub limit: usize,
}

/// The names of a contact that an entry is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedContact {
    pub id: ContactId,
    pub name: String,
    pub username: Option<String>,
    pub phone: Option<String>,
}

/// An audit log entry, with the current names of the accounts, tokens and contacts that it refers to by id.
#[derive(Debug, Clone)]
pub struct NamedEntry {
    pub entry: AuditEntry,
    /// The name of the account or token that acted.
    pub actor_name: Option<String>,
    /// The name of the account or token that the entry is about.
    pub subject_name: Option<String>,
    /// The contact that the entry is about, unless it was deleted.
    pub contact: Option<NamedContact>,
}

#[derive(Debug, Clone)]
pub struct AuditPage {
    /// Newest first.
    pub entries: Vec<NamedEntry>,
    /// The cursor of the next page, if there may be one.
    pub next_cursor: Option<String>,
    /// With a next page: all entries since this time were compared with the search.
    pub searched_to: Option<Timestamp>,
}

type Position = (Timestamp, AuditEntryId);

#[boxed::futures]
impl Platform {
    pub async fn search_audit(&self, caller: &dyn ActsFor, search: &AuditSearch) -> Result<AuditPage> {
        let tenant = caller.tenant();
        let wanted = search.limit.max(1);
        // One more than the limit shows whether there is a next page.
        let batch = if search.allows_all() { i64::try_from(wanted).unwrap_or(BATCH).saturating_add(1) } else { BATCH };
        let from = search.from.unwrap_or(Timestamp::from_micros(i64::MIN));
        let mut before = first_position(self, tenant, search)?;
        let (mut entries, mut read) = (Vec::new(), 0);
        loop {
            let mut found = store::identity::audit::page(self.db(), tenant, from, before, batch).await?;
            let is_last = i64::try_from(found.len()).is_ok_and(|count| count < batch);
            let end = found.last().map(|entry| (entry.at, entry.id));
            read += found.len();
            found.retain(|entry| search.allows(entry));
            let names = self.names_in(tenant, &found).await?;
            for entry in found {
                let position = (entry.at, entry.id);
                if search.words.find(&entry, &names.texts(&entry)) {
                    if entries.len() == wanted {
                        return Ok(AuditPage::with_next(self, tenant, entries, before));
                    }
                    entries.push(names.named(entry));
                }
                before = position;
            }
            before = end.unwrap_or(before);
            if is_last {
                return Ok(AuditPage { entries, next_cursor: None, searched_to: None });
            }
            if read >= MOST_READ {
                return Ok(AuditPage::with_next(self, tenant, entries, before));
            }
        }
    }

    async fn names_in(&self, tenant: TenantId, entries: &[AuditEntry]) -> Result<Names> {
        let mut names = Names::default();
        let accounts: Vec<AccountId> = ids(entries.iter().flat_map(mentioned));
        if !accounts.is_empty() {
            for (id, name, email) in store::identity::accounts::names_by_id(self.db(), tenant, &accounts).await? {
                names.accounts.insert(id, (name, email));
            }
        }
        let tokens: Vec<TokenId> = ids(entries.iter().flat_map(mentioned));
        if !tokens.is_empty() {
            names.tokens =
                store::identity::tokens::names_by_id(self.db(), tenant, &tokens).await?.into_iter().collect();
        }
        let mut contacts: Vec<ContactId> = ids(entries.iter().filter(|entry| is_about_contact(entry)).map(subject));
        contacts.reverse();
        if !contacts.is_empty() {
            let mut add = |contact: &domain::people::contacts::ContactView<'_>| {
                let one = NamedContact {
                    id: contact.id,
                    name: contact.name.to_owned(),
                    username: contact.username.map(str::to_owned),
                    phone: contact.phone.map(str::to_owned),
                };
                names.contacts.insert(one.id, one);
                Ok(())
            };
            store::people::contacts::show_each(self.db(), tenant, &contacts, &mut add).await?;
        }
        Ok(names)
    }
}

impl AuditSearch {
    /// True if every entry of the range is allowed.
    fn allows_all(&self) -> bool {
        self.words.is_empty() && self.actor.is_none() && self.topic.is_none()
    }

    fn allows(&self, entry: &AuditEntry) -> bool {
        self.actor.as_ref().is_none_or(|actor| *actor == entry.actor)
            && self.topic.is_none_or(|topic| topic == AuditTopic::of(&entry.action))
    }
}

impl AuditPage {
    fn with_next(platform: &Platform, tenant: TenantId, entries: Vec<NamedEntry>, before: Position) -> Self {
        let position = [&before.0.micros().to_be_bytes()[..], before.1.bytes()].concat();
        let next_cursor = Some(cursor::write(platform, tenant, AREA, &position));
        Self { entries, next_cursor, searched_to: Some(before.0) }
    }
}

fn first_position(platform: &Platform, tenant: TenantId, search: &AuditSearch) -> Result<Position> {
    let end = (search.to.unwrap_or(Timestamp::from_micros(i64::MAX)), Id::from_bytes([0xff; 12]));
    let Some(text) = &search.cursor else { return Ok(end) };
    let found: Option<[u8; 20]> = cursor::read(platform, tenant, AREA, text);
    let position = found.and_then(|bytes| {
        let (at, id) = bytes.split_at(8);
        Some((Timestamp::from_micros(i64::from_be_bytes(at.try_into().ok()?)), Id::from_bytes(id.try_into().ok()?)))
    });
    let position = position.ok_or_else(|| Error::invalid(Field::Cursor, "expected a next_cursor from this list"))?;
    Ok(position.min(end))
}

/// The ids among the texts, in their order.
fn ids<I: FromStr + Ord>(texts: impl Iterator<Item = String>) -> Vec<I> {
    texts.filter_map(|text| text.parse().ok()).collect::<BTreeSet<I>>().into_iter().collect()
}

/// What may be an id of an account or token.
fn mentioned(entry: &AuditEntry) -> [String; 2] {
    let actor = entry.actor.split_once(':').map_or("", |(_, id)| id);
    [actor.to_owned(), subject(entry)]
}

/// The id that the entry is about. For a legacy JWT it is the account's.
fn subject(entry: &AuditEntry) -> String {
    let owner = || {
        let details: serde_json::Value = serde_json::from_str(&entry.details).ok()?;
        details.get("account")?.as_str().map(str::to_owned)
    };
    let is_jwt = entry.action.starts_with("legacy_jwt.");
    is_jwt.then(owner).flatten().unwrap_or_else(|| entry.subject.clone())
}

fn is_about_contact(entry: &AuditEntry) -> bool {
    entry.action.starts_with("contact.")
}

#[derive(Debug, Default)]
struct Names {
    /// Name and address.
    accounts: HashMap<AccountId, (String, String)>,
    tokens: HashMap<TokenId, String>,
    contacts: HashMap<ContactId, NamedContact>,
}

impl Names {
    fn named(&self, entry: AuditEntry) -> NamedEntry {
        let [actor, subject] = mentioned(&entry);
        NamedEntry {
            actor_name: self.name(&actor),
            contact: self.contact(&entry, &subject).cloned(),
            subject_name: self.name(&subject),
            entry,
        }
    }

    /// The name of an account, or its address if it has none, or the name of a token.
    fn name(&self, id: &str) -> Option<String> {
        let account = self.account(id).map(|(name, email)| if name.is_empty() { email } else { name });
        account.or_else(|| self.token(id)).cloned()
    }

    fn account(&self, id: &str) -> Option<&(String, String)> {
        self.accounts.get(&id.parse::<AccountId>().ok()?)
    }

    fn token(&self, id: &str) -> Option<&String> {
        self.tokens.get(&id.parse::<TokenId>().ok()?)
    }

    fn contact(&self, entry: &AuditEntry, subject: &str) -> Option<&NamedContact> {
        if is_about_contact(entry) { self.contacts.get(&subject.parse::<ContactId>().ok()?) } else { None }
    }

    /// All names that find the entry.
    fn texts(&self, entry: &AuditEntry) -> Vec<String> {
        let mut texts = Vec::new();
        let [actor, subject] = mentioned(entry);
        for id in [&actor, &subject] {
            if let Some((name, email)) = self.account(id) {
                texts.extend([name.clone(), email.clone()]);
            }
            texts.extend(self.token(id).cloned());
        }
        if let Some(contact) = self.contact(entry, &subject) {
            texts.push(contact.name.clone());
            texts.extend(contact.username.as_ref().map(|username| format!("@{username}")));
            texts.extend(contact.phone.as_ref().map(|phone| format!("+{phone}")));
        }
        texts
    }
}
