//! Calls: the list compared with a naive model, and rows compared with the stored calls.

use domain::calls::{Call, CallDirection, CallFilter, CallOperator, CallOutcome, CallParty, CallStatus, OperatorRef};
use domain::{CallId, Id, TenantId, Timestamp};
use rand::RngExt as _;
use rand::rngs::StdRng;
use store::{Db, PostgresOptions, calls};
use testkit::database::TestDb;

use crate::fixtures::{START, call, operator, random, random_call, store_calls, stored_account};

const EMAILS: [&str; 3] = ["ada@example.com", "bob@example.com", "eve@example.com"];
const CALLS: usize = 250;
const FILTERS: usize = 120;

/// The expected list, by a filter that compares every call.
fn expected(all: &[Call], filter: &CallFilter) -> Vec<String> {
    let mut found: Vec<&Call> = all.iter().filter(|call| allows(filter, call)).collect();
    found.sort_by_key(|call| std::cmp::Reverse((call.started_at, call.id)));
    let after = |call: &&Call| filter.after.is_none_or(|key| (call.started_at, call.id) < key);
    let (offset, limit) = (usize::try_from(filter.offset).unwrap(), usize::try_from(filter.limit).unwrap());
    found.into_iter().filter(after).skip(offset).take(limit).map(Call::to_json).collect()
}

fn allows(filter: &CallFilter, call: &Call) -> bool {
    let operated = |wanted: &OperatorRef| match wanted {
        OperatorRef::Id(id) => call.operator.as_ref().is_some_and(|operator| operator.id == *id),
        OperatorRef::Email(email) => call.operator.as_ref().is_some_and(|operator| operator.email == *email),
    };
    filter.direction.is_none_or(|direction| call.direction == direction)
        && filter.operator.as_ref().is_none_or(operated)
        && filter.min_duration.is_none_or(|min| call.duration_seconds() >= min)
        && filter.max_duration.is_none_or(|max| call.duration_seconds() <= max)
        && filter.outcome.is_none_or(|outcome| outcome.statuses().contains(&call.status))
        && filter.from.is_none_or(|from| call.started_at >= from)
        && filter.to.is_none_or(|to| call.started_at <= to)
}

/// A filter whose parts are each present at random.
fn random_filter(rng: &mut StdRng, all: &[Call]) -> CallFilter {
    let mut some = |probability| rng.random_bool(probability);
    let has = [some(0.5), some(0.5), some(0.4), some(0.4), some(0.3), some(0.3), some(0.3), some(0.4), some(0.4)];
    let second = |rng: &mut StdRng| START.plus_seconds(rng.random_range(-2..62));
    let duration = |rng: &mut StdRng| all[rng.random_range(0..all.len())].duration_seconds() + rng.random_range(-1..=1);
    let key = |rng: &mut StdRng| {
        let call = &all[rng.random_range(0..all.len())];
        (call.started_at, call.id)
    };
    CallFilter {
        direction: has[0].then(|| CallDirection::ALL[rng.random_range(0..2)]),
        operator: if has[1] { random_operator(rng, all) } else { None },
        min_duration: has[2].then(|| duration(rng).max(0)),
        max_duration: has[3].then(|| duration(rng).max(0)),
        outcome: has[8].then(|| CallOutcome::ALL[rng.random_range(0..CallOutcome::ALL.len())]),
        from: has[4].then(|| second(rng)),
        to: has[5].then(|| second(rng)),
        after: has[6].then(|| key(rng)),
        offset: if has[7] { rng.random_range(0..80) } else { 0 },
        limit: rng.random_range(1..60),
    }
}

fn random_operator(rng: &mut StdRng, all: &[Call]) -> Option<OperatorRef> {
    match rng.random_range(0..10) {
        0 => Some(OperatorRef::Email("nobody@example.com".to_owned())),
        1..5 => Some(OperatorRef::Email(EMAILS[rng.random_range(0..EMAILS.len())].to_owned())),
        _ => all.iter().find_map(|call| call.operator.as_ref()).map(|operator| OperatorRef::Id(operator.id)),
    }
}

