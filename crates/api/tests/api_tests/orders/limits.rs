//! The feature and the monthly limit: orders and payments can still be read when the calls of the month are used up.

use std::collections::BTreeMap;

use app::platform::limits::{LimitError, LimitRequest};
use axum::body::Body;
use domain::identity::plans::{Family, Plan};
use serde_json::Value;
use testkit::World;
use testkit::world::request;

use crate::orders::world::{ORDERS, shop, to_ada};

const MONTH: u64 = 10_000;

/// Uses up all calls of the month.
pub(crate) async fn use_up(app: &World) {
    let plan = Plan { monthly_calls: Some(MONTH), rates: BTreeMap::new(), ..Plan::default() };
    let (tenant, family) = (app.tenant(), Family::Other);
    let ask = LimitRequest { tenant, plan: &plan, family, session: None, token: None, counted: true };
    for _ in 0..=MONTH {
        match app.app.platform().limiter().take(ask).await {
            Ok(_) => {}
            Err(LimitError::Exceeded(_)) => return,
            Err(error) => unreachable!("{error}"),
        }
    }
    unreachable!("the month has no end");
}

/// Every operation that accepts the test's token: method, path, and whether it is exempt from the monthly limit.
fn operations() -> Vec<(String, String, bool)> {
    let document = serde_json::from_str::<Value>(&api::openapi()).unwrap();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let declared = &operation["x-service-permissions"];
            let tokens = declared["roles"].as_array().is_some_and(|roles| roles.contains(&"API_TOKEN".into()));
            let legacy_only = declared["credential"] == "legacy_jwt";
            if tokens && !legacy_only && declared["feature"] != "chatbots" {
                all.push((method.to_uppercase(), path.clone(), declared["monthly_usage"] == "exempt"));
            }
        }
    }
    all
}

fn filled(path: &str, tenant: &str) -> String {
    let mut path =
        path.replace("{tenantId}", tenant).replace("{reference_id}", "order-1").replace("{referenceId}", "order-1");
    while let Some((before, rest)) = path.split_once('{') {
        let after = rest.split_once('}').map_or("", |(_, after)| after);
        path = format!("{before}507f1f77bcf86cd799439011{after}");
    }
    path
}

testkit::both_databases! {
    async fn only_reads_of_payments_and_orders_are_exempt_from_the_month(test) {
        let shop = shop(test.db.engine()).await;
        shop.good(ORDERS, &to_ada("order-1")).await;
        shop.app.identity().tenants().set_plan(&app::Command(shop.tenant()), "growth").await.unwrap();
        let token = shop.token(shop.tenant(), &["api"]).await;
        use_up(&shop).await;
        let mut exempt = Vec::new();
        for (method, path, is_exempt) in operations() {
            // Lets a new rate window begin, because rate limits are not under test.
            shop.advance(10);
            let request = request(&method, &filled(&path, &shop.tenant().to_string()), Some(&token));
            let body = if method == "GET" { Body::empty() } else { Body::from("{}") };
            let answer = shop.send(request.header("content-type", "application/json").body(body).unwrap()).await;
            if is_exempt {
                assert_eq!(answer.status, 200, "{method} {path}: {}", answer.text);
                exempt.push(format!("{method} {path}"));
            } else {
                assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (429, "usage_exhausted"), "{method} {path}");
            }
        }
        exempt.sort();
        assert_eq!(exempt, [
            "GET /api/ext/v3/orders",
            "GET /api/ext/v3/orders/export",
            "GET /api/ext/v3/orders/{reference_id}",
            "GET /api/ext/v3/orders/{reference_id}/history",
            "GET /api/ext/v3/payments/{reference_id}",
            "GET /{tenantId}/api/v1/order_details/{referenceId}",
            "GET /{tenantId}/api/v1/payment_status/{referenceId}",
        ]);
    }

    async fn without_the_feature_nothing_answers(shop = shop) {
        shop.good(ORDERS, &to_ada("order-1")).await;
        shop.app.identity().tenants().set_plan(&app::Command(shop.tenant()), "bare").await.unwrap();
        let v1 = |rest: &str| shop.v1(rest);
        for (method, path) in [
            ("POST", ORDERS.to_owned()),
            ("GET", ORDERS.to_owned()),
            ("GET", format!("{ORDERS}/export")),
            ("GET", format!("{ORDERS}/order-1")),
            ("PUT", format!("{ORDERS}/order-1/status")),
            ("GET", "/api/ext/v3/payments/order-1".to_owned()),
            ("POST", v1("order_details")),
            ("POST", v1("order_details_template")),
            ("GET", v1("order_details/order-1")),
            ("POST", v1("order_status")),
            ("POST", v1("order_status_template")),
            ("GET", v1("payment_status/order-1")),
        ] {
            let answer = shop.call(method, &path, &Value::Object(serde_json::Map::new())).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (403, "feature_disabled"), "{method} {path}");
        }
    }
}

#[test]
fn the_document_says_what_is_exempt() {
    let document = serde_json::from_str::<Value>(&api::openapi()).unwrap();
    let read = &document["paths"]["/api/ext/v3/payments/{reference_id}"]["get"];
    assert!(read["description"].as_str().unwrap().ends_with("Calls do not count towards the monthly limit."));
    assert_eq!(read["responses"]["429"]["description"], "Reasons: `rate_limited`, `limit_reached`.");
    let write = &document["paths"]["/api/ext/v3/orders"]["post"];
    assert!(write["x-service-permissions"].get("monthly_usage").is_none());
    assert_eq!(
        write["responses"]["429"]["description"],
        "Reasons: `rate_limited`, `usage_exhausted`, `limit_reached`."
    );
}
