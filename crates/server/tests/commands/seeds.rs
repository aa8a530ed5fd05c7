use domain::calls::CallFilter;
use domain::{CallId, TenantId};
use store::calls::ListedCall;
use store::{Db, Location};

use crate::run::{Folder, members};

const SEED: &str = "seed calls --tenant 100138 --count 500 --rng 7 --until 2026-04-24T10:00:00Z";

async fn calls_of(folder: &Folder) -> Vec<CallId> {
    let db = Db::open(&Location::Sqlite { file: folder.0.join("data/switchboard.db") }).unwrap();
    let mut ids = Vec::new();
    let tenant = TenantId::from_number(100_138);
    let page = CallFilter { limit: 10_000, ..CallFilter::default() };
    store::calls::list(&db, tenant, &page, &mut |call: ListedCall<'_>| {
        ids.push(call.position()?.1);
        Ok(())
    })
    .await
    .unwrap();
    ids
}

#[tokio::test]
async fn the_same_seed_makes_the_same_calls_and_adds_nothing_again() {
    let (one, other) = (Folder::with_tenant(), Folder::with_tenant());
    let first = one.json(SEED);
    assert_eq!(members(&first), ["added", "count", "operators", "rng", "seconds", "tenant", "until"]);
    assert_eq!((&first["added"], &first["operators"]), (&500.into(), &25.into()));
    assert_eq!(one.json(SEED)["added"], 0);
    assert!(other.run(SEED).ok().starts_with("500 of 500 calls added with 25 operators"));
    let (ids, others) = (calls_of(&one).await, calls_of(&other).await);
    assert_eq!((ids.len(), ids), (500, others));

    let operators = one.json("account list --tenant 100138");
    let emails: Vec<_> = operators.as_array().unwrap().iter().map(|one| one["email"].as_str().unwrap()).collect();
    assert!(emails.len() == 26 && emails.contains(&"grace.hopper.7@example.com"), "{emails:?}");
}

#[test]
fn a_seed_needs_a_tenant_and_a_count() {
    let folder = Folder::with_tenant();
    assert_eq!(folder.fails(1, "seed calls --tenant 7 --count 5").0, "not_found");
    assert_eq!(folder.fails(2, "seed calls --tenant 100138 --count 0").0, "usage");
}
