//! Posts events to an address on the developer's own machine, for `switchboard listen`: signed and evaluated like
//! deliveries, but without the address guard, because the developer chooses the address.

use std::sync::Arc;
use std::time::Duration;

use channels::transport::{HttpTransport, Timeouts, Transport};
use domain::delivery::webhooks::{Secret, check_url};
use domain::{Clock, DeliveryId, Field};

use super::post::{self, DeliveryBody, PostTarget, Verdict, post};
use crate::{Error, Fault, Result};

#[derive(Debug)]
pub struct Forwarder {
    transport: Arc<dyn Transport>,
    url: String,
    secret: Secret,
}

/// The outcome of one post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardResult {
    pub status: Option<u16>,
    pub latency: Duration,
    /// None when the answer was a 2xx.
    pub error: Option<String>,
}

#[boxed::futures]
impl Forwarder {
    pub fn new(url: &str, secret: Secret) -> Result<Self> {
        let url = check_url(url).map_err(|why| Error::invalid(Field::ForwardTo, why))?;
        let timeouts = Timeouts { call: post::ANSWER_WITHIN, ..Timeouts::default() };
        let transport = HttpTransport::new(timeouts).map_err(|_| Error::Fault(Fault::NoHttpClient))?;
        Ok(Self { transport: Arc::new(transport), url, secret })
    }

    pub async fn post(&self, id: DeliveryId, payload: &str, clock: &Clock) -> ForwardResult {
        let target = PostTarget { url: &self.url, headers: &[], secrets: vec![&self.secret] };
        let outcome = post(&*self.transport, &target, DeliveryBody { id, payload: payload.into() }, clock).await;
        let error = match outcome.verdict {
            Verdict::Delivered => None,
            Verdict::Failed { error, .. } => Some(error),
            Verdict::Gone => Some("answered 410".to_owned()),
        };
        ForwardResult { status: outcome.status, latency: outcome.latency, error }
    }
}
