//! The member `data` of a received message that is no text and no file: its structured content in our spelling, or the
//! network's JSON as it arrived where we have none.

use serde_json::{Value, json};

/// `kind` is the network's type of the message, `content` its JSON text. None for messages that their text and the
/// tapped replies show completely, and for files.
pub fn structured_data(kind: &str, content: &str) -> Option<Value> {
    let message: Value = serde_json::from_str(content).ok()?;
    let own = &message[kind];
    let known = match kind {
        "text" | "button" | "image" | "video" | "audio" | "document" | "sticker" => return None,
        "location" => {
            members(own, &[("latitude", "latitude"), ("longitude", "longitude"), NAME, ("address", "address")])
        }
        "reaction" => members(own, &[("emoji", "emoji"), ("messageId", "message_id")]),
        "order" => cart(own),
        "interactive" => return interactive(own, &message),
        "contacts" => Some(own.clone()).filter(Value::is_array),
        _ => None,
    };
    known.or(Some(message))
}

const NAME: (&str, &str) = ("name", "name");

/// An object with these members, given as our name and the network's name. A member that the network's object lacks is
/// null.
fn members(from: &Value, names: &[(&str, &str)]) -> Option<Value> {
    let from = from.as_object()?;
    let member = |(ours, theirs): &(&str, &str)| ((*ours).to_owned(), from.get(*theirs).cloned().unwrap_or_default());
    Some(Value::Object(names.iter().map(member).collect()))
}

fn cart(order: &Value) -> Option<Value> {
    const ITEM: [(&str, &str); 4] = [
        ("productRetailerId", "product_retailer_id"),
        ("quantity", "quantity"),
        ("itemPrice", "item_price"),
        ("currency", "currency"),
    ];
    let items = order["product_items"].as_array()?.iter().map(|item| members(item, &ITEM));
    let items: Vec<Value> = items.collect::<Option<_>>()?;
    Some(json!({"catalogId": order["catalog_id"], "text": order["text"], "productItems": items}))
}

fn interactive(own: &Value, message: &Value) -> Option<Value> {
    let reply = own["type"].as_str().map(|kind| (kind, &own[kind]));
    match reply {
        Some(("button_reply" | "list_reply", Value::Object(_))) => None,
        Some(("nfm_reply", answer)) => {
            let known = members(answer, &[NAME, ("body", "body"), ("responseJson", "response_json")]);
            Some(known.unwrap_or_else(|| message.clone()))
        }
        _ => Some(message.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(message: &Value) -> Option<Value> {
        structured_data(message["type"].as_str().unwrap(), &message.to_string())
    }

    #[test]
    fn what_is_not_text_has_its_content_in_our_spelling() {
        let place = json!({"type": "location", "location": {"latitude": 52.5, "longitude": 13.4, "name": "Workshop"}});
        assert_eq!(
            data(&place),
            Some(json!({"latitude": 52.5, "longitude": 13.4, "name": "Workshop", "address": null}))
        );
        let reaction = json!({"type": "reaction", "reaction": {"message_id": "wamid.1", "emoji": "\u{1f44d}"}});
        assert_eq!(data(&reaction), Some(json!({"emoji": "\u{1f44d}", "messageId": "wamid.1"})));
        let order = json!({"type": "order", "order": {"catalog_id": "c", "text": "a present", "product_items":
            [{"product_retailer_id": "kettle", "quantity": 2, "item_price": 7.5, "currency": "USD"}]}});
        let item = json!({"productRetailerId": "kettle", "quantity": 2, "itemPrice": 7.5, "currency": "USD"});
        assert_eq!(data(&order), Some(json!({"catalogId": "c", "text": "a present", "productItems": [item]})));
        let flow = json!({"type": "interactive", "interactive": {"type": "nfm_reply",
            "nfm_reply": {"name": "flow", "body": "Sent", "response_json": "{\"day\":\"2026-05-02\"}"}}});
        let answer = json!({"name": "flow", "body": "Sent", "responseJson": "{\"day\":\"2026-05-02\"}"});
        assert_eq!(data(&flow), Some(answer));
        let cards = json!({"type": "contacts", "contacts": [{"name": {"formatted_name": "Bob"}}]});
        assert_eq!(data(&cards), Some(cards["contacts"].clone()));
    }

    #[test]
    fn an_unknown_kind_or_shape_is_shown_as_it_arrived() {
        for message in [
            json!({"type": "hologram", "hologram": {"depth": 3}}),
            json!({"type": "unsupported", "errors": [{"code": 131_051}]}),
            json!({"type": "location", "location": 7}),
            json!({"type": "order", "order": {"product_items": [7]}}),
            json!({"type": "interactive", "interactive": {"type": "call_permission_reply", "call_permission_reply": {}}}),
            json!({"type": "contacts", "contacts": "Bob"}),
        ] {
            assert_eq!(data(&message).as_ref(), Some(&message));
        }
    }

    #[test]
    fn texts_tapped_replies_and_files_need_none() {
        for message in [
            json!({"type": "text", "text": {"body": "Hi"}}),
            json!({"type": "button", "button": {"text": "Yes", "payload": "y"}}),
            json!({"type": "image", "image": {"id": "1"}}),
            json!({"type": "interactive", "interactive": {"type": "list_reply", "list_reply": {"id": "1"}}}),
        ] {
            assert_eq!(data(&message), None, "{message}");
        }
        assert_eq!(structured_data("hologram", "no JSON"), None);
    }
}
