//! Posts one webhook, and deletes or postpones its rows.

use std::time::Duration;

use app::messaging::channels::OpenedChannel;
use channels::signature;
use channels::transport::{CallTime, full};
use domain::Timestamp;
use http::{HeaderValue, Request, StatusCode, header};
use store::platform::sandbox::due::{self, Due};

use crate::{Config, Sandbox};

/// The network's user agent.
const AGENT: &str = "facebookexternalua";
const COUNTER: &str = "switchboard_sandbox_hooks_total";
/// Time limit of a post.
const TIMEOUT: Duration = Duration::from_secs(5);
const DAY: i64 = 86_400;
/// Pause in seconds after each failed try; the last one repeats.
const PAUSES: [i64; 8] = [1, 5, 30, 120, 600, 3600, 21_600, DAY];
/// Like the network, the sandbox gives up after seven days.
const GIVE_UP: i64 = 7 * DAY;

/// Posts a webhook; true when the hook answered 200.
#[boxed::futures]
pub async fn deliver(config: &Config, opened: &OpenedChannel, body: &[u8]) -> bool {
    let Some(request) = request(config, opened, body) else { return false };
    let outcome = match config.hook.call(request).await {
        Ok(response) if response.status() == StatusCode::OK => "taken",
        Ok(response) => {
            tracing::warn!(status = response.status().as_u16(), channel = %opened.channel.id, "the hook refused a webhook of the sandbox");
            "refused"
        }
        Err(error) => {
            tracing::warn!(%error, channel = %opened.channel.id, "a webhook of the sandbox did not reach the hook");
            "unreachable"
        }
    };
    metrics::counter!(COUNTER, "outcome" => outcome).increment(1);
    outcome == "taken"
}

fn request(config: &Config, opened: &OpenedChannel, body: &[u8]) -> Option<Request<channels::transport::Body>> {
    let signed = signature::sign(opened.secrets.app_secret.as_bytes(), body);
    let own_url = || format!("{}/hooks/whatsapp/{}", config.hook_url, opened.channel.id);
    let url = config.other_hook_url.clone().unwrap_or_else(own_url);
    let request = Request::post(url)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::USER_AGENT, AGENT)
        .header(header::ACCEPT, "*/*")
        .header(signature::HEADER, signed)
        .extension(CallTime(TIMEOUT));
    let mut request = request.body(full(body.to_vec())).ok()?;
    // Webhooks to `other_hook_url` keep the host of that URL.
    let host = config.hook_host.as_deref().filter(|_| config.other_hook_url.is_none());
    if let Some(host) = host.and_then(|host| HeaderValue::from_str(host).ok()) {
        request.headers_mut().insert(header::HOST, host);
    }
    Some(request)
}

/// Pause in seconds before the next try; `None` when the webhook is given up.
fn pause(tries: i64) -> Option<i64> {
    let of = |tries: usize| PAUSES.get(tries).copied().unwrap_or(DAY);
    let tries = usize::try_from(tries).unwrap_or(0);
    let waited: i64 = (0..tries.min(64)).map(of).sum();
    (waited < GIVE_UP).then(|| of(tries))
}

impl Sandbox {
    pub(super) async fn drop_rows(&self, due: Vec<Due>) -> store::Result<()> {
        self.db().write(due, |tx, due| Box::pin(due::delete_many(tx, due))).await
    }

    /// Postpones rows whose post failed, in the same order; deletes those that have been tried for seven days.
    pub(super) async fn push_back(&self, due: Vec<Due>, now: Timestamp) -> store::Result<()> {
        let (mut later, mut given_up) = (Vec::new(), Vec::new());
        for row in due {
            match pause(row.tries) {
                Some(seconds) => later.push((now.plus_seconds(seconds), row)),
                None => given_up.push(row),
            }
        }
        if !given_up.is_empty() {
            metrics::counter!(COUNTER, "outcome" => "given_up").increment(given_up.len() as u64);
            tracing::warn!(changes = given_up.len(), "webhooks were not accepted for seven days and are given up");
        }
        self.drop_rows(given_up).await?;
        self.move_rows(later).await
    }

    pub(super) async fn delay_rows(&self, due: Vec<Due>, millis: i64) -> store::Result<()> {
        let now = self.now();
        let until = now.plus_micros(millis.max(1).saturating_mul(1000));
        self.move_rows(due.into_iter().map(|row| (until, row)).collect()).await
    }

    async fn move_rows(&self, rows: Vec<(Timestamp, Due)>) -> store::Result<()> {
        let write = self.db().write(rows, |tx, rows| {
            Box::pin(async move {
                // One microsecond between rows keeps their order.
                for (index, (at, row)) in (0_i64..).zip(rows) {
                    due::push_back(tx, row, at.plus_micros(index)).await?;
                }
                Ok(())
            })
        });
        write.await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_day_and_end_after_a_week() {
        let pauses: Vec<i64> = (0..).map_while(pause).collect();
        assert_eq!(pauses[..4], [1, 5, 30, 120]);
        assert!(pauses.is_sorted() && pauses.last() == Some(&DAY));
        let whole: i64 = pauses.iter().sum();
        assert!((GIVE_UP..GIVE_UP + DAY).contains(&whole), "{whole}");
    }
}
