//! Accounts of a version in which each tenant had its own, after the upgrade: passwords, second factors, recovery codes
//! and sessions go on working.

use std::net::{IpAddr, Ipv4Addr};

use app::App;
use app::identity::log_in::hashing::{Hashing, PasswordCost};
use app::identity::second_factors::{FactorAnswer, JoinProof};
use app::identity::sessions::{LogInSource, LogInStep, SessionDetails, SessionPurpose, SessionReach};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::base::keys::{Keyring, Purpose, SecretKey};
use domain::identity::accounts::Account;
use domain::identity::roles::Role;
use domain::identity::second_factors::{RecoveryCode, TotpFactor, TotpSecret, recovery_code_hash};
use domain::identity::tenants::Tenant;
use domain::{AccountId, Clock, Id, TenantId, Timestamp};
use store::identity::sessions::Session;
use store::identity::{accounts, second_factors, sessions, tenants};
use store::migrations::{MIGRATIONS, apply};
use store::{Db, Engine, migrate};
use testkit::fresh::FreshDatabase;
use testkit::world::config;

const START: Timestamp = Timestamp::from_seconds(1_776_000_000);
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const ADDRESS: &str = "ada@example.com";
const FIRST_PASSWORD: &str = "correct horse battery staple";
const SECOND_PASSWORD: &str = "zebra gravel lantern";

/// A database as the version before the accounts of the installation left it.
struct EarlierInstallation {
    db: Db,
    key: SecretKey,
    clock: Clock,
}

impl EarlierInstallation {
    async fn on(fresh: &FreshDatabase) -> Self {
        let (db, clock) = (fresh.open(), Clock::manual(START));
        apply(&db, &clock, &MIGRATIONS[..1]).await.unwrap();
        Self { db, key: SecretKey::random(), clock }
    }

    /// Adds a tenant with an account, and returns the account's id.
    async fn add(&self, tenant: TenantId, password: &str) -> AccountId {
        let hash = Hashing::new(PasswordCost::least()).hash(password.to_owned()).await.unwrap();
        let account = Account {
            id: Id::new(START),
            email: ADDRESS.to_owned(),
            name: "Ada".to_owned(),
            role: Role::Administrator,
            disabled: false,
            removed_at: None,
            password_version: 3,
            credential_version: 4,
            created_at: START,
        };
        let (name, plan) = (format!("Tenant {tenant}"), "unlimited".to_owned());
        let row = Tenant { id: tenant, name, plan, created_at: START, suspended_at: None };
        let input = (row, account.clone(), hash);
        let write = self.db.write(input, |tx, (tenant, account, hash)| {
            Box::pin(async move {
                tenants::insert(tx, tenant).await?;
                accounts::insert(tx, tenant.id, account, hash).await
            })
        });
        assert!(write.await.unwrap());
        account.id
    }

    /// Adds an authenticator app and a recovery code, sealed and hashed as the version did.
    async fn add_factor(&self, tenant: TenantId, account: AccountId) -> (TotpSecret, RecoveryCode) {
        let (secret, code) = (TotpSecret::random(), RecoveryCode::random());
        let bound_to = format!("second-factor:totp:secret:{tenant}:{account}");
        let sealed = self.key.subkey(Purpose::StoredSecret).seal(bound_to.as_bytes(), secret.bytes()).unwrap();
        let factor =
            TotpFactor { account_id: account, secret: sealed, last_step: 0, created_at: START, last_used_at: None };
        let input = (tenant, factor, vec![recovery_code_hash(tenant, account, code.reveal())]);
        let write = self.db.write(input, |tx, (tenant, factor, codes)| {
            Box::pin(async move {
                second_factors::save_totp(tx, *tenant, factor).await?;
                second_factors::replace_recovery_codes(tx, *tenant, factor.account_id, codes, START).await
            })
        });
        write.await.unwrap();
        (secret, code)
    }

    /// Begins a session, and returns its value.
    async fn add_session(&self, tenant: TenantId, account: AccountId) -> String {
        let id = Id::new(START);
        let value = URL_SAFE_NO_PAD.encode([&tenant.number().to_be_bytes()[..], id.bytes(), &[7; 20]].concat());
        let session = Session {
            id,
            account_id: account,
            hash: self.key.subkey(Purpose::Session).mac(value.as_bytes()),
            credential_version: 4,
            created_at: START,
            expires_at: START.plus_seconds(3600),
            last_used_at: Some(START),
            address: None,
            user_agent: None,
            log_in_method: None,
        };
        let input = (tenant, session);
        self.db.write(input, |tx, (tenant, session)| Box::pin(sessions::insert(tx, *tenant, session))).await.unwrap();
        value
    }

