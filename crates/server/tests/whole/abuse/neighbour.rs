//! The requests of the neighbour, and of a load balancer that asks for the server's health.

use reqwest::{Client, StatusCode};
use serde_json::json;

use super::world::{Siege, neighbour_client};

/// Has connections of its own.
pub struct Neighbour<'w> {
    world: &'w Siege,
    client: Client,
}

impl Siege {
    pub fn neighbour(&self) -> Neighbour<'_> {
        Neighbour { world: self, client: neighbour_client() }
    }
}

impl Neighbour<'_> {
    /// A request of the neighbour; writes when `number` is even.
    pub async fn ask(&self, number: usize) -> Result<StatusCode, reqwest::Error> {
        let calls = self.world.server.url("/api/ext/v3/calls");
        let request = if number.is_multiple_of(2) {
            let call = json!({
                "call_id": format!("call-{number}-{:x}", rand::random::<u64>()), "direction": "inbound",
                "from_number": "14155552671", "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
            });
            self.client.post(calls).json(&call)
        } else {
            self.client.get(calls)
        };
        Ok(request.bearer_auth(&self.world.neighbour_token).send().await?.status())
    }

    /// Health on its own listener, which has a thread of its own.
    pub async fn sees_health(&self) -> Result<bool, reqwest::Error> {
        for path in ["healthz", "readyz"] {
            let url = format!("http://{}/{path}", self.world.health);
            if self.client.get(url).send().await?.status() != StatusCode::OK {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Health on the listener, and the threads, that answer all requests.
    pub async fn sees_main_health(&self) -> Result<bool, reqwest::Error> {
        let answer = self.client.get(self.world.server.url("/healthz")).send().await?;
        Ok(answer.status() == StatusCode::OK)
    }
}
