//! Calls: one event for each new call, and one for each change of what the payload shows.

use app::calls::{CallUpdate, NewCall};
use domain::calls::{CallDirection, CallStatus};
use domain::delivery::events::EventType;
use domain::{CallId, Change};
use sandbox::driver::PlaceCall;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::OnWorld;

use crate::events::log::{OPERATOR, Published as _};
use crate::sending::world::{ADA, business};

const UNKNOWN: &str = "4915112345678";

trait Calling: OnWorld {
    async fn statuses(self) -> Vec<Value> {
        self.payloads_of(EventType::CallStatus)
            .await
            .into_iter()
            .map(|event| event["metadata"]["status"].clone())
            .collect()
    }

    fn new_call(self, from: &str) -> NewCall {
        NewCall {
            call_id: "desk-1".to_owned(),
            direction: CallDirection::Inbound,
            from_number: from.to_owned(),
            to_number: self.channel().phone_number.clone(),
            started_at: self.now(),
            answered_at: None,
            ended_at: None,
            status: None,
            end_reason: None,
            operator: None,
            team_name: None,
            channel: None,
        }
    }
}

impl Calling for &World {}

testkit::both_databases! {
    async fn a_call_of_a_person_is_published_from_ring_to_end(world = business) {
        let wanted = PlaceCall { seconds: Some(60), ..PlaceCall::default() };
        world.sandbox().call(world.tenant(), ADA, wanted).await.unwrap();
        world.later(1).await;
        assert_eq!(world.statuses().await, ["ringing"]);
        world.later(120).await;
        assert_eq!(world.statuses().await, ["ringing", "completed"]);
        let twins = world.payloads_of(EventType::CallStatusBsuid).await;
        assert_eq!(twins.len(), 2);
        assert_eq!((&twins[1]["waId"], &twins[1]["metadata"]["duration_seconds"]), (&json!(ADA), &json!(60)));
    }

    async fn a_repeated_report_of_a_call_is_not_published_again(world = business) {
        let call = json!({
            "id": "wacid.1", "from": ADA, "to": world.channel().phone_number, "event": "connect",
            "timestamp": "1776000000", "direction": "USER_INITIATED",
        });
        for at in ["1776000000", "1776000000", "1775999999"] {
            let mut call = call.clone();
            call["timestamp"] = json!(at);
            world.inject("calls", world.value(&json!({"calls": [call]}))).await;
        }
        assert_eq!(world.statuses().await, ["ringing"]);
    }

    async fn a_recorded_call_is_published_once_and_so_is_each_change(world = business) {
        world.operator().await;
        let admin = world.app.identity().local_administrator(world.tenant()).await.unwrap();
        let shown = world.app.calls().record(&admin, world.new_call(UNKNOWN)).await.unwrap();
        world.app.calls().record(&admin, world.new_call(UNKNOWN)).await.unwrap();
        assert_eq!(world.statuses().await, ["ringing"]);
        // No contact has this number.
        assert!(world.payloads_of(EventType::CallStatusBsuid).await.is_empty());
        let id: CallId = serde_json::from_str::<Value>(&shown).unwrap()["id"].as_str().unwrap().parse().unwrap();
        let operator = CallUpdate { operator: Change::Set(OPERATOR.to_owned()), ..CallUpdate::default() };
        let ended = CallUpdate { status: Some(CallStatus::Missed), ended_at: Some(world.now()), ..CallUpdate::default() };
        for update in [CallUpdate::default(), operator.clone(), operator, ended.clone(), ended] {
            world.app.calls().update(&admin, id, update).await.unwrap();
        }
        assert_eq!(world.statuses().await, ["ringing", "ringing", "missed"]);
        let events = world.payloads_of(EventType::CallStatus).await;
        assert_eq!((events[0]["metadata"]["operator_id"].is_null(), events[1]["metadata"]["operator_id"].is_string()), (true, true));
    }

    async fn a_call_of_a_known_person_has_an_event_with_the_bsuid(world = business) {
        world.say(ADA, "hello").await;
        let admin = world.app.identity().local_administrator(world.tenant()).await.unwrap();
        world.app.calls().record(&admin, world.new_call(ADA)).await.unwrap();
        assert_eq!(world.payloads_of(EventType::CallStatusBsuid).await.len(), 1);
    }
}
