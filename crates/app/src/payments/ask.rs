//! One question to the network about a payment, with no transaction open, and what it was answered.

use std::time::Duration;

use channels::graph::{self, Class, GraphError};
use domain::Timestamp;
use domain::payments::Lookup;
use store::orders::Due;

use super::{Payments, read};
use crate::{Error, Result};

/// Where the network has had enough and does not say for how long.
const USUAL_REST: Duration = Duration::from_mins(1);

#[derive(Debug, Clone)]
pub(super) enum Answer {
    Found(Lookup),
    /// Nobody knows more than before: why, and how long the network wants to be left alone.
    Nothing {
        reason: String,
        rest: Option<Duration>,
    },
}

impl Answer {
    fn nothing(reason: &impl ToString) -> Self {
        Self::Nothing { reason: reason.to_string(), rest: None }
    }

    fn failed(error: &GraphError) -> Self {
        let usual = (error.class == Class::RetryLater).then_some(USUAL_REST);
        Self::Nothing { reason: error.to_string(), rest: error.retry_after.or(usual) }
    }

    fn read(found: Option<&graph::Payment>, asked_at: Timestamp) -> Self {
        read::lookup(found, asked_at).map_or_else(|reason| Self::nothing(&reason), Self::Found)
    }

    pub fn rest(&self) -> Option<Duration> {
        match self {
            Self::Nothing { rest, .. } => *rest,
            Self::Found(_) => None,
        }
    }
}

impl Payments<'_> {
    /// Fails only when our own database does: then nothing was asked.
    pub(super) async fn ask(&self, due: &Due) -> store::Result<Answer> {
        let Some(configuration) = &due.payment_configuration else {
            return Ok(Answer::nothing(&"the order names no payment configuration"));
        };
        let graph = match self.line(due).await {
            Ok(graph) => graph,
            Err(Error::Store(error)) => return Err(error),
            Err(error) => return Ok(Answer::nothing(&error)),
        };
        let asked_at = self.0.now();
        Ok(match graph.payment(configuration, &due.reference_id).await {
            Ok(found) => Answer::read(found.as_ref(), asked_at),
            Err(error) => Answer::failed(&error),
        })
    }

    async fn line(&self, due: &Due) -> Result<graph::Graph> {
        let opened = self.0.channels().opened(due.tenant, due.channel_id).await?;
        self.0.channels().graph(&opened)
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
    fn a_network_that_has_had_enough_is_left_alone_for_as_long_as_it_says() {
        let rest = |class, asked| Answer::failed(&error(class, asked)).rest();
        assert_eq!(rest(Class::Retry, None), None);
        assert_eq!(rest(Class::RetryLater, None), Some(USUAL_REST));
        let asked = Some(Duration::from_mins(5));
        assert_eq!((rest(Class::RetryLater, asked), rest(Class::Retry, asked)), (asked, asked));
    }
}
