//! Malformed requests on raw sockets: each gets a status and an error body, none hangs, and the server keeps running.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::home::Home;
use crate::server::Server;

/// Time-out of reading and writing: shorter than the server's own time limits.
const TIMEOUT: Duration = Duration::from_secs(8);
const CALLS: &str = "/api/ext/v3/calls";
const ADD_CONTACT: &str = "/100001/api/v1/addContact/14155552671";
const MEBIBYTE: usize = 1 << 20;

struct Answer {
    status: u16,
    body: Value,
}

/// Sends bytes and reads until the server closes. Write errors are ignored: the server may stop reading.
fn exchange(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.set_write_timeout(Some(TIMEOUT)).unwrap();
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        let hangs = matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
        assert!(!hangs, "no answer, or no end of it: {}", String::from_utf8_lossy(&answer));
    }
    answer
}

fn parsed(answer: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no HTTP: {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(head.to_ascii_lowercase().contains("\r\nx-request-id: "), "{head}");
    Answer { status, body: serde_json::from_str(body).unwrap_or_else(|_| panic!("no JSON: {text:?}")) }
}

fn assert_lives(server: &Server) {
    let answer = exchange(server.address, b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert_eq!(parsed(&answer).body["status"], "ok");
}

/// A server with its token.
struct Tested {
    server: Server,
    token: String,
    _home: Home,
}

impl Tested {
    fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(settings: &[(&str, &str)]) -> Self {
        let home = Home::sqlite();
        let server = Server::start_with(&home, settings);
        Self { token: server.token(), server, _home: home }
    }

    /// A request line and further lines, with the credential.
    fn head(&self, line: &str, further: &str) -> Vec<u8> {
        let token = &self.token;
        let head = format!(
            "{line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: close\r\n{further}\r\n"
        );
        head.into_bytes()
    }

    fn post(&self, path: &str, mime: &str, body: &[u8]) -> Vec<u8> {
        let further = format!("content-type: {mime}\r\ncontent-length: {}\r\n", body.len());
        [self.head(&format!("POST {path}"), &further), body.to_vec()].concat()
    }

    #[track_caller]
    fn answers(&self, request: &[u8], status: u16, reason: &str) -> String {
        let answer = parsed(&exchange(self.server.address, request));
        assert_eq!((answer.status, answer.body["reason"].as_str()), (status, Some(reason)), "{}", answer.body);
        assert_lives(&self.server);
        answer.body["message"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn succeeds(&self, request: &[u8]) -> Value {
        let answer = parsed(&exchange(self.server.address, request));
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_lives(&self.server);
        answer.body
    }
}

fn call(name: &str) -> String {
    format!(
        r#"{{"call_id": "{name}", "direction": "inbound", "from_number": "14155552671", "to_number": "14155550100",
            "started_at": "2026-04-24T10:00:00Z"}}"#
    )
}

fn chunked(body: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n0\r\n\r\n"].concat()
}

#[test]
fn heads_that_are_too_large_are_refused() {
    let tested = Tested::start();
    let giant = format!("x-giant: {}\r\n", "a".repeat(200_000));
    tested.answers(&tested.head("GET /healthz", &giant), 431, "headers_too_large");
    let many = "x-small: a\r\n".repeat(10_000);
    tested.answers(&tested.head("GET /healthz", &many), 431, "headers_too_large");
    let long = format!("GET /healthz?{}", "a".repeat(200_000));
    tested.answers(&tested.head(&long, ""), 431, "headers_too_large");
    // Below the limit of the head: the error body names the problem and is short.
    let message =
        tested.answers(&tested.head(&format!("GET {CALLS}?{}", "a".repeat(50_000)), ""), 400, "invalid_parameter");
    assert!(message.len() < 1_000, "{} bytes", message.len());
}

#[test]
fn bodies_that_are_too_large_are_refused() {
    let tested = Tested::start();
    let long = format!(r#"{{"call_id": "{}"}}"#, "a".repeat(2 * MEBIBYTE));
    for path in [CALLS, ADD_CONTACT] {
        tested.answers(&tested.post(path, "application/json", long.as_bytes()), 413, "body_too_large");
    }
    let further = "content-type: application/json\r\ntransfer-encoding: chunked\r\n";
    let request = [tested.head(&format!("POST {CALLS}"), further), chunked(long.as_bytes())].concat();
    tested.answers(&request, 413, "body_too_large");
    let announced = "content-type: application/json\r\ncontent-length: 99999999999\r\n";
    tested.answers(&tested.head(&format!("POST {CALLS}"), announced), 413, "body_too_large");
    let field = "--b\r\ncontent-disposition: form-data; name=\"name\"\r\n\r\n";
    let form = format!("{field}{}\r\n--b--\r\n", "a".repeat(2 * MEBIBYTE));
    tested.answers(
        &tested.post(ADD_CONTACT, "multipart/form-data; boundary=b", form.as_bytes()),
        413,
        "body_too_large",
    );
    let form = format!("name={}", "a".repeat(2 * MEBIBYTE));
    let request = tested.post(ADD_CONTACT, "application/x-www-form-urlencoded", form.as_bytes());
    tested.answers(&request, 413, "body_too_large");
}

#[test]
fn credentials_that_cannot_be_read_are_named() {
    let tested = Tested::start();
    let not_text = [
        format!("GET {CALLS} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n").as_bytes(),
        b"authorization: Bearer \xff\xfe\r\n\r\n",
    ]
    .concat();
    assert!(tested.answers(&not_text, 400, "malformed_request").contains("Authorization"));
    let twice = tested.head(&format!("GET {CALLS}"), "authorization: Bearer another\r\n");
    assert!(tested.answers(&twice, 400, "malformed_request").contains("Authorization"));
    let same_twice = tested.head(&format!("GET {CALLS}"), &format!("authorization: Bearer {}\r\n", tested.token));
    assert!(tested.answers(&same_twice, 400, "malformed_request").contains("Authorization"));
}

#[test]
fn malformed_http_is_refused() {
    let tested = Tested::start();
    let requests: [&[u8]; 8] = [
        b"nonsense\r\n\r\n",
        b"GET /healthz\r\n\r\n",
        b"GET  /healthz HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\nhost: x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: x\r\nno colon\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-nul: a\0b\r\n\r\n",
        b"POST /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 tls instead of http\r\n\r\n",
    ];
    for request in requests {
        tested.answers(request, 400, "malformed_request");
    }
    // Malformed HTTP/2 gets frames or no answer.
    exchange(tested.server.address, &[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), &[b'x'; 1_000]].concat());
    assert_lives(&tested.server);
}

#[test]
fn unusual_but_correct_http_is_understood() {
    let tested = Tested::start();
    let absolute =
        format!("GET http://{}/healthz HTTP/1.1\r\nhost: y\r\nconnection: close\r\n\r\n", tested.server.address);
    assert_eq!(tested.succeeds(absolute.as_bytes())["status"], "ok");
    assert_eq!(tested.succeeds(b"GET /healthz HTTP/1.0\r\n\r\n")["status"], "ok");
    let shouted = tested.head(&format!("GET {}", CALLS.to_uppercase()), "");
    assert!(tested.succeeds(&shouted)["calls"].is_array());
    tested.answers(&tested.head("OPTIONS *", ""), 404, "route_not_found");
    tested.answers(&tested.head("CONNECT example.com:80", ""), 404, "route_not_found");
    tested.answers(&tested.head("TRACE /healthz", ""), 405, "method_not_allowed");
    tested.answers(&tested.head("BREW /healthz", ""), 405, "method_not_allowed");
}

/// The chunks define the length; bytes after them are not parsed as a second request.
#[test]
fn two_lengths_cannot_smuggle_a_request() {
    let tested = Tested::start();
    let token = &tested.token;
    let smuggled = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    for lengths in
        ["content-length: 5\r\ntransfer-encoding: chunked\r\n", "transfer-encoding: chunked\r\ncontent-length: 5\r\n"]
    {
        let head = format!(
            "POST {CALLS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
             {lengths}\r\n"
        );
        let request = [head.as_bytes(), &chunked(call("chunked").as_bytes()), smuggled].concat();
        assert_eq!(tested.succeeds(&request)["call_id"], "chunked");
    }
    let further = "content-type: application/json\r\ncontent-length: 5\r\ncontent-length: 6\r\n";
    tested.answers(&tested.head(&format!("POST {CALLS}"), further), 400, "malformed_request");
    let further = "content-type: application/json\r\ntransfer-encoding: gzip\r\n";
    tested.answers(&tested.head(&format!("POST {CALLS}"), further), 400, "malformed_request");
}

#[test]
fn half_a_body_stores_nothing_and_harms_no_other_request() {
    let tested = Tested::start();
    let whole = tested.post(CALLS, "application/json", call("half").as_bytes());
    let mut stream = TcpStream::connect(tested.server.address).unwrap();
    stream.write_all(&whole[..whole.len() - 10]).unwrap();
    drop(stream);
    assert_lives(&tested.server);
    assert_eq!(tested.succeeds(&tested.head(&format!("GET {CALLS}"), ""))["calls"], serde_json::json!([]));
}

#[test]
fn only_the_configured_hosts_are_answered_for() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_SERVER_HOSTS", "wa.example.com,localhost")]);
    let ask = |target: &str, host: &str| {
        let request = format!("GET {target} HTTP/1.1\r\n{host}connection: close\r\n\r\n");
        let answer = parsed(&exchange(server.address, request.as_bytes()));
        (answer.status, answer.body["reason"].as_str().map(str::to_owned))
    };
    let refused = (421, Some("wrong_host".to_owned()));
    assert_eq!(ask("/healthz", "host: evil.example\r\n"), refused);
    assert_eq!(ask("/healthz", ""), (400, Some("malformed_request".to_owned())));
    assert_eq!(ask("http://evil.example/healthz", "host: wa.example.com\r\n"), refused);
    for host in ["wa.example.com", "WA.example.com:8443", "localhost:80"] {
        assert_eq!(ask("/healthz", &format!("host: {host}\r\n")), (200, None), "{host}");
    }
}

/// Of several hosts, a proxy and the server could choose different ones.
#[test]
fn a_request_has_exactly_one_host() {
    let tested = Tested::start();
    for hosts in ["", "host: a.example\r\nhost: b.example\r\n", "host: a.example\r\nhost: a.example\r\n"] {
        let request = format!("GET /healthz HTTP/1.1\r\n{hosts}connection: close\r\n\r\n");
        tested.answers(request.as_bytes(), 400, "malformed_request");
    }
    assert_eq!(tested.succeeds(b"GET /healthz HTTP/1.0\r\n\r\n")["status"], "ok");
}

#[test]
fn malformed_json_is_refused() {
    let tested = Tested::start();
    let deep = [r#"{"call_id":"#, &"[".repeat(100_000), &"]".repeat(100_000), "}"].concat();
    let ignored = [r#"{"unknown":"#, &"[".repeat(100_000), &"]".repeat(100_000), "}"].concat();
    let surrogate = call("x").replace('x', r"\ud800");
    let [cut, twice] = [call("x")[..40].to_owned(), call("x") + "{}"];
    for body in [&deep, &ignored, &surrogate, &cut, &twice, "", "null", "[]", "\u{feff}{}"] {
        tested.answers(&tested.post(CALLS, "application/json", body.as_bytes()), 400, "invalid_body");
    }
    for body in [deep.as_str(), "[]", "{", "\"text\""] {
        tested.answers(&tested.post(ADD_CONTACT, "application/json", body.as_bytes()), 400, "invalid_body");
    }
    let not_utf8 = [b"{\"call_id\": \"".as_slice(), b"\xff\xfe\"}"].concat();
    tested.answers(&tested.post(CALLS, "application/json", &not_utf8), 400, "invalid_body");
    let nul = call("x").replace('x', r"\u0000");
    tested.answers(&tested.post(CALLS, "application/json", nul.as_bytes()), 400, "invalid_body");
    tested.answers(&tested.post(CALLS, "text/plain", call("x").as_bytes()), 415, "unsupported_media_type");
    let further = "content-type: \u{e9}\r\ncontent-length: 0\r\n";
    tested.answers(&tested.head(&format!("POST {CALLS}"), further), 415, "unsupported_media_type");
    tested.answers(&tested.post(ADD_CONTACT, "multipart/form-data", b""), 400, "invalid_body");
}

#[test]
fn malformed_paths_and_queries_are_refused() {
    let tested = Tested::start();
    for target in ["/api/ext/v3/calls/%ff", "/api/ext/v3/calls?operator=%ff", "/api/ext/v3/calls?operator=%00"] {
        tested.answers(&tested.head(&format!("GET {target}"), ""), 400, "malformed_request");
    }
    tested.answers(&tested.post("/100001/api/v1/addContact/%ff", "application/json", b"{}"), 400, "malformed_request");
    tested.answers(&tested.head("GET /%ff/api/v1/getContacts", ""), 403, "tenant_mismatch");
    tested.answers(&tested.head("GET /api/ext/v3/calls/%00", ""), 404, "not_found");
    tested.answers(&tested.head("GET /api/ext/v3/calls/..%2f..%2fetc%2fpasswd", ""), 404, "not_found");
}
