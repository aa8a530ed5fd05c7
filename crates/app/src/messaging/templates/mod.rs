//! Templates: created, listed, deleted, synchronized with the network's list, and filled in for a message. The
//! network's verdicts arrive through its hook.

mod check;
mod create;
mod delete;
mod emit;
mod errors;
mod message;
mod network_list;
mod parse;
mod samples;
mod submit;
mod sync;
mod verdicts;

pub use check::TemplateProblem;
pub use create::TemplateCreation;
pub use delete::TemplateSelector;
pub(crate) use message::{find_to_send, message_content};
pub use sync::SyncSummary;
pub(crate) use verdicts::{TemplateReport, apply_category, apply_quality, apply_status, mark_disabled};

use domain::messaging::channels::Channel;
use domain::messaging::templates::{Template, TemplateChange, TemplateFilter, TemplateStatus};
use domain::{Field, TemplateId, Timestamp};

use crate::messaging::Messaging;
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug)]
pub struct Templates<'a>(&'a Messaging);

impl Messaging {
    pub fn templates(&self) -> Templates<'_> {
        Templates(self)
    }
}

const NO_TEMPLATE: Error = Error::NotFound(Thing::Template);

/// Values of [`Template::origin`]: created through this server, or found in the network's list.
const ORIGIN_API: &str = "API";
const ORIGIN_NETWORK: &str = "NETWORK";

/// Most changes that the history of a template shows.
const MAX_CHANGES: i64 = 200;

fn as_deleted(template: &Template, now: Timestamp) -> Template {
    Template { status: TemplateStatus::Deleted, deleted_at: Some(now), updated_at: now, ..template.clone() }
}

/// One page, and the number of templates on all pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateList {
    pub templates: Vec<Template>,
    pub total: i64,
}

#[boxed::futures]
impl Templates<'_> {
    /// Returns a page, the newest first: the templates of one channel's account, or of all accounts.
    pub async fn list(
        &self,
        caller: &dyn ActsFor,
        channel: Option<&str>,
        mut filter: TemplateFilter,
    ) -> Result<TemplateList> {
        if let Some(name) = channel {
            let missing = || Error::missing(Field::Channel, Thing::Channel);
            let found = self.0.channels().find(caller, name).await;
            let channel = found.map_err(|error| if matches!(error, Error::NotFound(_)) { missing() } else { error })?;
            filter.account_id = Some(channel.account_id);
        }
        let templates = store::messaging::templates::list(self.0.db(), caller.tenant(), &filter).await?;
        let total = store::messaging::templates::count(self.0.db(), caller.tenant(), &filter).await?;
        Ok(TemplateList { templates, total })
    }

    /// Finds a template by id, also a deleted one, since messages still refer to it.
    pub async fn find(&self, caller: &dyn ActsFor, id: TemplateId) -> Result<Template> {
        store::messaging::templates::find(self.0.db(), caller.tenant(), id).await?.ok_or(NO_TEMPLATE)
    }

    /// The latest changes of a template, newest first.
    pub async fn history(&self, caller: &dyn ActsFor, id: TemplateId) -> Result<Vec<TemplateChange>> {
        self.find(caller, id).await?;
        Ok(store::messaging::templates::changes(self.0.db(), caller.tenant(), id, MAX_CHANGES).await?)
    }

    /// Finds the named channel, or the default one.
    async fn channel(&self, caller: &dyn ActsFor, named: Option<&str>) -> Result<Channel> {
        let channels = self.0.channels().list(caller).await?;
        let found = match named.filter(|name| !name.trim().is_empty()) {
            Some(name) => channels.into_iter().find(|one| one.matches(name)),
            None => channels.into_iter().find(|one| one.is_default),
        };
        found.ok_or_else(|| Error::missing(Field::Channel, Thing::Channel))
    }
}
