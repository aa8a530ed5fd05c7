//! Interactive messages as a phone shows them.

use channels::graph::*;
use serde_json::{Value, json};

use super::on_both_sides;
use super::world::{ADA, DEEPA, ada, text};

fn button(kind: &str, text: &str, url: Option<&str>) -> Value {
    json!({"type": kind, "text": text, "url": url})
}

fn plain(interaction: Interaction) -> Interactive {
    Interactive { header: None, body: text("Choose"), footer: None, interaction }
}

fn replies() -> Interaction {
    let reply = |id: &str, title: &str| ReplyButton { id: id.to_owned(), title: title.to_owned() };
    Interaction::Buttons(vec![reply("y", "Yes"), reply("n", "No"), reply("?", "Perhaps")])
}

fn list() -> Interaction {
    let row = |id: &str, description: Option<&str>| ListRow {
        id: id.to_owned(),
        title: format!("Row {id}"),
        description: description.map(str::to_owned),
    };
    let section = |title: &str, rows| ListSection { title: text(title), rows };
    let sections =
        vec![section("First", vec![row("1", Some("One")), row("2", None)]), section("Last", vec![row("3", None)])];
    Interaction::List { button: "Open".to_owned(), sections }
}

fn flow(action: FlowAction) -> Interaction {
    let flow = FlowId::Id("1234".to_owned());
    Interaction::Flow(Box::new(Flow { flow, button: "Sign up".to_owned(), token: text("t-1"), draft: false, action }))
}

/// Types with header, body and footer.
fn framed() -> Vec<(Interactive, &'static str, Value)> {
    let link = MediaRef::Link("https://shop.example/file".to_owned());
    let document = Document { source: link.clone(), caption: None, filename: text("menu.pdf") };
    let headers = [
        (Header::Text("Menu".to_owned()), "Menu\nChoose\nThanks"),
        (Header::Image(link.clone()), "Choose\nThanks"),
        (Header::Video(link), "Choose\nThanks"),
        (Header::Document(document), "Choose\nThanks"),
    ];
    let shown = json!([button("reply", "Yes", None), button("reply", "No", None), button("reply", "Perhaps", None)]);
    let framed = |(header, text_)| {
        let whole = Interactive { header: Some(header), footer: text("Thanks"), ..plain(replies()) };
        (whole, text_, shown.clone())
    };
    headers.into_iter().map(framed).collect()
}

fn bare() -> Vec<(Interactive, &'static str, Value)> {
    let url = CtaUrl { display_text: "Open".to_owned(), url: "https://shop.example/?a=b&c=d".to_owned() };
    let data = json!({"name": "Ada"}).as_object().cloned();
    let navigate = FlowAction::Navigate { screen: text("FIRST"), data };
    let section = ProductSection { title: text("New"), product_retailer_ids: vec!["p1".to_owned(), "p2".to_owned()] };
    let products = Interaction::ProductList { catalog_id: "c1".to_owned(), sections: vec![section] };
    let product = Interaction::Product { catalog_id: "c1".to_owned(), product_retailer_id: "p1".to_owned() };
    let rows = json!([button("row", "Row 1", None), button("row", "Row 2", None), button("row", "Row 3", None)]);
    let sign_up = json!([button("flow", "Sign up", None)]);
    let link = json!([button("url", "Open", Some("https://shop.example/?a=b&c=d"))]);
    let titled = Interactive { header: Some(Header::Text("News".to_owned())), ..plain(products) };
    vec![
        (plain(list()), "Choose", rows),
        (plain(Interaction::CtaUrl(url)), "Choose", link),
        (plain(flow(navigate)), "Choose", sign_up.clone()),
        (plain(flow(FlowAction::DataExchange)), "Choose", sign_up),
        (plain(product), "Choose", json!([])),
        (titled, "News\nChoose", json!([])),
        (plain(Interaction::Catalog { thumbnail_product_retailer_id: text("p1") }), "Choose", json!([])),
        (plain(Interaction::Catalog { thumbnail_product_retailer_id: None }), "Choose", json!([])),
        (plain(Interaction::LocationRequest), "Choose", json!([])),
        (plain(Interaction::CallPermissionRequest), "Choose", json!([])),
    ]
}

on_both_sides! {
    async fn every_button_is_shown(network) {
        let bsuid = Recipient::Bsuid(network.bsuid(DEEPA).await);
        for (person, recipient) in [(ADA, ada()), (DEEPA, bsuid)] {
            network.says(person).await;
            for (interactive, text, buttons) in framed().into_iter().chain(bare()) {
                let kind = interactive.interaction.kind();
                let sent = network.send(recipient.clone(), Content::Interactive(Box::new(interactive))).await;
                let sent = sent.unwrap_or_else(|error| panic!("{kind}: {error}"));
                assert_eq!(network.arrived(person, &sent.message_id).await, (text.to_owned(), buttons), "{kind}");
            }
        }
    }

    async fn buttons_of_sent_messages_can_be_tapped(network) {
        network.says(ADA).await;
        for (interaction, button) in [(replies(), "Perhaps"), (list(), "Row 2"), (flow(FlowAction::DataExchange), "Sign up")] {
            let sent = network.send(ada(), Content::Interactive(Box::new(plain(interaction)))).await.unwrap();
            network.arrived(ADA, &sent.message_id).await;
            let tapped = network.act(ADA, "tap", json!({"message": sent.message_id, "button": button})).await;
            let theirs = tapped["said"]["id"].as_str().unwrap();
            network.graph.mark_read(theirs, true).await.unwrap();
        }
    }
}
