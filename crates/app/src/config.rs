//! The configuration of an installation.

use channels::outgoing::OutgoingBudget;
use domain::base::quotas::Quotas;
use domain::identity::plans::Plans;
use domain::identity::scopes::Hierarchy;
use domain::messaging::pacing::Limits;
use domain::platform::retention::Retention;

use crate::delivery::webhooks::WebhookPolicy;
use crate::identity::LogInConfig;
use crate::identity::credentials::oidc::IssuerConfig;
use crate::messaging::channels::NetworkDirectory;
use crate::messaging::media::MediaPolicy;

#[derive(Debug)]
pub struct Config {
    pub plans: Plans,
    pub hierarchy: Hierarchy,
    pub issuers: Vec<IssuerConfig>,
    pub failed_attempts_per_minute: u32,
    pub log_in: LogInConfig,
    pub networks: NetworkDirectory,
    /// The sending limits of each number; a limit of new people that the network reports replaces ours.
    pub pacing: Limits,
    pub webhooks: WebhookPolicy,
    pub media: MediaPolicy,
    pub quotas: Quotas,
    pub retention: Retention,
    /// The connections that this process may use for requests to other servers.
    pub outgoing: OutgoingBudget,
}
