//! Templates.

use domain::messaging::templates::{Category, Content, Template, TemplateFilter, TemplateStatus};
use domain::{Id, TemplateId, TenantId, Timestamp};
use store::messaging::templates;
use testkit::database::TestDb;

use crate::fixtures::START;

const ACCOUNT: &str = "102290129340398";

fn template(number: u64, name: &str, language: &str) -> Template {
    Template {
        id: Id::seeded(START, number),
        account_id: ACCOUNT.to_owned(),
        channel_id: Id::seeded(START, 7),
        name: name.to_owned(),
        language: language.to_owned(),
        category: Category::Utility,
        status: TemplateStatus::Draft,
        quality: None,
        reason: None,
        network_id: None,
        content: Content { body: "Hi {{name}}, \"all\" is well.".to_owned(), ..Content::default() },
        origin: "API".to_owned(),
        created_at: START,
        updated_at: START,
        reported_at: Timestamp::from_micros(0),
        deleted_at: None,
    }
}

async fn insert(test: &TestDb, tenant: TenantId, new: &Template) -> bool {
    let body = test.db.write((tenant, new.clone()), |tx, (tenant, new)| Box::pin(templates::insert(tx, *tenant, new)));
    body.await.unwrap()
}

async fn update(test: &TestDb, tenant: TenantId, new: &Template) {
    let body = test.db.write((tenant, new.clone()), |tx, (tenant, new)| Box::pin(templates::update(tx, *tenant, new)));
    body.await.unwrap();
}

async fn by_name(test: &TestDb, tenant: TenantId, name: &str) -> Vec<TemplateId> {
    let input = (tenant, name.to_owned());
    let body = test.db.write(input, |tx, (tenant, name)| Box::pin(templates::by_name(tx, *tenant, ACCOUNT, name)));
    body.await.unwrap().into_iter().map(|one| one.id).collect()
}

async fn by_network_id(test: &TestDb, tenant: TenantId, account: &str, id: &str) -> Option<TemplateId> {
    let input = (tenant, account.to_owned(), id.to_owned());
    let body =
        test.db.write(input, |tx, (tenant, account, id)| Box::pin(templates::by_network_id(tx, *tenant, account, id)));
    body.await.unwrap().map(|one| one.id)
}

async fn listed(test: &TestDb, tenant: TenantId, filter: &TemplateFilter) -> (Vec<TemplateId>, i64) {
    let all = templates::list(&test.db, tenant, filter).await.unwrap();
    (all.into_iter().map(|one| one.id).collect(), templates::count(&test.db, tenant, filter).await.unwrap())
}

