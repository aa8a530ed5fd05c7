//! Converts settings to the configuration of `app`: plans, scope hierarchy, issuers, networks, limits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use app::identity::credentials::Lifetimes;
use app::identity::credentials::oidc::IssuerConfig;
use app::identity::credentials::oidc::log_in::{ProviderConfig, Provisioning};
use app::identity::log_in::hashing::PasswordCost;
use app::messaging::channels::NetworkDirectory;
use app::messaging::media::{Bucket, BucketAccess, MediaPolicy};
use channels::guard::{Guard, GuardedTransport};
use channels::mail::{MailSecurity, MailServer, Mailer};
use channels::outgoing::OutgoingBudget;
use channels::transport::{HttpTransport, Timeouts};
use domain::TenantId;
use domain::identity::plans::{Family, Feature, Plan, PlanError, Plans};
use domain::identity::roles::Role;
use domain::identity::scopes::Hierarchy;
use domain::messaging::messages::FileStore;
use domain::messaging::pacing::Limits;

use crate::open_files;
use crate::settings::{self, MediaStore, OidcIssuer, OidcProvider, Settings, SmtpSecurity};

pub(super) fn config(settings: &Settings) -> anyhow::Result<app::Config> {
    let outgoing = open_files::outgoing();
    Ok(app::Config {
        plans: plans(&settings.plans)?,
        hierarchy: hierarchy(&settings.scopes.hierarchy)?,
        issuers: settings.oidc.issuers.iter().map(issuer).collect::<Result<_, _>>()?,
        failed_attempts_per_minute: settings.limits.failed_attempts_per_minute,
        log_in: app::LogInConfig {
            lifetimes: Lifetimes {
                session_idle_minutes: settings.auth.session_idle_minutes,
                legacy_jwt_days: settings.auth.legacy_jwt_days,
            },
            password_cost: PasswordCost::default(),
            mailer: mailer(&settings.smtp)?,
            providers: settings.oidc.providers.iter().map(provider).collect::<Result<_, _>>()?,
        },
        networks: networks(settings, &outgoing)?,
        pacing: pacing(settings),
        webhooks: webhooks(settings, &outgoing)?,
        media: media(settings)?,
        quotas: quotas(settings),
        retention: retention(settings),
        outgoing,
    })
}

/// None if no mail server is configured.
fn mailer(smtp: &settings::Smtp) -> anyhow::Result<Option<Mailer>> {
    let Some(host) = &smtp.host else { return Ok(None) };
    let credentials = match (&smtp.user, &smtp.password) {
        (None, None) => None,
        (Some(user), Some(password)) => Some((user.clone(), password.expose().to_owned().into())),
        (Some(_), None) => anyhow::bail!("smtp.password: smtp.user is set and needs a password"),
        (None, Some(_)) => anyhow::bail!("smtp.user: smtp.password is set and needs a user name"),
    };
    let security = match smtp.security {
        SmtpSecurity::StartTls => MailSecurity::StartTls,
        SmtpSecurity::Tls => MailSecurity::Tls,
        SmtpSecurity::None => MailSecurity::Plain,
    };
    let from = smtp.from.clone().context("smtp.from: smtp.host is set, and mail needs a sender")?;
    let server = MailServer { host: host.clone(), port: smtp.port, security, credentials, from };
    Ok(Some(Mailer::new(&server).context("smtp")?))
}

fn pacing(settings: &Settings) -> Limits {
    let sending = &settings.sending;
    Limits {
        per_second: sending.messages_per_second,
        pair_burst: sending.pair_burst,
        pair_seconds: sending.pair_seconds,
        new_people: None,
    }
}

/// The configured networks; the sandbox's address is added when its listener is bound.
fn networks(settings: &Settings, outgoing: &OutgoingBudget) -> anyhow::Result<NetworkDirectory> {
    let transport = HttpTransport::new(Timeouts::default()).context("cannot create the HTTP client")?;
    let networks = NetworkDirectory::new(settings.networks.clone(), settings.sandbox.enabled, Arc::new(transport));
    Ok(networks.with_guarded(Arc::new(guarded(settings, outgoing)?)))
}

/// Transport for URLs from outside: public addresses, and the ranges of `webhooks.allow_private`.
pub fn guarded(settings: &Settings, outgoing: &OutgoingBudget) -> anyhow::Result<GuardedTransport> {
    let transport = GuardedTransport::new(guard(settings), Timeouts::default());
    Ok(transport.context("cannot create the HTTP client")?.keeping_open(outgoing.kept_open()))
}

