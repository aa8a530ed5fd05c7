//! V3: the shapes of all answers.

use axum::body::Body;
use domain::messaging::templates::NewHeader;
use serde_json::json;
use testkit::World;
use testkit::world::{Answer, request};

use crate::templates::bad::{base, button, carousel, file, params, phone, some, url};
use crate::templates::{TEMPLATES, alone, normalized, wire};

/// The beginning of a PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01";

async fn uploaded(app: &World, token: &str, kind: &str, name: &str, bytes: &[u8]) -> Answer {
    let head = format!(
        "--b\r\ncontent-disposition: form-data; name=\"type\"\r\n\r\n{kind}\r\n\
         --b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
    );
    let body = [head.as_bytes(), bytes, b"\r\n--b--\r\n"].concat();
    let builder = request("POST", &format!("{TEMPLATES}/samples"), Some(token));
    let builder = builder.header("content-type", "multipart/form-data; boundary=b");
    app.send(builder.body(Body::from(body)).unwrap()).await
}

testkit::both_databases! {
    async fn a_template_is_made_reviewed_listed_and_deleted(app = alone) {
        let token = app.token(app.tenant(), &["messagetemplatev3:write"]).await;
        let mut new = base();
        new.header = Some(NewHeader { kind: "Text".to_owned(), text: some("For {{name}}"), ..NewHeader::default() });
        new.sub_category = some("STANDARD");
        let made = app.by(&token).post(TEMPLATES, &wire::template(&new)).await;
        assert_eq!(made.status, 200, "{}", made.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("made", normalized(made.json())); }
        app.later(3).await;
        let path = format!("{TEMPLATES}/{}", made.json()["id"].as_str().unwrap());
        let shown = app.by(&token).get(&path).await;
        assert_eq!(shown.json()["status"], "APPROVED");
        let history = app.by(&token).get(&format!("{path}/history")).await.json();
        let changes: Vec<_> = history["history"].as_array().unwrap().iter().map(|one| (&one["change"], &one["before"], &one["after"])).collect();
        assert_eq!(changes.first(), Some(&(&json!("status"), &json!("PENDING"), &json!("APPROVED"))), "{history}");
        assert_eq!(app.by(&token).get(&format!("{TEMPLATES}/507f1f77bcf86cd799439011/history")).await.status, 404);
        let page = app.by(&token).get(&format!("{TEMPLATES}?channel=sandbox&page_number=1&pageSize=5")).await;
        assert_eq!(page.json()["templates"][0], shown.json());
        insta::allow_duplicates! { insta::assert_json_snapshot!("page", normalized(page.json())); }
        let again = app.by(&token).post(TEMPLATES, &wire::template(&new)).await;
        assert_eq!((again.status.as_u16(), again.reason().as_str()), (409, "conflict"), "{}", again.text);
        let gone = app.by(&token).delete(&path).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("deleted", normalized(gone.json())); }
        assert_eq!(app.by(&token).get(&path).await.json()["status"], "DELETED");
        assert_eq!(app.by(&token).delete(&path).await.reason(), "not_found");
        assert_eq!(app.by(&token).get(TEMPLATES).await.json()["total"], 0);
    }

    async fn a_sample_that_cannot_be_used_is_a_400_that_names_it(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["api"]).await;
        let mut new = base();
        for (link, sample, reason, parameter) in [
            ("https://shop.example/missing.jpg", "", "url_refused", "header.link"),
            ("https://127.0.0.1/a.jpg", "", "url_refused", "header.link"),
            ("https://shop.example/a.pdf", "", "media_refused", "header.link"),
            ("https://shop.example/large.png", "", "media_refused", "header.link"),
            ("", "https://shop.example/a.mp4", "media_refused", "header.media_header_id"),
            ("", "69eb4e9a1f0c2d3e4a5b6c7d", "invalid_parameter", "header.media_header_id"),
            ("", "4::aW", "network_refused", "template"),
        ] {
            new.header = Some(NewHeader { media_header_id: some(sample), ..file("image", link) });
            let answer = app.by(&token).post(TEMPLATES, &wire::template(&new)).await;
            let (status, shown) = (answer.status.as_u16(), answer.json());
            assert_eq!((status, answer.reason().as_str(), &shown["parameter"]), (400, reason, &json!(parameter)), "{link}{sample}: {shown}");
        }
        assert_eq!(app.by(&token).get(TEMPLATES).await.json()["total"], 0);
    }

    async fn a_check_names_every_problem_and_stores_nothing(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["messagetemplatev3:write"]).await;
        let check = format!("{TEMPLATES}/check");
        let good = wire::template(&base());
        let answer = app.by(&token).post(&check, &good).await;
        assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"problems": []})));
        assert_eq!(app.by(&token).get(TEMPLATES).await.json()["total"], 0);
        let mut wrong = base();
        "Order Update".clone_into(&mut wrong.name);
        wrong.header = Some(NewHeader { kind: "text".to_owned(), ..NewHeader::default() });
        wrong.footer = some("{{1}}");
        let mut body = wire::template(&wrong);
        body["channel"] = json!("none");
        let answer = app.by(&token).post(&check, &body).await.json();
        insta::allow_duplicates! { insta::assert_json_snapshot!("problems", answer); }
        app.by(&token).post(TEMPLATES, &good).await.ok();
        let taken = app.by(&token).post(&check, &good).await.json();
        assert_eq!(taken["problems"][0]["parameter"], "name", "{taken}");
        let mut untyped = wire::template(&base());
        untyped["name"] = json!("another");
        untyped["header"] = json!({"text": "x"});
        assert_eq!(app.by(&token).post(&check, &untyped).await.json()["problems"][0]["parameter"], "header.type");
        assert_eq!(app.by(&token).post(TEMPLATES, &untyped).await.json()["parameter"], "header.type");
        assert_eq!(app.by(&token).post(&check, &json!({"name": 5})).await.status, 400);
        assert_eq!(app.by(&token).get(TEMPLATES).await.json()["total"], 1);
    }

    async fn a_sample_is_uploaded_for_the_header_of_a_template(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["messagetemplatev3:write"]).await;
        let sample = uploaded(&app, &token, "image", "menu.png", PNG).await;
        assert_eq!(sample.status, 200, "{}", sample.text);
        let id = sample.json()["id"].as_str().unwrap().to_owned();
        assert_eq!(sample.json(), json!({"id": id, "file_name": "menu.png", "content_type": "image/png", "size": PNG.len()}));
        let mut new = base();
        new.header = Some(NewHeader { media_header_id: some(&id), ..file("image", "") });
        assert_eq!(app.by(&token).post(&format!("{TEMPLATES}/check"), &wire::template(&new)).await.json(), json!({"problems": []}));
        new.header = Some(NewHeader { media_header_id: some(&id), ..file("video", "") });
        let wrong = app.by(&token).post(&format!("{TEMPLATES}/check"), &wire::template(&new)).await.json();
        assert_eq!(wrong["problems"][0]["parameter"], "header.media_header_id", "{wrong}");
        new.header = Some(NewHeader { media_header_id: some(&id), ..file("image", "") });
        let made = app.by(&token).post(TEMPLATES, &wire::template(&new)).await;
        assert_eq!((made.status.as_u16(), &made.json()["header"]["type"]), (200, &json!("image")), "{}", made.text);
        for (kind, bytes, status, reason, parameter) in [
            ("video", PNG, 400, "media_refused", "file"),
            ("gif", PNG, 400, "invalid_parameter", "type"),
            ("document", b"text".as_slice(), 400, "media_refused", "file"),
        ] {
            let answer = uploaded(&app, &token, kind, "x.png", bytes).await;
            let found = (answer.status.as_u16(), answer.reason(), answer.json()["parameter"].as_str().map(str::to_owned));
            assert_eq!(found, (status, reason.to_owned(), Some(parameter.to_owned())), "{kind}: {}", answer.text);
        }
        let reader = app.token(app.tenant(), &["messagetemplatev3:read"]).await;
        assert_eq!(uploaded(&app, &reader, "image", "menu.png", PNG).await.reason(), "scope_missing");
    }

    async fn a_list_is_narrowed_by_status_category_language_and_rating(app = alone) {
        let token = app.token(app.tenant(), &["api"]).await;
        for (name, category, language) in [("one", "UTILITY", "en_US"), ("two", "MARKETING", "de"), ("three", "UTILITY", "de")] {
            let mut new = base();
            (new.name, new.category, new.language) = (name.to_owned(), category.to_owned(), language.to_owned());
            assert_eq!(app.by(&token).post(TEMPLATES, &wire::template(&new)).await.status, 200);
        }
        for (query, expected) in [
            ("category=utility", vec!["three", "one"]),
            ("category=utility&language=de", vec!["three"]),
            ("category=UTILITY,MARKETING&language=de,en_US", vec!["three", "two", "one"]),
            ("status=PENDING&name=t", vec!["three", "two"]),
            ("status=APPROVED", vec![]),
            ("quality=UNKNOWN", vec!["three", "two", "one"]),
            ("quality=GREEN,RED", vec![]),
        ] {
            let page = app.by(&token).get(&format!("{TEMPLATES}?{query}")).await.json();
            let names: Vec<_> = page["templates"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
            assert_eq!((names.as_slice(), page["total"].as_u64().unwrap()), (expected.as_slice(), expected.len() as u64), "{query}");
        }
        for member in ["status", "category", "language", "quality"] {
            let refused = app.by(&token).get(&format!("{TEMPLATES}?{member}=x")).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!(member)));
        }
    }

    async fn every_part_has_its_shape(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["api"]).await;
        let mut cards = base();
        carousel(&mut cards);
        "cards".clone_into(&mut cards.name);
        cards.click_tracking = true;
        let mut parts = base();
        "parts".clone_into(&mut parts.name);
        parts.header = Some(file("document", "https://shop.example/list.pdf"));
        parts.buttons = vec![
            url("Shop", "https://shop.example/"),
            phone("+1 415 555 2671"),
            domain::messaging::templates::NewButton { copy_offer_code: some("{{code}}"), ..button("copy_code", "Copy") },
            domain::messaging::templates::NewButton { flow_id: some("123"), flow_action: some("NAVIGATE"), ..button("flow", "Begin") },
        ];
        parts.samples = params(&[("name", "Ada"), ("code", "SUMMER")]);
        let code = json!({"name": "code", "category": "authentication", "language": "en-GB", "code_expiration_minutes": 5});
        let sale = {
            let mut sale = base();
            "sale".clone_into(&mut sale.name);
            sale.footer = None;
            sale.header = Some(file("image", "{{picture}}"));
            sale.samples.extend(params(&[("picture", "https://shop.example/a.jpg")]));
            sale.offer = Some(domain::messaging::templates::NewOffer { text: "Ends soon".to_owned(), has_expiration: true });
            wire::template(&sale)
        };
        for body in [wire::template(&cards), wire::template(&parts), code, sale] {
            let made = app.by(&token).post(TEMPLATES, &body).await;
            assert_eq!(made.status, 200, "{}", made.text);
            let name = body["name"].as_str().unwrap();
            insta::allow_duplicates! { insta::assert_json_snapshot!(format!("part_{name}"), normalized(made.json())); }
        }
        let named = app.by(&token).get(&format!("{TEMPLATES}?name=ca")).await.json();
        assert_eq!((&named["total"], &named["templates"][0]["name"]), (&json!(1), &json!("cards")));
        let second = app.by(&token).get(&format!("{TEMPLATES}?page_number=2&page_size=3")).await.json();
        assert_eq!((&second["total"], second["templates"].as_array().unwrap().len()), (&json!(4), 1));
    }
}
