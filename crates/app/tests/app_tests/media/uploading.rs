//! Uploads to the network, here the sandbox.

use std::sync::Arc;
use std::time::Duration;

use app::messaging::media::UploadError;
use channels::graph::{Breaker, Class, Graph, NumberCredentials, Secret};
use channels::transport::{HttpTransport, Timeouts};
use domain::{ChannelId, Id};
use testkit::World;

use crate::media::world::{left, noise, stored};

const DAY: Duration = Duration::from_hours(24);

async fn at_the_network(world: &World, id: &str) -> (Option<String>, Vec<u8>) {
    let graph = world.graph().await;
    let info = graph.media(id).await.unwrap();
    let download = graph.download(&info, 1 << 30).await.unwrap();
    (info.mime_type, channels::transport::collect(download.body, 1 << 30).await.unwrap().to_vec())
}

/// A client of a network at a port that was free a moment ago, so that it cannot connect.
fn unreachable_network() -> Graph {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let transport = HttpTransport::new(Timeouts::default()).unwrap();
    let credentials = NumberCredentials {
        phone_number_id: "1".to_owned(),
        account_id: "2".to_owned(),
        access_token: Secret::new("access-token"),
    };
    let breaker = Breaker::new(domain::Clock::system());
    Graph::new(Arc::new(transport), format!("http://127.0.0.1:{port}/v23.0"), credentials, Arc::new(breaker))
}

testkit::both_databases! {
    async fn a_file_is_uploaded_once_for_each_channel_and_again_when_the_network_has_dropped_it(world = World::simulated) {
        let (graph, bytes) = (world.graph().await, noise(700_000));
        let file = stored(&world.app, world.tenant(), "Räume \"1\".pdf", "application/pdf", &bytes).await;
        let uploaded = async |channel: ChannelId| world.app.messaging().media().ensure_uploaded(world.tenant(), channel, file.id, &graph).await.unwrap().unwrap().network_id;
        let first = uploaded(world.channel().id).await;
        let (mime, there) = at_the_network(&world, &first).await;
        assert!(mime.as_deref() == Some("application/pdf") && there == bytes);
        assert_eq!(uploaded(world.channel().id).await, first);
        assert_ne!(uploaded(Id::new(world.now())).await, first, "another number knows another id");
        world.test.clock.advance(24 * DAY);
        assert_eq!(uploaded(world.channel().id).await, first);
        world.test.clock.advance(2 * DAY);
        assert_ne!(uploaded(world.channel().id).await, first);
    }

    async fn every_accepted_type_is_accepted_by_the_network(world = World::simulated) {
        let graph = world.graph().await;
        for known in domain::messaging::messages::files::TYPES {
            let file = stored(&world.app, world.tenant(), "x", known.mime, b"0123456789abcdef").await;
            let uploaded = world.app.messaging().media().ensure_uploaded(world.tenant(), world.channel().id, file.id, &graph).await;
            assert!(matches!(uploaded, Ok(Some(_))), "{}: {uploaded:?}", known.mime);
        }
        let largest = vec![1; usize::try_from(domain::messaging::messages::files::FileKind::Image.max()).unwrap()];
        let file = stored(&world.app, world.tenant(), "x", "image/png", &largest).await;
        assert!(world.app.messaging().media().ensure_uploaded(world.tenant(), world.channel().id, file.id, &graph).await.is_ok());
    }

    async fn a_missing_file_is_none_and_an_error_of_the_network_is_returned(world = World::simulated) {
        let graph = world.graph().await;
        let unknown = Id::new(world.now());
        assert!(matches!(world.app.messaging().media().ensure_uploaded(world.tenant(), world.channel().id, unknown, &graph).await, Ok(None)));
        let file = stored(&world.app, world.tenant(), "x.pdf", "", b"0123456789abcdef").await;
        world.app.messaging().media().discard(&app::Command(world.tenant()), file.id).await.unwrap();
        assert!(matches!(world.app.messaging().media().ensure_uploaded(world.tenant(), world.channel().id, file.id, &graph).await, Ok(None)));
        assert_eq!(left(&world.test.db, world.tenant()).await, 0);
        let file = stored(&world.app, world.tenant(), "x.pdf", "", b"0123456789abcdef").await;
        let nowhere = unreachable_network();
        let failed = world.app.messaging().media().ensure_uploaded(world.tenant(), world.channel().id, file.id, &nowhere).await;
        assert!(matches!(&failed, Err(UploadError::Network(error)) if error.class == Class::Retry), "{failed:?}");
        let uploaded = world.app.messaging().media().ensure_uploaded(world.tenant(), world.channel().id, file.id, &graph).await;
        assert!(matches!(uploaded, Ok(Some(_))), "nothing was noted of what failed: {uploaded:?}");
    }
}
