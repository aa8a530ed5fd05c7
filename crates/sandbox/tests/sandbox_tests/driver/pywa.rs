//! Compares Switchboard's parser of webhooks with that of pywa, a Python client library of WhatsApp's Cloud API, on
//! every kind of body that the sandbox posts.

use std::collections::BTreeMap;

use channels::webhook::{Record, parse};
use sandbox::driver::{Image, Location, Open, Outcome, Pay, PlaceCall, Prefer, Review, Say, Tap};
use sandbox::notices::content::{self, File};
use sandbox::notices::messages::{Content, Inbound, context, inbound};
use sandbox::notices::{WebhookContact, account, people};
use sandbox::{Change, NumberMetadata};
use serde_json::{Value, json};
use store::Engine;
use testkit::tools;

use crate::driver::world::{ADA, Street};

#[path = "../../../../channels/tests/channels_tests/webhook/pywa_reading.rs"]
mod pywa_reading;

const DEEPA: &str = "deepa_rao";
const GRACE: &str = "grace.lee";

/// Bodies that pywa cannot parse: it does not have the kind, parses a status only of a known person, or requires
/// members that the network does not guarantee.
const NOT_READ: [&str; 4] = ["link_click", "number_quality", "status_failed_nobody", "user_id_update"];
/// Bodies that are not compared: pywa parses a payment as an ordinary status.
const READ_OTHERWISE: [&str; 2] = ["payment_captured", "payment_failed"];

/// Posted bodies by name.
struct Story {
    world: Street,
    bodies: BTreeMap<String, Vec<u8>>,
}

impl Story {
    /// Keeps the bodies posted now under these names, in order. There must be no others.
    async fn posted(&mut self, names: &[&str]) {
        let posts = self.world.posts().await;
        let bodies: Vec<Value> = posts.iter().flat_map(|post| alone_each(&post.json())).collect();
        let records: usize = posts.iter().map(|post| post.records().len()).sum();
        assert_eq!((bodies.len(), records), (names.len(), names.len()), "{names:?}: {bodies:#?}");
        for (name, body) in names.iter().zip(bodies) {
            let old = self.bodies.insert((*name).to_owned(), body.to_string().into_bytes());
            assert!(old.is_none(), "{name} is there twice");
        }
    }

    /// Advances the clock and discards the bodies that are due then.
    async fn passed(&self, seconds: u64) {
        self.world.advance(seconds);
        self.world.posts().await;
    }

    async fn says(&mut self, name: &str, person: &str, say: Say) -> String {
        let said = self.world.sandbox.say(self.world.tenant(), person, say).await.unwrap();
        self.posted(&[name]).await;
        said.id
    }

    /// Sends a message of the business and waits until it is read.
    async fn sends(&mut self, message: Value) -> String {
        let id = self.world.send_message(message).await;
        self.passed(1).await;
        id
    }

    async fn taps(&mut self, name: &str, message: Value, button: &str) {
        let message = Some(self.sends(message).await);
        let tap = Tap { message, button: button.to_owned() };
        self.world.sandbox.tap(self.world.tenant(), ADA, tap).await.unwrap();
        self.posted(&[name]).await;
    }

    /// Posts a change that no act of the sandbox causes, and keeps its body.
    async fn injects(&mut self, name: &str, change: Change) {
        self.world.sandbox.inject(self.world.tenant(), None, change).await.unwrap();
        self.posted(&[name]).await;
    }

    async fn webhook_contact(&self, person: &str) -> WebhookContact {
        WebhookContact::from(&self.world.sandbox.find(self.world.tenant(), person).await.unwrap())
    }

