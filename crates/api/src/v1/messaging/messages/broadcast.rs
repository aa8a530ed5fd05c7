//! What all template sends of V1 and V2 share.

use app::messaging::messages::{SendFields, TemplateRecipient, TemplateSend};
use domain::Field;
use domain::messaging::messages::MessageSource;

use crate::error::{ApiResult, Spelling};
use crate::input::required;
use crate::shared::messaging::messages::template::with_one_channel;

pub(crate) const TEMPLATE: &str = "template_name";
pub(crate) const BROADCAST: &str = "broadcast_name";

/// The members that every template send of V1 and V2 has.
#[derive(Debug, Clone)]
pub(crate) struct Broadcast {
    pub template: Option<String>,
    pub name: Option<String>,
    pub channel: Option<String>,
    pub language: Option<String>,
    pub dry_run: bool,
}

impl Broadcast {
    /// Builds the send.
    pub fn to(self, recipients: Vec<TemplateRecipient>) -> ApiResult<TemplateSend> {
        Ok(with_one_channel(TemplateSend {
            channel: self.channel,
            template: required(TEMPLATE, self.template)?,
            language: self.language,
            broadcast_name: required(BROADCAST, self.name)?,
            recipients,
            scheduled_at: None,
            source: MessageSource::Api,
            dry_run: self.dry_run,
            fields: SendFields::default(),
        }))
    }
}

/// Names the channel and the recipients in errors as the request does. `list` is the member that holds the recipients.
pub(crate) fn in_broadcast(error: app::Error, list: &str) -> app::Error {
    Spelling(&[(Field::Channel, "channel_number"), (Field::Recipients, list)]).error(error)
}

/// Declares the body of a template send: the common members, and those for the recipients.
macro_rules! template_send {
    ($schema:ident, $name:ident { $($recipients:tt)+ }) => {
        $crate::input::members! {
            #[derive(Debug, ToSchema)]
            #[schema(as = $schema)]
            pub(crate) struct $name from $crate::input::LegacyInput {
                #[schema(value_type = String, example = "order_update")]
                template_name: Option<String> = text["template_name", "templateName", "elementName"](),
                #[schema(value_type = String, example = "May orders", max_length = 200)]
                broadcast_name: Option<String> = text["broadcast_name", "broadcastName"](),
                #[schema(ignore)]
                language: Option<String> = text["language"](),
                $($recipients)+
            }
        }

        impl $name {
            pub fn broadcast(&self, dry_run: bool) -> $crate::v1::messaging::messages::Broadcast {
                $crate::v1::messaging::messages::Broadcast {
                    template: self.template_name.clone(),
                    name: self.broadcast_name.clone(),
                    channel: self.channel_number.clone(),
                    language: self.language.clone(),
                    dry_run,
                }
            }
        }
    };
}

pub(crate) use template_send;
