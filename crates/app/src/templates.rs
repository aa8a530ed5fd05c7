//! Templates: made, listed, taken away, brought in line with the network's list, and filled in for a message. What the
//! network thinks of one arrives through its hook.

mod create;
mod delete;
mod message;
mod read;
mod submit;
mod sync;
mod told;
mod verdicts;

pub use create::NewTemplateInput;
pub use delete::Which;
pub(crate) use message::{content, to_send};
pub use sync::Synced;
pub(crate) use verdicts::{About, category_told, quality_told, status_told};

use domain::channels::Channel;
use domain::templates::TemplateFilter;
use domain::templates::{Status, Template};
use domain::{TemplateId, Timestamp};

use crate::{ActsFor, App, Error, Result, Thing};

#[derive(Debug)]
pub struct Templates<'a>(&'a App);

impl App {
    pub fn templates(&self) -> Templates<'_> {
        Templates(self)
    }
}

const NO_TEMPLATE: Error = Error::NotFound(Thing::Template);

/// Made by a caller of ours, or found at the network.
const OURS: &str = "API";
const FOUND: &str = "NETWORK";

/// A template that is there no longer.
fn gone(template: &Template, now: Timestamp) -> Template {
    Template { status: Status::Deleted, deleted_at: Some(now), updated_at: now, ..template.clone() }
}

/// A page of templates, and how many there are in all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub templates: Vec<Template>,
    pub total: i64,
}

impl Templates<'_> {
    /// The newest first; those of one channel's account, or of all.
    pub async fn list(&self, caller: &impl ActsFor, channel: Option<&str>, mut filter: TemplateFilter) -> Result<Page> {
        if let Some(name) = channel {
            let missing = || Error::Missing { parameter: "channel".to_owned(), what: Thing::Channel };
            let found = self.0.channels().find(caller, name).await;
            let channel = found.map_err(|error| if matches!(error, Error::NotFound(_)) { missing() } else { error })?;
            filter.account_id = Some(channel.account_id);
        }
        let templates = store::templates::list(self.0.db(), caller.tenant(), &filter).await?;
        let total = store::templates::count(self.0.db(), caller.tenant(), &filter).await?;
        Ok(Page { templates, total })
    }

    /// Also one that was deleted: messages still name it.
    pub async fn find(&self, caller: &impl ActsFor, id: TemplateId) -> Result<Template> {
        store::templates::find(self.0.db(), caller.tenant(), id).await?.ok_or(NO_TEMPLATE)
    }

    /// The channel that is named, or the default one.
    async fn channel(&self, caller: &impl ActsFor, named: Option<&str>) -> Result<Channel> {
        let channels = self.0.channels().list(caller).await?;
        let found = match named.filter(|name| !name.trim().is_empty()) {
            Some(name) => channels.into_iter().find(|one| one.is_meant(name)),
            None => channels.into_iter().find(|one| one.is_default),
        };
        found.ok_or(Error::Missing { parameter: "channel".to_owned(), what: Thing::Channel })
    }
}
