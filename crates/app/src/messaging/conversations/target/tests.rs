//! How sending resolves a target.

use domain::messaging::channels::NewChannel;
use domain::messaging::conversations::ConversationStatus;
use domain::people::contacts::Sighting;
use domain::{Id, TargetId};
use store::messaging::channels::SealedSecrets;
use testkit::Engine;
use testkit::database::TestDb;

use super::*;
use crate::Thing;

const ADA: &str = "14155552671";

/// A tenant with two channels.
struct Tenant {
    test: TestDb,
    support: Channel,
    sales: Channel,
}

impl Tenant {
    async fn new(engine: Engine) -> Self {
        let test = TestDb::on(engine).await;
        let support = channel(&test, "Support", "14155550100", true).await;
        let sales = channel(&test, "Sales", "14155550101", false).await;
        Self { test, support, sales }
    }

    async fn resolve_target(&self, target: &str) -> Result<ResolvedTarget> {
        let input = (self.test.tenant, target.to_owned());
        self.test.db.write(input, |tx, (tenant, target)| Box::pin(resolve_target(tx, *tenant, target.into()))).await
    }

    async fn contact(&self) -> ContactId {
        let now = self.test.clock.now();
        let seen = Sighting {
            phone: Some(ADA.to_owned()),
            bsuids: vec!["US.5".to_owned()],
            parent_bsuid: None,
            username: None,
            name: Some("Ada".to_owned()),
            source: "WhatsApp".to_owned(),
            at: now,
        };
        let input = (self.test.tenant, seen, now);
        let made = self.test.db.write(input, |tx, (tenant, seen, now)| {
            Box::pin(crate::people::contacts::resolve_contact(tx, *tenant, seen, *now, &[]))
        });
        made.await.unwrap().id
    }

    async fn talk(&self, channel: &Channel, contact: ContactId, status: ConversationStatus) -> Conversation {
        self.test.clock.advance(std::time::Duration::from_secs(1));
        let mut one = Conversation::new(channel.id, contact, self.test.clock.now());
        one.status = status;
        let input = (self.test.tenant, one.clone());
        let made = self.test.db.write(input, |tx, (tenant, one)| {
            Box::pin(store::messaging::conversations::insert_many(tx, *tenant, std::slice::from_ref(one)))
        });
        made.await.unwrap();
        one
    }
}

async fn channel(test: &TestDb, name: &str, number: &str, is_default: bool) -> Channel {
    let new = NewChannel {
        name: name.to_owned(),
        phone_number: number.to_owned(),
        phone_number_id: "106540352242922".to_owned(),
        account_id: "102290129340398".to_owned(),
        network: "whatsapp".to_owned(),
    };
    let now = test.clock.now();
    let made = Channel { is_default, ..new.checked(Id::new(now), now).unwrap() };
    let input = (test.tenant, made.clone());
    let write = test.db.write(input, |tx, (tenant, made)| {
        Box::pin(async move {
            let sealed = SealedSecrets { access_token: vec![1], app_secret: vec![1], verify_token: vec![1] };
            store::messaging::channels::insert(tx, *tenant, made, &sealed).await
        })
    });
    assert!(write.await.unwrap());
    made
}

testkit::both_databases! {
    async fn resolving_an_unknown_target_creates_nothing(tenant = Tenant::new) {
        for (target, channel) in [
            (ADA.to_owned(), &tenant.support),
            ("US.5".to_owned(), &tenant.support),
            (format!("sales:{ADA}"), &tenant.sales),
            ("14155550101:US.5".to_owned(), &tenant.sales),
        ] {
            let meant = tenant.resolve_target(&target).await.unwrap();
            assert!(meant.contact.is_none() && meant.conversation.is_none(), "{target}");
            assert_eq!(meant.channel.id, channel.id, "{target}");
        }
        let unknown = TargetId::new(tenant.test.clock.now());
        for (target, expected) in [
            (unknown.to_string(), "target: contact or conversation not found"),
            (format!("Press:{ADA}"), "target: there is no channel \"Press\""),
            ("11111111111".to_owned(), "target: "),
            ("nonsense".to_owned(), "target: expected a phone number"),
            (":14155552671".to_owned(), "target: expected a channel name or number"),
        ] {
            let why = tenant.resolve_target(&target).await.unwrap_err().to_string();
            assert!(why.starts_with(expected), "{target}: {why}");
        }
    }

    async fn the_open_conversation_is_meant_and_then_the_latest(tenant = Tenant::new) {
        let ada = tenant.contact().await;
        // The contact is known, but has no conversation: the default channel.
        let meant = tenant.resolve_target("US.5").await.unwrap();
        assert_eq!(meant.contact.unwrap().id, ada);
        assert_eq!((meant.channel.id, meant.conversation), (tenant.support.id, None));
        let open = tenant.talk(&tenant.sales, ada, ConversationStatus::Pending).await;
        let solved = tenant.talk(&tenant.support, ada, ConversationStatus::Solved).await;
        for target in [ADA.to_owned(), "US.5".to_owned(), ada.to_string(), open.id.to_string(), format!("Sales:{ADA}")] {
            let meant = tenant.resolve_target(&target).await.unwrap();
            assert_eq!((meant.channel.id, meant.conversation.unwrap().id), (tenant.sales.id, open.id), "{target}");
            assert_eq!(meant.contact.unwrap().name, "Ada");
        }
        let named = tenant.resolve_target(&format!("Support:{ADA}")).await.unwrap();
        assert_eq!(named.conversation.unwrap().id, solved.id);
        assert!(matches!(tenant.resolve_target(&format!("Support:{}", open.id)).await, Err(Error::Missing { .. })));
    }

    async fn several_open_ones_are_no_answer(tenant = Tenant::new) {
        let ada = tenant.contact().await;
        tenant.talk(&tenant.support, ada, ConversationStatus::Open).await;
        let last = tenant.talk(&tenant.sales, ada, ConversationStatus::Open).await;
        let Err(Error::Ambiguous { conversations, .. }) = tenant.resolve_target(ADA).await else { panic!("not ambiguous") };
        assert_eq!(conversations.len(), 2);
        assert_eq!(conversations[0].conversation_id, last.id);
        assert!(tenant.resolve_target(&format!("14155550100:{ADA}")).await.is_ok());
    }

    async fn all_solved_is_the_latest_and_without_channels_nothing(tenant = Tenant::new) {
        let ada = tenant.contact().await;
        tenant.talk(&tenant.support, ada, ConversationStatus::Blocked).await;
        let last = tenant.talk(&tenant.sales, ada, ConversationStatus::Solved).await;
        assert_eq!(tenant.resolve_target(ADA).await.unwrap().conversation.unwrap().id, last.id);
        let input = (tenant.test.new_tenant("unlimited").await, ADA.to_owned());
        let meant = tenant
            .test
            .db
            .write(input, |tx, (tenant, target)| Box::pin(resolve_target(tx, *tenant, target.into())))
            .await;
        assert!(matches!(meant, Err(Error::NotFound(Thing::Channel))));
    }
}
