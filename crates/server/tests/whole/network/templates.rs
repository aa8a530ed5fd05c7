//! Templates with every kind of component: created, reviewed, sent, listed and deleted.

use channels::graph::*;
use serde_json::{Value, json};

use super::on_both_sides;
use super::orders::{self, order};
use super::template_parts::{Case, Samples, cases};
use super::world::{ADA, DEEPA, Network, ada};

pub const LANGUAGE: &str = "en_US";

fn new(case: &Case) -> NewTemplate {
    NewTemplate {
        name: case.name.to_owned(),
        language: LANGUAGE.to_owned(),
        category: case.category.to_owned(),
        parameter_format: case.named.then(|| "NAMED".to_owned()),
        allow_category_change: Some(true),
        components: case.made.clone(),
    }
}

/// All templates, sorted by name, because templates of the same instant have no order.
async fn all(network: &Network) -> Vec<TemplateRow> {
    let mut page = network.graph.templates(None).await.unwrap();
    let mut rows = std::mem::take(&mut page.templates);
    while page.after.is_some() {
        page = network.graph.templates(page.after.as_deref()).await.unwrap();
        rows.append(&mut page.templates);
    }
    rows.sort_by(|one, other| one.name.cmp(&other.name));
    rows
}

async fn approved(network: &Network, count: usize) -> Vec<TemplateRow> {
    let reviewed = async || {
        let rows = all(network).await;
        let approved = rows.iter().filter(|row| row.status == "APPROVED").count();
        (approved == count).then_some(rows)
    };
    network.until("the review", reviewed).await
}

fn template(name: &str, components: Vec<Component>) -> Content {
    let (name, language) = (name.to_owned(), LANGUAGE.to_owned());
    Content::Template(Box::new(Template { name, language, components }))
}

fn plain(name: &str) -> NewTemplate {
    NewTemplate {
        name: name.to_owned(),
        language: LANGUAGE.to_owned(),
        category: "UTILITY".to_owned(),
        parameter_format: None,
        allow_category_change: None,
        components: json!([{"type": "BODY", "text": "Hi {{1}}, all is well", "example": {"body_text": [["Ada"]]}}]),
    }
}