pub async fn listed(test: &TestDb, tenant: TenantId, filter: &CallFilter) -> Vec<String> {
    listed_by(&test.db, tenant, filter).await
}

async fn listed_by(db: &Db, tenant: TenantId, filter: &CallFilter) -> Vec<String> {
    let mut docs = Vec::new();
    calls::list(db, tenant, filter, &mut |shown| {
        docs.push(shown.doc.to_owned());
        Ok(())
    })
    .await
    .unwrap();
    docs
}

/// Random calls of one tenant. Its operators have the same e-mail addresses as those of other tenants.
async fn stored_calls(test: &TestDb, tenant: TenantId, rng: &mut StdRng) -> Vec<Call> {
    let mut operators: Vec<CallOperator> = vec![];
    for email in EMAILS {
        operators.push(operator(&stored_account(test, tenant, email).await));
    }
    let all: Vec<Call> = (0..CALLS).map(|number| random_call(rng, &format!("wacid.{number}"), &operators)).collect();
    assert_eq!(store_calls(test, tenant, &all).await, u64::try_from(CALLS).unwrap());
    all
}

fn all_of(filter: CallFilter) -> CallFilter {
    CallFilter { limit: 1000, ..filter }
}

fn full_call() -> Call {
    Call {
        end_reason: Some("hang\u{fc}p \"x\"".to_owned()),
        operator: Some(CallOperator {
            id: Id::new(START),
            email: "ada@example.com".to_owned(),
            name: "Ada".to_owned(),
        }),
        team_name: Some("Sales".to_owned()),
        caller: CallParty {
            contact_id: Some(Id::new(START)),
            bsuid: Some("US.1".to_owned()),
            parent_bsuid: Some("US.ENT.1".to_owned()),
            username: Some("ada".to_owned()),
            wa_id: Some("14155552671".to_owned()),
        },
        conversation_id: Some(Id::new(START)),
        channel_id: Some(Id::new(START)),
        channel_phone_number: Some("14155550100".to_owned()),
        talk_seconds: None,
        ..call("wacid.full", START, 61)
    }
}

async fn insert(test: &TestDb, tenant: TenantId, new: &Call) -> store::Result<bool> {
    let input = (tenant, new.clone());
    test.db.write(input, |tx, (tenant, new)| Box::pin(calls::insert(tx, *tenant, new))).await
}

async fn for_update(test: &TestDb, tenant: TenantId, id: CallId) -> Option<Call> {
    test.db.write((tenant, id), |tx, (tenant, id)| Box::pin(calls::for_update(tx, *tenant, *id))).await.unwrap()
}

async fn by_call_id(test: &TestDb, tenant: TenantId, call_id: &str) -> Option<Call> {
    let input = (tenant, call_id.to_owned());
    test.db.write(input, |tx, (tenant, call_id)| Box::pin(calls::by_call_id(tx, *tenant, call_id))).await.unwrap()
}

