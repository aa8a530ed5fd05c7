//! Hands over the credentials of a new installation once: address, set-up link, token and an example request. Where
//! standard output is a terminal they are printed; elsewhere a service manager or a container would keep the output, so
//! they go to a file that only its owner can read, and the log names it. Secrets never go to the log.

use std::fmt;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, IsTerminal as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use app::App;
use app::platform::first_start::FirstStart;
use domain::messaging::channels::SANDBOX;
use serde::Serialize;

/// File name in the data folder.
pub const FIRST_START_FILE: &str = "first-start.txt";

/// How the credentials of a new installation are handed over.
#[derive(Debug, Clone, Copy)]
pub enum Handover {
    /// They must reach only the person who starts the server: see [`announce`].
    Once,
    /// To standard output, for the program that starts the server: they are of no use after the server has stopped.
    Ephemeral { json: bool },
}

/// What a test needs to use an ephemeral server.
#[derive(Serialize)]
pub struct EphemeralStart {
    url: String,
    tenant: String,
    token: String,
    /// The data folder, for commands: `switchboard --data DATA sandbox say …`.
    data: PathBuf,
    /// Absent when the sandbox is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<EphemeralGraph>,
}

/// The sandbox channel, for a client of the Cloud API.
#[derive(Serialize)]
struct EphemeralGraph {
    /// URL of the Graph API with its version.
    base_url: String,
    phone_number: String,
    phone_number_id: String,
    business_account_id: String,
    access_token: String,
    app_secret: String,
    verify_token: String,
}

impl fmt::Debug for EphemeralStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EphemeralStart").field("url", &self.url).field("data", &self.data).finish_non_exhaustive()
    }
}

impl EphemeralStart {
    pub async fn new(first: &FirstStart, app: &App, url: &str, data: &Path) -> app::Result<Self> {
        let channels = app.messaging().channels().list(&app::Command(first.tenant)).await?;
        let graph = match (channels.first(), app.messaging().networks().base_url(SANDBOX)) {
            (Some(channel), Some(base_url)) => {
                let opened = app.messaging().channels().open(first.tenant, channel.id).await?;
                Some(EphemeralGraph {
                    base_url,
                    phone_number: channel.phone_number.clone(),
                    phone_number_id: channel.phone_number_id.clone(),
                    business_account_id: channel.account_id.clone(),
                    access_token: opened.secrets.access_token.to_string(),
                    app_secret: opened.secrets.app_secret.to_string(),
                    verify_token: opened.secrets.verify_token.to_string(),
                })
            }
            _ => None,
        };
        let (tenant, token) = (first.tenant.to_string(), first.token.reveal().to_owned());
        Ok(Self { url: url.to_owned(), tenant, token, data: data.to_owned(), graph })
    }

    pub fn text(&self, first: &FirstStart, has_sandbox: bool) -> String {
        let (usual, data) = (text(first, &self.url, has_sandbox), self.data.display());
        let graph = self.graph.as_ref().map_or_else(String::new, |graph| {
            format!(
                "To use the sandbox as the Cloud API in your own code:\n\n\
                 \x20 base URL              {}\n\
                 \x20 phone number id       {}\n\
                 \x20 business account id   {}\n\
                 \x20 access token          {}\n\
                 \x20 app secret            {}\n\
                 \x20 verify token          {}\n\n",
                graph.base_url,
                graph.phone_number_id,
                graph.business_account_id,
                graph.access_token,
                graph.app_secret,
                graph.verify_token
            )
        });
        format!(
            "{usual}{graph}This server is ephemeral: all data is in {data}\n\
             and is removed when the server stops. Commands reach it with --data {data}\n"
        )
    }
}

/// Prints the credentials, or writes them to a file in the data folder where standard output is not a terminal.
pub fn announce(first: &FirstStart, url: &str, has_sandbox: bool, data: &Path) {
    let text = text(first, url, has_sandbox);
    let mut out = io::stdout().lock();
    let given = if out.is_terminal() {
        out.write_all(text.as_bytes()).and_then(|()| out.flush())
    } else {
        write_file(data, &text).map(|file| {
            let file = file.display();
            tracing::info!(%file, "the set-up link and the first token are in a file: read it, then delete it");
        })
    };
    if let Err(error) = given {
        tracing::warn!(
            %error,
            "the first log-in could not be handed over: `switchboard account setup-link` and `switchboard token \
             create` give new ones"
        );
    }
}

/// Writes the file with mode 600 from the start: a file of an earlier installation, which may have another mode, is
/// removed before.
fn write_file(data: &Path, text: &str) -> io::Result<PathBuf> {
    let file = data.join(FIRST_START_FILE);
    // With PostgreSQL there may be no data folder yet.
    DirBuilder::new().recursive(true).mode(0o700).create(data)?;
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?;
    open.write_all(text.as_bytes())?;
    open.sync_all()?;
    Ok(std::path::absolute(&file).unwrap_or(file))
}

