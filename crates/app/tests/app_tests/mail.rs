//! Sends mail to an SMTP server on loopback.

use app::Command;
use app::identity::mails::MailOutcome;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use channels::mail::{Mail, MailError, MailSecurity, MailServer, Mailer};
use channels::outgoing::{OutgoingBudget, Share};
use domain::TenantId;
use domain::identity::roles::Role;
use testkit::World;
use testkit::database::TestDb;
use testkit::mail::MailReceiver;
use testkit::outgoing::use_up;

const MAIL: Mail<'_> = Mail { to: "ada@example.com", subject: "Grüße", text: "Hello Ada,\n\n.one dot\n" };

fn with_credentials(server: MailServer) -> MailServer {
    MailServer { credentials: Some(("switchboard".to_owned(), "hunter2".to_owned().into())), ..server }
}

#[tokio::test]
async fn a_mail_arrives_as_it_was_written() {
    let mut mails = MailReceiver::start().await;
    let mailer = Mailer::new(&with_credentials(mails.server())).unwrap();
    mailer.send(MAIL).await.unwrap();
    let mail = mails.next().await;
    assert_eq!((mail.from.as_str(), mail.to.as_str()), ("switchboard@example.com", "ada@example.com"));
    assert_eq!(mail.credentials, Some(STANDARD.encode("\0switchboard\0hunter2")));
    assert!(mail.header("Subject").is_some_and(|subject| subject.starts_with("=?utf-8?")), "{}", mail.data);
    assert!(mail.header("Date").is_some(), "{}", mail.data);
    assert_eq!(mail.text().trim_end(), "Hello Ada,\r\n\r\n.one dot");
}

#[tokio::test]
async fn what_must_be_encrypted_is_not_sent_in_plain() {
    for security in [MailSecurity::StartTls, MailSecurity::Tls] {
        let mut mails = MailReceiver::start().await;
        let server = MailServer { security, ..with_credentials(mails.server()) };
        let error = Mailer::new(&server).unwrap().send(MAIL).await.unwrap_err();
        assert!(matches!(error, MailError::Server(_)), "{error}");
        assert!(!format!("{error} {error:?} {server:?}").contains("hunter2"));
        assert!(mails.waiting().is_empty());
    }
}

#[tokio::test]
async fn a_failure_says_what_is_wrong() {
    let refusing = MailReceiver::refusing().await;
    let error = refusing.mailer().send(MAIL).await.unwrap_err().to_string();
    assert!(error.contains("no such person"), "{error}");
    for to in ["nobody", "a@b\r\nBcc: c@d", ""] {
        let error = refusing.mailer().send(Mail { to, ..MAIL }).await.unwrap_err();
        assert!(matches!(error, MailError::Address(_)), "{error}");
    }
    let server = MailServer { from: "nobody".to_owned(), ..refusing.server() };
    assert!(matches!(Mailer::new(&server), Err(MailError::Address(_))));
    // A port that was free a moment ago, so that connections to it are refused.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = Mailer::new(&MailServer { port, ..refusing.server() }).unwrap().send(MAIL).await.unwrap_err();
    assert!(matches!(error, MailError::Server(_)), "{error}");
}

#[tokio::test]
async fn a_mail_takes_a_connection_of_the_share_of_mails() {
    let mut mails = MailReceiver::start().await;
    let outgoing = OutgoingBudget::default();
    let mailer = mails.mailer().within(outgoing.clone());
    let used_up = use_up(&outgoing, Share::Mail);
    assert!(matches!(mailer.send(MAIL).await, Err(MailError::Overloaded)));
    assert!(mails.waiting().is_empty());
    drop(used_up);
    let _others = [use_up(&outgoing, Share::Issuers), use_up(&outgoing, TenantId::INSTALLATION)];
    mailer.send(MAIL).await.unwrap();
    mails.next().await;
}

#[tokio::test]
async fn the_application_s_mails_take_connections_of_its_budget() {
    let mut mails = MailReceiver::start().await;
    let world = World::with_mailer(TestDb::sqlite().await, mails.mailer());
    let (links, me) = (world.app.identity().one_time_links(), Command(world.tenant()));
    let address = format!("ada-{}@example.com", world.tenant());
    world.account(world.tenant(), &address, Role::Operator).await;
    let link = links.issue(&me, &address).await.unwrap();
    let used_up = use_up(world.app.outgoing(), Share::Mail);
    let outcome = links.mail(&me, &link, "https://switchboard.example").await.unwrap();
    assert!(matches!(&outcome, MailOutcome::Failed(why) if why.contains("connections")), "{outcome:?}");
    drop(used_up);
    let outcome = links.mail(&me, &link, "https://switchboard.example").await.unwrap();
    assert!(matches!(outcome, MailOutcome::Sent), "{outcome:?}");
    assert_eq!(mails.next().await.to, address);
}
