//! Call control: connect, accept, reject, terminate. Session descriptions (SDP) are passed through unread.

use serde::{Deserialize, Serialize};

use super::client::{Done, Graph, Result};
use super::content::Recipient;
use super::failure::GraphError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallAction {
    Connect { recipient: Recipient, offer: String, callback_data: Option<String> },
    PreAccept { call_id: String, answer: String },
    Accept { call_id: String, answer: String, callback_data: Option<String> },
    Reject { call_id: String },
    Terminate { call_id: String },
}

#[derive(Default, Serialize)]
struct Wire<'a> {
    messaging_product: &'static str,
    action: &'static str,
    #[serde(flatten)]
    recipient: Option<&'a Recipient>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<Session<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    biz_opaque_callback_data: Option<&'a str>,
}

#[derive(Serialize)]
struct Session<'a> {
    sdp_type: &'static str,
    sdp: &'a str,
}

impl CallAction {
    fn wire(&self) -> Wire<'_> {
        let wire = |action, call_id| Wire { messaging_product: "whatsapp", action, call_id, ..Wire::default() };
        let answering = |sdp| Some(Session { sdp_type: "answer", sdp });
        match self {
            Self::Connect { recipient, offer, callback_data } => Wire {
                recipient: Some(recipient),
                session: Some(Session { sdp_type: "offer", sdp: offer }),
                biz_opaque_callback_data: callback_data.as_deref(),
                ..wire("connect", None)
            },
            Self::PreAccept { call_id, answer } => {
                Wire { session: answering(answer), ..wire("pre_accept", Some(call_id)) }
            }
            Self::Accept { call_id, answer, callback_data } => Wire {
                session: answering(answer),
                biz_opaque_callback_data: callback_data.as_deref(),
                ..wire("accept", Some(call_id))
            },
            Self::Reject { call_id } => wire("reject", Some(call_id)),
            Self::Terminate { call_id } => wire("terminate", Some(call_id)),
        }
    }
}

impl Serialize for CallAction {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.wire().serialize(serializer)
    }
}

#[derive(Deserialize)]
struct Connected {
    calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    id: String,
}

#[boxed::futures]
impl Graph {
    /// Returns the call's id: for a new call the one that the network assigned, else the one in `action`.
    pub async fn call_action(&self, action: &CallAction) -> Result<String> {
        let url = self.number_url(&["calls"])?;
        match action {
            CallAction::Connect { .. } => {
                let connected: Connected = self.post(&url, action).await?;
                let call = connected.calls.into_iter().next();
                call.map(|call| call.id).ok_or_else(|| GraphError::unreadable(200, "the response has no call id"))
            }
            CallAction::PreAccept { call_id, .. }
            | CallAction::Accept { call_id, .. }
            | CallAction::Reject { call_id }
            | CallAction::Terminate { call_id } => {
                self.post::<Done>(&url, action).await?.check()?;
                Ok(call_id.clone())
            }
        }
    }
}
