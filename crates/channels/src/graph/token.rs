//! What the network says about the access token itself.

use domain::Timestamp;
use serde::Deserialize;

use super::client::{Graph, Result, query};
use super::loose;

/// An access token as its network sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenInfo {
    pub is_valid: bool,
    /// None: it does not expire.
    pub expires_at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct Answer {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    #[serde(default)]
    is_valid: Option<bool>,
    /// Seconds since 1970; 0 stands for never.
    #[serde(default, deserialize_with = "loose::integer")]
    expires_at: Option<i64>,
}

#[boxed::futures]
impl Graph {
    /// Looks the access token up, with the token itself as the credential.
    pub async fn token_info(&self) -> Result<TokenInfo> {
        let pairs = [("input_token", self.access_token())];
        let Answer { data } = self.get(&(self.url("debug_token", &[])? + &query(&pairs))).await?;
        let expires_at = data.expires_at.filter(|seconds| *seconds > 0).map(Timestamp::from_seconds);
        Ok(TokenInfo { is_valid: data.is_valid.unwrap_or(true), expires_at })
    }
}
