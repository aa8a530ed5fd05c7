use super::*;
use crate::transport::{FailureKind, empty};

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[expect(clippy::too_many_lines, reason = "a table")]
#[test]
fn special_addresses_are_not_public() {
    let special = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.0.1",
        "168.63.129.16",
        "169.254.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.0.170",
        "192.0.2.1",
        "192.31.196.1",
        "192.52.193.1",
        "192.88.99.1",
        "192.168.1.1",
        "192.175.48.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:168.63.129.16",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "64:ff9b:1::808:808",
        "100::1",
        "2001::1",
        "2001:0:4136:e378::1",
        "2001:10::1",
        "2001:20::1",
        "2001:1ff::1",
        "2001:db8::1",
        "2001:db8:ffff::1",
        "2002:7f00:1::",
        "2002:808:808::1",
        "3fff::1",
        "3fff:fff::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
        "1::1",
    ];
    for text in special {
        assert!(!is_public(address(text)), "{text}");
    }
}

#[test]
fn the_public_internet_is_public() {
    let public = [
        "1.1.1.1",
        "8.8.8.8",
        "100.63.255.255",
        "100.128.0.1",
        "168.63.129.15",
        "168.63.130.16",
        "169.253.1.1",
        "172.15.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "192.167.1.1",
        "198.17.255.255",
        "198.20.0.1",
        "223.255.255.255",
        "157.240.1.1",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2003::1",
        "2606:4700::1111",
        "2a03:2880:f10c::1",
        "3ffe::1",
        "3fff:1000::1",
    ];
    for text in public {
        assert!(is_public(address(text)), "{text}");
    }
}

#[test]
fn allowed_ranges_are_permitted() {
    let guard = Guard { allowed: Networks::parse(["10.1.0.0/16", "fd00::/8"]).unwrap() };
    for text in ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203", "fd00::1", "8.8.8.8"] {
        assert!(guard.permits(address(text)), "{text}");
    }
    for text in ["10.2.0.1", "127.0.0.1", "fc00::1"] {
        assert!(!guard.permits(address(text)), "{text}");
    }
    assert!(!Guard::default().permits(address("10.1.2.3")), "an empty list names nothing");
}

fn refusal(allowed: &[&str], uri: &str) -> Option<Refused> {
    let guard = Guard { allowed: Networks::parse(allowed.iter().copied()).unwrap() };
    let transport = GuardedTransport::new(guard, Timeouts::default()).unwrap();
    transport.transport_for(&uri.parse().unwrap()).err()
}

#[test]
fn urls_are_judged_before_resolution() {
    let none: [&str; 0] = [];
    let table = [
        ("https://example.com/a", None),
        ("https://8.8.8.8/a", None),
        ("https://[2606:4700::1111]/a", None),
        ("http://example.com/a", Some(Refused::Scheme)),
        ("ftp://example.com/a", Some(Refused::Scheme)),
        ("/relative", Some(Refused::NotAUrl)),
        ("https://user@example.com/", Some(Refused::Credentials)),
        ("https://user:secret@example.com/", Some(Refused::Credentials)),
        ("https://127.0.0.1/", Some(Refused::Address)),
        ("https://2130706433/", Some(Refused::Address)),
        ("https://0x7f.1/", Some(Refused::Address)),
        ("https://0177.0.0.1/", Some(Refused::Address)),
        ("https://[::1]/", Some(Refused::Address)),
        ("https://[::ffff:10.0.0.1]/", Some(Refused::Address)),
        ("https://169.254.169.254/latest/meta-data", Some(Refused::Address)),
        ("https://168.63.129.16/machine?comp=goalstate", Some(Refused::Address)),
    ];
    for (uri, expected) in table {
        assert_eq!(refusal(&none, uri), expected, "{uri}");
    }
}

