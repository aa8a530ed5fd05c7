//! A read of all rows of the tenant's contacts.

use app::people::contacts::ContactFollowers;
use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{Contact, Sighting, Term, terms};
use domain::{ContactId, TenantId, Timestamp};
use store::{Db, Statement, Tx, params};
use testkit::World;
use testkit::world::OnWorld;

static CONTACTS: Statement =
    Statement::new("test.contacts", "SELECT id FROM contacts WHERE tenant_id = $1 ORDER BY id");
static IDENTITIES: Statement = Statement::new(
    "test.identities",
    "SELECT contact_id, kind, value, first_seen, last_seen FROM contact_identities WHERE tenant_id = $1
     ORDER BY contact_id, kind, value",
);
static TERMS: Statement =
    Statement::new("test.terms", "SELECT id, term FROM contact_terms WHERE tenant_id = $1 ORDER BY id, term");

pub trait Contacts: OnWorld {
    fn tick(self) {
        self.test.clock.advance(std::time::Duration::from_millis(700));
    }

    async fn resolve(self, tenant: TenantId, sighting: &Sighting) -> Contact {
        self.tick();
        resolve(&self.test.db, tenant, sighting, self.app.now(), self.app.people().contact_followers()).await.unwrap()
    }

    /// All rows of the tenant's contacts; asserts that they are consistent.
    async fn state(self, tenant: TenantId) -> State {
        let state = self.test.db.write(tenant, |tx, tenant| Box::pin(State::read(tx, *tenant))).await.unwrap();
        let counted = store::people::contacts::count(&self.test.db, tenant).await.unwrap().contacts;
        assert_eq!(counted, i64::try_from(state.contacts.len()).unwrap(), "the counter");
        state.check();
        state
    }
}

impl Contacts for &World {}

pub async fn resolve(
    db: &Db,
    tenant: TenantId,
    sighting: &Sighting,
    now: Timestamp,
    followers: &ContactFollowers,
) -> app::Result<Contact> {
    let input = (tenant, sighting.clone(), now, *followers);
    let resolved = db.write(input, |tx, (tenant, sighting, now, followers)| {
        Box::pin(app::people::contacts::resolve_contact(tx, *tenant, sighting, *now, followers))
    });
    resolved.await
}

/// The rows of a tenant's contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub contacts: Vec<Contact>,
    pub identities: Vec<(ContactId, Identity)>,
    pub terms: Vec<(ContactId, Term)>,
}

impl State {
    pub async fn read(tx: &mut Tx<'_>, tenant: TenantId) -> store::Result<Self> {
        let mut contacts = Vec::new();
        for id in tx.rows(&CONTACTS, params![tenant], store::read).await? {
            contacts.push(store::people::contacts::for_update(tx, tenant, id).await?.unwrap());
        }
        let identity = |row: &store::Row<'_>| {
            let (contact, kind, value, first_seen, last_seen): (_, String, _, _, _) = store::read(row)?;
            let kind = IdentityKind::named(&kind).unwrap();
            Ok((contact, Identity { kind, value, first_seen, last_seen }))
        };
        let identities = tx.rows(&IDENTITIES, params![tenant], identity).await?;
        let terms = tx.rows(&TERMS, params![tenant], store::read).await?;
        Ok(Self { contacts, identities, terms })
    }

    pub fn contact(&self, id: ContactId) -> &Contact {
        self.contacts.iter().find(|contact| contact.id == id).unwrap()
    }

    pub fn known_by(&self, id: ContactId) -> impl Iterator<Item = &Identity> {
        self.identities.iter().filter(move |(owner, _)| *owner == id).map(|(_, identity)| identity)
    }

    /// Asserts the invariants between the tables.
    fn check(&self) {
        let found_by = |contact: &Contact| {
            let id = contact.id;
            terms(contact).into_iter().map(move |term| (id, term))
        };
        assert_eq!(self.terms, self.contacts.iter().flat_map(found_by).collect::<Vec<_>>(), "the index");
        for (owner, identity) in &self.identities {
            assert!(self.contacts.iter().any(|contact| contact.id == *owner), "no contact has {identity:?}");
            assert!(identity.first_seen <= identity.last_seen, "{identity:?}");
        }
        for contact in &self.contacts {
            let has =
                |kind: IdentityKind, value: &str| self.known_by(contact.id).any(|identity| identity.is(kind, value));
            assert!(has(IdentityKind::Bsuid, &contact.bsuid), "{contact:?}");
            assert!(contact.phone.iter().all(|phone| has(IdentityKind::Phone, phone)), "{contact:?}");
            assert!(contact.username.iter().all(|name| has(IdentityKind::Username, name)), "{contact:?}");
        }
    }
}
