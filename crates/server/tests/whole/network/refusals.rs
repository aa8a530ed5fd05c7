//! What the network refuses although the request is well formed: samples that are no handles, numbers that are not
//! registered, tokens that have expired or lack permissions, templates that were stopped, files that are gone.

use axum::http::Method;
use channels::graph::{Captioned, Class, Content, GraphError, MediaRef, NewTemplate, Sample, Template};
use channels::transport::{empty, full};
use serde_json::{Value, json};

use super::on_both_sides;
use super::world::{ADA, Network, ada};

fn template(name: &str, components: Value) -> NewTemplate {
    NewTemplate {
        name: name.to_owned(),
        language: "en".to_owned(),
        category: "UTILITY".to_owned(),
        parameter_format: None,
        allow_category_change: None,
        components,
    }
}

fn with_sample(name: &str, format: &str, handle: &str) -> NewTemplate {
    let header = json!({"type": "HEADER", "format": format, "example": {"header_handle": [handle]}});
    template(name, json!([header, {"type": "BODY", "text": "All is well"}]))
}

fn sent(name: &str) -> Content {
    Content::Template(Box::new(Template { name: name.to_owned(), language: "en".to_owned(), components: vec![] }))
}

fn parts(error: &GraphError) -> (Class, Option<u16>, Option<i32>, Option<i32>) {
    (error.class, error.status, error.code, error.subcode)
}

/// Changes the state of the channel's number at the network, through the API of the sandbox.
async fn set_number(network: &Network, state: Value) {
    let mut body = json!({"channel": network.number()});
    body.as_object_mut().unwrap().extend(state.as_object().unwrap().clone());
    network.ask(Method::PUT, "number", &body).await;
}

async fn review(network: &Network, name: &str, verdict: &str) {
    network.ask(Method::POST, &format!("templates/{name}/review"), &json!({"verdict": verdict})).await;
}

