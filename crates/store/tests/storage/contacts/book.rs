//! Writes and reads the contacts of one tenant for the tests.

use std::collections::BTreeSet;

use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{Consent, ConsentChange, Contact, ContactView, CustomParam, Merge, Team, Term, terms};
use domain::{ContactId, Id, MergeId, TenantId, Timestamp};
use store::people::contacts::{self, Window};
use store::{Db, Engine, Result, Statement, params};
use testkit::database::TestDb;

use crate::fixtures::START;

static TERMS: Statement = Statement::new("test.terms", "SELECT term, id FROM contact_terms WHERE tenant_id = $1");
static ROWS: Statement = Statement::new("test.rows", "SELECT COUNT(*) FROM contacts WHERE tenant_id = $1");

/// Contact `number`, created `number` seconds after the start: greater numbers are newer.
pub fn contact(number: u32) -> Contact {
    let at = START.plus_seconds(i64::from(number));
    Contact {
        id: Id::seeded(at, u64::from(number)),
        bsuid: format!("US.{number}"),
        parent_bsuid: format!("US.ENT.{number}"),
        username: Some(format!("person{number}")),
        phone: Some(format!("1415555{number:04}")),
        name: format!("Ада 李 {number}"),
        source: "WHATSAPP".to_owned(),
        custom_params: vec![CustomParam { name: "city".to_owned(), value: "Zürich \"old\"".to_owned() }],
        teams: vec![Team { id: Id::seeded(START, 7), name: "Sales".to_owned() }],
        segments: vec![Id::seeded(START, 9)],
        labels: vec![Id::seeded(START, 10)],
        consent: Consent { opted_in: true, source: Some("web form".to_owned()), at: Some(at) },
        allow_broadcast: false,
        allow_sms: true,
        blocked_at: Some(at),
        created_at: at,
        updated_at: at,
    }
}

/// The identities of a contact.
pub fn known_by(contact: &Contact) -> Vec<Identity> {
    let seen = |kind, value: &String| Identity::seen(kind, value, contact.created_at);
    let phone = contact.phone.iter().map(|phone| seen(IdentityKind::Phone, phone));
    let username = contact.username.iter().map(|username| seen(IdentityKind::Username, username));
    phone.chain([seen(IdentityKind::Bsuid, &contact.bsuid)]).chain(username).collect()
}

/// Runs a function in one transaction of the book's tenant: `within!(book, (inputs), |tx, tenant| call(tx, tenant,
/// inputs))`.
macro_rules! within {
    ($book:expr, ($($input:ident),*), |$tx:ident, $tenant:ident| $call:expr) => {{
        let inputs = ($book.tenant, $($input.to_owned(),)*);
        let body = $book.db.write(inputs, |$tx, ($tenant, $($input,)*)| {
            Box::pin(async move {
                let $tenant = *$tenant;
                $call.await
            })
        });
        body.await
    }};
}
pub(super) use within;

pub struct Book {
    pub db: Db,
    pub tenant: TenantId,
}

impl Book {
    /// A book, and the test's database, which ends with its last owner.
    pub async fn on(engine: Engine) -> (Self, TestDb) {
        let test = TestDb::on(engine).await;
        (Self::new(&test), test)
    }

    pub fn new(test: &TestDb) -> Self {
        Self { db: test.db.clone(), tenant: test.tenant }
    }

    pub async fn of_another_tenant(test: &TestDb) -> Self {
        Self { db: test.db.clone(), tenant: test.new_tenant("unlimited").await }
    }

    pub async fn insert(&self, new: &Contact) -> Result<()> {
        within!(self, (new), |tx, tenant| contacts::insert(tx, tenant, new, &known_by(new)))
    }

    pub async fn insert_many(&self, new: &[Contact]) -> Result<()> {
        let own: &[Vec<Identity>] = &new.iter().map(known_by).collect::<Vec<_>>();
        within!(self, (new, own), |tx, tenant| {
            let pairs: Vec<(&Contact, &[Identity])> = new.iter().zip(own.iter().map(Vec::as_slice)).collect();
            async move { contacts::insert_many(tx, tenant, &pairs).await }
        })
    }