#[test]
fn plain_http_is_for_named_ranges_only() {
    let named = ["127.0.0.0/8"];
    assert_eq!(refusal(&named, "http://127.0.0.1:9/"), None);
    assert_eq!(refusal(&named, "https://127.0.0.1:9/"), None);
    assert_eq!(refusal(&named, "http://8.8.8.8/"), Some(Refused::Scheme));
    assert_eq!(refusal(&named, "http://10.0.0.1/"), Some(Refused::Scheme));
    assert_eq!(refusal(&named, "https://10.0.0.1/"), Some(Refused::Address));
}

#[tokio::test]
async fn a_plain_host_must_lead_to_a_named_range() {
    let guard = |allowed: &[&str]| Guard { allowed: Networks::parse(allowed.iter().copied()).unwrap() };
    let (ours, other) = (guard(&["127.0.0.0/8", "::1"]), guard(&["10.0.0.0/8"]));
    for url in ["http://localhost:9/", "http://127.0.0.1/", "https://localhost/", "https://no-such-host.invalid/"] {
        assert_eq!(ours.check_host(url).await, Ok(()), "{url}");
    }
    for url in ["http://localhost:9/", "http://8.8.8.8/", "http://no-such-host.invalid/"] {
        assert_eq!(other.check_host(url).await, Err(Refused::Scheme), "{url}");
    }
}

async fn call(allowed: &[&str], uri: String) -> TransportError {
    let guard = Guard { allowed: Networks::parse(allowed.iter().copied()).unwrap() };
    let transport = GuardedTransport::new(guard, Timeouts::default()).unwrap();
    transport.call(Request::get(uri).body(empty()).unwrap()).await.unwrap_err()
}

#[tokio::test]
async fn a_name_is_judged_by_what_it_resolves_to() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = call(&[], format!("https://localhost:{port}/")).await;
    assert!(matches!(&refused, TransportError::Forbidden(text) if text.contains("no public address")), "{refused}");
    let refused = call(&["10.0.0.0/8"], format!("http://localhost:{port}/")).await;
    assert!(matches!(refused, TransportError::Forbidden(_)), "{refused}");
    // The guard permits it; then the connection is refused.
    let allowed = call(&["127.0.0.0/8", "::1"], format!("http://localhost:{port}/")).await;
    assert!(matches!(allowed, TransportError::NotConnected(_)), "{allowed}");
}

/// Answers one request per connection with 204 and closes it.
async fn closing_server() -> SocketAddr {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 1024]).await;
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").await;
        }
    });
    address
}

#[tokio::test]
async fn a_rebound_name_is_judged_again() {
    let server = closing_server().await;
    let asked = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    // DNS rebinding: the first answer is a permitted address, the second a private one.
    let look_up: Arc<LookUp> = Arc::new(move |_| {
        let first = counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        let found = if first { server } else { SocketAddr::from(([169, 254, 169, 254], server.port())) };
        Box::pin(async move { Ok(vec![found]) })
    });
    let guard = Guard { allowed: Networks::parse(["127.0.0.0/8"]).unwrap() };
    let transport = GuardedTransport::with_look_up(guard, Timeouts::default(), &look_up).unwrap();
    let request = || Request::get(format!("http://rebinding.example:{}/", server.port())).body(empty()).unwrap();
    assert_eq!(transport.call(request()).await.unwrap().status(), 204);
    let second = transport.call(request()).await.unwrap_err();
    assert!(matches!(&second, TransportError::Forbidden(why) if why.contains("no public address")), "{second}");
    assert_eq!(asked.load(std::sync::atomic::Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_no_refused_connection() {
    let look_up: Arc<LookUp> =
        Arc::new(|_| Box::pin(async { Err(std::io::Error::from(std::io::ErrorKind::ConnectionRefused)) }));
    let transport = GuardedTransport::with_look_up(Guard::default(), Timeouts::default(), &look_up).unwrap();
    let request = Request::get("https://unresolved.example/").body(empty()).unwrap();
    let error = transport.call(request).await.unwrap_err();
    assert_eq!(error.kind(), FailureKind::NotResolved, "{error}");
    assert_eq!(error.summary(), "no connection: the name does not resolve");
}