    async fn messages(&mut self) {
        let text = |text: &str| Some(text.to_owned());
        let hello = self.says("text", ADA, Say { text: text("Hello"), ..Say::default() }).await;
        self.says("text_without_number", DEEPA, Say { text: text("Namasté"), ..Say::default() }).await;
        self.says("text_with_parent", GRACE, Say { text: text("Hi"), ..Say::default() }).await;
        let image = Some(Image { caption: text("My cat") });
        self.says("image", ADA, Say { image, ..Say::default() }).await;
        self.says("image_bare", ADA, Say { image: Some(Image::default()), ..Say::default() }).await;
        let location = Location { latitude: 52.52, longitude: -13.405, name: text("Here"), address: None };
        self.says("location", ADA, Say { location: Some(location), ..Say::default() }).await;
        let ours = self.sends(json!({"to": ADA, "type": "text", "text": {"body": "Yes?"}})).await;
        let to = |id: &str| Say { reply_to: text(id), ..Say::default() };
        self.says("reply", ADA, Say { text: text("Later"), ..to(&ours) }).await;
        self.says("reaction", ADA, Say { reaction: text("👍"), ..to(&ours) }).await;
        self.says("reaction_removed", ADA, Say { reaction: text(""), ..to(&ours) }).await;
        self.says("reply_to_own", ADA, Say { text: text("I mean it"), ..to(&hello) }).await;
    }

    async fn taps_of_all_kinds(&mut self) {
        let interactive = |value: Value| json!({"to": ADA, "type": "interactive", "interactive": value});
        let buttons = json!({"type": "button", "body": {"text": "Shall we?"}, "action": {"buttons": [
            {"type": "reply", "reply": {"id": "y", "title": "Yes"}}]}});
        self.taps("button_reply", interactive(buttons), "Yes").await;
        let rows =
            json!([{"id": "green", "title": "Green", "description": "Fresh"}, {"id": "black", "title": "Black"}]);
        let list = json!({"type": "list", "body": {"text": "Which?"}, "action": {"button": "Choose",
            "sections": [{"title": "Teas", "rows": rows}]}});
        self.taps("list_reply", interactive(list.clone()), "Green").await;
        self.taps("list_reply_bare", interactive(list), "Black").await;
        let flow = json!({"type": "flow", "body": {"text": "Join"}, "action": {"name": "flow", "parameters": {
            "flow_message_version": "3", "flow_id": "1234", "flow_cta": "Sign up"}}});
        self.taps("nfm_reply", interactive(flow), "Sign up").await;
        let template = json!({"to": ADA, "type": "template", "template": {"name": "news", "language": {"code": "en"}}});
        self.taps("button", template, "Stop").await;
    }

    async fn statuses(&mut self) {
        for (to, suffix) in
            [(json!({"to": ADA}), ""), (json!({"recipient": self.webhook_contact(DEEPA).await.user_id}), "_bsuid")]
        {
            let mut message = json!({"type": "text", "text": {"body": "Hi"}, "biz_opaque_callback_data": "m-17"});
            message.as_object_mut().unwrap().extend(to.as_object().unwrap().clone());
            self.world.send_message(message).await;
            self.world.advance(1);
            let names = ["status_sent", "status_delivered", "status_read"].map(|name| format!("{name}{suffix}"));
            self.posted(&names.each_ref().map(String::as_str)).await;
        }
        // The first number is Ben's, who has never written, so that only a template can reach him; the second is of no
        // person.
        for (to, name) in [("442079460123", "status_failed"), ("14155550177", "status_failed_nobody")] {
            self.world.send_message(json!({"to": to, "type": "text", "text": {"body": "Hi"}})).await;
            self.world.advance(1);
            self.posted(&[name]).await;
        }
    }