    pub async fn update(&self, before: &Contact, after: &Contact) {
        within!(self, (before, after), |tx, tenant| contacts::update(tx, tenant, before, after)).unwrap();
    }

    pub async fn update_many(&self, changes: &[(Contact, Contact)]) {
        within!(self, (changes), |tx, tenant| contacts::update_many(tx, tenant, changes)).unwrap();
    }

    pub async fn remove(&self, gone: &Contact) {
        within!(self, (gone), |tx, tenant| contacts::remove(tx, tenant, gone)).unwrap();
    }

    pub async fn restore(&self, contact: &Contact) {
        within!(self, (contact), |tx, tenant| contacts::restore(tx, tenant, contact)).unwrap();
    }

    pub async fn erase(&self, gone: &Contact, at: Timestamp) {
        within!(self, (gone, at), |tx, tenant| contacts::erase(tx, tenant, gone, *at)).unwrap();
    }

    pub async fn for_update(&self, id: ContactId) -> Option<Contact> {
        within!(self, (id), |tx, tenant| contacts::for_update(tx, tenant, *id)).unwrap()
    }

    pub async fn known_by(&self, kind: IdentityKind, value: &str) -> Option<Contact> {
        within!(self, (kind, value), |tx, tenant| contacts::known_by(tx, tenant, *kind, value)).unwrap()
    }

