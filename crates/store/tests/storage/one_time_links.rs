//! One-time links.

use domain::identity::one_time_links::{CodeHash, LinkPurpose, OneTimeLink};
use domain::{AccountId, Id, TenantId, Timestamp};
use store::identity::one_time_links;
use testkit::database::TestDb;

use crate::fixtures::START;

fn link(account: AccountId, purpose: LinkPurpose, hash: u8) -> OneTimeLink {
    OneTimeLink {
        account_id: account,
        purpose,
        hash: CodeHash([hash; 32]),
        created_at: START,
        expires_at: START.plus_seconds(60),
    }
}

async fn replace(test: &TestDb, link: &OneTimeLink) {
    let input = (test.tenant, link.clone());
    test.db.write(input, |tx, (tenant, link)| Box::pin(one_time_links::replace(tx, *tenant, link))).await.unwrap();
}

async fn find(test: &TestDb, tenant: TenantId, account: AccountId, purpose: LinkPurpose) -> Option<OneTimeLink> {
    one_time_links::find(&test.db, tenant, account, purpose).await.unwrap()
}

async fn take(test: &TestDb, tenant: TenantId, link: &OneTimeLink, now: Timestamp) -> bool {
    let taken = test.db.write((tenant, link.clone(), now), |tx, (tenant, link, now)| {
        Box::pin(one_time_links::take(tx, *tenant, link.account_id, link.purpose, &link.hash, *now))
    });
    taken.await.unwrap()
}

testkit::both_databases! {
    async fn a_new_link_replaces_that_of_the_same_account_and_purpose(test) {
        let (ada, ben) = (AccountId::new(START), AccountId::new(START));
        let all = [link(ada, LinkPurpose::Setup, 1), link(ada, LinkPurpose::Reset, 2), link(ben, LinkPurpose::Setup, 3)];
        for link in &all {
            replace(&test, link).await;
        }
        let newer = OneTimeLink { expires_at: START.plus_seconds(90), ..link(ada, LinkPurpose::Setup, 4) };
        replace(&test, &newer).await;
        assert_eq!(find(&test, test.tenant, ada, LinkPurpose::Setup).await, Some(newer.clone()));
        assert_eq!(find(&test, test.tenant, ada, LinkPurpose::Reset).await.as_ref(), Some(&all[1]));
        assert_eq!(find(&test, test.tenant, ben, LinkPurpose::Setup).await.as_ref(), Some(&all[2]));
        assert_eq!(find(&test, test.tenant, ben, LinkPurpose::Invitation).await, None);
        assert!(!take(&test, test.tenant, &all[0], START).await, "it was replaced");
        assert!(take(&test, test.tenant, &newer, START).await);
    }

    async fn a_set_up_link_and_an_invitation_replace_each_other(test) {
        let ada = AccountId::new(START);
        let (invitation, set_up) = (link(ada, LinkPurpose::Invitation, 1), link(ada, LinkPurpose::Setup, 2));
        replace(&test, &invitation).await;
        replace(&test, &link(ada, LinkPurpose::Reset, 3)).await;
        replace(&test, &set_up).await;
        assert!(!take(&test, test.tenant, &invitation, START).await);
        assert!(find(&test, test.tenant, ada, LinkPurpose::Reset).await.is_some());
        let count = async |now: Timestamp| {
            let input = (test.tenant, now);
            let counted = test.db.write(input, |tx, (tenant, now)| Box::pin(one_time_links::count_invitations(tx, *tenant, *now)));
            counted.await.unwrap()
        };
        assert_eq!((count(START).await, count(set_up.expires_at).await), (1, 0));
        replace(&test, &invitation).await;
        assert!(!take(&test, test.tenant, &set_up, START).await);
        assert!(take(&test, test.tenant, &invitation, START).await);
        assert_eq!(count(START).await, 0, "a link for a new password is no invitation");
    }

    async fn a_link_is_taken_once_in_its_tenant_and_before_its_end(test) {
        let other = test.new_tenant("growth").await;
        let link = link(Id::new(START), LinkPurpose::Invitation, 1);
        replace(&test, &link).await;
        assert_eq!(find(&test, other, link.account_id, link.purpose).await, None);
        assert!(!take(&test, other, &link, START).await);
        assert!(!take(&test, test.tenant, &link, link.expires_at).await);
        assert!(take(&test, test.tenant, &link, START).await);
        assert!(!take(&test, test.tenant, &link, START).await);
    }

    async fn all_links_of_an_account_end_together(test) {
        let (ada, ben) = (AccountId::new(START), AccountId::new(START));
        for link in [link(ada, LinkPurpose::Setup, 1), link(ada, LinkPurpose::Reset, 2), link(ben, LinkPurpose::Reset, 3)] {
            replace(&test, &link).await;
        }
        let input = (test.tenant, ada);
        test.db.write(input, |tx, (tenant, account)| Box::pin(one_time_links::end_all(tx, *tenant, *account))).await.unwrap();
        assert_eq!(find(&test, test.tenant, ada, LinkPurpose::Setup).await, None);
        assert_eq!(find(&test, test.tenant, ada, LinkPurpose::Reset).await, None);
        assert!(find(&test, test.tenant, ben, LinkPurpose::Reset).await.is_some());
    }

    async fn only_links_of_the_past_are_swept(test) {
        // A sweep covers all tenants: these times are earlier than those of any other test.
        let at = Timestamp::from_seconds;
        let past = OneTimeLink { expires_at: at(10), ..link(Id::new(START), LinkPurpose::Setup, 1) };
        let now = OneTimeLink { expires_at: at(20), ..link(Id::new(START), LinkPurpose::Setup, 2) };
        replace(&test, &past).await;
        replace(&test, &now).await;
        let swept = test.db.write((), |tx, ()| Box::pin(one_time_links::sweep(tx, Timestamp::from_seconds(20))));
        assert_eq!(swept.await.unwrap(), 1);
        assert_eq!(find(&test, test.tenant, past.account_id, past.purpose).await, None);
        assert_eq!(find(&test, test.tenant, now.account_id, now.purpose).await, Some(now));
    }
}
