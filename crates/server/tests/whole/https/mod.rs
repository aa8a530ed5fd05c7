//! HTTPS: certificate files, their reload, and clients that misuse the port. ACME is in `pebble.rs`.

pub mod authority;
mod pebble;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use reqwest::Version;
use serde_json::json;

use crate::eventually;
use crate::home::Home;
use crate::server::{Server, refused};
use authority::{Authority, Issued, certificate_of};

/// Time limit of reading: shorter than the server's own time limits where the server must not wait for them.
const TIMEOUT: Duration = Duration::from_secs(20);

struct Tested {
    authority: Authority,
    server: Server,
    https: SocketAddr,
    home: Home,
}

impl Tested {
    async fn start(settings: &[(&str, &str)]) -> Self {
        let (home, authority) = (Home::sqlite(), Authority::new());
        authority.issue().write(&home);
        let own = [
            ("SWITCHBOARD_HTTPS_LISTEN", "127.0.0.1:0"),
            ("SWITCHBOARD_HTTPS_CERTIFICATE", "certificate.pem"),
            ("SWITCHBOARD_HTTPS_KEY", "key.pem"),
        ];
        let server = Server::start_with(&home, &[own.as_slice(), settings].concat());
        let https = eventually("https is served", async || server.address_in_log("https is served")).await;
        Self { authority, server, https, home }
    }

    fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.https)
    }

    async fn get(&self, client: &reqwest::Client) -> reqwest::Response {
        let answer = client.get(self.url("/healthz")).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        answer
    }

    /// The certificate that a new connection gets.
    async fn new_certificate(&self) -> Vec<u8> {
        certificate_of(&self.get(&self.authority.client().build().unwrap()).await)
    }

    /// Waits until new connections get another certificate than this one.
    async fn other_certificate(&self, than: &[u8]) -> Vec<u8> {
        let changed = async || Some(self.new_certificate().await).filter(|found| found != than);
        eventually("new connections get the new certificate", changed).await
    }

    /// Sends bytes and reads until the server closes.
    fn exchange(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        read_to_end(stream)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.https).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }
}

/// A reset counts as an end, a time-out does not.
fn read_to_end(mut stream: TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "the server does not close");
    }
    answer
}

#[tokio::test]
async fn clients_speak_http2_or_http1_over_tls_1_3_or_1_2() {
    let tested = Tested::start(&[("SWITCHBOARD_METRICS_TOKEN", "scrape-me-scrape-me")]).await;
    let newest = tested.get(&tested.authority.client().build().unwrap()).await;
    assert_eq!(newest.version(), Version::HTTP_2);
    assert_eq!(newest.headers()["strict-transport-security"], "max-age=31536000");
    let http1 = tested.get(&tested.authority.client().http1_only().build().unwrap()).await;
    assert_eq!(http1.version(), Version::HTTP_11);
    let tls12 = tested.authority.client().tls_version_max(reqwest::tls::Version::TLS_1_2).build().unwrap();
    assert_eq!(tested.get(&tls12).await.version(), Version::HTTP_2);
    let stranger = Authority::new().client().build().unwrap();
    assert!(stranger.get(tested.url("/healthz")).send().await.is_err(), "the certificate is checked");

    let client = tested.authority.client().build().unwrap();
    let calls = client.get(tested.url("/api/ext/v3/calls")).bearer_auth(tested.server.token());
    assert_eq!(calls.send().await.unwrap().status(), 200);
    let metrics = client.get(tested.url("/metrics")).bearer_auth("scrape-me-scrape-me").send().await.unwrap();
    let text = metrics.text().await.unwrap();
    let expires = text.lines().find_map(|line| line.strip_prefix("switchboard_certificate_expires_timestamp_seconds "));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    assert!(expires.unwrap().parse::<f64>().unwrap() > now, "{text}");
    assert!(tested.server.first_start().contains(&tested.url("/")), "links have the address of HTTPS");
    assert_eq!(crate::http().get(tested.server.url("/healthz")).send().await.unwrap().status(), 200);
    assert!(tested.server.terminate().0.success());
}

#[tokio::test]
async fn sessions_of_the_console_have_cookies_for_https_alone() {
    let tested = Tested::start(&[]).await;
    let client = tested.authority.client().build().unwrap();
    let link = tested.server.given_after("set up ");
    let code = link.strip_prefix(&tested.url("/console/set-up#")).and_then(|rest| rest.split_whitespace().next());
    let code = code.unwrap_or_else(|| panic!("{link}"));
    let body = json!({"code": code, "password": "a first long password"});
    let post = |origin: &str| client.post(tested.url("/console/api/set-up")).header("origin", origin).json(&body);
    assert_eq!(post("https://evil.example").send().await.unwrap().status(), 403);
    let done = post(&tested.url("")).send().await.unwrap();
    assert_eq!(done.status(), 200);
    let cookies = done.headers().get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap().to_owned());
    let session = cookies.into_iter().find(|cookie| cookie.starts_with("__Host-switchboard_session=")).unwrap();
    assert!(session.ends_with("; Secure"), "{session}");
    let cookie = session.split(';').next().unwrap();
    let own = client.get(tested.url("/console/api/session")).header("cookie", cookie).send().await.unwrap();
    assert_eq!(own.status(), 200);
}

