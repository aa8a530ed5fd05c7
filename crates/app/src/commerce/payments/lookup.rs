//! One look-up of a payment at the network. No transaction is open while it waits for the answer.

use std::time::Duration;

use channels::graph::{self, Class, GraphError};
use domain::Timestamp;
use domain::commerce::payments::LookupAnswer;
use store::commerce::orders::DueLookup;

use super::{Payments, parse};
use crate::{Error, Result};

/// The pause after a rate limit of the network that names no time.
const DEFAULT_PAUSE: Duration = Duration::from_mins(1);

#[derive(Debug, Clone)]
pub(super) enum LookupOutcome {
    Answered(LookupAnswer),
    /// There is no answer: the reason, and the pause that the network demands.
    Failed {
        reason: String,
        pause: Option<Duration>,
    },
}

impl LookupOutcome {
    fn without_answer(reason: &impl ToString) -> Self {
        Self::Failed { reason: reason.to_string(), pause: None }
    }

    fn refused(error: &GraphError) -> Self {
        let default = (error.class == Class::RetryLater).then_some(DEFAULT_PAUSE);
        Self::Failed { reason: error.to_string(), pause: error.retry_after.or(default) }
    }

    fn parse(found: Option<&graph::Payment>, asked_at: Timestamp) -> Self {
        parse::lookup(found, asked_at).map_or_else(|reason| Self::without_answer(&reason), Self::Answered)
    }

    pub fn pause(&self) -> Option<Duration> {
        match self {
            Self::Failed { pause, .. } => *pause,
            Self::Answered(_) => None,
        }
    }
}

impl Payments<'_> {
    /// Asks the network about a payment. An error means that the database failed, before anything was sent.
    pub(super) async fn ask_network(&self, due: &DueLookup) -> store::Result<LookupOutcome> {
        let Some(configuration) = &due.payment_configuration else {
            return Ok(LookupOutcome::without_answer(&"the order names no payment configuration"));
        };
        let graph = match self.client_for(due).await {
            Ok(graph) => graph,
            Err(Error::Store(error)) => return Err(error),
            Err(error) => return Ok(LookupOutcome::without_answer(&error)),
        };
        let asked_at = self.0.now();
        Ok(match graph.payment(configuration, &due.reference_id).await {
            Ok(found) => LookupOutcome::parse(found.as_ref(), asked_at),
            Err(error) => LookupOutcome::refused(&error),
        })
    }

    async fn client_for(&self, due: &DueLookup) -> Result<graph::Graph> {
        let opened = self.0.messaging().channels().open(due.tenant, due.channel_id).await?;
        self.0.messaging().channels().graph(&opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(class: Class, retry_after: Option<Duration>) -> GraphError {
        GraphError {
            class,
            reason: "too many calls",
            status: None,
            code: Some(80_007),
            subcode: None,
            kind: None,
            message: "".into(),
            details: None,
            trace_id: None,
            retry_after,
        }
    }

    #[test]
    fn a_rate_limited_look_up_pauses_for_as_long_as_the_network_says() {
        let pause = |class, asked| LookupOutcome::refused(&error(class, asked)).pause();
        assert_eq!(pause(Class::Retry, None), None);
        assert_eq!(pause(Class::RetryLater, None), Some(DEFAULT_PAUSE));
        let asked = Some(Duration::from_mins(5));
        assert_eq!((pause(Class::RetryLater, asked), pause(Class::Retry, asked)), (asked, asked));
    }
}
