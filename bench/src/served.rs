//! The server under measurement: creates and fills its database, and starts its process.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use app::Command;
use app::identity::tokens::NewToken;
use app::messaging::channels::Secrets;
use app::platform::tenants::NewTenant;
use domain::identity::networks::Networks;
use domain::identity::roles::Role;
use domain::identity::scopes::{Scope, ScopeSet};
use domain::messaging::channels::NewChannel;
use domain::{Clock, TenantId};
use private_postgres::{CITUS_VARIABLE, Citus, Options, Postgres};
use server::bootstrap::Creation;
use server::commands::seed;
use server::settings::{self, Flags, Settings};
use store::base::citus::{perform_step, plan_distribution};
use store::{Db, Statement};

use crate::child::{self, Child};
use crate::import::{self, Imported};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Database {
    Sqlite,
    Postgres,
    /// A coordinator and two workers of scripts/build-citus, whose folder `SWITCHBOARD_TEST_CITUS_FOLDER` names
    Citus,
}

impl Database {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
            Self::Citus => "Citus",
        }
    }
}

/// A fixed secret key: the data is deleted after the run.
const KEY: &str = "00000000000000000000000000000000000000000000000000000000000000be";
/// Shards of each table on Citus.
const SHARDS: u32 = 4;
static SETTLE: Statement = Statement::new("bench.settle", "VACUUM ANALYZE");
/// A server's process id is the first line of a file in its data folder.
static PROCESSES: Statement = Statement::new(
    "bench.processes",
    "SELECT CAST(split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS BIGINT)
     UNION ALL
     (SELECT CAST(result AS BIGINT) FROM run_command_on_workers('SELECT split_part(pg_read_file(''postmaster.pid''), chr(10), 1)')
      ORDER BY nodeport)",
);
/// App secret with which the benchmark signs posts to the hook.
pub const APP_SECRET: &str = "app-secret-of-the-benchmark";
/// Access token of the channel, for requests of the bare client to the sandbox.
pub const ACCESS_TOKEN: &str = "access-token-of-the-benchmark";
pub const PHONE_NUMBER_ID: &str = "106540352242922";
/// Disables the rate limits of sender and sandbox, which would hide the server's speed.
const UNLIMITED: [(&str, &str); 3] = [
    ("SWITCHBOARD_SENDING_MESSAGES_PER_SECOND", "0"),
    ("SWITCHBOARD_SENDING_PAIR_BURST", "0"),
    ("SWITCHBOARD_SANDBOX_LIMITS", "false"),
];
/// Permits webhooks to this machine, where the receiver listens.
const LISTENERS: (&str, &str) = ("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8");

/// Settings of the server that only some benchmarks change.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ServerOptions {
    #[arg(long)]
    pub networks: Option<String>,
    #[arg(long)]
    pub media_store: Option<String>,
}

/// A database with a tenant and a token.
#[derive(Debug)]
pub struct Prepared {
    folder: Folder,
    server: DatabaseServer,
    processes: Vec<u32>,
    app: app::App,
    token: String,
}

/// A prepared database with a running server.
#[derive(Debug)]
pub struct Served {
    pub child: Child,
    pub token: String,
    server: DatabaseServer,
    folder: Folder,
}

/// The servers of a database, which stop on drop.
#[derive(Debug)]
enum DatabaseServer {
    Embedded,
    Postgres(Postgres),
    Citus(Citus),
}

impl DatabaseServer {
    fn start(database: Database) -> Result<Self> {
        match database {
            Database::Sqlite => Ok(Self::Embedded),
            Database::Postgres => {
                Ok(Self::Postgres(Postgres::start(Options::for_bench()).context("starting PostgreSQL")?))
            }
            Database::Citus => {
                let citus = Citus::start(Options::for_bench()).context("starting Citus")?;
                Ok(Self::Citus(citus.with_context(|| format!("{CITUS_VARIABLE} is not set"))?))
            }
        }
    }

    fn url(&self) -> Option<String> {
        match self {
            Self::Embedded => None,
            Self::Postgres(postgres) => Some(postgres.url()),
            Self::Citus(citus) => Some(citus.url().to_owned()),
        }
    }

