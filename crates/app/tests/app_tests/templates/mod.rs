//! Templates against the sandbox: created, reviewed, synchronized, sent.

#[path = "../../../../domain/tests/domain_tests/templates/bad.rs"]
#[expect(dead_code, reason = "the table itself is for other tests")]
pub mod bad;
mod making;
mod samples;
mod sending;
mod syncing;
mod verdicts;

use app::{Error, Result};
use channels::graph::TemplateRow;
use domain::messaging::templates::{Template, TemplateFilter};
use testkit::World;
use testkit::world::OnWorld;

trait Templates: OnWorld {
    /// The template as it is stored now.
    async fn stored(self, template: &Template) -> Template {
        self.app.messaging().templates().find(&self.me(), template.id).await.unwrap()
    }

    async fn all(self) -> Vec<Template> {
        let filter = TemplateFilter { limit: 100, ..TemplateFilter::default() };
        self.app.messaging().templates().list(&self.me(), None, filter).await.unwrap().templates
    }

    /// The first page of the network's list of templates.
    async fn network(self) -> Vec<TemplateRow> {
        self.graph().await.templates(None).await.unwrap().templates
    }
}

impl Templates for &World {}

#[track_caller]
fn refused(outcome: Result<Template>) -> String {
    match outcome {
        Err(
            error @ (Error::Invalid { .. } | Error::Conflict { .. } | Error::Refused { .. } | Error::Missing { .. }),
        ) => error.to_string(),
        other => unreachable!("{other:?}"),
    }
}