    async fn calls(&mut self) {
        let (sandbox, tenant) = (self.world.sandbox.clone(), self.world.tenant());
        sandbox.call(tenant, ADA, PlaceCall { seconds: Some(60), ..PlaceCall::default() }).await.unwrap();
        self.posted(&["call_connect"]).await;
        self.world.advance(100);
        self.posted(&["call_terminate"]).await;
        sandbox.call(tenant, DEEPA, PlaceCall { missed: true, ..PlaceCall::default() }).await.unwrap();
        self.posted(&["call_missed_connect"]).await;
        self.world.advance(100);
        self.posted(&["call_missed_terminate"]).await;
        let path = format!("{}/calls", self.world.channel.phone_number_id);
        let session = json!({"sdp_type": "offer", "sdp": "v=0\r\n"});
        let connect = json!({"action": "connect", "to": ADA, "session": session, "biz_opaque_callback_data": "c-1"});
        let called = self.world.ask_graph(&path, connect).await;
        self.world.advance(3);
        self.posted(&["call_ringing", "call_answered_connect", "call_accepted"]).await;
        self.world.ask_graph(&path, json!({"action": "terminate", "call_id": called["calls"][0]["id"]})).await;
        self.posted(&["call_answered_terminate"]).await;
    }

    async fn payments(&mut self) {
        let amount = |value: i64| json!({"value": value, "offset": 100});
        for (outcome, name) in [(Outcome::Captured, "payment_captured"), (Outcome::Failed, "payment_failed")] {
            let order = json!({"status": "pending", "items": [{"retailer_id": "1", "name": "Tea", "amount": amount(500),
                "quantity": 1}], "subtotal": amount(500), "tax": amount(0)});
            let parameters = json!({"reference_id": name, "type": "digital-goods", "currency": "INR",
                "payment_configuration": "main", "total_amount": amount(500), "order": order});
            let asked = json!({"to": ADA, "type": "interactive", "interactive": {"type": "order_details",
                "body": {"text": "Pay"}, "action": {"name": "review_and_pay", "parameters": parameters}}});
            let message = Some(self.sends(asked).await);
            let pay = Pay { message, outcome, ..Pay::default() };
            self.world.sandbox.pay(self.world.tenant(), ADA, pay).await.unwrap();
            self.posted(&[name]).await;
        }
    }

    async fn templates(&mut self) {
        let path = format!("{}/message_templates", self.world.channel.account_id);
        let body = json!({"name": "news", "language": "en", "category": "MARKETING", "components": [
            {"type": "BODY", "text": "Look"},
            {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Stop"},
                {"type": "URL", "text": "See", "url": "https://shop.example/"}]}]});
        self.world.ask_graph(&path, body).await;
        self.world.advance(2);
        self.posted(&["template_approved"]).await;
    }

    async fn reviews(&mut self) {
        let word = |word: &str| Some(word.to_owned());
        let about = || Review { name: "news".to_owned(), ..Review::default() };
        for (review, name) in [
            (Review { quality: word("GREEN"), ..about() }, "template_quality"),
            (Review { category: word("UTILITY"), ..about() }, "template_category"),
            (Review { verdict: word("REJECTED"), reason: word("SCAM"), ..about() }, "template_rejected"),
            (Review { verdict: word("PAUSED"), ..about() }, "template_paused"),
        ] {
            self.world.sandbox.review(self.world.tenant(), review).await.unwrap();
            self.posted(&[name]).await;
        }
    }

    async fn wishes(&mut self) {
        let (sandbox, tenant) = (self.world.sandbox.clone(), self.world.tenant());
        for (marketing, name) in [(false, "preference_stop"), (true, "preference_resume")] {
            sandbox.prefer(tenant, ADA, Prefer { marketing, channel: None }).await.unwrap();
            self.posted(&[name]).await;
        }
        self.sends(json!({"to": ADA, "type": "template", "template": {"name": "news", "language": {"code": "en"}}}))
            .await;
        sandbox.open(tenant, ADA, Open { report: true, ..Open::default() }).await.unwrap();
        self.posted(&["link_click"]).await;
    }

    async fn others(&mut self) {
        let (number, ada) = (NumberMetadata::from(&self.world.channel), self.webhook_contact(ADA).await);
        let file = |mime_type: &str| File {
            id: "1234".to_owned(),
            mime_type: mime_type.to_owned(),
            sha256: "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=".to_owned(),
            caption: None,
            filename: None,
        };
        let item = json!({"product_retailer_id": "p1", "quantity": 2, "item_price": 4.5, "currency": "USD"});
        let card =
            json!({"name": {"formatted_name": "Bob", "first_name": "Bob"}, "phones": [{"phone": "+14155550199"}]});
        let contents: [(&str, Content); 10] = [
            ("video", content::media("video", &File { caption: Some("A film".to_owned()), ..file("video/mp4") })),
            ("audio", content::media("audio", &file("audio/ogg"))),
            (
                "document",
                content::media("document", &File { filename: Some("a.pdf".into()), ..file("application/pdf") }),
            ),
            ("sticker", content::media("sticker", &file("image/webp"))),
            ("order", content::order("c1", "Please", &[item])),
            ("contacts", content::contacts(&[card])),
            ("call_permission_yes", content::call_permission_reply(true, Some(1_776_600_000))),
            ("call_permission_no", content::call_permission_reply(false, None)),
            ("unsupported", content::unsupported()),
            ("changed_number", content::changed_number("Ada Winter", ADA, "14155550133")),
        ];
        for (name, content) in contents {
            let answers = name.starts_with("call_permission").then(|| context(&number, "wamid.ours"));
            let new =
                Inbound { id: format!("wamid.{name}"), at: self.world.test.clock.now(), content, context: answers };
            self.injects(name, inbound(&number, &ada, &new)).await;
        }
        let before = WebhookContact { user_id: Some("US.11111111111111111111".to_owned()), ..ada.clone() };
        self.injects("user_id_update", people::user_id_update(&number, &ada, &before, self.world.test.clock.now()))
            .await;
        let number = account::number_quality(&number.display_phone_number, "FLAGGED", "TIER_1K");
        self.injects("number_quality", number).await;
    }
}

