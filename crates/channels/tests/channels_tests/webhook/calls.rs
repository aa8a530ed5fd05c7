//! Calls in both directions.

use channels::webhook::{CallEvent, CallEventKind, CallOutcome, CallProgress, Notification, parse};
use domain::calls::CallDirection;
use serde_json::{Value, json};

use super::bodies::change;
use super::{record, sample, seconds};

fn call(name: &str) -> CallEvent {
    match record(name).notification {
        Notification::Call(call) => *call,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_person_calls() {
    let call = call("call_connect_user");
    assert_eq!((call.event, call.direction), (CallEventKind::Connect, CallDirection::Inbound));
    assert_eq!((call.from.as_deref(), call.to.as_deref()), (Some("14155552671"), Some("14155550100")));
    assert_eq!(call.person.name.as_deref(), Some("Ada Lovelace"));
    assert_eq!(call.at, seconds(1_776_163_240));
    assert!(call.sdp.unwrap().starts_with("v=0\r\n"));
    assert_eq!((call.outcome, call.duration), (None, None));
}

#[test]
fn the_person_is_on_the_other_side_of_either_direction() {
    let ours = call("call_connect_business");
    assert_eq!(ours.direction, CallDirection::Outbound);
    assert_eq!(ours.person.wa_id.as_deref(), Some("14155552671"));
    assert_eq!(ours.callback_data.as_deref(), Some("call=17"));
    let hidden = call("call_connect_username");
    assert_eq!((hidden.from, hidden.person.wa_id), (None, None));
    assert_eq!(hidden.person.user_id.as_deref(), Some("US.20719906280354112233"));
}

#[test]
fn how_a_call_ended() {
    let completed = call("call_terminate_completed");
    assert_eq!((completed.event, completed.outcome), (CallEventKind::Terminate, Some(CallOutcome::Completed)));
    assert_eq!((completed.started, completed.ended), (Some(seconds(1_776_163_500)), Some(seconds(1_776_163_590))));
    assert_eq!(completed.duration, Some(90));
    let failed = call("call_terminate_failed");
    assert_eq!(failed.outcome, Some(CallOutcome::Failed));
    assert_eq!(failed.error.unwrap().code, 138_021);
}

#[test]
fn errors_beside_several_calls_stand_on_their_own() {
    let mut body: Value = serde_json::from_slice(&sample("call_terminate_failed")).unwrap();
    let calls = &mut body["entry"][0]["changes"][0]["value"]["calls"];
    let twice = json!([calls[0], calls[0]]);
    *calls = twice;
    let records = parse(body.to_string().as_bytes()).unwrap();
    assert!(matches!(records[0].notification, Notification::Call(ref call) if call.error.is_none()));
    assert!(matches!(records[2].notification, Notification::Error(ref error) if error.code == 138_021));
}

#[test]
fn statuses_of_an_outbound_call() {
    let cases = [
        ("call_status_ringing", CallProgress::Ringing),
        ("call_status_accepted", CallProgress::Accepted),
        ("call_status_rejected", CallProgress::Rejected),
    ];
    for (name, progress) in cases {
        match record(name).notification {
            Notification::CallStatus(status) => {
                assert_eq!(status.status, progress, "{name}");
                assert!(status.id.starts_with("wacid."));
                assert_eq!(status.recipient.wa_id.as_deref(), Some("14155552671"));
                assert_eq!(status.callback_data.as_deref(), Some("call=17"));
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn new_events_are_unknown() {
    let call = json!({"id": "wacid.1", "event": "transfer", "timestamp": "1776160861"});
    assert_eq!(super::only_of(&change("calls", &json!({"calls": [call]}))).notification, Notification::Unknown);
}
