//! The target of a tracked link, and the event of its first click.

use std::time::Duration;

use domain::delivery::events::{ClickedLink, EventPerson, Fact, SentMessage};
use domain::messaging::channels::Channel;
use domain::messaging::clicks::Link;
use domain::messaging::messages::{MessageSource, local_id};
use domain::messaging::templates::{FilledButton, Template};
use domain::{TemplateId, TenantId, Timestamp};

use std::sync::Arc;
use store::Db;
use store::messaging::clicks::ClickContext;

use crate::Result;
use crate::base::cache::Cache;

/// Most templates in the cache.
const MOST_TEMPLATES: usize = 1000;
/// How long a template is cached. The texts and URLs of a template with tracked links do not change after its creation,
/// so an old entry does no harm.
const CACHED_FOR: Duration = Duration::from_mins(1);

/// Cache of the templates whose links are opened.
#[derive(Debug)]
pub(super) struct TemplateCache(Cache<(TenantId, TemplateId), Arc<Template>>);

impl Default for TemplateCache {
    fn default() -> Self {
        Self(Cache::with_lifetime(MOST_TEMPLATES, CACHED_FOR))
    }
}

impl TemplateCache {
    pub async fn find(&self, db: &Db, tenant: TenantId, id: TemplateId) -> Result<Option<Arc<Template>>> {
        if let Some(known) = self.0.get(&(tenant, id)) {
            return Ok(Some(known));
        }
        let found = store::messaging::templates::find(db, tenant, id).await?.map(Arc::new);
        if let Some(found) = &found {
            self.0.insert((tenant, id), found.clone());
        }
        Ok(found)
    }
}

/// A URL button of a sent message, with its variables filled in.
#[derive(Debug, Clone)]
pub(super) struct LinkTarget {
    pub context: ClickContext,
    pub template_name: String,
    pub template_id: TemplateId,
    /// Label of the button.
    pub text: String,
    pub url: String,
}

/// The web URL buttons of a message as they were sent. None after the contact was erased, since the message's values
/// were erased with it.
pub(super) fn buttons(context: &ClickContext, template: &Template) -> Option<Vec<FilledButton>> {
    if context.text.is_none() || context.bsuid.is_none() {
        return None;
    }
    let params = context.params.as_ref().map_or(&[][..], |params| &params.0);
    let mut buttons = template.fill(params).ok()?.buttons;
    buttons.retain(|button| button.url.as_deref().is_some_and(is_web));
    Some(buttons)
}

/// True for a web address: the redirect leads to no other.
fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

impl LinkTarget {
    pub fn new(context: ClickContext, template: &Template, link: Link) -> Option<Self> {
        let is_clicked = |button: &FilledButton| Some(button.index) == link.button && button.card == link.card;
        let button = buttons(&context, template)?.into_iter().find(is_clicked)?;
        Self::for_button(context, template, button)
    }

    pub fn for_button(context: ClickContext, template: &Template, button: FilledButton) -> Option<Self> {
        let (template_name, template_id) = (template.name.clone(), template.id);
        Some(Self { context, template_name, template_id, text: button.text, url: button.url? })
    }

    pub fn fact(&self, now: Timestamp, channel: &Channel) -> Fact {
        let context = &self.context;
        let source = context.operator.as_ref().map_or(MessageSource::Api, |operator| operator.source);
        let message = SentMessage {
            person: EventPerson {
                bsuid: context.bsuid.clone(),
                parent_bsuid: context.parent_bsuid.clone(),
                username: context.username.clone(),
                wa_id: context.phone.clone(),
            },
            message_id: context.message_id,
            local_message_id: Some(
                context.local_id.clone().unwrap_or_else(|| local_id::default_for(context.message_id)),
            ),
            network_id: context.network_id.clone(),
            conversation_id: context.conversation_id,
            ticket_id: context.ticket_id,
            text: context.text.clone(),
            r#type: "template".to_owned(),
            assignee_id: None,
            operator_email: context.operator.as_ref().and_then(|operator| operator.email.clone()).unwrap_or_default(),
        };
        let clicked = ClickedLink {
            message,
            template_id: self.template_id,
            template_name: self.template_name.clone(),
            display_text: self.text.clone(),
            button_url: self.url.clone(),
            source: source.name(),
        };
        Fact::clicked(now, channel, &clicked)
    }
}
