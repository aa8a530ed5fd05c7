//! Lists show exactly the contacts that their filter allows, newest first, by page number and by cursor.

use app::people::contacts::Start;
use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{Condition, Contact, ContactFilter, CustomParam, NewContact};
use domain::{ContactId, Id, SegmentId, Timestamp};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use store::Engine;
use testkit::World;
use testkit::database::random_tenant;
use testkit::world::OnWorld;

use super::people::at;
use super::{cases, for_all, runtime};

const OPERATORS: [&str; 8] = ["contain", "notContain", "exist", "notExist", "==", "!=", "valid", "invalid"];

/// The id of a segment; contacts are in segments 0 and 1.
fn segment(number: u64) -> SegmentId {
    Id::seeded(at(0), number)
}

fn any_contact() -> impl Strategy<Value = Contact> {
    let param = (select(vec!["a", "b"]), "[xyXÄ ]{0,6}");
    let segments = vec((0..2_u64).prop_map(segment), 0..2);
    let phone = option::of("1415555[0-9]{4}");
    let handle = option::of("[ab.]{3,5}");
    // Few seconds, so that several contacts are created in the same second.
    let made = (0..5_i64, 0..1000_i64);
    ("[abAß1 ]{0,8}", phone, handle, vec(param, 0..3), segments, made).prop_map(
        |(name, phone, username, params, segments, (seconds, millis))| {
            let mut custom_params: Vec<CustomParam> = Vec::new();
            for (name, value) in params {
                domain::people::contacts::merge_params(
                    &mut custom_params,
                    &[CustomParam { name: name.to_owned(), value }],
                );
            }
            let new = NewContact { phone, username, name, custom_params, ..NewContact::default() };
            let now = Timestamp::from_micros(at(seconds).micros() + millis * 1000);
            Contact { segments, ..Contact::new(new, now) }
        },
    )
}

fn any_condition() -> impl Strategy<Value = Condition> {
    let value = prop_oneof!["[xyXÄ ]{0,2}", "[xyXÄ ]{3,4}"];
    (select(vec!["a", "b"]), select(&OPERATORS[..]), value).prop_map(|(name, operator, value)| Condition {
        name: name.to_owned(),
        operator: operator.parse().unwrap(),
        value,
    })
}

fn any_created() -> impl Strategy<Value = (Timestamp, Timestamp)> {
    let exactly = (-1..6_i64, 0..1_000_000_i64, 0..3_000_000_i64).prop_map(|(seconds, micros, length)| {
        let first = at(seconds).micros() + micros;
        (Timestamp::from_micros(first), Timestamp::from_micros(first + length))
    });
    let seconds = (0..5_i64, 0..3_i64)
        .prop_map(|(first, more)| (at(first), Timestamp::from_micros(at(first + more).micros() + 999_000)));
    let ever = Just((Timestamp::from_micros(i64::MIN), Timestamp::from_micros(i64::MAX)));
    let years = Just((Timestamp::from_seconds(-62_135_596_800), Timestamp::from_seconds(253_402_300_799)));
    prop_oneof![3 => exactly, 3 => seconds, 1 => ever, 1 => years]
}

fn any_filter() -> impl Strategy<Value = ContactFilter> {
    let part = || option::weighted(0.3, prop_oneof!["[abß1]{1,2}", "[abA1 ]{3,4}", "\\+1 415", "@[ab]{2,3}"]);
    let conditions = || vec(any_condition(), 0..3);
    let segment = option::weighted(0.2, (0..3_u64).prop_map(segment));
    let groups = prop_oneof![2 => Just(Vec::new()), 1 => vec(vec(any_condition(), 1..3), 1..4)];
    let created = option::weighted(0.3, any_created());
    (part(), part(), conditions(), created, segment, groups).prop_map(
        |(name, search, conditions, created, segment, groups)| ContactFilter {
            name,
            search,
            conditions,
            created,
            segment,
            groups,
            ..ContactFilter::default()
        },
    )
}

fn allowed(filter: &ContactFilter, population: &[Contact]) -> Vec<ContactId> {
    let wanted = |contact: &&Contact| filter.allows(&contact.view(&contact.texts()));
    let mut ids: Vec<ContactId> = population.iter().filter(wanted).map(|contact| contact.id).collect();
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids
}

fn identities(contact: &Contact) -> Vec<Identity> {
    let bsuid = Identity::seen(IdentityKind::Bsuid, &contact.bsuid, contact.created_at);
    let handle = contact.username.iter().map(|name| Identity::seen(IdentityKind::Username, name, contact.created_at));
    // Numbers are left out: they are for searching only, and here several contacts may share one.
    handle.chain([bsuid]).collect()
}

