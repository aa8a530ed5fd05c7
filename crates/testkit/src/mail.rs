//! A mail server on loopback: speaks SMTP without TLS and keeps the mails that it receives.
#![expect(clippy::unwrap_used, reason = "a test without its mail server must fail")]

use std::time::Duration;

use channels::mail::{MailSecurity, MailServer, Mailer};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Far more than a mail on loopback needs.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A mail that arrived.
#[derive(Debug, Clone)]
pub struct ReceivedMail {
    pub from: String,
    pub to: String,
    /// The credentials that the client sent with `AUTH PLAIN`, in base64.
    pub credentials: Option<String>,
    /// Headers and text as they were sent.
    pub data: String,
}

impl ReceivedMail {
    pub fn header(&self, name: &str) -> Option<&str> {
        let head = self.data.split("\r\n\r\n").next().unwrap_or_default();
        head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The text, with the line breaks and the `=3D` of quoted-printable decoded.
    pub fn text(&self) -> String {
        let body = self.data.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        body.replace("=\r\n", "").replace("=3D", "=")
    }
}

/// A mail server that accepts every mail (`start`) or refuses every recipient (`refusing`).
#[derive(Debug)]
pub struct MailReceiver {
    pub port: u16,
    arrived: UnboundedReceiver<ReceivedMail>,
}

impl MailReceiver {
    pub async fn start() -> Self {
        Self::listen(false).await
    }

    pub async fn refusing() -> Self {
        Self::listen(true).await
    }

    async fn listen(refuses: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (arrive, arrived) = unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, refuses, arrive.clone()));
            }
        });
        Self { port, arrived }
    }

    /// Settings of the application for sending to this server.
    pub fn server(&self) -> MailServer {
        MailServer {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            security: MailSecurity::Plain,
            credentials: None,
            from: "Switchboard <switchboard@example.com>".to_owned(),
        }
    }

    pub fn mailer(&self) -> Mailer {
        Mailer::new(&self.server()).unwrap()
    }

    /// Waits for the next mail.
    pub async fn next(&mut self) -> ReceivedMail {
        tokio::time::timeout(TIMEOUT, self.arrived.recv()).await.unwrap().unwrap()
    }

    /// Takes the mails that have arrived and were not taken by `next`.
    pub fn waiting(&mut self) -> Vec<ReceivedMail> {
        std::iter::from_fn(|| self.arrived.try_recv().ok()).collect()
    }
}

/// Serves one connection, until the client closes it.
async fn converse(stream: TcpStream, refuses: bool, arrive: UnboundedSender<ReceivedMail>) -> Option<()> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    let (mut from, mut to, mut credentials) = (String::new(), String::new(), None);
    write.write_all(b"220 test ESMTP\r\n").await.ok()?;
    while let Some(line) = lines.next_line().await.ok()? {
        let (verb, rest) = line.split_once([' ', ':']).unwrap_or((&line, ""));
        let answer = match verb.to_ascii_uppercase().as_str() {
            "EHLO" => "250-test\r\n250-8BITMIME\r\n250 AUTH PLAIN\r\n",
            "AUTH" => {
                credentials = rest.strip_prefix("PLAIN ").map(str::to_owned);
                "235 ok\r\n"
            }
            "MAIL" => {
                address(rest).clone_into(&mut from);
                "250 ok\r\n"
            }
            "RCPT" if refuses => "550 no such person\r\n",
            "RCPT" => {
                address(rest).clone_into(&mut to);
                "250 ok\r\n"
            }
            "DATA" => {
                write.write_all(b"354 go on\r\n").await.ok()?;
                let mut data = String::new();
                while let Some(line) = lines.next_line().await.ok()?.filter(|line| line != ".") {
                    data.push_str(line.strip_prefix('.').unwrap_or(&line));
                    data.push_str("\r\n");
                }
                let mail = ReceivedMail { from: from.clone(), to: to.clone(), credentials: credentials.clone(), data };
                arrive.send(mail).ok()?;
                "250 kept\r\n"
            }
            "QUIT" => "221 bye\r\n",
            _ => "250 ok\r\n",
        };
        write.write_all(answer.as_bytes()).await.ok()?;
    }
    Some(())
}

/// The text between the angle brackets; empty if there are none.
fn address(text: &str) -> &str {
    text.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or("", |(address, _)| address)
}
