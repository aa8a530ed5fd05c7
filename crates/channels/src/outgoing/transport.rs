//! A transport whose calls take a connection of the budget.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::{Request, Response};

use super::budget::OutgoingBudget;
use super::state::Share;
use crate::transport::{Body, Transport, TransportError, holding};

#[derive(Debug)]
struct BudgetedTransport {
    inner: Arc<dyn Transport>,
    budget: OutgoingBudget,
    share: Share,
}

impl OutgoingBudget {
    /// The transport within the budget.
    pub fn transport(&self, inner: Arc<dyn Transport>, share: impl Into<Share>) -> Arc<dyn Transport> {
        Arc::new(BudgetedTransport { inner, budget: self.clone(), share: share.into() })
    }
}

impl Transport for BudgetedTransport {
    fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let permit = self.budget.call(self.share).await.ok_or_else(TransportError::overloaded)?;
            let response = self.inner.call(request).await?;
            Ok(response.map(|body| holding(body, permit)))
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::TenantId;

    use super::*;
    use crate::transport::{FailureKind, collect, empty, full};

    /// Answers everything.
    #[derive(Debug)]
    struct Ready;

    impl Transport for Ready {
        fn call(&self, _: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
            Box::pin(async { Ok(Response::new(full("answer"))) })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_held_until_the_answer_was_read() {
        let budget = OutgoingBudget::new(16);
        let transport = budget.transport(Arc::new(Ready), TenantId::FIRST);
        let request = || Request::get("https://example.com/").body(empty()).unwrap();
        let mut answers = Vec::new();
        for _ in 0..4 {
            answers.push(transport.call(request()).await.unwrap());
        }
        let refused = transport.call(request()).await.unwrap_err();
        assert!(refused.never_left(), "{refused}");
        assert_eq!(refused.kind(), FailureKind::Overloaded);
        let body = answers.pop().unwrap().into_body();
        assert_eq!(collect(body, 100).await.unwrap(), "answer");
        assert_eq!(budget.in_use(), 3);
        transport.call(request()).await.unwrap();
    }
}