    /// Process ids of the servers, the coordinator's first.
    async fn processes(&self, db: &Db) -> Result<Vec<u32>> {
        match self {
            Self::Embedded => Ok(Vec::new()),
            Self::Postgres(postgres) => Ok(vec![postgres.pid()]),
            Self::Citus(_) => {
                let ids: Vec<i64> = db.rows(&PROCESSES, &[], store::read).await?;
                Ok(ids.into_iter().map(u32::try_from).collect::<Result<_, _>>()?)
            }
        }
    }
}

/// Where the data of a server is.
#[derive(Debug, Clone, clap::Args)]
pub struct Location {
    /// The folder
    #[arg(long)]
    pub data: String,
    /// The address of PostgreSQL
    #[arg(long = "database")]
    pub url: Option<String>,
}

/// A folder that is removed on drop.
#[derive(Debug)]
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Served {
    pub async fn prepare(database: Database) -> Result<Prepared> {
        Self::prepare_with(database, &ServerOptions::default()).await
    }

    /// The same, with settings that the benchmark changes.
    pub async fn prepare_with(database: Database, options: &ServerOptions) -> Result<Prepared> {
        let folder = std::env::temp_dir().join(format!("switchboard-bench-{}-{}", std::process::id(), database.name()));
        std::fs::create_dir_all(&folder).context("making a folder for the data")?;
        let folder = Folder(folder);
        let server = DatabaseServer::start(database)?;
        let settings = settings(&folder.0.to_string_lossy(), server.url(), options)?;
        let app = server::bootstrap::open_or_create(&settings, Clock::system(), Creation::Allowed).await?.app;
        if database == Database::Citus {
            distribute(app.db()).await.context("distributing the tables")?;
        }
        let processes = server.processes(app.db()).await?;
        let token = add_tenant(&app, TenantId::FIRST).await?;
        Ok(Prepared { folder, server, processes, app, token })
    }

    pub fn location(&self) -> Location {
        location(&self.folder, &self.server)
    }

    /// `next_cursor` of the page of calls that ends at this offset.
    pub async fn cursor_at(&self, offset: u64) -> Result<String> {
        let path = format!("/api/ext/v3/calls?limit=20&offset={}", offset - 20);
        let body = child::ask(self.child.address, &path, &self.token).await?;
        let page: serde_json::Value = serde_json::from_slice(&body).context("the page is not JSON")?;
        Ok(page["next_cursor"].as_str().context("there is no page at that place")?.to_owned())
    }
}

impl Prepared {
    pub fn app(&self) -> &app::App {
        &self.app
    }

