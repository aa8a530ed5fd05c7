//! Requests and answers of the operations that have no file of their own.

use channels::graph::{CallAction, Class, NewTemplate, Recipient};
use serde_json::json;

use crate::graph::server::{Reply, Server};

#[tokio::test]
async fn read_marks_and_typing() {
    let server = Server::saying(200, r#"{"success":true}"#).await;
    server.graph().mark_read("wamid.1", false).await.unwrap();
    server.graph().mark_read("wamid.1", true).await.unwrap();
    let asked = server.asked();
    let mut expected = json!({"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.1"});
    assert_eq!(asked[0].json(), expected);
    expected["typing_indicator"] = json!({"type": "text"});
    assert_eq!(asked[1].json(), expected);
}

#[tokio::test]
async fn a_refusal_with_a_success_status() {
    let server = Server::saying(200, r#"{"success":false}"#).await;
    assert_eq!(server.graph().mark_read("wamid.1", false).await.unwrap_err().class, Class::Refuse);
}

#[tokio::test]
async fn calls() {
    let server = Server::start(|asked| match asked.json()["action"].as_str() {
        Some("connect") => Reply::json(200, r#"{"messaging_product":"whatsapp","calls":[{"id":"wacid.9"}]}"#),
        _ => Reply::json(200, r#"{"messaging_product":"whatsapp","success":true}"#),
    })
    .await;
    let (call_id, text) = ("wacid.1".to_owned(), |text: &str| text.to_owned());
    let table = [
        (
            CallAction::Connect {
                recipient: Recipient::Phone(text("491701234567")),
                offer: text("v=0"),
                callback_data: Some(text("c-1")),
            },
            json!({"action": "connect", "to": "491701234567", "session": {"sdp_type": "offer", "sdp": "v=0"},
                "biz_opaque_callback_data": "c-1"}),
        ),
        (
            CallAction::Connect { recipient: Recipient::Bsuid(text("US.1")), offer: text("v=0"), callback_data: None },
            json!({"action": "connect", "recipient": "US.1", "session": {"sdp_type": "offer", "sdp": "v=0"}}),
        ),
        (
            CallAction::PreAccept { call_id: call_id.clone(), answer: text("v=1") },
            json!({"action": "pre_accept", "call_id": "wacid.1", "session": {"sdp_type": "answer", "sdp": "v=1"}}),
        ),
        (
            CallAction::Accept { call_id: call_id.clone(), answer: text("v=1"), callback_data: None },
            json!({"action": "accept", "call_id": "wacid.1", "session": {"sdp_type": "answer", "sdp": "v=1"}}),
        ),
        (CallAction::Reject { call_id: call_id.clone() }, json!({"action": "reject", "call_id": "wacid.1"})),
        (CallAction::Terminate { call_id: call_id.clone() }, json!({"action": "terminate", "call_id": "wacid.1"})),
    ];
    for (place, (action, mut expected)) in table.into_iter().enumerate() {
        let id = server.graph().call_action(&action).await.unwrap();
        assert_eq!(id, if place < 2 { "wacid.9" } else { "wacid.1" });
        expected["messaging_product"] = json!("whatsapp");
        let asked = &server.asked()[place];
        assert_eq!((asked.uri.path(), asked.json()), ("/v23.0/106540352242922/calls", expected));
    }
}

#[tokio::test]
async fn templates_are_made_listed_and_deleted() {
    let server = Server::start(|asked| match (asked.method.as_str(), asked.uri.query().unwrap_or("")) {
        ("POST", _) => Reply::json(200, r#"{"id":"572","status":"PENDING","category":"MARKETING"}"#),
        ("DELETE", _) => Reply::json(200, r#"{"success":true}"#),
        (_, query) if query.contains("after=QVF%3D%3D") => Reply::json(
            200,
            r#"{"data":[{"id":"2","name":"b","language":"de","status":"REJECTED","rejected_reason":"SCAM"}],
                "paging":{"cursors":{"before":"a","after":"b"}}}"#,
        ),
        _ => Reply::json(
            200,
            r#"{"data":[{"id":"1","name":"a","language":"en","status":"APPROVED","category":"UTILITY",
                "components":[{"type":"BODY","text":"Hi"}]}],
                "paging":{"cursors":{"before":"a","after":"QVF=="},"next":"https://graph.example/next"}}"#,
        ),
    })
    .await;
    let graph = server.graph();
    let new = NewTemplate {
        name: "sale".to_owned(),
        language: "en".to_owned(),
        category: "MARKETING".to_owned(),
        parameter_format: Some("NAMED".to_owned()),
        allow_category_change: None,
        components: json!([{"type": "BODY", "text": "Hi {{name}}"}]),
    };
    assert_eq!(graph.create_template(&new).await.unwrap().id, "572");
    let first = graph.templates(None).await.unwrap();
    assert_eq!(
        (first.templates[0].components[0]["text"].as_str(), first.after.as_deref()),
        (Some("Hi"), Some("QVF=="))
    );
    let last = graph.templates(first.after.as_deref()).await.unwrap();
    assert_eq!((last.templates[0].rejected_reason.as_deref(), last.after), (Some("SCAM"), None));
    graph.delete_template("sale & more", Some("572")).await.unwrap();
    let asked = server.asked();
    assert!(asked.iter().all(|asked| asked.uri.path() == "/v23.0/102290129340398/message_templates"));
    let expected = json!({"name": "sale", "language": "en", "category": "MARKETING", "parameter_format": "NAMED",
        "components": [{"type": "BODY", "text": "Hi {{name}}"}]});
    assert_eq!(asked[0].json(), expected);
    assert_eq!(asked[3].uri.query(), Some("name=sale%20%26%20more&hsm_id=572"));
}

#[tokio::test]
async fn a_payment_is_looked_up() {
    let body = r#"{"payments":[{"reference_id":"ref.1","status":"captured","currency":"INR",
        "amount":{"value":21000,"offset":100},"transactions":[{"id":"t1","type":"razorpay","status":"success",
        "created_timestamp":1760000000,"updated_timestamp":"1760000001","method":{"type":"upi"},
        "amount":{"value":21000,"offset":100},"currency":"INR","refunds":[{"id":"r1","status":"completed",
        "amount":{"value":500,"offset":100},"speed_processed":"normal","created_timestamp":1760000002}]},
        {"id":"t0","status":"failed","error":{"code":30,"reason":"no money"},"refunds":null,"method":null}]}]}"#;
    let server = Server::saying(200, body).await;
    let payment = server.graph().payment("main conf", "ref.1").await.unwrap().unwrap();
    assert_eq!((payment.status.as_str(), payment.amount.unwrap().value), ("captured", 21_000));
    let transaction = &payment.transactions[0];
    let at = |seconds| Some(domain::Timestamp::from_seconds(seconds));
    assert_eq!((transaction.created, transaction.updated), (at(1_760_000_000), at(1_760_000_001)));
    assert_eq!((transaction.method.as_deref(), transaction.status.as_deref()), (Some("upi"), Some("success")));
    let refund = &transaction.refunds[0];
    assert_eq!((refund.id.as_str(), refund.status.as_str(), refund.amount.unwrap().value), ("r1", "completed", 500));
    let failed = &payment.transactions[1];
    assert_eq!((failed.refunds.len(), &failed.method), (0, &None));
    let error = failed.error.as_ref().unwrap();
    assert_eq!((error.code.as_deref(), error.reason.as_deref()), (Some("30"), Some("no money")));
    assert_eq!(server.asked()[0].uri, "/v23.0/106540352242922/payments/main%20conf/ref.1");
    assert_eq!(server.graph().payment("main", "other").await.unwrap(), None);
}

