//! Where a link leads, and what is told of whoever opens it.

use std::time::Duration;

use domain::channels::Channel;
use domain::clicks::Link;
use domain::events::{ClickedLink, EventPerson, Fact, SentMessage};
use domain::messages::local_id;
use domain::templates::{FilledButton, Template};
use domain::{TemplateId, TenantId, Timestamp};
use moka::sync::Cache;
use std::sync::Arc;
use store::clicks::Told;

use crate::{App, Result};
use domain::messages::MessageSource;

/// Templates that are remembered: those whose links are opened at the same time.
const TEMPLATES: u64 = 1000;
/// A template whose links are tracked is ours and does not change, so this only bounds memory.
const REMEMBERED: Duration = Duration::from_mins(1);

/// Templates of which links were opened lately.
#[derive(Debug)]
pub(super) struct Templates(Cache<(TenantId, TemplateId), Arc<Template>>);

impl Default for Templates {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(TEMPLATES).time_to_live(REMEMBERED).build())
    }
}

impl Templates {
    pub async fn find(&self, app: &App, tenant: TenantId, id: TemplateId) -> Result<Option<Arc<Template>>> {
        if let Some(known) = self.0.get(&(tenant, id)) {
            return Ok(Some(known));
        }
        let found = store::templates::find(app.db(), tenant, id).await?.map(Arc::new);
        if let Some(found) = &found {
            self.0.insert((tenant, id), found.clone());
        }
        Ok(found)
    }
}

/// A button of a message that somebody has, with its variables filled in.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub told: Told,
    pub template_name: String,
    pub template_id: TemplateId,
    /// What stands on the button.
    pub text: String,
    pub url: String,
}

/// The URL buttons of a message, as they were sent. None when its person was erased, and what it said with it.
pub(super) fn buttons(told: &Told, template: &Template) -> Option<Vec<FilledButton>> {
    if told.text.is_none() || told.bsuid.is_none() {
        return None;
    }
    let params = told.params.as_ref().map_or(&[][..], |params| &params.0);
    let mut buttons = template.fill(params).ok()?.buttons;
    buttons.retain(|button| button.url.as_deref().is_some_and(is_web));
    Some(buttons)
}

/// Nothing else is ever led to.
fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

impl Target {
    pub fn new(told: Told, template: &Template, link: Link) -> Option<Self> {
        let meant = |button: &FilledButton| Some(button.index) == link.button && button.card == link.card;
        let button = buttons(&told, template)?.into_iter().find(meant)?;
        Self::of(told, template, button)
    }

    pub fn of(told: Told, template: &Template, button: FilledButton) -> Option<Self> {
        let (template_name, template_id) = (template.name.clone(), template.id);
        Some(Self { told, template_name, template_id, text: button.text, url: button.url? })
    }

    pub fn fact(&self, now: Timestamp, channel: &Channel) -> Fact {
        let told = &self.told;
        let source = told.operator.as_ref().map_or(MessageSource::Api, |operator| operator.source);
        let message = SentMessage {
            person: EventPerson {
                bsuid: told.bsuid.clone(),
                parent_bsuid: told.parent_bsuid.clone(),
                username: told.username.clone(),
                wa_id: told.phone.clone(),
            },
            message_id: told.message_id,
            local_message_id: Some(told.local_id.clone().unwrap_or_else(|| local_id::of(told.message_id))),
            network_id: told.network_id.clone(),
            conversation_id: told.conversation_id,
            ticket_id: told.ticket_id,
            text: told.text.clone(),
            r#type: "template".to_owned(),
            assignee_id: None,
            operator_email: told.operator.as_ref().and_then(|operator| operator.email.clone()).unwrap_or_default(),
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
