//! V3: interactive messages that the network would refuse.

use serde_json::{Value, json};

use crate::sending::bad_v3::Row;
use crate::sending::world::{ADA, INTERACTIVE};

fn tapped(message: &Value) -> Value {
    json!({"target": ADA, "type": "buttons", "button_message": message})
}

fn listed(sections: &Value) -> Value {
    json!({"target": ADA, "type": "list", "list_message": {"body": "Which?", "button_text": "Choose", "sections": sections}})
}

#[expect(clippy::too_many_lines, reason = "a table")]
pub fn rows() -> Vec<Row> {
    let many = |count: usize| (0..count).map(|i| json!({"title": format!("Row {i}")})).collect::<Vec<_>>();
    vec![
        (
            INTERACTIVE,
            json!({"target": ADA, "type": "poll"}),
            40001,
            "type",
            "expected buttons, list, product or productList",
        ),
        (INTERACTIVE, json!({"target": ADA, "type": "buttons"}), 40002, "button_message", "is required"),
        (INTERACTIVE, json!({"target": ADA, "type": "list"}), 40002, "list_message", "is required"),
        (INTERACTIVE, tapped(&json!({"buttons": [{"text": "Yes"}]})), 40001, "button_message.body", "is required"),
        (
            INTERACTIVE,
            tapped(&json!({"body": "x", "buttons": []})),
            40001,
            "button_message.buttons",
            "expected 1 to 3 buttons",
        ),
        (
            INTERACTIVE,
            tapped(&json!({"body": "x", "buttons": [{"text": "1"}, {"text": "2"}, {"text": "3"}, {"text": "4"}]})),
            40001,
            "button_message.buttons",
            "4 buttons, at most 3",
        ),
        (
            INTERACTIVE,
            tapped(&json!({"body": "x", "buttons": [{"text": "a"}, {"text": "x".repeat(21)}]})),
            40001,
            "button_message.buttons[1].text",
            "21 characters, at most 20",
        ),
        (
            INTERACTIVE,
            tapped(&json!({"body": "x", "buttons": [{"text": "a"}, {"text": "a"}]})),
            40001,
            "button_message.buttons[1].text",
            "appears twice",
        ),
        (
            INTERACTIVE,
            tapped(&json!({"body": "x", "buttons": [{"text": 5}]})),
            40002,
            "button_message.buttons[0].text",
            "expected a string",
        ),
        (
            INTERACTIVE,
            tapped(&json!({"body": "x", "header": {"type": "gif"}, "buttons": [{"text": "a"}]})),
            40001,
            "button_message.header.type",
            "expected text, image, video or document",
        ),
        (
            INTERACTIVE,
            tapped(
                &json!({"body": "x", "header": {"type": "image", "media": {"url": "a.jpg"}}, "buttons": [{"text": "a"}]}),
            ),
            40001,
            "button_message.header.media.url",
            "expected a URL that begins with https:// or http://",
        ),
        (
            INTERACTIVE,
            tapped(&json!({"body": "x".repeat(1025), "buttons": [{"text": "a"}]})),
            40001,
            "button_message.body",
            "1025 characters, at most 1024",
        ),
        (
            INTERACTIVE,
            tapped(&json!({"body": "x", "footer": "x".repeat(61), "buttons": [{"text": "a"}]})),
            40001,
            "button_message.footer",
            "61 characters, at most 60",
        ),
        (INTERACTIVE, listed(&json!([])), 40001, "list_message.sections", "expected 1 to 10 sections"),
        (
            INTERACTIVE,
            listed(&json!([{"rows": many(11)}])),
            40001,
            "list_message.sections[0].rows",
            "11 rows, at most 10",
        ),
        (
            INTERACTIVE,
            listed(&json!([{"title": "a", "rows": many(6)}, {"title": "b", "rows": many(5)}])),
            40001,
            "list_message.sections",
            "11 rows in all sections, at most 10",
        ),
        (
            INTERACTIVE,
            listed(&json!([{"rows": many(1)}, {"rows": many(1)}])),
            40001,
            "list_message.sections[0].title",
            "is required if there are several sections",
        ),
        (
            INTERACTIVE,
            listed(&json!([{"rows": [{"title": "a", "description": "x".repeat(73)}]}])),
            40001,
            "list_message.sections[0].rows[0].description",
            "73 characters, at most 72",
        ),
        (
            INTERACTIVE,
            json!({"target": ADA, "type": "product", "product_message": {"catalog_id": "1"}}),
            40001,
            "product_message.product_retailer_id",
            "is empty",
        ),
        (
            INTERACTIVE,
            json!({"target": ADA, "type": "productList", "product_list_message": {"body": "x", "catalog_id": "1", "sections": []}}),
            40001,
            "product_list_message.header",
            "is required: a product list needs a text header",
        ),
    ]
}