fn guard(settings: &Settings) -> Guard {
    Guard { allowed: settings.webhooks.allow_private.clone().into() }
}

fn quotas(settings: &Settings) -> domain::base::quotas::Quotas {
    let limits = &settings.limits;
    domain::base::quotas::Quotas {
        segments: limits.segments_per_tenant,
        conditions: limits.conditions_per_tenant,
        webhooks: limits.webhooks_per_tenant,
        templates: limits.templates_per_tenant,
        imports: limits.imports_per_tenant,
        tokens: limits.tokens_per_tenant,
        teams: limits.teams_per_tenant,
        media_bytes: limits.media_mib_per_tenant << 20,
        rows_per_link: settings.clicks.rows_per_link,
    }
}

fn retention(settings: &Settings) -> domain::platform::retention::Retention {
    let days = &settings.retention;
    domain::platform::retention::Retention {
        messages: days.messages_days,
        network_reports: days.network_reports_days,
        parked: days.parked_days,
        clicks: days.clicks_days,
        audit: days.audit_days,
    }
}

fn webhooks(settings: &Settings, outgoing: &OutgoingBudget) -> anyhow::Result<app::delivery::webhooks::WebhookPolicy> {
    let policy = app::delivery::webhooks::WebhookPolicy::guarded(guard(settings), outgoing);
    let policy = policy.context("cannot create the HTTP client")?;
    Ok(app::delivery::webhooks::WebhookPolicy {
        in_flight: settings.webhooks.in_flight,
        keep_events_days: settings.events.keep_days,
        keep_deliveries_days: settings.webhooks.keep_deliveries_days,
        ..policy
    })
}

fn media(settings: &Settings) -> anyhow::Result<MediaPolicy> {
    let media = &settings.media;
    Ok(MediaPolicy {
        store: match media.store {
            MediaStore::Database => FileStore::Database,
            MediaStore::Folder => FileStore::Folder,
            MediaStore::S3 => FileStore::S3,
        },
        folder: Some(media_folder(settings)),
        bucket: bucket(&settings.media)?,
        quota: media.quota_mib.saturating_mul(1 << 20),
        keep_days: media.keep_days,
    })
}

pub(crate) fn media_folder(settings: &Settings) -> PathBuf {
    settings.media.folder.clone().unwrap_or_else(|| settings.data.join("media"))
}

/// The configured bucket, also where `media.store` is not `s3`: files that were stored in the bucket before are still
/// read from it.
fn bucket(media: &settings::Media) -> anyhow::Result<Option<Bucket>> {
    let (Some(name), Some(access_key), Some(secret_key)) = (&media.bucket, &media.bucket_key, &media.bucket_secret)
    else {
        anyhow::ensure!(
            media.store != MediaStore::S3,
            "media.store = \"s3\" needs media.bucket, media.bucket_key and media.bucket_secret"
        );
        return Ok(None);
    };
    let access = BucketAccess {
        endpoint: media.bucket_endpoint.clone(),
        region: media.bucket_region.clone(),
        name: name.clone(),
        prefix: media.bucket_prefix.clone().unwrap_or_default(),
        access_key: access_key.clone(),
        secret_key: secret_key.expose().to_owned(),
    };
    Bucket::new(access).map(Some).context("media.bucket cannot be used")
}

fn plans(configured: &BTreeMap<String, settings::Plan>) -> anyhow::Result<Plans> {
    let named =
        configured.iter().map(|(name, configured)| plan(name, configured).with_context(|| format!("plans.{name}")));
    Ok(Plans::new(named.collect::<Result<Vec<_>, _>>()?))
}

fn plan(name: &str, configured: &settings::Plan) -> Result<Plan, PlanError> {
    let features = configured.features.iter().map(|feature| Feature::named(feature));
    let rates = configured.rates.iter().map(|(family, &rate)| Ok((Family::named(family)?, rate)));
    Ok(Plan {
        name: name.to_owned(),
        features: features.collect::<Result<BTreeSet<_>, _>>()?,
        monthly_calls: configured.monthly_calls,
        rates: rates.collect::<Result<BTreeMap<_, _>, _>>()?,
    })
}

fn hierarchy(edges: &BTreeMap<String, Vec<String>>) -> anyhow::Result<Hierarchy> {
    if edges.is_empty() {
        return Ok(Hierarchy::default());
    }
    Hierarchy::new(edges).context("scopes.hierarchy")
}

