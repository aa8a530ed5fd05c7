//! The network's handshake, which verifies the address of a hook.

use testkit::World;

use crate::hooks::SandboxNumber;

testkit::both_databases! {
    async fn the_challenge_comes_back_as_plain_text(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        for path in [line.path(), line.path().replace("hooks/whatsapp", "HOOKS/WhatsApp")] {
            let asked = format!("{path}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=verify-token-of-Support");
            let answer = app.by("ignored").get(&asked).await;
            assert_eq!((answer.status.as_u16(), answer.text.as_str()), (200, "1158201444"));
            assert_eq!(answer.headers["content-type"], "text/plain; charset=utf-8");
            assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        }
    }

    async fn a_wrong_verify_token_reveals_nothing(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let other = SandboxNumber::new(&app, app.test.new_tenant("unlimited").await, "Other").await;
        let good = "hub.verify_token=verify-token-of-Support";
        let long = format!("hub.mode=subscribe&hub.challenge={}&{good}", "1".repeat(257));
        for query in [
            "",
            "hub.mode=subscribe&hub.challenge=1",
            "hub.mode=subscribe&hub.challenge=1&hub.verify_token=",
            "hub.mode=subscribe&hub.challenge=1&hub.verify_token=verify-token-of-Suppor",
            "hub.mode=subscribe&hub.challenge=1&hub.verify_token=VERIFY-TOKEN-OF-SUPPORT",
            "hub.mode=subscribe&hub.challenge=1&hub.verify_token=verify-token-of-Other",
            &format!("hub.challenge=1&{good}"),
            &format!("hub.mode=unsubscribe&hub.challenge=1&{good}"),
            &format!("hub.mode=subscribe&{good}"),
            &format!("hub.mode=subscribe&hub.challenge=a%0d%0aSet-Cookie:x&{good}"),
            &format!("hub.mode=subscribe&hub.challenge=%C3%BC&{good}"),
            &long,
        ] {
            let answer = app.by("ignored").get(&format!("{}?{query}", line.path())).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (403, "handshake_refused"), "{query}");
        }
        assert_eq!(app.by("ignored").get(&other.path()).await.status, 403);
    }

    async fn a_channel_that_is_not_there_is_not_found(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let query = "hub.mode=subscribe&hub.challenge=1&hub.verify_token=verify-token-of-Support";
        for id in ["507f1f77bcf86cd799439011", "nothing", "%F0%9F%92%A9", "..%2F..%2Fmetrics", &line.channel.id.to_string().to_uppercase()] {
            let answer = app.by("ignored").get(&format!("/hooks/whatsapp/{id}?{query}")).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"), "{id}");
        }
        for query in ["hub.challenge=%ff", "hub.challenge=%00", "hub.challenge=1&hub.challenge=2"] {
            assert_eq!(app.by("ignored").get(&format!("{}?{query}", line.path())).await.status, 400, "{query}");
        }
    }
}
