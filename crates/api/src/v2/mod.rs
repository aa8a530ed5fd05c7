//! V2: `/{tenantId}/api/v2/...`, with the spellings of the hosted platforms. A table of routes.

mod delivery;
mod messaging;
mod permissions;

use crate::gate::guarded;
use crate::routing::{Operations, routes};
use crate::v1::messaging::templates::list;
use permissions::{BROADCAST, MANAGE_WEBHOOKS, READ_ACCOUNTS, READ_TEMPLATES, SEND_TEMPLATES};

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(guarded(READ_ACCOUNTS, routes!(messaging::channels::phone_numbers::get_phone_numbers_v2)))
        .routes(guarded(READ_ACCOUNTS, routes!(messaging::channels::profile::get_phone_number_profile)))
        .routes(guarded(READ_TEMPLATES, routes!(list::get_message_templates_v2)))
        .routes(guarded(SEND_TEMPLATES, routes!(messaging::messages::template::send_template_message_v2)))
        .routes(guarded(SEND_TEMPLATES, routes!(messaging::messages::template::send_template_message_v2_by_path)))
        .routes(guarded(BROADCAST, routes!(messaging::messages::templates::send_template_messages_v2)))
        .routes(guarded(BROADCAST, routes!(messaging::messages::template_csv::send_template_message_csv_v2)))
        .routes(guarded(MANAGE_WEBHOOKS, routes!(delivery::webhooks::create::create_webhook_endpoints_v2)))
        .routes(guarded(MANAGE_WEBHOOKS, routes!(delivery::webhooks::list::get_webhook_endpoints_v2)))
}