/// Switches to a new tenant with these contacts, inserted in one transaction.
pub async fn populate(world: &mut World, population: Vec<Contact>) {
    world.test.tenant = random_tenant();
    let input = (world.tenant(), population);
    let made = world.test.db.write(input, |tx, (tenant, population)| {
        Box::pin(async move {
            let known_by: Vec<Vec<Identity>> = population.iter().map(identities).collect();
            let new: Vec<_> = population.iter().zip(&known_by).map(|(new, own)| (new, own.as_slice())).collect();
            store::people::contacts::insert_many(tx, *tenant, &new).await
        })
    });
    made.await.unwrap();
}

pub trait Lists: OnWorld {
    async fn page(
        self,
        filter: &ContactFilter,
        start: Start,
        size: i64,
    ) -> (Vec<ContactId>, app::people::contacts::PageEnd) {
        let mut ids = Vec::new();
        let end = self
            .app
            .people()
            .contacts()
            .list(&self.me(), filter, start, size, true, &mut |contact| ids.push(contact.id))
            .await;
        (ids, end.unwrap())
    }

    async fn by_number(self, filter: &ContactFilter, size: i64) -> Vec<ContactId> {
        let mut all = Vec::new();
        for number in 0.. {
            let (ids, end) = self.page(filter, Start::Page(number), size).await;
            assert!(ids.len() <= usize::try_from(size).unwrap());
            all.extend(ids);
            if end.next_cursor.is_none() {
                break;
            }
        }
        all
    }

    /// The contacts of each page, and the contact that its cursor names.
    async fn by_cursor(self, filter: &ContactFilter, size: i64) -> Vec<(Vec<ContactId>, Option<ContactId>)> {
        let (mut start, mut pages) = (Start::Page(0), Vec::new());
        loop {
            let (ids, end) = self.page(filter, start, size).await;
            let next =
                end.next_cursor.map(|cursor| self.app.people().contacts().position(&self.me(), &cursor).unwrap());
            pages.push((ids, next));
            match next {
                Some(id) => start = Start::After(id),
                None => return pages,
            }
        }
    }

    async fn check_list(self, filter: &ContactFilter, size: i64, population: &[Contact]) {
        let expected = allowed(filter, population);
        assert_eq!(self.by_number(filter, size).await, expected, "by page number: {filter:?}");
        let walked: Vec<ContactId> = self.by_cursor(filter, size).await.into_iter().flat_map(|(ids, _)| ids).collect();
        assert_eq!(walked, expected, "by cursor: {filter:?}");
        let (_, end) = self.page(filter, Start::Page(0), size).await;
        assert_eq!(end.total, Some(i64::try_from(expected.len()).unwrap()), "total: {filter:?}");
        if let ContactFilter { created: Some(made), .. } = filter {
            let alone = ContactFilter { created: Some(*made), ..ContactFilter::default() };
            let counted =
                self.app.people().contacts().count(&self.me(), Some(*made), ContactFilter::default()).await.unwrap();
            assert_eq!(counted, i64::try_from(allowed(&alone, population).len()).unwrap(), "count: {made:?}");
        }
    }
}

impl Lists for &World {}

fn lists_show_what_their_filter_allows(engine: Engine, populations: u32, large: usize) {
    let runtime = runtime();
    let world = tokio::sync::Mutex::new(runtime.block_on(World::new(engine)));
    let input = (vec(any_contact(), 0..60), vec((any_filter(), 1..9_i64), 8));
    for_all(populations, &input, |(population, filters)| {
        runtime.block_on(async {
            let mut world = world.lock().await;
            populate(&mut world, population.clone()).await;
            for (filter, size) in &filters {
                world.check_list(filter, *size, &population).await;
            }
        });
    });
    // A population that is larger than one read.
    let mut runner = TestRunner::default();
    let population = vec(any_contact(), 1300).new_tree(&mut runner).unwrap().current();
    let filters = vec(any_filter(), large).new_tree(&mut runner).unwrap().current();
    runtime.block_on(async {
        let mut world = world.lock().await;
        populate(&mut world, population.clone()).await;
        for filter in &filters {
            world.check_list(filter, 100, &population).await;
        }
    });
    runtime.block_on(async { drop(world) });
}

#[test]
fn lists_show_what_their_filter_allows_sqlite() {
    lists_show_what_their_filter_allows(Engine::Sqlite, cases(40, 1000), 40);
}

#[test]
fn lists_show_what_their_filter_allows_postgres() {
    lists_show_what_their_filter_allows(Engine::Postgres, cases(10, 100), 10);
}