    pub fn db(&self) -> Db {
        self.app.db().clone()
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// Adds another tenant; returns its token.
    pub async fn add_tenant(&self, id: TenantId) -> Result<String> {
        add_tenant(&self.app, id).await
    }

    /// Process ids of the database's servers, the coordinator's first; none for SQLite.
    pub fn database_processes(&self) -> &[u32] {
        &self.processes
    }

    /// Adds a channel of this network to the first tenant.
    pub async fn add_channel(&self, network: &str) -> Result<domain::ChannelId> {
        let new = NewChannel {
            name: "Bench".to_owned(),
            phone_number: "14155550100".to_owned(),
            phone_number_id: PHONE_NUMBER_ID.to_owned(),
            account_id: "102290129340398".to_owned(),
            network: network.to_owned(),
        };
        let secret = |text: &str| text.to_owned().into();
        let secrets = Secrets {
            access_token: secret(ACCESS_TOKEN),
            app_secret: secret(APP_SECRET),
            verify_token: secret("verify-token-of-the-benchmark"),
        };
        Ok(self.app.messaging().channels().add(&Command(TenantId::FIRST), new, &secrets).await?.id)
    }

    /// Seeds calls; returns the e-mail addresses of their operators.
    pub async fn fill(&self, plan: seed::Plan) -> Result<Vec<String>> {
        seed::fill(&self.app, plan, |_| ()).await?;
        self.settle().await?;
        let accounts = self.app.identity().accounts().list(&Command(plan.tenant)).await?;
        let operators = accounts.into_iter().filter(|account| account.role == Role::Operator);
        Ok(operators.map(|account| account.email).collect())
    }

    pub async fn import_contacts(&self, plan: seed::Plan) -> Result<Imported> {
        let imported = import::run(&self.app, &self.folder.0, plan).await?;
        self.settle().await?;
        Ok(imported)
    }

    /// On PostgreSQL runs VACUUM ANALYZE, which autovacuum does by itself some minutes after bulk inserts.
    pub async fn settle(&self) -> Result<()> {
        if self.server.url().is_some() {
            self.app.db().row(&SETTLE, &[], |_| Ok(())).await?;
        }
        Ok(())
    }

    pub fn start(self) -> Result<Served> {
        let child = self.serve()?;
        Ok(Served { child, token: self.token, server: self.server, folder: self.folder })
    }

    /// Starts a server on the database; one at a time.
    pub fn serve(&self) -> Result<Child> {
        self.serve_with(&ServerOptions::default())
    }

    /// The same with settings that the benchmark changes.
    pub fn serve_with(&self, options: &ServerOptions) -> Result<Child> {
        let location = location(&self.folder, &self.server);
        let mut arguments = vec!["internal-serve", "--data", &location.data];
        for (name, value) in
            [("--database", &location.url), ("--networks", &options.networks), ("--media-store", &options.media_store)]
        {
            arguments.extend(value.as_deref().map(|value| [name, value]).into_iter().flatten());
        }
        Child::start(&arguments)
    }
}

fn location(folder: &Folder, server: &DatabaseServer) -> Location {
    Location { data: folder.0.to_string_lossy().into_owned(), url: server.url() }
}

async fn distribute(db: &Db) -> Result<()> {
    let plan = plan_distribution(db, SHARDS).await?;
    for step in &plan.steps {
        perform_step(db, &plan, step).await?;
    }
    Ok(())
}

/// Creates a tenant with an account and a token with the scope `api`; returns the token.
async fn add_tenant(app: &app::App, id: TenantId) -> Result<String> {
    let tenant = NewTenant { name: format!("Bench {id}"), plan: None, with_sandbox: false };
    app.platform().tenants().create(&Command(id), tenant).await?;
    let email = format!("bench-{id}@example.com");
    let owner = app::identity::accounts::NewAccount {
        email: email.clone(),
        name: None,
        role: Role::Administrator,
        password: None,
    };
    app.identity().accounts().create(&Command(id), owner).await?;
    let new = NewToken {
        name: "bench".to_owned(),
        scopes: ScopeSet::from_scopes(&[Scope::Api]),
        networks: Networks::default(),
        expires_at: None,
        rate_limit: None,
    };
    let (_, value) = app.identity().tokens().create(&Command(id), &email, new).await?;
    Ok(value.reveal().to_owned())
}

fn settings(data: &str, database: Option<String>, options: &ServerOptions) -> Result<Settings> {
    let flags =
        Flags { listen: Some("127.0.0.1:0".to_owned()), data: Some(data.to_owned()), database, ..Flags::default() };
    let own = [("SWITCHBOARD_SECRET_KEY", KEY), ("SWITCHBOARD_LOG_LEVEL", "warn"), LISTENERS];
    let own = own.into_iter().chain(UNLIMITED).map(|(name, value)| (name, value.to_owned()));
    let given = [("SWITCHBOARD_NETWORKS", &options.networks), ("SWITCHBOARD_MEDIA_STORE", &options.media_store)];
    let given = given.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
    let env = own.chain(given).map(|(name, value)| (name.into(), value.into()));
    Ok(settings::load(&flags, env, &std::env::temp_dir())?.settings)
}

/// The child process: runs the real server until the parent ends.
pub async fn serve_as_child(location: Location, options: &ServerOptions) -> Result<()> {
    server::allocator::restart_with_options();
    let running = server::serve::start(&settings(&location.data, location.url, options)?).await?;
    child::announce(running.address, running.sandbox_address)?;
    child::parent_is_gone().await;
    running.stop().await;
    Ok(())
}
