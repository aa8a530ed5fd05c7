//! Files on their way to the network: the sandbox.

use std::sync::Arc;
use std::time::Duration;

use app::media::UploadError;
use channels::graph::{Breaker, BreakerSettings, Class, Graph, NumberCredentials, Secret};
use channels::transport::{HttpTransport, Timeouts};
use domain::{ChannelId, Id};
use testkit::database::TestDb;
use testkit::network::{Play, Wired};

use crate::media::world::{left, noise, taken};

const DAY: Duration = Duration::from_hours(24);

async fn wired(test: TestDb) -> Wired {
    Wired::new(TestDb::alone(test.db.engine()).await, Play::default()).await
}

async fn at_the_network(wired: &Wired, id: &str) -> (Option<String>, Vec<u8>) {
    let graph = wired.graph().await;
    let info = graph.media(id).await.unwrap();
    let download = graph.download(&info, 1 << 30).await.unwrap();
    (info.mime_type, channels::transport::collect(download.body, 1 << 30).await.unwrap().to_vec())
}

/// A network at a port that was free a moment ago.
fn nobody_answers() -> Graph {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let transport = HttpTransport::new(Timeouts::default()).unwrap();
    let credentials = NumberCredentials {
        phone_number_id: "1".to_owned(),
        account_id: "2".to_owned(),
        access_token: Secret::new("access-token"),
    };
    let breaker = Breaker::new(domain::Clock::system(), BreakerSettings::default());
    Graph::new(Arc::new(transport), format!("http://127.0.0.1:{port}/v23.0"), credentials, Arc::new(breaker))
}

testkit::both_databases! {
    async fn a_file_is_brought_once_for_each_number_and_again_when_it_is_forgotten(test) {
        let wired = wired(test).await;
        let (graph, bytes) = (wired.graph().await, noise(700_000));
        let file = taken(&wired.app, wired.tenant, "Räume \"1\".pdf", "application/pdf", &bytes).await;
        let brought = async |channel: ChannelId| wired.app.media().ensure_uploaded(wired.tenant, channel, file.id, &graph).await.unwrap().unwrap();
        let first = brought(wired.channel.id).await;
        let (mime, there) = at_the_network(&wired, &first).await;
        assert!(mime.as_deref() == Some("application/pdf") && there == bytes);
        assert_eq!(brought(wired.channel.id).await, first);
        assert_ne!(brought(Id::new(wired.app.now())).await, first, "another number knows another id");
        wired.advance(24 * DAY);
        assert_eq!(brought(wired.channel.id).await, first);
        wired.advance(2 * DAY);
        assert_ne!(brought(wired.channel.id).await, first);
    }

    async fn every_type_that_we_take_is_one_that_the_network_takes(test) {
        let wired = wired(test).await;
        let graph = wired.graph().await;
        for known in domain::messages::files::TYPES {
            let file = taken(&wired.app, wired.tenant, "x", known.mime, b"0123456789abcdef").await;
            let brought = wired.app.media().ensure_uploaded(wired.tenant, wired.channel.id, file.id, &graph).await;
            assert!(matches!(brought, Ok(Some(_))), "{}: {brought:?}", known.mime);
        }
        let largest = vec![1; usize::try_from(domain::messages::files::MediaKind::Image.max()).unwrap()];
        let file = taken(&wired.app, wired.tenant, "x", "image/png", &largest).await;
        assert!(wired.app.media().ensure_uploaded(wired.tenant, wired.channel.id, file.id, &graph).await.is_ok());
    }

    async fn what_is_not_there_is_none_and_what_the_network_says_is_told(test) {
        let wired = wired(test).await;
        let graph = wired.graph().await;
        let unknown = Id::new(wired.app.now());
        assert!(matches!(wired.app.media().ensure_uploaded(wired.tenant, wired.channel.id, unknown, &graph).await, Ok(None)));
        let file = taken(&wired.app, wired.tenant, "x.pdf", "", b"0123456789abcdef").await;
        wired.app.media().discard(wired.tenant, file.id).await.unwrap();
        assert!(matches!(wired.app.media().ensure_uploaded(wired.tenant, wired.channel.id, file.id, &graph).await, Ok(None)));
        assert_eq!(left(&wired.test.db, wired.tenant).await, 0);
        let file = taken(&wired.app, wired.tenant, "x.pdf", "", b"0123456789abcdef").await;
        let nowhere = nobody_answers();
        let failed = wired.app.media().ensure_uploaded(wired.tenant, wired.channel.id, file.id, &nowhere).await;
        assert!(matches!(&failed, Err(UploadError::Network(error)) if error.class == Class::Retry), "{failed:?}");
        let brought = wired.app.media().ensure_uploaded(wired.tenant, wired.channel.id, file.id, &graph).await;
        assert!(matches!(brought, Ok(Some(_))), "nothing was noted of what failed: {brought:?}");
    }
}