fn issuer(configured: &OidcIssuer) -> anyhow::Result<IssuerConfig> {
    let place = || format!("oidc.issuers {:?}", configured.issuer);
    let roles = configured.role_map.iter().map(|(claim, role)| Ok((claim.clone(), role.parse::<Role>()?)));
    Ok(IssuerConfig {
        issuer: configured.issuer.clone(),
        audience: configured.audience.clone(),
        tenant: configured.tenant.as_deref().map(str::parse).transpose().with_context(place)?,
        tenant_claim: configured.tenant_claim.clone(),
        tenants: tenants(&configured.tenants).with_context(place)?,
        role_claim: configured.role_claim.clone(),
        role_map: roles.collect::<anyhow::Result<_>>().with_context(place)?,
        max_role: configured.max_role.parse().with_context(place)?,
        max_lifetime_seconds: i64::from(configured.max_lifetime_minutes) * 60,
        clients: configured.clients.clone(),
    })
}

fn provider(configured: &OidcProvider) -> anyhow::Result<ProviderConfig> {
    let place = || format!("oidc.providers {:?}", configured.id);
    let tenant = configured.tenant.parse().with_context(place)?;
    let role_map = configured.role_map.iter().map(|(group, role)| Ok((group.clone(), role.parse::<Role>()?)));
    let provisioning = Provisioning {
        domains: configured.create_domains.clone(),
        role_claim: configured.role_claim.clone(),
        role_map: role_map.collect::<anyhow::Result<_>>().with_context(place)?,
        default_role: configured.default_role.as_deref().map(str::parse).transpose().with_context(place)?,
    };
    Ok(ProviderConfig {
        id: configured.id.clone(),
        name: configured.name.clone(),
        issuer: configured.issuer.clone(),
        client_id: configured.client_id.clone(),
        client_secret: configured.client_secret.expose().to_owned().into(),
        tenant,
        provisioning,
    })
}

fn tenants(ids: &[String]) -> Result<Vec<TenantId>, domain::identity::tenants::NotATenantId> {
    ids.iter().map(|id| id.parse()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        crate::bootstrap::test_settings(&testkit::database::fresh_folder())
    }

    #[test]
    fn the_built_in_plans_and_hierarchy_apply() {
        let config = config(&settings()).unwrap();
        let growth = config.plans.get("growth").unwrap();
        assert_eq!((growth.monthly_calls, growth.rates[&Family::Contacts]), (Some(10_000), 10));
        let unlimited = config.plans.get("unlimited").unwrap();
        assert!(unlimited.rates.is_empty() && !unlimited.features.contains(&Feature::Chatbots));
        assert!(config.issuers.is_empty());
    }

    #[test]
    fn a_cycle_and_an_unknown_role_are_named_by_their_setting() {
        let mut settings = settings();
        let edges = [("contacts:read", "contacts:write"), ("contacts:write", "contacts:read")];
        settings.scopes.hierarchy =
            edges.iter().map(|(from, to)| ((*from).to_owned(), vec![(*to).to_owned()])).collect();
        assert!(format!("{:#}", config(&settings).unwrap_err()).starts_with("scopes.hierarchy: "));
        settings.scopes.hierarchy.clear();
        let issuer = serde_json::json!({"issuer": "https://id.example", "audience": "a", "max_role": "KING"});
        settings.oidc.issuers = vec![serde_json::from_value(issuer).unwrap()];
        let error = format!("{:#}", config(&settings).unwrap_err());
        assert!(error.contains("https://id.example") && error.contains("KING"), "{error}");
    }

    #[test]
    fn a_mail_server_needs_a_sender_and_a_whole_log_in() {
        let with = |members: serde_json::Value| {
            let mut smtp = serde_json::json!({
                "host": "mail.example.com", "port": 587, "security": "starttls", "user": null, "password": null,
                "from": "Switchboard <switchboard@example.com>",
            });
            smtp.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            let mut settings = settings();
            settings.smtp = serde_json::from_value(smtp).unwrap();
            config(&settings).map(|config| config.log_in.mailer.is_some()).map_err(|error| format!("{error:#}"))
        };
        assert_eq!(with(serde_json::json!({})), Ok(true));
        assert_eq!(with(serde_json::json!({"user": "u", "password": "hunter2"})), Ok(true));
        assert_eq!(with(serde_json::json!({"host": null, "from": null})), Ok(false));
        for (members, setting) in [
            (serde_json::json!({"from": null}), "smtp.from"),
            (serde_json::json!({"from": "nobody"}), "smtp"),
            (serde_json::json!({"user": "u"}), "smtp.password"),
            (serde_json::json!({"password": "hunter2"}), "smtp.user"),
        ] {
            let error = with(members).unwrap_err();
            assert!(error.starts_with(setting) && !error.contains("hunter2"), "{error}");
        }
    }
}
