//! Mail by SMTP: one plain text to one person. The operator names the server in the settings; without one no mail is
//! sent.
//!
//! A connection is made for each mail and closed after it: mails are rare. A failure concerns one mail only.

use std::time::Duration;

use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::AsyncSmtpTransportBuilder;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use zeroize::Zeroizing;

use crate::outgoing::{OutgoingBudget, Share};

/// Longest wait for each answer of the server.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// Time limit of a whole mail: less than that of an HTTP request, so that its answer can report the failure.
const MAIL_TIME: Duration = Duration::from_secs(20);

/// How the connection to the mail server is secured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailSecurity {
    /// Begins in plain text and must change to TLS.
    StartTls,
    /// TLS from the first byte.
    Tls,
    /// Plain text, for a server on this machine.
    Plain,
}

/// The mail server of the settings.
#[derive(Clone)]
pub struct MailServer {
    pub host: String,
    pub port: u16,
    pub security: MailSecurity,
    /// User name and password.
    pub credentials: Option<(String, Zeroizing<String>)>,
    /// The sender, as `name@host` or `Name <name@host>`.
    pub from: String,
}

/// An e-mail with plain text to one address.
#[derive(Debug, Clone, Copy)]
pub struct Mail<'a> {
    pub to: &'a str,
    pub subject: &'a str,
    pub text: &'a str,
}

#[derive(Debug, thiserror::Error)]
pub enum MailError {
    #[error("{0:?} cannot be used as a mail address")]
    Address(String),
    #[error("the mail cannot be composed: {0}")]
    Compose(#[from] lettre::error::Error),
    /// The server cannot be reached, or refuses.
    #[error("the mail server did not accept the mail: {0}")]
    Server(#[from] lettre::transport::smtp::Error),
    #[error("the mail server did not respond in time")]
    TooSlow,
    #[error("too many of this server's connections are in use")]
    Overloaded,
}

/// Sends mails. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    outgoing: OutgoingBudget,
}

#[boxed::futures]
impl Mailer {
    /// Connects to nothing yet: a mail server that is down must not prevent a start.
    pub fn new(server: &MailServer) -> Result<Self, MailError> {
        let from: Mailbox = server.from.parse().map_err(|_| MailError::Address(server.from.clone()))?;
        let mut builder = builder(server)?
            .port(server.port)
            .timeout(Some(ANSWER_TIME))
            .hello_name(ClientId::Domain(from.email.domain().to_owned()));
        if let Some((user, password)) = &server.credentials {
            builder = builder.credentials(Credentials::new(user.clone(), password.to_string()));
        }
        Ok(Self { transport: builder.build(), from, outgoing: OutgoingBudget::default() })
    }

    /// Takes the connections of this budget.
    #[must_use]
    pub fn within(self, outgoing: OutgoingBudget) -> Self {
        Self { outgoing, ..self }
    }

    pub async fn send(&self, mail: Mail<'_>) -> Result<(), MailError> {
        let to = mail.to.parse().map_err(|_| MailError::Address(mail.to.to_owned()))?;
        let id = format!("<{:032x}@{}>", rand::random::<u128>(), self.from.email.domain());
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(mail.subject)
            .message_id(Some(id))
            .header(ContentType::TEXT_PLAIN)
            .body(mail.text.to_owned())?;
        let send = async {
            let _permit = self.outgoing.call(Share::Mail).await.ok_or(MailError::Overloaded)?;
            Ok::<_, MailError>(self.transport.send(message).await?)
        };
        tokio::time::timeout(MAIL_TIME, send).await.map_err(|_| MailError::TooSlow)??;
        Ok(())
    }
}

fn builder(server: &MailServer) -> Result<AsyncSmtpTransportBuilder, lettre::transport::smtp::Error> {
    type Smtp = AsyncSmtpTransport<Tokio1Executor>;
    match server.security {
        MailSecurity::StartTls => Smtp::starttls_relay(&server.host),
        MailSecurity::Tls => Smtp::relay(&server.host),
        MailSecurity::Plain => Ok(Smtp::builder_dangerous(&server.host)),
    }
}

impl std::fmt::Debug for MailServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MailServer").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}
