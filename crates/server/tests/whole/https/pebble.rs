//! ACME with Pebble, the test server of Let's Encrypt, and its DNS server. Skipped where they are not installed.

use std::fs::File;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::authority::{Authority, certificate_of, trusting};
use crate::eventually;
use crate::home::Home;
use crate::server::Server;

const DOMAINS: [&str; 2] = ["wa.example.com", "console.example.com"];

/// Killed on drop.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port of this machine that is free now.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

struct Pebble {
    directory: String,
    management: SocketAddr,
    authority: Authority,
    processes: Vec<Process>,
}

impl Pebble {
    /// Validates names at this address, whatever the name. None where Pebble is not installed.
    fn start(home: &Home, https: SocketAddr) -> Option<Self> {
        let [listen, management, dns] = [free_address(), free_address(), free_address()];
        let authority = Authority::new();
        let issued = authority.issue();
        for (name, text) in [("pebble.pem", issued.certificate), ("pebble.key", issued.key)] {
            std::fs::write(home.file(name), text).unwrap();
        }
        std::fs::write(home.file("pebble-root.pem"), authority.pem()).unwrap();
        let config = json!({"pebble": {
            "listenAddress": listen.to_string(), "managementListenAddress": management.to_string(),
            "certificate": home.file("pebble.pem"), "privateKey": home.file("pebble.key"),
            "httpPort": free_address().port(), "tlsPort": https.port(),
        }});
        std::fs::write(home.file("pebble.json"), config.to_string()).unwrap();
        let resolver = start(
            home,
            Command::new("pebble-challtestsrv")
                .args(["-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dns01", &dns.to_string()])
                .args(["-http01", "", "-https01", "", "-tlsalpn01", ""])
                .args(["-management", &free_address().to_string()]),
        )?;
        let pebble = start(
            home,
            Command::new("pebble")
                .arg("-config")
                .arg(home.file("pebble.json"))
                .args(["-dnsserver", &dns.to_string()])
                .envs([("PEBBLE_VA_NOSLEEP", "1"), ("PEBBLE_WFE_NONCEREJECT", "0")]),
        )?;
        let directory = format!("https://localhost:{}/dir", listen.port());
        Some(Self { directory, management, authority, processes: vec![resolver, pebble] })
    }

    /// The authority that signs ordered certificates.
    async fn root(&self) -> String {
        let client = self.authority.client().build().unwrap();
        let url = format!("https://{}/roots/0", self.management);
        eventually("Pebble answers", async || client.get(&url).send().await.ok()?.text().await.ok()).await
    }
}

/// None where the program is not installed.
fn start(home: &Home, command: &mut Command) -> Option<Process> {
    let log = File::options().create(true).append(true).open(home.file("pebble.log")).unwrap();
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
    match command.spawn() {
        Ok(child) => Some(Process(child)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => panic!("{error}"),
    }
}

fn start_server(home: &Home, pebble: &Pebble, https: SocketAddr) -> Server {
    let root = home.file("pebble-root.pem");
    let settings = [
        ("SWITCHBOARD_HTTPS_LISTEN", https.to_string()),
        ("SWITCHBOARD_HTTPS_ACME_DOMAINS", DOMAINS.join(",")),
        ("SWITCHBOARD_HTTPS_ACME_CONTACT", "admin@example.com".to_owned()),
        ("SWITCHBOARD_HTTPS_ACME_DIRECTORY", pebble.directory.clone()),
        ("SWITCHBOARD_HTTPS_ACME_ROOT", root.to_str().unwrap().to_owned()),
    ];
    let settings: Vec<_> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Server::start_with(home, &settings)
}

/// The certificate that the server shows for this name, once it has one.
async fn certificate(server: &Server, root: &str, domain: &str, https: SocketAddr) -> Vec<u8> {
    let client = trusting(root).resolve(domain, https).build().unwrap();
    let url = format!("https://{domain}:{}/healthz", https.port());
    let answer = eventually("a certificate is ordered", async || {
        assert!(!server.log().contains("no certificate could be ordered"), "{}", server.log());
        client.get(&url).send().await.ok()
    });
    let answer = answer.await;
    assert_eq!(answer.status(), 200);
    certificate_of(&answer)
}

#[tokio::test]
async fn a_certificate_is_ordered_by_acme_and_kept() {
    let (home, https) = (Home::sqlite(), free_address());
    let Some(mut pebble) = Pebble::start(&home, https) else {
        eprintln!("skipped: pebble and pebble-challtestsrv are not installed");
        return;
    };
    let root = pebble.root().await;
    let server = start_server(&home, &pebble, https);
    let ordered = certificate(&server, &root, DOMAINS[0], https).await;
    assert_eq!(certificate(&server, &root, DOMAINS[1], https).await, ordered, "one certificate for all names");
    assert!(server.first_start().contains("https://wa.example.com/"), "the public URL follows from the names");
    // The certificate is in use before it is stored.
    let name = format!("acme_certificate:{}:{}", pebble.directory, DOMAINS.join(","));
    let db = home.db();
    let stored =
        eventually("it is stored", async || store::base::installation::sealed(&db, &name).await.unwrap()).await;
    assert!(!stored.contains("BEGIN"), "the key is stored sealed");
    drop(db);
    assert!(server.terminate().0.success());

    // Without Pebble nothing can be ordered.
    pebble.processes.clear();
    let server = start_server(&home, &pebble, https);
    assert_eq!(certificate(&server, &root, DOMAINS[0], https).await, ordered);
    assert!(server.terminate().0.success());
}
