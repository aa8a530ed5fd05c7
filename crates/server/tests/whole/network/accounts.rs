//! Requests about the number itself, and errors with a wrong token.

use channels::graph::{CallAction, Class, Content, GraphError, Outgoing, Recipient};

use super::on_both_sides;
use super::world::{ACCOUNT_ID, NUMBER_ID, Network, ada};

#[track_caller]
fn assert_wrong_token<T: std::fmt::Debug>(what: &str, answer: Result<T, GraphError>) {
    let error = answer.unwrap_err();
    let seen = (error.class, error.status, error.code, error.kind.as_deref());
    assert_eq!(seen, (Class::Refuse, Some(401), Some(190), Some("OAuthException")), "{what}: {error}");
    assert!(error.trace_id.is_some(), "{what}");
}

on_both_sides! {
    async fn a_number_can_be_looked_up(network) {
        let graph = &network.graph;
        let number = graph.number().await.unwrap();
        assert_eq!((number.id.as_str(), number.quality_rating.as_deref()), (NUMBER_ID, Some("GREEN")));
        assert!(number.display_phone_number.is_some() && number.verified_name.is_some());
        assert_eq!(number.throughput.as_ref().unwrap().level.as_deref(), Some("STANDARD"));
        assert_eq!(graph.phone_numbers().await.unwrap(), [number]);
        let account = graph.account().await.unwrap();
        assert!(account.id == ACCOUNT_ID && account.name.is_some(), "{account:?}");
        assert!(graph.profile().await.unwrap().about.is_some());
        let apps = graph.subscribed_apps().await.unwrap();
        assert_eq!(apps[0].name.as_deref(), Some("switchboard"));
    }

    async fn a_wrong_token_opens_nothing(network) {
        let graph = network.graph_with("another-access-token");
        let text = Outgoing { recipient: ada(), content: Content::text("Hello"), reply_to: None, callback_data: None };
        let own = &network.graph;
        let id = own.upload("image/png", "a.png", 4, channels::transport::full("four")).await.unwrap();
        assert_wrong_token("send", graph.send(&text).await);
        assert_wrong_token("mark_read", graph.mark_read("wamid.1", true).await);
        assert_wrong_token("number", graph.number().await);
        assert_wrong_token("account", graph.account().await);
        assert_wrong_token("profile", graph.profile().await);
        assert_wrong_token("phone_numbers", graph.phone_numbers().await);
        assert_wrong_token("subscribed_apps", graph.subscribed_apps().await);
        assert_wrong_token("templates", graph.templates(None).await);
        assert_wrong_token("delete_template", graph.delete_template("any", None).await);
        assert_wrong_token("payment", graph.payment("main", "any").await);
        assert_wrong_token("call", graph.call_action(&CallAction::Reject { call_id: "wacid.1".to_owned() }).await);
        assert_wrong_token("upload", graph.upload("image/png", "a.png", 4, channels::transport::full("four")).await);
        assert_wrong_token("media", graph.media(&id).await);
        assert_wrong_token("download", graph.download(&own.media(&id).await.unwrap(), 100).await);
        assert_wrong_token("delete_media", graph.delete_media(&id).await);
    }

    async fn invalid_recipients(network) {
        for recipient in [Recipient::Phone("Ada".to_owned()), Recipient::Bsuid("nonsense".to_owned())] {
            let error = network.send(recipient, Content::text("Hello")).await.unwrap_err();
            assert_eq!((error.class, error.code), (Class::Refuse, Some(131_009)), "{error}");
        }
        let own = network.graph.number().await.unwrap().display_phone_number.unwrap();
        let error = network.send(Recipient::Phone(own), Content::text("Hello")).await.unwrap_err();
        assert_eq!((error.class, error.code), (Class::Refuse, Some(131_021)), "{error}");
    }

    async fn a_message_to_an_unknown_number_is_accepted(network) {
        let sent = network.send(Recipient::Phone("14155550177".to_owned()), Content::text("Hello")).await.unwrap();
        let contact = sent.contact.unwrap();
        assert_eq!((contact.wa_id.as_deref(), contact.user_id), (Some("14155550177"), None));
    }
}

#[tokio::test]
async fn a_stopped_server_is_not_reached() {
    let mut network = Network::over_http().await;
    network.graph.number().await.unwrap();
    network.stop();
    // A kept connection may break while it is written to; then the outcome of the call is unknown.
    let kept = network.graph.number().await.unwrap_err();
    assert!(matches!(kept.class, Class::Retry | Class::Unknown), "{kept}");
    let error = network.graph.number().await.unwrap_err();
    assert_eq!((error.class, error.status), (Class::Retry, None), "{error}");
}