    pub async fn known_by_any(&self, kind: IdentityKind, values: &[&'static str]) -> Vec<(String, Contact)> {
        let mut found =
            within!(self, (kind, values), |tx, tenant| contacts::known_by_any(tx, tenant, *kind, values)).unwrap();
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        found
    }

    pub async fn holders(&self, keys: &[Identity]) -> Vec<ContactId> {
        within!(self, (keys), |tx, tenant| contacts::holders(tx, tenant, keys)).unwrap()
    }

    pub async fn identities(&self, contact: ContactId) -> Vec<Identity> {
        within!(self, (contact), |tx, tenant| contacts::identities(tx, tenant, *contact)).unwrap()
    }

    pub async fn save_identity(&self, contact: ContactId, identity: &Identity) -> Result<()> {
        within!(self, (contact, identity), |tx, tenant| contacts::save_identity(tx, tenant, *contact, identity))
    }

    pub async fn move_identities(&self, from: ContactId, to: Option<ContactId>, identities: &[Identity]) {
        within!(self, (from, to, identities), |tx, tenant| {
            contacts::move_identities(tx, tenant, *from, *to, identities)
        })
        .unwrap();
    }

    pub async fn add_consent(&self, contact: ContactId, change: &ConsentChange) {
        within!(self, (contact, change), |tx, tenant| contacts::add_consent(tx, tenant, *contact, change)).unwrap();
    }

    pub async fn consents(&self, contact: ContactId) -> Vec<ConsentChange> {
        within!(self, (contact), |tx, tenant| contacts::consents(tx, tenant, *contact)).unwrap()
    }

    pub async fn insert_merge(&self, new: &Merge) {
        within!(self, (new), |tx, tenant| contacts::insert_merge(tx, tenant, new)).unwrap();
    }

    pub async fn merge(&self, id: MergeId) -> Option<Merge> {
        within!(self, (id), |tx, tenant| contacts::merge_for_update(tx, tenant, *id)).unwrap()
    }

    pub async fn merges(&self, contact: ContactId) -> Vec<Merge> {
        within!(self, (contact), |tx, tenant| contacts::merges(tx, tenant, *contact)).unwrap()
    }

    pub async fn set_undone(&self, id: MergeId, at: Timestamp) {
        within!(self, (id, at), |tx, tenant| contacts::set_undone(tx, tenant, *id, *at)).unwrap();
    }

    pub async fn kept_apart(&self, one: ContactId, other: ContactId) -> bool {
        within!(self, (one, other), |tx, tenant| contacts::kept_apart(tx, tenant, *one, *other)).unwrap()
    }

    pub async fn by_username(&self, username: &str) -> Option<ContactId> {
        contacts::by_username(&self.db, self.tenant, username).await.unwrap()
    }

    pub async fn show(&self, id: ContactId) -> Option<String> {
        let mut seen = vec![];
        let found = contacts::show(&self.db, self.tenant, id, &mut keep(&mut seen, text)).await.unwrap();
        at_most_one(seen, found)
    }

    pub async fn show_known_by(&self, kind: IdentityKind, value: &str) -> Option<String> {
        let mut seen = vec![];
        let mut keep = keep(&mut seen, text);
        let found = contacts::show_known_by(&self.db, self.tenant, kind, value, &mut keep).await.unwrap();
        drop(keep);
        at_most_one(seen, found)
    }

    pub async fn show_each(&self, ids: &[ContactId]) -> Vec<String> {
        let mut seen = vec![];
        contacts::show_each(&self.db, self.tenant, ids, &mut keep(&mut seen, text)).await.unwrap();
        seen
    }

    pub async fn page(&self, window: Window, limit: i64, offset: i64) -> Vec<ContactId> {
        let mut ids = vec![];
        contacts::page(&self.db, self.tenant, window, limit, offset, &mut keep(&mut ids, |view| view.id))
            .await
            .unwrap();
        ids
    }

    /// The candidates, and the contact after which there may be more.
    pub async fn candidates(&self, terms: &[Term], window: Window, limit: i64) -> (Vec<ContactId>, Option<ContactId>) {
        let mut ids = vec![];
        let mut keep = keep(&mut ids, |view| view.id);
        let reached = contacts::candidates(&self.db, self.tenant, terms, window, limit, &mut keep).await.unwrap();
        drop(keep);
        (ids, reached)
    }

    pub async fn page_oldest_first(
        &self,
        terms: &[Term],
        window: Window,
        after: Option<ContactId>,
        limit: i64,
    ) -> Vec<ContactId> {
        let mut ids = vec![];
        let mut keep = keep(&mut ids, |view| view.id);
        contacts::page_oldest_first(&self.db, self.tenant, terms, window, after, limit, &mut keep).await.unwrap();
        drop(keep);
        ids
    }

    pub async fn count_exact(&self, terms: &[Term], window: Window) -> Option<i64> {
        contacts::count_exact(&self.db, self.tenant, terms, window).await.unwrap()
    }

    pub async fn count(&self) -> contacts::Count {
        contacts::count(&self.db, self.tenant).await.unwrap()
    }

    pub async fn terms(&self) -> BTreeSet<(Term, ContactId)> {
        let rows = self.db.rows(&TERMS, params![self.tenant], store::read).await.unwrap();
        rows.into_iter().collect()
    }

    /// Asserts that exactly these contacts exist, with their identities, terms and counter.
    pub async fn assert_holds(&self, live: &[&Contact]) {
        for contact in live {
            assert_eq!(self.for_update(contact.id).await.as_ref(), Some(*contact));
            assert_eq!(self.show(contact.id).await, Some(view_text(contact)));
        }
        let rows = self.db.row(&ROWS, params![self.tenant], store::read::<i64>).await.unwrap().unwrap();
        assert_eq!(usize::try_from(rows), Ok(live.len()), "rows");
        assert_eq!(self.count().await.contacts, rows, "the counter");
        assert_eq!(self.terms().await, terms_of(live));
    }
}

pub fn terms_of(live: &[&Contact]) -> BTreeSet<(Term, ContactId)> {
    live.iter().flat_map(|contact| terms(contact).into_iter().map(|term| (term, contact.id))).collect()
}

/// A view as text, for comparisons.
pub fn view_text(contact: &Contact) -> String {
    format!("{:?}", contact.view(&contact.texts()))
}

/// The visited contact. There must be one if `found`, and none otherwise.
fn at_most_one(mut seen: Vec<String>, found: bool) -> Option<String> {
    assert_eq!(seen.len(), usize::from(found));
    seen.pop()
}

/// A visitor that pushes `of` every contact to `all`.
fn keep<T>(all: &mut Vec<T>, of: impl Fn(&ContactView<'_>) -> T) -> impl FnMut(&ContactView<'_>) -> Result<()> {
    move |view| {
        all.push(of(view));
        Ok(())
    }
}

fn text(view: &ContactView<'_>) -> String {
    format!("{view:?}")
}