    /// This version on the same database.
    async fn upgraded(&self) -> App {
        migrate(&self.db, &self.clock).await.unwrap();
        let keyring = Keyring::new(self.key.clone(), None);
        App::new(self.db.clone(), self.clock.clone(), &keyring, config()).unwrap()
    }
}

fn source() -> LogInSource {
    LogInSource { address: HERE, user_agent: None, request_id: None }
}

async fn log_in(app: &App, password: &str) -> LogInStep {
    app.identity().sessions().log_in(ADDRESS, password, &source()).await.unwrap().expect("the password is right")
}

fn session(step: LogInStep) -> (SessionDetails, String) {
    match step {
        LogInStep::Done(details, value) => (*details, value.reveal().to_owned()),
        LogInStep::SecondFactor(_) => panic!("a factor is asked for"),
    }
}

async fn finish(app: &App, step: LogInStep, answer: FactorAnswer) -> (SessionDetails, String) {
    let LogInStep::SecondFactor(pending) = step else { panic!("no factor is asked for") };
    let factors = app.identity().second_factors();
    let finished = factors.finish_log_in(Some(pending.value.reveal()), &answer, None, &source()).await;
    let (details, value) = finished.unwrap();
    (details, value.reveal().to_owned())
}

async fn caller(app: &App, value: &str) -> std::sync::Arc<app::Principal> {
    let (purpose, reach) = (SessionPurpose::Use, SessionReach::Everything);
    app.identity().authenticate_session(value, purpose, reach, HERE).await.expect("the session is valid")
}

async fn each_password_opens_its_tenant_until_one_is_chosen(engine: Engine) {
    let fresh = FreshDatabase::on(engine).await;
    let earlier = EarlierInstallation::on(&fresh).await;
    let (first, second) = (TenantId::FIRST, TenantId::from_number(100_002));
    let ada = earlier.add(first, FIRST_PASSWORD).await;
    let ada_there = earlier.add(second, SECOND_PASSWORD).await;
    let (secret, code) = earlier.add_factor(first, ada).await;
    let values = [earlier.add_session(first, ada).await, earlier.add_session(second, ada_there).await];
    let app = earlier.upgraded().await;

    // Sessions go on.
    for (value, tenant) in values.iter().zip([first, second]) {
        assert_eq!(caller(&app, value).await.tenant(), tenant);
    }
    // The first password asks for the factor of before, and opens the first tenant.
    let answer = FactorAnswer::Code(secret.code_at(earlier.clock.now()).unwrap());
    let (details, value) = finish(&app, log_in(&app, FIRST_PASSWORD).await, answer).await;
    assert_eq!((details.tenant.id, details.account.id, details.other_tenants), (first, ada, 0));
    assert!(details.administers_installation, "an administrator of the first start's tenant");
    let answer = FactorAnswer::RecoveryCode(code.reveal().to_owned());
    finish(&app, log_in(&app, FIRST_PASSWORD).await, answer).await;
    // The second password opens the second tenant, without a factor as before.
    let (there, value_there) = session(log_in(&app, SECOND_PASSWORD).await);
    assert_eq!((there.tenant.id, there.account.id, there.other_tenants), (second, ada_there, 0));
    assert!(!there.administers_installation);

    // Its owner joins the two by showing both: the first password is the one that is chosen.
    let me = caller(&app, &value).await;
    let proof = JoinProof { password: SECOND_PASSWORD.to_owned(), factor: None };
    app.identity().second_factors().join(&*me, proof, &source()).await.unwrap();
    let step = app.identity().sessions().log_in(ADDRESS, SECOND_PASSWORD, &source()).await.unwrap();
    assert!(step.is_none(), "the other password is gone");
    let choices = app.identity().sessions().tenants(&*me, HERE).await.unwrap();
    assert_eq!(choices.iter().map(|it| it.tenant.id).collect::<Vec<_>>(), [first, second]);
    // A session of the other password did not show the first one, and would reach its tenant.
    let (purpose, reach) = (SessionPurpose::Use, SessionReach::Everything);
    assert!(app.identity().authenticate_session(&value_there, purpose, reach, HERE).await.is_err());
    drop((app, earlier));
    fresh.remove().await;
}

#[tokio::test]
async fn each_password_opens_its_tenant_until_one_is_chosen_on_sqlite() {
    each_password_opens_its_tenant_until_one_is_chosen(Engine::Sqlite).await;
}

#[tokio::test]
async fn each_password_opens_its_tenant_until_one_is_chosen_on_postgres() {
    each_password_opens_its_tenant_until_one_is_chosen(Engine::Postgres).await;
}