#[tokio::test]
async fn changed_files_are_used_for_new_connections_and_broken_ones_are_not() {
    let tested = Tested::start(&[]).await;
    let kept = tested.authority.client().build().unwrap();
    let first = certificate_of(&tested.get(&kept).await);
    tested.authority.issue().write(&tested.home);
    let second = tested.other_certificate(&first).await;
    assert_eq!(certificate_of(&tested.get(&kept).await), first, "the open connection stays");

    let Issued { certificate, .. } = tested.authority.issue();
    std::fs::write(tested.home.file("certificate.pem"), certificate).unwrap();
    tested.server.send_signal("HUP");
    let mismatch = "https.key: key.pem: its private key does not belong to the certificate";
    eventually("the mismatch is logged", async || tested.server.log().contains(mismatch).then_some(())).await;
    assert_eq!(tested.new_certificate().await, second);
    std::fs::remove_file(tested.home.file("key.pem")).unwrap();
    tested.server.send_signal("HUP");
    let missing = "https.key: the file key.pem cannot be read";
    eventually("the missing file is logged", async || tested.server.log().contains(missing).then_some(())).await;
    assert_eq!(tested.new_certificate().await, second);

    tested.authority.issue().write(&tested.home);
    tested.server.send_signal("HUP");
    let third = tested.other_certificate(&second).await;
    assert_ne!(third, first);
    assert_eq!(certificate_of(&tested.get(&kept).await), first, "the open connection stays");
    assert!(tested.server.terminate().0.success());
}

#[test]
fn a_start_without_a_usable_certificate_is_refused() {
    let (home, authority) = (Home::sqlite(), Authority::new());
    let issued = authority.issue();
    let start = |settings: &[(&str, &str)]| {
        let mut command = home.binary();
        command.args(["serve", "--listen", "127.0.0.1:0"]).env("SWITCHBOARD_HTTPS_LISTEN", "127.0.0.1:0");
        command.envs(settings.iter().copied());
        let (status, said) = refused(command);
        assert!(!status.success(), "{said}");
        said
    };
    let files = [("SWITCHBOARD_HTTPS_CERTIFICATE", "certificate.pem"), ("SWITCHBOARD_HTTPS_KEY", "key.pem")];
    let said = start(&files);
    assert!(said.contains("https.certificate: the file certificate.pem cannot be read: No such file"), "{said}");
    Issued { key: authority.issue().key, ..issued }.write(&home);
    let said = start(&files);
    assert!(said.contains("https.key: key.pem: its private key does not belong to the certificate"), "{said}");
    assert!(said.contains("give the private key that belongs to the certificate certificate.pem"), "{said}");
    std::fs::write(home.file("certificate.pem"), "nothing").unwrap();
    let said = start(&files);
    assert!(said.contains("https.certificate: certificate.pem: it holds no certificate in PEM form"), "{said}");
    assert!(start(&[]).contains("https.listen: HTTPS needs a certificate"));
}

/// The first bytes of a handshake, whose rest never comes.
const HALF_A_HELLO: &[u8] = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";

#[tokio::test]
async fn a_handshake_that_never_ends_is_closed() {
    let tested = Tested::start(&[("SWITCHBOARD_SERVER_HEADER_TIMEOUT_SECONDS", "1")]).await;
    for bytes in [b"".as_slice(), HALF_A_HELLO] {
        assert_eq!(tested.exchange(bytes), b"", "{bytes:?}");
    }
    tested.new_certificate().await;
}

/// The cap of an address applies before the handshake: a further connection takes the place of the idle one.
#[tokio::test]
async fn connections_in_their_handshake_count_for_their_address() {
    let settings =
        [("SWITCHBOARD_SERVER_MAX_CONNECTIONS_PER_ADDRESS", "1"), ("SWITCHBOARD_SERVER_HEADER_TIMEOUT_SECONDS", "600")];
    let tested = Tested::start(&settings).await;
    let mut first = tested.connect();
    first.write_all(HALF_A_HELLO).unwrap();
    tested.new_certificate().await;
    assert_eq!(read_to_end(first), b"");
}

#[tokio::test]
async fn plain_http_on_the_port_of_https_is_closed() {
    let tested = Tested::start(&[]).await;
    let requests: [&[u8]; 3] =
        [b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &[0xff; 1000]];
    for request in requests {
        let answer = tested.exchange(request);
        assert!(!answer.starts_with(b"HTTP/"), "{}", String::from_utf8_lossy(&answer));
    }
    tested.new_certificate().await;
    assert!(tested.server.terminate().0.success());
}
