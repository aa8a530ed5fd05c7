//! Call control: the business calls, and accepts calls of people.

use channels::graph::{CallAction, Class, Recipient};

use super::on_both_sides;
use super::world::{ADA, DEEPA, ada};

const SDP: &str = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n";

fn connect(recipient: Recipient) -> CallAction {
    CallAction::Connect { recipient, offer: SDP.to_owned(), callback_data: Some("c-1".to_owned()) }
}

on_both_sides! {
    async fn the_business_calls_and_hangs_up(network) {
        for recipient in [ada(), Recipient::Bsuid(network.bsuid(DEEPA).await)] {
            let call_id = network.graph.call_action(&connect(recipient)).await.unwrap();
            assert!(call_id.starts_with("wacid."), "{call_id}");
            let end = CallAction::Terminate { call_id: call_id.clone() };
            assert_eq!(network.graph.call_action(&end).await.unwrap(), call_id);
            let error = network.graph.call_action(&end).await.unwrap_err();
            assert_eq!((error.class, error.code), (Class::Refuse, Some(131_009)), "ended already: {error}");
        }
    }

    async fn a_persons_call_is_accepted_or_rejected(network) {
        let call_id = network.calls(ADA).await;
        let answer = SDP.to_owned();
        for action in [
            CallAction::PreAccept { call_id: call_id.clone(), answer: answer.clone() },
            CallAction::Accept { call_id: call_id.clone(), answer, callback_data: Some("c-2".to_owned()) },
            CallAction::Terminate { call_id: call_id.clone() },
        ] {
            assert_eq!(network.graph.call_action(&action).await.unwrap(), call_id, "{action:?}");
        }
        let call_id = network.calls(DEEPA).await;
        assert_eq!(network.graph.call_action(&CallAction::Reject { call_id: call_id.clone() }).await.unwrap(), call_id);
    }

    async fn invalid_calls(network) {
        let unknown_person = connect(Recipient::Phone("14155550177".to_owned()));
        let mute = CallAction::Connect { recipient: ada(), offer: "hello".to_owned(), callback_data: None };
        let unknown = CallAction::Terminate { call_id: "wacid.none".to_owned() };
        for (action, code) in [(unknown_person, 131_026), (mute, 131_009), (unknown, 131_009)] {
            let error = network.graph.call_action(&action).await.unwrap_err();
            assert_eq!((error.class, error.code), (Class::Refuse, Some(code)), "{action:?}: {error}");
        }
    }
}
