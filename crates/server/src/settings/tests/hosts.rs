use super::super::hosts::{is_host, parse_http_url};

#[test]
fn hosts_are_names_or_addresses() {
    for good in ["a", "wa.example.com", "xn--bcher-kva.example", "10.0.0.1", "[::1]", "with_underscore.local"] {
        assert!(is_host(good), "{good}");
    }
    for bad in [
        "",
        ".",
        "a.",
        "a..b",
        "-a",
        "a-",
        "a b",
        "a:80",
        "::1",
        "[::1",
        "[x]",
        "10.0.0.256",
        "bücher.example",
        "a/b",
        "*.a",
    ] {
        assert!(!is_host(bad), "{bad}");
    }
    assert!(!is_host(&"a".repeat(64)) && !is_host(&"a.".repeat(130)));
}

#[test]
fn urls_are_taken_apart() {
    let url = parse_http_url("HTTPS://[::1]:8443/a?b#c").unwrap();
    assert!(url.secure && url.is_loopback());
    assert_eq!((url.host, url.rest), ("[::1]", "/a?b#c"));
    assert!(!parse_http_url("http://localhost.example.com").unwrap().is_loopback());
    assert!(parse_http_url("http://127.9.9.9").unwrap().is_loopback());
    for bad in ["http:/a", "http://a:", "http://a:b", "http://[::1]x", "http://a@b", "http://:80", "://a", "http://a\n"]
    {
        assert!(parse_http_url(bad).is_err(), "{bad}");
    }
}
