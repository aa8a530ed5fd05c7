//! Invalid codes, odd headers and invalid parameters.

use axum::body::Body;
use axum::http::{HeaderValue, Request};
use testkit::Engine;

use super::{PHONE, Tracked};

testkit::both_databases! {
    async fn a_code_that_is_none_is_not_found_and_leaves_nothing(test) {
        let (world, other) = (Tracked::new(test.db.engine()).await, Tracked::new(Engine::Sqlite).await);
        let good = world.codes[0].clone();
        let flipped = format!("{}{}", if good.starts_with('B') { "C" } else { "B" }, &good[1..]);
        let bad = [
            flipped,
            good[..46].to_owned(),
            format!("{good}A"),
            format!("{good}="),
            good.to_lowercase(),
            good.replace(&good[5..6], "%41"),
            "x".to_owned(),
            "%00".to_owned(),
            "%ff%fe".to_owned(),
            "A".repeat(47),
            "A".repeat(4000),
            // A valid code of another installation.
            other.codes[0].clone(),
        ];
        for code in bad {
            for accept in ["application/json", "text/html"] {
                let answer = world.open("GET", &code, &[("user-agent", PHONE), ("accept", accept)]).await;
                assert_eq!((answer.status.as_u16(), answer.headers.get("location")), (404, None), "{code}: {}", answer.text);
                if accept == "application/json" {
                    assert_eq!(answer.reason(), "not_found", "{code}");
                }
            }
        }
        assert_eq!(world.page("").await["clicks"].as_array().unwrap().len(), 0);
        for path in ["/c/", "/c", &format!("/c/{good}/x")] {
            let asked = Request::get(path).body(Body::empty()).unwrap();
            assert_eq!(world.send(asked).await.status, 404, "{path}");
        }
        let posted = Request::post(format!("/c/{good}")).body(Body::empty()).unwrap();
        assert_eq!(world.send(posted).await.status, 405);
    }

    async fn odd_headers_are_recorded_without_harm(world = Tracked::new) {
        let odd = [
            ("user-agent", vec![0xff_u8, 0xfe, b'x', 0x80]),
            ("user-agent", vec![b'x'; 30_000]),
            ("user-agent", "\u{202e}\u{fffd}日本".as_bytes().to_vec()),
            ("referer", vec![0xc3]),
            ("referer", b"javascript:alert(1)".to_vec()),
            ("accept-language", vec![b'q'; 10_000]),
            ("sec-purpose", vec![0xff]),
            ("x-forwarded-for", b"not an address".to_vec()),
        ];
        let count = odd.len();
        for (name, value) in odd {
            let request = Request::get(format!("/c/{}", world.codes[0]));
            let request = request.header(name, HeaderValue::from_bytes(&value).unwrap()).body(Body::empty()).unwrap();
            assert_eq!(world.send(request).await.status, 302, "{name}");
        }
        let page = world.page("?limit=100").await;
        let clicks = page["clicks"].as_array().unwrap();
        assert_eq!(clicks.len(), count);
        for click in clicks {
            assert!(click["user_agent"].as_str().is_none_or(|agent| agent.chars().count() <= 512), "{click}");
        }
    }

    async fn parameters_that_cannot_be_are_named(world = Tracked::new) {
        for (query, parameter) in [
            ("?limit=0", "limit"),
            ("?limit=101", "limit"),
            ("?class=robot", "class"),
            ("?source=me", "source"),
            ("?button=-1", "button"),
            ("?button=255", "button"),
            ("?message=x", "message"),
            ("?cursor=AAAA", "cursor"),
            ("?date_from=yesterday", "date_from"),
            ("?date_from=2026-05-02&date_to=2026-05-01", "date_from"),
            ("/counts?by=hour", "by"),
            ("/counts?by=template,,class", "by"),
            ("/counts?date_from=2020-01-01&date_to=2026-01-01", "date_from"),
        ] {
            let answer = world.clicks(query).await;
            assert_eq!((answer.status.as_u16(), &answer.json()["parameter"]), (400, &parameter.into()), "{query}: {}", answer.text);
        }
        for query in ["?template=none", "?target=14155559999", "/counts?template=69eb4e9a1f0c2d3e4a5b6c7d"] {
            assert_eq!(world.clicks(query).await.status, 404, "{query}");
        }
    }
}
