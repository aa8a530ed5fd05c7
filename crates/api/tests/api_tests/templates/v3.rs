//! V3: the shapes of all answers.

use domain::templates::NewHeader;
use serde_json::json;
use testkit::application::TestApp;

use crate::templates::bad::{base, button, carousel, file, params, phone, some, url};
use crate::templates::{TEMPLATES, alone, delete, normalized, reviewed, wire};

testkit::both_databases! {
    async fn a_template_is_made_reviewed_listed_and_deleted(test) {
        let app = alone(&test).await;
        let token = app.token(app.tenant(), &["messagetemplatev3:write"]).await;
        let mut new = base();
        new.header = Some(NewHeader { kind: "Text".to_owned(), text: some("For {{name}}"), ..NewHeader::default() });
        new.sub_category = some("STANDARD");
        let made = app.post(TEMPLATES, &token, &wire::template(&new)).await;
        assert_eq!(made.status, 200, "{}", made.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("made", normalized(made.json())); }
        reviewed(&app).await;
        let path = format!("{TEMPLATES}/{}", made.json()["id"].as_str().unwrap());
        let shown = app.get(&path, &token).await;
        assert_eq!(shown.json()["status"], "APPROVED");
        let page = app.get(&format!("{TEMPLATES}?channel=sandbox&page_number=1&pageSize=5"), &token).await;
        assert_eq!(page.json()["templates"][0], shown.json());
        insta::allow_duplicates! { insta::assert_json_snapshot!("page", normalized(page.json())); }
        let again = app.post(TEMPLATES, &token, &wire::template(&new)).await;
        assert_eq!((again.status.as_u16(), again.reason().as_str()), (409, "conflict"), "{}", again.text);
        let gone = delete(&app, &token, &path).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("deleted", normalized(gone.json())); }
        assert_eq!(app.get(&path, &token).await.json()["status"], "DELETED");
        assert_eq!(delete(&app, &token, &path).await.reason(), "not_found");
        assert_eq!(app.get(TEMPLATES, &token).await.json()["total"], 0);
    }

    async fn a_sample_that_cannot_be_used_is_a_400_that_names_it(test) {
        let app = TestApp::with_sandbox(test).await;
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
            let answer = app.post(TEMPLATES, &token, &wire::template(&new)).await;
            let (status, shown) = (answer.status.as_u16(), answer.json());
            assert_eq!((status, answer.reason().as_str(), &shown["parameter"]), (400, reason, &json!(parameter)), "{link}{sample}: {shown}");
        }
        assert_eq!(app.get(TEMPLATES, &token).await.json()["total"], 0);
    }

    async fn every_part_has_its_shape(test) {
        let app = TestApp::with_sandbox(test).await;
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
            domain::templates::NewButton { copy_offer_code: some("{{code}}"), ..button("copy_code", "Copy") },
            domain::templates::NewButton { flow_id: some("123"), flow_action: some("NAVIGATE"), ..button("flow", "Begin") },
        ];
        parts.samples = params(&[("name", "Ada"), ("code", "SUMMER")]);
        let code = json!({"name": "code", "category": "authentication", "language": "en-GB", "code_expiration_minutes": 5});
        let sale = {
            let mut sale = base();
            "sale".clone_into(&mut sale.name);
            sale.footer = None;
            sale.header = Some(file("image", "{{picture}}"));
            sale.samples.extend(params(&[("picture", "https://shop.example/a.jpg")]));
            sale.offer = Some(domain::templates::NewOffer { text: "Ends soon".to_owned(), has_expiration: true });
            wire::template(&sale)
        };
        for body in [wire::template(&cards), wire::template(&parts), code, sale] {
            let made = app.post(TEMPLATES, &token, &body).await;
            assert_eq!(made.status, 200, "{}", made.text);
            let name = body["name"].as_str().unwrap();
            insta::allow_duplicates! { insta::assert_json_snapshot!(format!("part_{name}"), normalized(made.json())); }
        }
        let named = app.get(&format!("{TEMPLATES}?name=ca"), &token).await.json();
        assert_eq!((&named["total"], &named["templates"][0]["name"]), (&json!(1), &json!("cards")));
        let second = app.get(&format!("{TEMPLATES}?page_number=2&page_size=3"), &token).await.json();
        assert_eq!((&second["total"], second["templates"].as_array().unwrap().len()), (&json!(4), 1));
    }
}
