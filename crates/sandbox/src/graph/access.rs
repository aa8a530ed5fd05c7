//! Authorization of Graph requests: finds the object of an id and checks the access token of its channel.

use app::messaging::channels::OpenedChannel;
use domain::messaging::channels::SANDBOX;
use http::Method;
use store::platform::sandbox::records::{self, Kind, Record};
use subtle::ConstantTimeEq as _;

use super::error::{GraphError, GraphResult, Refusal};
use crate::Sandbox;
use crate::core::network_state::{NumberState, TokenState};

/// Part of the Graph API that a request belongs to; it decides which permission the token needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// Messages, calls, files and payments of a number: `whatsapp_business_messaging`.
    Messaging,
    /// Accounts, templates and settings: `whatsapp_business_management`.
    Management,
}

impl Area {
    pub fn for_path(path: &[&str]) -> Self {
        match path {
            [_, "messages" | "media" | "calls" | "payments", ..] | ["media", ..] => Self::Messaging,
            _ => Self::Management,
        }
    }
}

/// Method, token and area of a request, taken before its body is read.
#[derive(Debug)]
pub struct Key {
    method: Method,
    token: Option<String>,
    area: Area,
}

impl From<app::Error> for Refusal {
    /// A channel whose secrets cannot be opened becomes an internal error (131000) in the answer.
    fn from(error: app::Error) -> Self {
        match error {
            app::Error::Store(error) => Self::Store(error),
            _ => GraphError::with_code(131_000).into(),
        }
    }
}

#[boxed::futures]
impl Key {
    pub fn new(method: &Method, token: Option<&str>, area: Area) -> Self {
        Self { method: method.clone(), token: token.map(str::to_owned), area }
    }

    /// The channel with this phone-number id, if the token is that of the channel.
    pub async fn number(&self, sandbox: &Sandbox, id: &str) -> GraphResult<OpenedChannel> {
        self.number_and_state(sandbox, id).await.map(|(opened, _)| opened)
    }

    /// The same, or error 133010 if the number is not registered and so can neither send nor call.
    pub async fn registered_number(&self, sandbox: &Sandbox, id: &str) -> GraphResult<OpenedChannel> {
        let (opened, state) = self.number_and_state(sandbox, id).await?;
        if state.unregistered_since.is_none() {
            return Ok(opened);
        }
        Err(GraphError::with_code(133_010).message("(#133010) The account is not registered").into())
    }

    async fn number_and_state(&self, sandbox: &Sandbox, id: &str) -> GraphResult<(OpenedChannel, NumberState)> {
        let channels = sandbox.app().messaging().channels().of_network(SANDBOX, id).await?;
        let opened = self.first(id, channels.into_iter().filter(|opened| opened.channel.phone_number_id == id))?;
        let state = self.check_token(sandbox, &opened).await?;
        Ok((opened, state))
    }

    /// Refuses if the sandbox was asked to treat the channel's token as expired or without permission; returns the
    /// state of the number.
    pub async fn check_token(&self, sandbox: &Sandbox, opened: &OpenedChannel) -> GraphResult<NumberState> {
        let state = sandbox.number_state(opened.tenant, opened.channel.id).await?;
        match state.token {
            TokenState::Valid => Ok(state),
            TokenState::Expired => {
                let now = sandbox.now();
                let since = state.token_since.unwrap_or(now).to_rfc3339();
                let message = format!(
                    "Error validating access token: Session has expired on {since}. The current time is {}.",
                    now.to_rfc3339()
                );
                Err(GraphError::with_code(190).subcode(463).message(message).into())
            }
            TokenState::NoPermission if self.area == Area::Messaging => Err(GraphError::with_code(10).into()),
            TokenState::NoPermission => Err(GraphError::with_code(200).into()),
        }
    }

    /// All channels of an account in the tenant of the token: at least the token's own.
    pub async fn account(&self, sandbox: &Sandbox, id: &str) -> GraphResult<Vec<OpenedChannel>> {
        let channels = sandbox.app().messaging().channels().of_network(SANDBOX, id).await?;
        let known: Vec<OpenedChannel> = channels.into_iter().filter(|opened| opened.channel.account_id == id).collect();
        let first = self.first(id, known.iter().cloned())?;
        self.check_token(sandbox, &first).await?;
        let tenant = first.tenant;
        Ok(known.into_iter().filter(|opened| opened.tenant == tenant).collect())
    }

    /// The record with this id, and its channel, if the token is that of the channel. `None` when no tenant has the
    /// record.
    pub async fn record(
        &self,
        sandbox: &Sandbox,
        kind: Kind,
        id: &str,
        channel_of: &(dyn Fn(&Record) -> Option<domain::ChannelId> + Sync),
    ) -> GraphResult<Option<(OpenedChannel, Record)>> {
        let mut found = Vec::new();
        for (tenant, record) in records::owners(sandbox.db(), kind, id).await? {
            let Some(channel) = channel_of(&record) else { continue };
            match sandbox.app().messaging().channels().open(tenant, channel).await {
                Ok(opened) => found.push((opened, record)),
                Err(app::Error::Store(error)) => return Err(error.into()),
                Err(_) => {}
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        self.token()?;
        let ours =
            found.into_iter().find(|(opened, _)| self.opens(opened)).ok_or_else(|| GraphError::with_code(190))?;
        self.check_token(sandbox, &ours.0).await?;
        Ok(Some(ours))
    }

    /// The first of `channels` whose access token the request has. Like the network, answers differently to a missing
    /// token (104), a missing object (100) and a wrong token (190).
    fn first(&self, id: &str, channels: impl Iterator<Item = OpenedChannel>) -> GraphResult<OpenedChannel> {
        self.token()?;
        let mut known = channels.peekable();
        if known.peek().is_none() {
            return Err(self.no_object(id));
        }
        known.find(|opened| self.opens(opened)).ok_or_else(|| GraphError::with_code(190).into())
    }

    pub fn no_object(&self, id: &str) -> Refusal {
        GraphError::no_object(&self.method, id).into()
    }

    pub fn token(&self) -> GraphResult<&str> {
        self.token.as_deref().filter(|token| !token.is_empty()).ok_or_else(|| GraphError::with_code(104).into())
    }

    pub fn opens(&self, opened: &OpenedChannel) -> bool {
        let shown = self.token.as_deref().unwrap_or_default();
        opened.channel.enabled && bool::from(opened.secrets.access_token.as_bytes().ct_eq(shown.as_bytes()))
    }
}