fn filled(texts: &[&str]) -> Component {
    Component::Body(texts.iter().map(|text| Parameter::text(*text)).collect())
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(answer: Result<T, GraphError>, code: i32, subcode: Option<i32>) {
    let error = answer.unwrap_err();
    assert_eq!((error.class, error.code, error.subcode), (Class::Refuse, Some(code), subcode), "{error}");
}

on_both_sides! {
    async fn every_kind_of_component_is_filled_in(network) {
        network.says(ADA).await;
        // An order status needs an existing order.
        orders::send(network, Interaction::OrderDetails(Box::new(order("order-1")))).await.unwrap();
        let bytes = channels::transport::full("four");
        let picture = network.graph.upload("image/png", "a.png", 4, bytes).await.unwrap();
        let (image, video) = (network.sample("jpg").await, network.sample("mp4").await);
        let samples = Samples { image, video, document: network.sample("pdf").await };
        let mut cases = cases(&picture, &samples);
        cases.sort_by_key(|case| case.name);
        for case in &cases {
            let made = network.graph.create_template(&new(case)).await;
            let made = made.unwrap_or_else(|error| panic!("{}: {error}", case.name));
            assert_eq!((made.status.as_deref(), made.category.as_deref()), (Some("PENDING"), Some(case.category)));
        }
        let rows = approved(network, cases.len()).await;
        for (case, row) in cases.iter().zip(&rows) {
            assert_eq!((row.name.as_str(), row.language.as_str()), (case.name, LANGUAGE));
            assert_eq!((&row.components, row.category.as_deref()), (&case.made, Some(case.category)), "{}", case.name);
            let format = if case.named { "NAMED" } else { "POSITIONAL" };
            assert_eq!(row.parameter_format.as_deref(), Some(format), "{}", case.name);
        }
        for case in cases {
            let sent = network.send(ada(), template(case.name, case.given)).await;
            let sent = sent.unwrap_or_else(|error| panic!("{}: {error}", case.name));
            let shown = network.arrived(ADA, &sent.message_id).await;
            assert_eq!(shown, (case.text.to_owned(), case.buttons), "{}", case.name);
        }
    }

    async fn a_template_reaches_a_person_who_never_wrote(network) {
        network.graph.create_template(&plain("news")).await.unwrap();
        approved(network, 1).await;
        let bsuid = Recipient::Bsuid(network.bsuid(DEEPA).await);
        let sent = network.send(bsuid, template("news", vec![filled(&["Deepa"])])).await.unwrap();
        let shown = network.arrived(DEEPA, &sent.message_id).await;
        assert_eq!(shown, ("Hi Deepa, all is well".to_owned(), json!([])));
    }

    async fn templates_are_deleted(network) {
        let graph = &network.graph;
        graph.create_template(&plain("first")).await.unwrap();
        let english = graph.create_template(&plain("second")).await.unwrap();
        graph.create_template(&NewTemplate { language: "de".to_owned(), ..plain("second") }).await.unwrap();
        approved(network, 3).await;
        graph.delete_template("second", Some(&english.id)).await.unwrap();
        let left = async || all(network).await.into_iter().map(|row| (row.name, row.language)).collect::<Vec<_>>();
        let pair = |name: &str, language: &str| (name.to_owned(), language.to_owned());
        assert_eq!(left().await, [pair("first", LANGUAGE), pair("second", "de")]);
        graph.delete_template("second", None).await.unwrap();
        assert_eq!(left().await, [pair("first", LANGUAGE)]);
        assert_refused(graph.delete_template("second", None).await, 100, Some(2_593_002));
    }

    async fn long_lists_come_in_pages(network) {
        for number in 0..53 {
            network.graph.create_template(&plain(&format!("page_{number:02}"))).await.unwrap();
        }
        let first = network.graph.templates(None).await.unwrap();
        assert_eq!((first.templates.len(), first.after.is_some()), (50, true));
        let mut names: Vec<String> = all(network).await.into_iter().map(|row| row.name).collect();
        names.dedup();
        assert_eq!(names.len(), 53);
    }

    async fn unsendable_templates(network) {
        let send = async |name: &str, components| network.send(ada(), template(name, components)).await;
        assert_refused(send("nothing", vec![]).await, 132_001, None);
        network.graph.create_template(&plain("news")).await.unwrap();
        assert_refused(send("news", vec![filled(&["Ada"])]).await, 132_001, None);
        approved(network, 1).await;
        assert_refused(send("news", vec![]).await, 132_000, None);
        assert_refused(send("news", vec![filled(&["one", "two"])]).await, 132_000, None);
        let button = Component::Button { index: 0, button: Button::QuickReply { payload: "x".to_owned() } };
        assert_refused(send("news", vec![filled(&["Ada"]), button]).await, 132_012, None);
        for (verdict, code) in [("PAUSED", 132_015), ("DISABLED", 132_016), ("REJECTED", 132_001)] {
            let path = "templates/news/review";
            network.ask(axum::http::Method::POST, path, &json!({"verdict": verdict})).await;
            assert_refused(send("news", vec![filled(&["Ada"])]).await, code, None);
        }
    }

    async fn invalid_templates(network) {
        let graph = &network.graph;
        graph.create_template(&plain("news")).await.unwrap();
        assert_refused(graph.create_template(&plain("news")).await, 100, Some(2_388_024));
        assert_refused(graph.create_template(&plain("Big News")).await, 100, Some(2_388_047));
        let components: Value = json!([{"type": "BODY", "text": "Hi {{1}}, all is well"}]);
        let error = graph.create_template(&NewTemplate { components, ..plain("unsampled") }).await.unwrap_err();
        assert_eq!((error.class, error.subcode), (Class::Refuse, Some(2_388_043)), "{error}");
        assert!(error.details.as_deref().unwrap().contains("no sample"), "{error}");
    }
}