fn text(first: &FirstStart, url: &str, has_sandbox: bool) -> String {
    let sandbox = if has_sandbox { sandbox(first) } else { String::new() };
    let (tenant, email, token) = (first.tenant, first.email, first.token.reveal());
    let set_up = first.code.url(url);
    format!(
        "\nSwitchboard is ready. This is shown only once:\n\n\
         \x20 address   {url}\n\
         \x20 tenant    {tenant}\n\
         \x20 e-mail    {email}\n\
         \x20 set up    {set_up}\n\
         \x20 token     {token}\n\n\
         Open the set-up link to choose a password. It works once, within 24 hours, and does not affect the token.\n\
         `switchboard account setup-link` creates a new link.\n\n\
         Try it:\n\n\
         \x20 curl -H 'Authorization: Bearer {token}' '{url}/api/ext/v3/calls'\n\n{sandbox}"
    )
}

/// How to use the sandbox, which needs no account at a network.
fn sandbox(first: &FirstStart) -> String {
    format!(
        "The sandbox with simulated people is enabled. In another terminal, in this folder:\n\n\
         \x20 switchboard sandbox person list --tenant {}\n\n",
        first.tenant
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use app::identity::sessions::LogInSource;
    use domain::identity::one_time_links::{FreshCode, LinkPurpose};
    use domain::identity::tokens::FreshToken;
    use domain::{Clock, Id, TenantId};

    use super::*;
    use crate::bootstrap::{Creation, open, open_or_create, test_settings};

    fn first() -> FirstStart {
        let now = Clock::system().now();
        FirstStart {
            tenant: TenantId::FIRST,
            email: "admin@localhost",
            code: FreshCode::generate(TenantId::FIRST, Id::new(now), LinkPurpose::Setup),
            token: FreshToken::generate(TenantId::FIRST, Id::new(now)),
        }
    }

    #[test]
    fn the_text_holds_what_is_needed_and_a_curl_line() {
        let first = first();
        let without = text(&first, "http://127.0.0.1:8080", false);
        assert!(!without.contains("sandbox"), "{without}");
        let text = text(&first, "http://127.0.0.1:8080", true);
        assert!(text.contains("\n  switchboard sandbox person list --tenant 100001\n"), "{text}");
        let (token, code) = (first.token.reveal(), first.code.reveal());
        let curl = format!("curl -H 'Authorization: Bearer {token}' 'http://127.0.0.1:8080/api/ext/v3/calls'\n");
        let set_up = format!("http://127.0.0.1:8080/console/set-up#{code}\n");
        assert!(text.contains(&curl) && text.contains(&set_up) && text.contains("admin@localhost\n"), "{text}");
        assert!(!format!("{first:?}").contains(token) && !format!("{first:?}").contains(code));
    }

    #[test]
    fn the_file_is_for_its_owner_alone_also_where_another_was_before() {
        let data = testkit::database::fresh_folder().join("made");
        for text in ["one", "another"] {
            let file = write_file(&data, text).unwrap();
            assert!(file.is_absolute() && file.ends_with(FIRST_START_FILE), "{}", file.display());
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        }
        assert!(write_file(&data.join(FIRST_START_FILE), "below a file").is_err());
    }

    #[tokio::test]
    async fn only_an_empty_database_gets_a_first_tenant_and_only_once() {
        let settings = test_settings(&testkit::database::fresh_folder());
        let opened = open_or_create(&settings, Clock::system(), Creation::Allowed).await.unwrap();
        let another = open(&settings, Clock::system()).await.unwrap();
        let (one, two) = tokio::join!(opened.app.platform().first_start(), another.app.platform().first_start());
        let made: Vec<FirstStart> = [one.unwrap(), two.unwrap()].into_iter().flatten().collect();
        assert_eq!(made.len(), 1);
        assert!(opened.app.platform().first_start().await.unwrap().is_none());

        let tenants = opened.app.identity().tenants().list().await.unwrap();
        assert_eq!(tenants.iter().map(|tenant| tenant.id.to_string()).collect::<Vec<_>>(), ["100001"]);
        let accounts = opened.app.identity().accounts().list_details(&app::Command(TenantId::FIRST)).await.unwrap();
        assert_eq!(accounts.iter().map(|it| it.has_password).collect::<Vec<_>>(), [false]);
        assert_eq!(opened.app.identity().tokens().list(&app::Command(TenantId::FIRST)).await.unwrap().len(), 1);
        let address = std::net::IpAddr::from([127, 0, 0, 1]);
        let source = LogInSource { address, user_agent: None, request_id: None };
        let links = opened.app.identity().one_time_links();
        links.redeem(made[0].code.reveal(), "a first long password".to_owned(), &source).await.unwrap();
        // The first password is no change: the token is as it was.
        let caller = opened.app.identity().authenticate(made[0].token.reveal(), address).await.unwrap();
        assert_eq!(caller.tenant(), TenantId::FIRST);
    }
}