#[tokio::test]
async fn a_payment_without_transactions_and_one_with_half_a_coin() {
    let pending = r#"{"payments":[{"reference_id":"r","status":"pending","transactions":null}]}"#;
    let server = Server::saying(200, pending).await;
    let payment = server.graph().payment("main", "r").await.unwrap().unwrap();
    assert_eq!((payment.status.as_str(), payment.transactions.len()), ("pending", 0));
    let half = r#"{"payments":[{"reference_id":"r","status":"captured","amount":{"value":0.5,"offset":100}}]}"#;
    let server = Server::saying(200, half).await;
    assert_eq!(server.graph().payment("main", "r").await.unwrap_err().class, Class::Unknown);
}

#[tokio::test]
async fn the_number_and_its_account() {
    let server = Server::start(|asked| match asked.uri.path().rsplit('/').next() {
        Some("106540352242922") => Reply::json(
            200,
            r#"{"id":"106540352242922","display_phone_number":"+1 555","quality_rating":"GREEN",
                "throughput":{"level":"STANDARD"}}"#,
        ),
        Some("102290129340398") => Reply::json(200, r#"{"id":"102290129340398","name":"Shop"}"#),
        Some("whatsapp_business_profile") => {
            Reply::json(200, r#"{"data":[{"about":"Hi","websites":["https://a"],"messaging_product":"whatsapp"}]}"#)
        }
        Some("phone_numbers") if asked.uri.query().is_some_and(|query| query.ends_with("after=x")) => {
            Reply::json(200, r#"{"data":[{"id":"2"}]}"#)
        }
        Some("phone_numbers") => {
            Reply::json(200, r#"{"data":[{"id":"1"}],"paging":{"cursors":{"after":"x"},"next":"https://g"}}"#)
        }
        _ => Reply::json(200, r#"{"data":[{"whatsapp_business_api_data":{"id":"7","name":"App"}},{"id":"8"}]}"#),
    })
    .await;
    let graph = server.graph();
    let number = graph.number().await.unwrap();
    assert_eq!(number.quality_rating.as_deref(), Some("GREEN"));
    assert_eq!(number.throughput.unwrap().level.as_deref(), Some("STANDARD"));
    assert_eq!(graph.account().await.unwrap().name.as_deref(), Some("Shop"));
    assert_eq!(graph.profile().await.unwrap().about.as_deref(), Some("Hi"));
    let ids = |ids: Vec<String>| ids.join(",");
    assert_eq!(ids(graph.phone_numbers().await.unwrap().into_iter().map(|number| number.id).collect()), "1,2");
    assert_eq!(ids(graph.subscribed_apps().await.unwrap().into_iter().map(|app| app.id).collect()), "7,8");
}

#[tokio::test]
async fn a_wrapped_profile() {
    let server = Server::saying(200, r#"{"data":[{"business_profile":{"about":"Hello"}}]}"#).await;
    assert_eq!(server.graph().profile().await.unwrap().about.as_deref(), Some("Hello"));
}
