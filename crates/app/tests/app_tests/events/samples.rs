//! Sample events in the log, which developers append.

use app::Error;
use app::delivery::events::RealChannels;
use domain::delivery::events::EventType;
use domain::messaging::channels::{NewChannel, SANDBOX};
use testkit::World;

use crate::events::log::Published as _;

testkit::both_databases! {
    async fn a_sample_reaches_a_tenant_with_real_channels_only_if_that_is_accepted(world = World::new) {
        let (events, me) = (world.app.delivery().events(), world.me());
        let append = async |real| events.append_sample(&me, EventType::PaymentCaptured, real).await;
        let appended = async || world.payloads_of(EventType::PaymentCaptured).await.len();
        let audited = async || {
            let entries = store::identity::audit::latest(&world.test.db, world.tenant(), 100).await.unwrap();
            let samples = entries.into_iter().filter(|one| one.action == "event.append_sample");
            samples.map(|one| one.details).collect::<Vec<_>>()
        };
        let (real, secrets) = world.add_channel(world.tenant(), "Shop", "14155550199").await;
        let none = append(RealChannels::Accept).await.unwrap_err();
        assert!(matches!(&none, Error::Conflict { message, .. } if message.contains("no sandbox channel")), "{none}");
        let sandbox = NewChannel {
            name: "Sandbox".to_owned(),
            phone_number: "14155550100".to_owned(),
            phone_number_id: "106540352242922".to_owned(),
            account_id: "102290129340398".to_owned(),
            network: SANDBOX.to_owned(),
        };
        world.insert_channel(world.tenant(), sandbox, secrets).await;
        let refused = append(RealChannels::Refuse).await.unwrap_err();
        assert!(matches!(&refused, Error::Conflict { message, .. } if message.contains("--yes")), "{refused}");
        assert_eq!((appended().await, audited().await.len()), (0, 0));
        append(RealChannels::Accept).await.unwrap();
        assert_eq!((appended().await, audited().await), (1, vec![r#"{"type":"paymentCaptured"}"#.to_owned()]));
        let channels = world.app.messaging().channels();
        channels.set_default(&me, "Sandbox").await.unwrap();
        channels.remove(&me, &real.id.to_string()).await.unwrap();
        append(RealChannels::Refuse).await.unwrap();
        assert_eq!((appended().await, audited().await.len()), (2, 2));
    }
}