on_both_sides! {
    async fn a_sample_is_a_handle_of_an_upload_that_fits(network) {
        let (image, document) = (network.sample("png").await, network.sample("pdf").await);
        let changed = image.replace(":e:", ":f:");
        for (number, sample) in ["https://shop.example/a.png", "1037543291543636", "4::aW", &changed, ""].iter().enumerate() {
            let refused = network.graph.create_template(&with_sample(&format!("no_{number}"), "IMAGE", sample)).await;
            let error = refused.unwrap_err();
            assert_eq!(parts(&error), (Class::Refuse, Some(400), Some(100), Some(2_388_273)), "{sample}: {error}");
        }
        let error = network.graph.create_template(&with_sample("wrong", "IMAGE", &document)).await.unwrap_err();
        assert!(error.to_string().contains("application/pdf"), "{error}");
        assert!(network.graph.templates(None).await.unwrap().templates.is_empty());
        network.graph.create_template(&with_sample("right", "IMAGE", &image)).await.unwrap();
        network.graph.create_template(&with_sample("paper", "DOCUMENT", &document)).await.unwrap();
    }

    async fn an_upload_that_is_cut_is_continued(network) {
        let (mime, bytes) = testkit::shop::sample_file("png", 300_000).unwrap();
        let sample = Sample { name: "Zwölf & 1.png", mime, length: bytes.len() as u64 };
        let app_id = network.graph.app_id().await.unwrap();
        let offsets = std::sync::Mutex::new(Vec::new());
        let from = |offset: u64| {
            offsets.lock().unwrap().push(offset);
            full(bytes[usize::try_from(offset).unwrap()..].to_vec())
        };
        network.ask(Method::POST, "faults", &json!({"kind": "cut_upload"})).await;
        let handle = network.graph.upload_sample(&app_id, sample, &from).await.unwrap();
        assert_eq!(*offsets.lock().unwrap(), [0, 150_000]);
        network.graph.create_template(&with_sample("continued", "IMAGE", &handle)).await.unwrap();

        network.ask(Method::POST, "faults", &json!({"kind": "cut_upload", "count": 3})).await;
        let error = network.graph.upload_sample(&app_id, sample, &from).await.unwrap_err();
        assert_eq!(error.class, Class::Unknown, "{error}");
    }

    async fn refused_uploads(network) {
        let sample = |mime, length| Sample { name: "x", mime, length };
        let own = network.graph.app_id().await.unwrap();
        for (app, sample) in [(own.as_str(), sample("image/webp", 4)), (&own, sample("image/png", 0)), ("17", sample("image/png", 4))] {
            let error = network.graph.upload_sample(app, sample, &|_| empty()).await.unwrap_err();
            assert_eq!((error.class, error.code), (Class::Refuse, Some(100)), "{sample:?}: {error}");
        }
        let stranger = network.graph_with("another token");
        assert_eq!(stranger.app_id().await.unwrap_err().code, Some(190));
        let uploaded = network.graph.upload_sample("app", sample("image/png", 4), &|_| full("four")).await;
        assert!(uploaded.unwrap().starts_with("4:"));
    }

    async fn a_number_that_is_not_registered_cannot_send(network) {
        network.says(ADA).await;
        set_number(network, json!({"registered": false})).await;
        let error = network.send(ada(), Content::text("Hello")).await.unwrap_err();
        assert_eq!(parts(&error), (Class::Refuse, Some(400), Some(133_010), None), "{error}");
        assert!(error.to_string().starts_with("the number is not registered with the network (code 133010)"), "{error}");
        assert_eq!(network.graph.number().await.unwrap().status.as_deref(), Some("DISCONNECTED"));
        set_number(network, json!({"registered": true})).await;
        network.send(ada(), Content::text("Hello")).await.unwrap();
        assert_eq!(network.graph.number().await.unwrap().status.as_deref(), Some("CONNECTED"));
    }

    async fn a_token_expires_or_loses_its_permissions(network) {
        network.says(ADA).await;
        let graph = &network.graph;
        set_number(network, json!({"token": "expired"})).await;
        for error in [
            network.send(ada(), Content::text("Hello")).await.unwrap_err(),
            graph.templates(None).await.unwrap_err(),
            graph.number().await.unwrap_err(),
            graph.app_id().await.unwrap_err(),
            graph.create_template(&template("late", json!([{"type": "BODY", "text": "Hi"}]))).await.unwrap_err(),
        ] {
            assert_eq!(parts(&error), (Class::Refuse, Some(401), Some(190), Some(463)), "{error}");
        }
        set_number(network, json!({"token": "no_permission"})).await;
        let error = network.send(ada(), Content::text("Hello")).await.unwrap_err();
        assert_eq!(parts(&error), (Class::Refuse, Some(403), Some(10), None), "{error}");
        let error = graph.upload("image/png", "a.png", 4, full("four")).await.unwrap_err();
        assert_eq!(parts(&error), (Class::Refuse, Some(403), Some(10), None), "{error}");
        let error = graph.templates(None).await.unwrap_err();
        assert_eq!(parts(&error), (Class::Refuse, Some(403), Some(200), None), "{error}");
        set_number(network, json!({"token": "valid"})).await;
        network.send(ada(), Content::text("Hello")).await.unwrap();
    }

    async fn a_template_that_was_stopped_cannot_be_sent(network) {
        network.graph.create_template(&template("news", json!([{"type": "BODY", "text": "All is well"}]))).await.unwrap();
        let approved = async || {
            let listed = network.graph.templates(None).await.unwrap().templates.remove(0);
            (listed.status == "APPROVED").then_some(())
        };
        network.until("the verdict", approved).await;
        for (verdict, code) in [("PAUSED", 132_015), ("DISABLED", 132_016), ("REJECTED", 132_001)] {
            review(network, "news", verdict).await;
            let error = network.send(ada(), sent("news")).await.unwrap_err();
            assert_eq!((error.class, error.code), (Class::Refuse, Some(code)), "{error}");
        }
        review(network, "news", "REINSTATED").await;
        network.send(ada(), sent("news")).await.unwrap();
    }

    async fn a_file_that_the_network_forgot_cannot_be_sent(network) {
        network.says(ADA).await;
        let id = network.graph.upload("image/png", "a.png", 4, full("four")).await.unwrap();
        let image = || Content::Image(Captioned { source: MediaRef::Id(id.clone()), caption: None });
        network.send(ada(), image()).await.unwrap();
        let forgotten = network.ask(Method::POST, "media/forget", &json!({"id": id})).await;
        assert_eq!(forgotten, json!({"forgotten": 1}));
        let error = network.send(ada(), image()).await.unwrap_err();
        assert_eq!((error.class, error.code), (Class::Refuse, Some(131_009)), "{error}");
        let error = network.graph.media(&id).await.unwrap_err();
        assert_eq!((error.code, error.subcode), (Some(100), Some(33)), "{error}");
        assert_eq!(network.ask(Method::POST, "media/forget", &json!({})).await, json!({"forgotten": 0}));
    }
}