testkit::both_databases! {
    async fn a_template_is_read_as_it_was_written(test) {
        let mut one = template(1, "welcome", "en");
        assert!(insert(&test, test.tenant, &one).await);
        assert_eq!(templates::find(&test.db, test.tenant, one.id).await.unwrap(), Some(one.clone()));
        one.category = Category::Marketing;
        one.status = TemplateStatus::Rejected;
        one.quality = Some("RED".to_owned());
        one.reason = Some("INVALID_FORMAT".to_owned());
        one.network_id = Some("4711".to_owned());
        one.content.footer = Some("Bye".to_owned());
        (one.updated_at, one.reported_at) = (START.plus_seconds(1), START.plus_seconds(2));
        update(&test, test.tenant, &one).await;
        assert_eq!(templates::find(&test.db, test.tenant, one.id).await.unwrap(), Some(one.clone()));
        let held = test.db.write((test.tenant, one.id), |tx, (tenant, id)| Box::pin(templates::for_update(tx, *tenant, *id)));
        assert_eq!(held.await.unwrap(), Some(one));
    }

    async fn a_name_is_unique_in_a_language_until_it_is_deleted(test) {
        let mut first = template(1, "welcome", "en");
        assert!(insert(&test, test.tenant, &first).await);
        assert!(!insert(&test, test.tenant, &template(2, "welcome", "en")).await);
        assert!(insert(&test, test.tenant, &template(3, "welcome", "de")).await);
        assert_eq!(by_name(&test, test.tenant, "welcome").await, [Id::seeded(START, 3), first.id]);
        first.deleted_at = Some(START.plus_seconds(9));
        update(&test, test.tenant, &first).await;
        assert_eq!(by_name(&test, test.tenant, "welcome").await, [Id::seeded(START, 3)]);
        assert!(insert(&test, test.tenant, &template(4, "welcome", "en")).await, "its name is free again");
        assert_eq!(templates::find(&test.db, test.tenant, first.id).await.unwrap().unwrap().deleted_at, first.deleted_at);
    }

    async fn a_template_is_found_by_its_network_id(test) {
        let one = Template { network_id: Some("4711".to_owned()), ..template(1, "welcome", "en") };
        assert!(insert(&test, test.tenant, &one).await);
        assert_eq!(by_network_id(&test, test.tenant, ACCOUNT, "4711").await, Some(one.id));
        assert_eq!(by_network_id(&test, test.tenant, "1", "4711").await, None);
        assert_eq!(by_network_id(&test, test.tenant, ACCOUNT, "4712").await, None);
    }

    async fn pages_and_filters(test) {
        for (number, name) in [(1, "welcome"), (2, "order_update"), (3, "order_100"), (4, "bye")] {
            let mut one = template(number, name, "en");
            one.created_at = START.plus_seconds(i64::try_from(number).unwrap());
            if number == 4 {
                "1".clone_into(&mut one.account_id);
            }
            assert!(insert(&test, test.tenant, &one).await);
        }
        let gone = Template { deleted_at: Some(START), ..template(5, "gone", "en") };
        assert!(insert(&test, test.tenant, &gone).await);
        let page = |name: &str, account: &str, limit, offset| TemplateFilter {
            account_id: Some(account.to_owned()).filter(|account| !account.is_empty()),
            name: Some(name.to_owned()).filter(|name| !name.is_empty()),
            limit,
            offset,
            ..TemplateFilter::default()
        };
        let ids = |numbers: &[u64]| -> Vec<TemplateId> { numbers.iter().map(|number| Id::seeded(START, *number)).collect() };
        assert_eq!(listed(&test, test.tenant, &page("", "", 3, 0)).await, (ids(&[4, 3, 2]), 4));
        assert_eq!(listed(&test, test.tenant, &page("", "", 3, 3)).await, (ids(&[1]), 4));
        assert_eq!(listed(&test, test.tenant, &page("", ACCOUNT, 10, 0)).await, (ids(&[3, 2, 1]), 3));
        assert_eq!(listed(&test, test.tenant, &page("order", "", 10, 0)).await, (ids(&[3, 2]), 2));
        assert_eq!(listed(&test, test.tenant, &page("r_1", ACCOUNT, 10, 0)).await, (ids(&[3]), 1));
        assert_eq!(listed(&test, test.tenant, &page("%", "", 10, 0)).await, (ids(&[]), 0), "a part is no pattern");
        let account = test.db.write(test.tenant, |tx, tenant| Box::pin(templates::of_account(tx, *tenant, ACCOUNT)));
        let account: Vec<TemplateId> = account.await.unwrap().into_iter().map(|one| one.id).collect();
        assert_eq!(account, ids(&[1, 2, 3]));
    }

    async fn a_template_of_another_tenant_does_not_exist(test) {
        let stranger = test.new_tenant("growth").await;
        let one = Template { network_id: Some("4711".to_owned()), ..template(1, "welcome", "en") };
        assert!(insert(&test, test.tenant, &one).await);
        assert_eq!(templates::find(&test.db, stranger, one.id).await.unwrap(), None);
        assert_eq!(by_name(&test, stranger, "welcome").await, Vec::<TemplateId>::new());
        assert_eq!(by_network_id(&test, stranger, ACCOUNT, "4711").await, None);
        assert_eq!(listed(&test, stranger, &TemplateFilter { limit: 9, ..TemplateFilter::default() }).await, (Vec::new(), 0));
        update(&test, stranger, &Template { status: TemplateStatus::Approved, ..one.clone() }).await;
        let removed = test.db.write((stranger, one.id), |tx, (tenant, id)| Box::pin(templates::remove(tx, *tenant, *id)));
        removed.await.unwrap();
        assert_eq!(templates::find(&test.db, test.tenant, one.id).await.unwrap(), Some(one.clone()));
        let removed = test.db.write((test.tenant, one.id), |tx, (tenant, id)| Box::pin(templates::remove(tx, *tenant, *id)));
        removed.await.unwrap();
        assert_eq!(templates::find(&test.db, test.tenant, one.id).await.unwrap(), None);
    }
}
