//! Authorization of Graph requests: finds the object of an id and checks the access token of its channel.

use app::channels::OpenedChannel;
use domain::channels::SANDBOX;
use http::Method;
use store::sandbox::records::{self, Kind, Record};
use subtle::ConstantTimeEq as _;

use super::error::{GraphError, GraphResult, Refusal};
use crate::Sandbox;

/// Method and token of a request, taken before its body is read.
#[derive(Debug)]
pub struct Key {
    method: Method,
    token: Option<String>,
}

impl From<app::Error> for Refusal {
    /// A channel whose secrets cannot be opened is an internal error to the caller.
    fn from(error: app::Error) -> Self {
        match error {
            app::Error::Store(error) => Self::Store(error),
            _ => GraphError::of(131_000).into(),
        }
    }
}

impl Key {
    pub fn new(method: &Method, token: Option<&str>) -> Self {
        Self { method: method.clone(), token: token.map(str::to_owned) }
    }

    /// The channel with this phone-number id.
    pub async fn number(&self, sandbox: &Sandbox, id: &str) -> GraphResult<OpenedChannel> {
        let channels = sandbox.app().channels().of_network(SANDBOX, id).await?;
        self.first(id, channels.into_iter().filter(|opened| opened.channel.phone_number_id == id))
    }

    /// All channels of an account in the token's tenant: at least one.
    pub async fn account(&self, sandbox: &Sandbox, id: &str) -> GraphResult<Vec<OpenedChannel>> {
        let channels = sandbox.app().channels().of_network(SANDBOX, id).await?;
        let known: Vec<OpenedChannel> = channels.into_iter().filter(|opened| opened.channel.account_id == id).collect();
        let tenant = self.first(id, known.iter().cloned())?.tenant;
        Ok(known.into_iter().filter(|opened| opened.tenant == tenant).collect())
    }

    /// The record with this id, and its channel.
    pub async fn record(
        &self,
        sandbox: &Sandbox,
        kind: Kind,
        id: &str,
        channel_of: impl Fn(&Record) -> Option<domain::ChannelId>,
    ) -> GraphResult<Option<(OpenedChannel, Record)>> {
        let mut found = Vec::new();
        for (tenant, record) in records::owners(sandbox.db(), kind, id).await? {
            let Some(channel) = channel_of(&record) else { continue };
            match sandbox.app().channels().open(tenant, channel).await {
                Ok(opened) => found.push((opened, record)),
                Err(app::Error::Store(error)) => return Err(error.into()),
                Err(_) => {}
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        self.token()?;
        let ours = found.into_iter().find(|(opened, _)| self.opens(opened));
        ours.map(Some).ok_or_else(|| GraphError::of(190).into())
    }

    /// The first channel that the token opens. The network distinguishes a missing token, a wrong token and a missing
    /// object.
    fn first(&self, id: &str, channels: impl Iterator<Item = OpenedChannel>) -> GraphResult<OpenedChannel> {
        self.token()?;
        let mut known = channels.peekable();
        if known.peek().is_none() {
            return Err(self.no_object(id));
        }
        known.find(|opened| self.opens(opened)).ok_or_else(|| GraphError::of(190).into())
    }

    pub fn no_object(&self, id: &str) -> Refusal {
        GraphError::no_object(&self.method, id).into()
    }

    pub fn token(&self) -> GraphResult<&str> {
        self.token.as_deref().filter(|token| !token.is_empty()).ok_or_else(|| GraphError::of(104).into())
    }

    fn opens(&self, opened: &OpenedChannel) -> bool {
        let shown = self.token.as_deref().unwrap_or_default();
        opened.channel.enabled && bool::from(opened.secrets.access_token.as_bytes().ct_eq(shown.as_bytes()))
    }
}
