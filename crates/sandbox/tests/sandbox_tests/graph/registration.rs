//! Registration of a number by the network's own operations.

use serde_json::json;

use super::net::{ADA, Net, text};

testkit::both_databases! {
    async fn a_number_is_deregistered_and_registered_again(net = Net::new) {
        net.person_writes(1).await;
        let number = net.channel.phone_number_id.clone();
        assert_eq!(net.post(&format!("{number}/deregister"), &json!({})).await.json(), json!({"success": true}));
        assert_eq!(net.send(ADA, text("Hello")).await.refusal(), (400, 133_010));
        let seen = net.get(&format!("{number}?fields=status,platform_type")).await.json();
        assert_eq!((&seen["status"], &seen["platform_type"]), (&json!("DISCONNECTED"), &json!("NOT_APPLICABLE")));
        let register = format!("{number}/register");
        for body in [json!({}), json!({"messaging_product": "whatsapp"}), json!({"messaging_product": "whatsapp", "pin": "12345"})] {
            assert_eq!(net.post(&register, &body).await.refusal(), (400, 100), "{body}");
        }
        let good = json!({"messaging_product": "whatsapp", "pin": "123456"});
        assert_eq!(net.post(&register, &good).await.json(), json!({"success": true}));
        net.sent(ADA, text("Hello")).await;
    }
}
