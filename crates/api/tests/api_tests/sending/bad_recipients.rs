//! Recipients that are refused: each is reported, and the others get their message.

use serde_json::{Value, json};

use crate::sending::world::{ADA, BEN, JACK, MAX, SEND, Stage as _, peopled};

fn to(number: &str, params: &Value) -> Value {
    json!({"phone_number": number, "custom_params": params})
}

/// A recipient; then code, reason, member and message of its refusal.
#[expect(clippy::too_many_lines, reason = "a table")]
fn rows() -> Vec<(Value, i64, &'static str, &'static str, &'static str)> {
    let good = json!([{"name": "1", "value": "you"}]);
    vec![
        (json!({}), 131_009, "invalid_target", "phone_number", "expected a phone number, a contact id or a BSUID"),
        (
            json!({"target": ""}),
            131_009,
            "invalid_target",
            "phone_number",
            "expected a phone number, a contact id or a BSUID",
        ),
        (
            json!({"target": "nobody"}),
            131_009,
            "invalid_target",
            "target",
            "expected a phone number, a contact id or a BSUID",
        ),
        (
            json!({"whatsappNumber": "12"}),
            131_009,
            "invalid_target",
            "whatsappNumber",
            "expected a phone number, a contact id or a BSUID",
        ),
        (
            to("11111111111", &good),
            131_009,
            "invalid_number",
            "phone_number",
            "11111111111 is not a valid phone number in any country",
        ),
        (
            json!({"target": "507f1f77bcf86cd799439011"}),
            131_026,
            "unknown_contact",
            "target",
            "there is no such contact",
        ),
        (to(MAX, &good), 131_026, "contact_blocked", "phone_number", "the contact is blocked"),
        (to(JACK, &good), 131_050, "contact_opted_out", "phone_number", "the contact has opted out of such messages"),
        (to(ADA, &good), 100, "duplicate_recipient", "phone_number", "this person is already among the recipients"),
        (
            to("+1 (415) 555-0132", &good),
            100,
            "duplicate_recipient",
            "phone_number",
            "this person is already among the recipients",
        ),
        (to(BEN, &json!([])), 132_000, "invalid_parameters", "custom_params", "no value for \"1\""),
        (
            to("442079460124", &json!([{"name": "2", "value": "x"}])),
            132_000,
            "invalid_parameters",
            "custom_params",
            "no value for \"1\"",
        ),
        (
            to("442079460126", &json!([{"name": "1", "value": " "}])),
            132_000,
            "invalid_parameters",
            "custom_params[0].value",
            "is empty",
        ),
        (
            to("442079460127", &json!([{"name": "1", "value": "x"}, {"name": "{{1}}", "value": "y"}])),
            132_000,
            "invalid_parameters",
            "custom_params[1].name",
            "\"1\" appears twice",
        ),
        (
            json!({"phone_number": "442079460128", "local_message_id": "x".repeat(65), "custom_params": good}),
            100,
            "invalid_local_message_id",
            "local_message_id",
            "expected 1 to 64 characters",
        ),
    ]
}

testkit::both_databases! {
    async fn each_refusal_has_its_place_and_code(stage = peopled) {
        let mut recipients = vec![to(ADA, &json!([{"name": "1", "value": "Ada"}]))];
        recipients.extend(rows().into_iter().map(|row| row.0));
        let body = json!({"template_name": "offer", "broadcast_name": "Spring", "recipients": recipients});
        let answer = stage.good(SEND, &body).await;
        assert_eq!((&answer["success"], &answer["recipients"][0]["errors"]), (&json!(true), &json!([])));
        for (i, (recipient, code, reason, place, message)) in (1..).zip(rows()) {
            let place = format!("recipients[{i}].{place}");
            let expected = json!([{"code": code, "reason": reason, "parameter": place, "message": message}]);
            assert_eq!(answer["recipients"][i]["error_details"], expected, "{recipient}");
        }
        assert_eq!(stage.inbox(ADA).await.len(), 1);
        assert!(stage.inbox(BEN).await.is_empty() && stage.inbox(JACK).await.is_empty());
    }
}
