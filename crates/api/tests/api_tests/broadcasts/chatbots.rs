//! Chatbots: refused for a plan without the feature, and empty for a plan with it.

use serde_json::{Value, json};
use testkit::World;
use testkit::world::Answer;

async fn all(app: &World, token: &str, tenant: domain::TenantId, body: &Value) -> [Answer; 4] {
    let v1 = format!("/{tenant}/api/v1/chatbots");
    [
        app.by(token).get("/api/ext/v3/chatbots?page_number=1&page_size=10").await,
        app.by(token).get(&v1).await,
        app.by(token).post("/api/ext/v3/chatbots/start", body).await,
        app.by(token).post(&format!("{v1}/start"), body).await,
    ]
}

testkit::both_databases! {
    async fn a_plan_without_chatbots_is_refused(app = World::with_api_token) {
        for answer in all(&app, &app.token, app.tenant(), &json!({"target": "14155552671"})).await {
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (403, "feature_disabled"));
        }
    }

    async fn a_plan_with_chatbots_has_none_of_them(app = World::new) {
        let tenant = app.test.new_tenant("everything").await;
        let token = app.token(tenant, &["chatbots:write", "chatbotsv3:write"]).await;
        let id = "507f1f77bcf86cd799439011";
        let body = json!({"target": "14155552671", "chatbot_id": id, "chatbotId": id});
        let [v3, v1, start, start_v1] = all(&app, &token, tenant, &body).await;
        assert_eq!(v3.json(), json!({"chatbot_list": [], "page_number": 1, "page_size": 10}));
        assert_eq!(v1.json(), json!([]));
        assert_eq!((start.status.as_u16(), &start.json()["parameter"]), (404, &json!("chatbot_id")));
        assert_eq!((start_v1.status.as_u16(), start_v1.json()), (200, json!({"result": false, "info": "chatbotId: there is no such chatbot"})));
        for (body, parameter) in [(json!({}), "target"), (json!({"target": "14155552671", "chatbot_id": " "}), "chatbot_id")] {
            let answer = app.by(&token).post("/api/ext/v3/chatbots/start", &body).await;
            assert_eq!((answer.status.as_u16(), &answer.json()["parameter"]), (400, &json!(parameter)), "{}", answer.text);
        }
        let refused = app.by(&token).get("/api/ext/v3/chatbots?page_size=0").await;
        assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!("page_size")));
        let without_number = app.by(&token).post(&format!("/{tenant}/api/v1/chatbots/start"), &json!({"chatbotId": id})).await;
        assert_eq!((without_number.status.as_u16(), &without_number.json()["parameter"]), (400, &json!("whatsappNumber")));
    }
}
