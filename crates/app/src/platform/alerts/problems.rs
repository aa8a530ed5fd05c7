//! Finds what is wrong with a tenant now: channels that cannot send, access tokens that expire, endpoints that are out
//! of service, queues that do not move.

use domain::delivery::webhooks::WebhookStatus;
use domain::platform::alerts::{AlertKind, TenantProblem};
use domain::{TenantId, Timestamp};

use crate::delivery::webhooks::WebhookView;
use crate::platform::Platform;
use crate::platform::health::CheckState;
use crate::{Command, Result};

/// A token is reported this long before it expires.
const EXPIRES_WITHIN_SECONDS: i64 = 7 * 86_400;

impl Platform {
    pub(super) async fn find_problems(&self, tenant: TenantId) -> Result<Vec<TenantProblem>> {
        let mut problems = self.find_channel_problems(tenant).await?;
        for lag in self.endpoint_lags(&Command(tenant)).await? {
            if is_out_of_service(&lag.webhook) {
                problems.push(defective(&lag.webhook));
            } else if lag.state == CheckState::Bad {
                let title = format!("Events are waiting for the endpoint {}", short(&lag.webhook.url));
                let subject = lag.webhook.id.to_string();
                problems.push(stuck(subject, title, lag.behind, lag.oldest_at));
            }
        }
        for queue in self.queues(&Command(tenant)).await? {
            if queue.state == CheckState::Bad {
                let title = format!("The queue {} is stuck", queue.name);
                problems.push(stuck(queue.name.to_owned(), title, queue.waiting, queue.oldest_at));
            }
        }
        Ok(problems)
    }

    async fn find_channel_problems(&self, tenant: TenantId) -> Result<Vec<TenantProblem>> {
        let caller = Command(tenant);
        let checks = self.messaging().channels().token_checks(&caller).await?;
        let soon = self.now().plus_seconds(EXPIRES_WITHIN_SECONDS);
        let mut problems = Vec::new();
        for channel in self.messaging().channels().list(&caller).await?.into_iter().filter(|channel| channel.enabled) {
            let check = checks.iter().find(|(id, _)| *id == channel.id).map(|(_, check)| *check);
            // A check of earlier secrets says nothing about the present ones.
            let check = check.filter(|check| check.checked_at >= channel.updated_at);
            if let Some(problem) = &channel.problem {
                problems.push(TenantProblem {
                    kind: AlertKind::ChannelProblem,
                    subject: channel.id.to_string(),
                    title: format!("The channel {} cannot send", channel.name),
                    detail: format!("{}, since {}. Its messages wait.", problem.message, problem.since.to_rfc3339()),
                });
            }
            let refused = check.is_some_and(|check| !check.is_valid);
            let expires_at = check.and_then(|check| check.expires_at).filter(|at| *at <= soon);
            if refused || expires_at.is_some() {
                problems.push(TenantProblem {
                    kind: AlertKind::TokenExpires,
                    subject: channel.id.to_string(),
                    title: format!("The access token of the channel {} expires", channel.name),
                    detail: token_detail(refused, expires_at),
                });
            }
        }
        Ok(problems)
    }
}

fn token_detail(refused: bool, expires_at: Option<Timestamp>) -> String {
    let what = match expires_at {
        _ if refused => "The network no longer accepts it.".to_owned(),
        Some(at) => format!("It expires at {}.", at.to_rfc3339()),
        None => String::new(),
    };
    format!("{what} Set a new one with: switchboard channel update")
}

/// True if the recorder took the endpoint out of service, because it failed for too long or answered 410 (gone). False
/// if an administrator disabled it.
fn is_out_of_service(webhook: &WebhookView) -> bool {
    match webhook.status {
        WebhookStatus::Defective => true,
        WebhookStatus::Disabled => webhook.reason.is_some(),
        WebhookStatus::Enabled => false,
    }
}

fn defective(webhook: &WebhookView) -> TenantProblem {
    let reason = webhook.reason.as_deref().unwrap_or("it failed too often");
    TenantProblem {
        kind: AlertKind::EndpointDefective,
        subject: webhook.id.to_string(),
        title: format!("The endpoint {} is out of service", short(&webhook.url)),
        detail: format!("It receives no events until it is enabled again: {reason}"),
    }
}

fn stuck(subject: String, title: String, waiting: i64, oldest_at: Option<Timestamp>) -> TenantProblem {
    let since = oldest_at.map(|at| format!(", the oldest since {}", at.to_rfc3339())).unwrap_or_default();
    TenantProblem { kind: AlertKind::QueueStuck, subject, title, detail: format!("{waiting} waiting{since}.") }
}

/// The URL without its query, which may hold a secret.
fn short(url: &str) -> &str {
    url.split('?').next().unwrap_or(url)
}
