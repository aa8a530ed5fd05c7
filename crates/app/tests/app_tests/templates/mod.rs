//! Templates against the sandbox: created, reviewed, synchronized, sent.

#[path = "../../../../domain/tests/domain_tests/templates/bad.rs"]
#[expect(dead_code, reason = "the table itself is for other tests")]
pub mod bad;
mod making;
mod samples;
mod sending;
mod syncing;
mod verdicts;

use std::time::Duration;

use app::templates::TemplateCreation;
use app::{Command, Error, Result};
use channels::graph::TemplateRow;
use domain::templates::TemplateFilter;
use domain::templates::{NewTemplate, Template};
use testkit::database::TestDb;
use testkit::network::{NetworkSettings, WiredApp};

const PUBLIC_URL: &str = "https://wa.example.com";

/// A business with the sandbox as its network.
struct World(WiredApp);

impl World {
    async fn new(test: &TestDb) -> Self {
        Self(WiredApp::new(TestDb::alone(test.db.engine()).await, NetworkSettings::default()).await)
    }

    fn caller(&self) -> Command {
        Command(self.0.tenant)
    }

    async fn create(&self, template: NewTemplate) -> Result<Template> {
        let input = TemplateCreation { channel: None, template, public_url: Some(PUBLIC_URL.to_owned()) };
        self.0.app.templates().create(&self.caller(), input).await
    }

    /// The template as it is stored now.
    async fn now(&self, template: &Template) -> Template {
        self.0.app.templates().find(&self.caller(), template.id).await.unwrap()
    }

    async fn all(&self) -> Vec<Template> {
        let filter = TemplateFilter { limit: 100, ..TemplateFilter::default() };
        self.0.app.templates().list(&self.caller(), None, filter).await.unwrap().templates
    }

    /// The first page of the network's list of templates.
    async fn network(&self) -> Vec<TemplateRow> {
        self.0.graph().await.templates(None).await.unwrap().templates
    }

    /// Advances the clock and processes the network's posts.
    async fn later(&self, seconds: u64) {
        self.0.advance(Duration::from_secs(seconds));
        self.0.settle().await;
    }
}

#[track_caller]
fn refused(outcome: Result<Template>) -> String {
    match outcome {
        Err(
            error @ (Error::Invalid { .. } | Error::Conflict { .. } | Error::Refused { .. } | Error::Missing { .. }),
        ) => error.to_string(),
        other => unreachable!("{other:?}"),
    }
}
