//! V2: `/{tenantId}/api/v2/...`, with the spellings of the hosted platforms. A table of routes.

mod accounts;
mod messages;
mod webhooks;

use domain::permission::Permission;
use domain::plans::{Family, Feature};
use domain::scopes::Scope::{Api, MessageTemplateV2Read, MessageTemplateV2Write, WebhooksCreate, WhatsAppAccountsRead};

use crate::gate::guarded;
use crate::routing::{Operations, routes};
use crate::v1::templates::list;

const READ_ACCOUNTS: Permission = Permission::any_of(&[Api, WhatsAppAccountsRead]);
const READ_TEMPLATES: Permission = Permission::any_of(&[Api, MessageTemplateV2Read]);

const SEND_TEMPLATES: Permission = Permission::any_of(&[Api, MessageTemplateV2Write]).family(Family::TemplateSends);

const MANAGE_WEBHOOKS: Permission = Permission::any_of(&[Api, WebhooksCreate]).feature(Feature::Webhooks);

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(guarded(READ_ACCOUNTS, routes!(accounts::phone_numbers::get_phone_numbers_v2)))
        .routes(guarded(READ_ACCOUNTS, routes!(accounts::profile::get_phone_number_profile)))
        .routes(guarded(READ_TEMPLATES, routes!(list::get_message_templates_v2)))
        .routes(guarded(SEND_TEMPLATES, routes!(messages::template::send_template_message_v2)))
        .routes(guarded(SEND_TEMPLATES, routes!(messages::template::send_template_message_v2_by_path)))
        .routes(guarded(SEND_TEMPLATES, routes!(messages::templates::send_template_messages_v2)))
        .routes(guarded(SEND_TEMPLATES, routes!(messages::template_csv::send_template_message_csv_v2)))
        .routes(guarded(MANAGE_WEBHOOKS, routes!(webhooks::create::create_webhook_endpoints_v2)))
        .routes(guarded(MANAGE_WEBHOOKS, routes!(webhooks::list::get_webhook_endpoints_v2)))
}
