//! Every click event that the sandbox can cause is checked by an independent validator, with a JSON schema written from
//! the specification.

use std::io::Write as _;
use std::process::{Command, Stdio};

use domain::delivery::events::EventType;
use serde_json::{Value, json};
use testkit::World;

use crate::clicks::world::{Clicks as _, single};
use crate::templates::bad::params;

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/app_tests/clicks/cta_url_clicked_bsuid.schema.json");
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/app_tests/clicks/validate.py");

/// What the validator finds wrong; empty if nothing is.
fn complaints(events: &[Value]) -> String {
    let mut command = Command::new(testkit::tools::python_program("python"));
    let command = command.args([SCRIPT, SCHEMA]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = command.spawn().unwrap();
    let mut input = running.stdin.take().unwrap();
    for event in events {
        writeln!(input, "{event}").unwrap();
    }
    drop(input);
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

testkit::both_databases! {
    async fn every_event_of_the_sandbox_fits_the_specification(world = World::simulated) {
        world.second_channel(world.tenant()).await;
        let people = world.sandbox().everybody(world.tenant()).await.unwrap();
        for channel in [None, Some("Second")] {
            let template = world.template(single(true), channel).await;
            for person in &people {
                let given = params(&[("name", &person.name), ("order_id", "ä/ö?&#")]);
                world.deliver(&template, &person.bsuid, channel, given).await;
                let opened = world.opens(&person.bsuid, "Track it", true).await;
                assert_eq!(opened.hops[0].status, Some(302), "{opened:?}");
            }
        }
        let payloads = world.click_payloads().await;
        assert_eq!(payloads.len(), 2 * people.len());
        assert_eq!(complaints(&payloads), "");
        let has = |member: &str, is: &dyn Fn(&Value) -> bool| payloads.iter().filter(|one| is(&one[member])).count();
        assert!(has("username", &Value::is_null) > 0 && has("username", &Value::is_string) > 0);
        assert_eq!((has("channelId", &Value::is_null), has("channelId", &Value::is_string)), (people.len(), people.len()));
        let numbers = payloads.iter().filter(|one| one.get("waId").is_some()).count();
        assert_eq!(numbers, 2 * people.iter().filter(|person| person.phone.is_some()).count());
        for plain in world.payloads(&[EventType::CtaUrlClicked]).await {
            assert_eq!(plain["eventType"], "ctaUrlClicked");
        }
    }
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let good = json!({
        "eventType": "ctaUrlClicked_bsuid", "bsuid": "US.1", "parentBsuid": "US.ENT.1", "username": null,
        "localMessageId": "l", "id": "i", "whatsappMessageId": "w", "templateId": "t", "templateName": "n",
        "created": "2026-04-24T10:00:00", "conversationId": "c", "ticketId": "k", "displayText": "d", "buttonUrl": "u",
        "text": "x", "operatorEmail": "", "type": "template", "statusString": "SENT", "sourceType": "API",
        "channelId": null, "channelPhoneNumber": "14155550100",
    });
    assert_eq!(complaints(std::slice::from_ref(&good)), "");
    for (member, value) in [
        ("created", json!("2026-04-24T10:00:00Z")),
        ("bsuid", json!(null)),
        ("channelPhoneNumber", json!("+1 415")),
        ("more", json!(1)),
        ("eventType", json!("ctaUrlClicked")),
    ] {
        let mut bad = good.clone();
        bad[member] = value;
        assert_ne!(complaints(&[bad]), "", "{member}");
    }
    let mut without = good;
    without.as_object_mut().unwrap().remove("parentBsuid");
    assert_ne!(complaints(&[without]), "");
}