testkit::both_databases! {
    async fn counts_are_those_of_a_naive_filter(test) {
        let mut rng = random(11);
        let all = stored_calls(&test, test.tenant, &mut rng).await;
        let other = test.new_tenant("unlimited").await;
        stored_calls(&test, other, &mut rng).await;
        for _ in 0..FILTERS {
            let filter = CallFilter { after: None, offset: 0, outcome: None, ..random_filter(&mut rng, &all) };
            let operator = match &filter.operator {
                None => None,
                Some(OperatorRef::Id(id)) => Some(*id),
                Some(OperatorRef::Email(email)) => {
                    let Some(account) = store::identity::accounts::by_email(&test.db, test.tenant, email).await.unwrap() else { continue };
                    Some(account.id)
                }
            };
            let from = filter.from.unwrap_or(START.plus_seconds(-100));
            let to = filter.to.unwrap_or(START.plus_seconds(100));
            let filter = CallFilter { from: Some(from), to: Some(Timestamp::from_micros(to.micros() - 1)), ..filter };
            let counted = calls::count_range(&test.db, test.tenant, (from, to), &filter, operator).await.unwrap();
            let found: Vec<&Call> = all.iter().filter(|call| allows(&filter, call)).collect();
            let of = |status| i64::try_from(found.iter().filter(|call| call.status == status).count()).unwrap();
            let expected = calls::CallCount {
                calls: i64::try_from(found.len()).unwrap(),
                inbound: i64::try_from(found.iter().filter(|call| call.direction == CallDirection::Inbound).count()).unwrap(),
                in_progress: of(CallStatus::InProgress),
                completed: of(CallStatus::Completed),
                missed: of(CallStatus::Missed),
                failed: of(CallStatus::Failed),
                duration_seconds: found.iter().map(|call| call.duration_seconds()).sum(),
            };
            assert_eq!(counted, expected, "{filter:?}");
        }
    }

    async fn every_filter_shows_what_a_naive_search_would(test) {
        let mut rng = random(1);
        let other = test.new_tenant("growth").await;
        let tenants = [(test.tenant, stored_calls(&test, test.tenant, &mut rng).await), (other, stored_calls(&test, other, &mut rng).await)];
        for number in 0..FILTERS {
            let (tenant, all) = &tenants[number % 2];
            let filter = random_filter(&mut rng, all);
            assert_eq!(listed(&test, *tenant, &filter).await, expected(all, &filter), "{filter:?}");
            let count = calls::count(&test.db, *tenant, &filter).await.unwrap();
            let allowed = all.iter().filter(|call| allows(&filter, call)).count();
            assert_eq!(count, i64::try_from(allowed).unwrap(), "{filter:?}");
        }
    }

    async fn the_ends_of_a_filter_are_included(test) {
        let all: Vec<Call> = [0, 1, 63, 64, 127, 128, 16_383, 16_384, 40_000].map(|duration| call(&format!("{duration}"), START, duration)).into();
        store_calls(&test, test.tenant, &all).await;
        for duration in all.iter().map(Call::duration_seconds) {
            let exactly = all_of(CallFilter { min_duration: Some(duration), max_duration: Some(duration), ..CallFilter::default() });
            assert_eq!(listed(&test, test.tenant, &exactly).await, expected(&all, &exactly), "{duration}");
            assert_eq!(calls::count(&test.db, test.tenant, &exactly).await.unwrap(), 1);
        }
        let that_instant = all_of(CallFilter { from: Some(START), to: Some(START), ..CallFilter::default() });
        assert_eq!(listed(&test, test.tenant, &that_instant).await.len(), all.len());
        let before = all_of(CallFilter { to: Some(Timestamp::from_micros(START.micros() - 1)), ..CallFilter::default() });
        assert!(listed(&test, test.tenant, &before).await.is_empty());
    }

    async fn a_minimum_duration_above_the_maximum_finds_nothing(test) {
        store_calls(&test, test.tenant, &[call("1", START, 60)]).await;
        for direction in [None, Some(CallDirection::Inbound)] {
            let filter = all_of(CallFilter { direction, min_duration: Some(1000), max_duration: Some(10), ..CallFilter::default() });
            assert!(listed(&test, test.tenant, &filter).await.is_empty());
            assert_eq!(calls::count(&test.db, test.tenant, &filter).await.unwrap(), 0);
        }
    }

    async fn a_count_is_the_same_on_every_page(test) {
        let mut rng = random(2);
        let all = stored_calls(&test, test.tenant, &mut rng).await;
        let page = CallFilter { after: Some((all[7].started_at, all[7].id)), offset: 3, limit: 2, ..CallFilter::default() };
        assert_eq!(calls::count(&test.db, test.tenant, &page).await.unwrap(), i64::try_from(CALLS).unwrap());
    }

    async fn a_page_returns_the_position_of_its_end(test) {
        let one = call("1", START, 60);
        store_calls(&test, test.tenant, std::slice::from_ref(&one)).await;
        for filter in [CallFilter::default(), CallFilter { min_duration: Some(9), ..CallFilter::default() }] {
            let mut keys = vec![];
            calls::list(&test.db, test.tenant, &all_of(filter), &mut |shown| {
                keys.push(shown.position()?);
                Ok(())
            })
            .await
            .unwrap();
            assert_eq!(keys, [(one.started_at, one.id)]);
        }
    }

    async fn a_call_is_read_as_it_was_stored(test) {
        let ringing = Call { status: CallStatus::Ringing, answered_at: None, ended_at: None, ..call("wacid.bare", START, 0) };
        for new in [full_call(), ringing] {
            assert!(insert(&test, test.tenant, &new).await.unwrap());
            assert_eq!(for_update(&test, test.tenant, new.id).await, Some(new.clone()));
            assert_eq!(by_call_id(&test, test.tenant, &new.call_id).await, Some(new.clone()));
            assert_eq!(calls::show(&test.db, test.tenant, new.id).await.unwrap(), Some(new.to_json()));
        }
    }

    async fn a_call_id_is_stored_once_in_a_tenant(test) {
        let other = test.new_tenant("growth").await;
        let first = call("wacid.1", START, 60);
        let again = call("wacid.1", START.plus_seconds(9), 90);
        assert!(insert(&test, test.tenant, &first).await.unwrap());
        assert!(!insert(&test, test.tenant, &again).await.unwrap());
        assert_eq!(by_call_id(&test, test.tenant, "wacid.1").await, Some(first.clone()));
        assert!(insert(&test, other, &again).await.unwrap());
        assert_eq!(by_call_id(&test, other, "wacid.1").await, Some(again.clone()));
        assert_eq!(store_calls(&test, test.tenant, &[first, again, call("wacid.2", START, 1)]).await, 1);
    }

    async fn the_same_call_sent_many_times_at_once_is_stored_once(test) {
        let sent: Vec<Call> = (0..20).map(|_| call("wacid.1", START, 60)).collect();
        let inserts = sent.iter().map(|new| insert(&test, test.tenant, new));
        let stored = futures_util::future::try_join_all(inserts).await.unwrap();
        assert_eq!(stored.iter().filter(|stored| **stored).count(), 1);
        assert_eq!(calls::count(&test.db, test.tenant, &CallFilter::default()).await.unwrap(), 1);
    }

    async fn a_call_does_not_exist_in_another_tenant(test) {
        let other = test.new_tenant("growth").await;
        let ours = full_call();
        insert(&test, test.tenant, &ours).await.unwrap();
        assert_eq!(calls::show(&test.db, other, ours.id).await.unwrap(), None);
        assert_eq!(for_update(&test, other, ours.id).await, None);
        assert_eq!(by_call_id(&test, other, &ours.call_id).await, None);
        let stolen = Call { team_name: Some("Stolen".to_owned()), ..ours.clone() };
        test.db.write((other, stolen), |tx, (other, stolen)| Box::pin(calls::update(tx, *other, stolen))).await.unwrap();
        assert_eq!(for_update(&test, test.tenant, ours.id).await, Some(ours));
    }

    async fn an_operator_of_another_tenant_finds_nothing(test) {
        let other = test.new_tenant("growth").await;
        let theirs = stored_account(&test, other, "ada@example.com").await;
        let ours = Call { operator: Some(operator(&theirs)), ..call("wacid.1", START, 60) };
        insert(&test, test.tenant, &ours).await.unwrap();
        let by_email = all_of(CallFilter { operator: Some(OperatorRef::Email(theirs.email)), ..CallFilter::default() });
        assert!(listed(&test, test.tenant, &by_email).await.is_empty(), "no account of this tenant has the address");
    }

    async fn an_update_is_shown_and_found(test) {
        let account = stored_account(&test, test.tenant, "ada@example.com").await;
        let ringing = Call { status: CallStatus::Ringing, answered_at: None, ended_at: None, ..call("wacid.1", START, 0) };
        insert(&test, test.tenant, &ringing).await.unwrap();
        let input = (test.tenant, ringing.id, operator(&account));
        let changed = test.db.write(input, |tx, (tenant, id, operator)| Box::pin(async move {
            let mut changed = calls::for_update(&mut *tx, *tenant, *id).await?.unwrap();
            changed.status = CallStatus::Completed;
            changed.answered_at = Some(START.plus_seconds(5));
            changed.ended_at = Some(START.plus_seconds(305));
            changed.operator = Some(operator.clone());
            calls::update(tx, *tenant, &changed).await?;
            store::Result::<_>::Ok(changed)
        })).await.unwrap();
        assert_eq!(calls::show(&test.db, test.tenant, ringing.id).await.unwrap(), Some(changed.to_json()));
        assert_eq!(for_update(&test, test.tenant, ringing.id).await, Some(changed.clone()));
        let by_email = Some(OperatorRef::Email(account.email));
        for (filter, found) in [
            (CallFilter { min_duration: Some(300), ..CallFilter::default() }, true),
            (CallFilter { max_duration: Some(299), ..CallFilter::default() }, false),
            (CallFilter { operator: by_email.clone(), ..CallFilter::default() }, true),
            (CallFilter { operator: by_email, direction: Some(CallDirection::Inbound), max_duration: Some(300), ..CallFilter::default() }, true),
        ] {
            let filter = all_of(filter);
            assert_eq!(listed(&test, test.tenant, &filter).await.len(), usize::from(found), "{filter:?}");
        }
    }

    async fn text_with_nul_is_refused_before_it_reaches_a_database(test) {
        let bad = Call { team_name: Some("a\0b".to_owned()), ..call("wacid.1", START, 60) };
        assert!(matches!(insert(&test, test.tenant, &bad).await, Err(store::Error::NulInText)));
        let many = test.db.write((test.tenant, vec![bad]), |tx, (tenant, bad)| Box::pin(calls::insert_many(tx, *tenant, bad)));
        assert!(matches!(many.await, Err(store::Error::NulInText)));
        let read = all_of(CallFilter { operator: Some(OperatorRef::Email("\0".to_owned())), ..CallFilter::default() });
        assert!(matches!(calls::list(&test.db, test.tenant, &read, &mut |_| Ok(())).await, Err(store::Error::NulInText)));
        assert!(matches!(calls::count(&test.db, test.tenant, &read).await, Err(store::Error::NulInText)));
        assert_eq!(calls::count(&test.db, test.tenant, &CallFilter::default()).await.unwrap(), 0);
    }
}

/// A server without prepared statements plans each request anew, and planning one scan for each facet takes long.
#[tokio::test]
async fn on_postgres_without_prepared_statements_a_page_by_durations_is_one_scan() {
    let test = TestDb::postgres().await;
    let unprepared = Db::open_with(&test.location, PostgresOptions { prepared: false, ..PostgresOptions::default() });
    let (unprepared, mut rng) = (unprepared.unwrap(), random(1));
    let all = stored_calls(&test, test.tenant, &mut rng).await;
    for _ in 0..FILTERS {
        let filter = random_filter(&mut rng, &all);
        assert_eq!(listed_by(&unprepared, test.tenant, &filter).await, expected(&all, &filter), "{filter:?}");
    }
    let filter = CallFilter { min_duration: Some(60), max_duration: Some(600), ..CallFilter::default() };
    let plan = calls::explain(&unprepared, test.tenant, &filter).await.unwrap().join("\n");
    assert!(!plan.contains("Append"), "{plan}");
}