/// pywa parses only the first change of a body, so each change gets its own body.
fn alone_each(body: &Value) -> Vec<Value> {
    let entries = body["entry"].as_array().unwrap().iter();
    let alone = |(entry, change): (&Value, &Value)| {
        let (mut whole, mut entry) = (body.clone(), entry.clone());
        entry["changes"] = json!([change]);
        whole["entry"] = json!([entry]);
        whole
    };
    entries
        .flat_map(|entry| entry["changes"].as_array().unwrap().iter().map(move |one| (entry, one)))
        .map(alone)
        .collect()
}

fn only(body: &[u8]) -> Record {
    parse(body).unwrap().pop().unwrap()
}

#[tokio::test]
async fn pywa_parses_posted_webhooks() {
    let mut story = Story { world: Street::new(Engine::Sqlite, 7).await, bodies: BTreeMap::new() };
    story.templates().await;
    story.messages().await;
    story.taps_of_all_kinds().await;
    story.statuses().await;
    story.calls().await;
    story.payments().await;
    story.wishes().await;
    story.reviews().await;
    story.others().await;

    let folder = testkit::database::fresh_folder();
    let file = |name: &str| folder.join(format!("{name}.json"));
    for (name, body) in &story.bodies {
        std::fs::write(file(name), body).unwrap();
    }
    let readings =
        pywa_reading::read_with_pywa(tools::python_program("python"), story.bodies.keys().map(|name| file(name)));
    std::fs::remove_dir_all(&folder).unwrap();
    let unread: Vec<&str> =
        readings.iter().filter(|(_, reading)| reading.is_none()).map(|(name, _)| name.as_str()).collect();
    assert_eq!(unread, NOT_READ);
    let mut compared = 0;
    for (name, reading) in &readings {
        let Some(reading) = reading.as_ref().filter(|_| !READ_OTHERWISE.contains(&name.as_str())) else { continue };
        pywa_reading::compare(name, &only(&story.bodies[name]), reading);
        compared += 1;
    }
    assert!(compared >= 40, "{compared} bodies compared");
}
