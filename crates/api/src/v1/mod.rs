//! V1: `/{tenantId}/api/v1/...`, with the spellings of the hosted platforms whose clients it serves, including their
//! mistakes (`docs/api-conventions.md`). A table of routes.

pub(crate) mod accounts;
mod answer;
mod broadcasts;
mod chatbots;
mod contacts;
mod conversations;
pub(crate) mod failure;
mod link;
mod media;
pub(crate) mod messages;
mod orders;
mod permissions;
pub(crate) mod templates;
mod tokens;

use domain::identity::permission::Permission;

use crate::gate::{guarded, guarded_secret};
use crate::routing::{Operations, routes};
use permissions::{
    CREATE_SEGMENTS, READ_ACCOUNTS, READ_CHATBOTS, READ_CONTACTS, READ_FILES, READ_MESSAGES, READ_ORDERS,
    READ_TEMPLATES, SEND_TEMPLATES, WRITE_BROADCASTS, WRITE_CHATBOTS, WRITE_CONTACTS, WRITE_CONVERSATIONS,
    WRITE_MANY_CONTACTS, WRITE_ORDERS, WRITE_TEMPLATES,
};

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(guarded(READ_ACCOUNTS, routes!(accounts::phone_numbers::get_phone_numbers)))
        .routes(guarded(READ_ACCOUNTS, routes!(accounts::business_accounts::get_business_accounts)))
        .routes(guarded(WRITE_BROADCASTS, routes!(broadcasts::retry::retry_broadcast)))
        .routes(guarded(READ_CHATBOTS, routes!(chatbots::list::get_chatbots)))
        .routes(guarded(WRITE_CHATBOTS, routes!(chatbots::start::start_chatbot_v1)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::list::get_contacts)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::list_items::list_contact_items)))
        .routes(guarded(WRITE_CONTACTS, routes!(contacts::add::add_contact)))
        .routes(guarded(WRITE_CONTACTS, routes!(contacts::add::add_contact_by_query)))
        .routes(guarded(WRITE_CONTACTS, routes!(contacts::update::update_contact_attributes)))
        .routes(guarded(WRITE_CONTACTS, routes!(contacts::update::update_contact_attributes_by_query)))
        .routes(guarded(
            WRITE_MANY_CONTACTS,
            routes!(contacts::update_many::update_contact_attributes_for_multi_contacts),
        ))
        .routes(guarded(CREATE_SEGMENTS, routes!(contacts::create_segment::create_custom_segment)))
        .routes(guarded(READ_MESSAGES, routes!(conversations::history::get_messages)))
        .routes(guarded(READ_MESSAGES, routes!(conversations::history::get_messages_by_query)))
        .routes(guarded(READ_MESSAGES, routes!(conversations::message::get_message)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(conversations::assign::assign_operator)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(conversations::assign::assign_operator_by_path)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(conversations::status::update_chat_status)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::text::send_session_message)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::text::send_session_message_by_query)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::file::send_session_file)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::file::send_session_file_by_query)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::file_via_url::send_session_file_via_url)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::file_via_url::send_session_file_via_url_by_query)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::buttons::send_interactive_buttons_message)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::buttons::send_interactive_buttons_message_by_path)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::list::send_interactive_list_message)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::list::send_interactive_list_message_by_path)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::direct::send_direct_send_message)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messages::direct::send_direct_send_message_by_query)))
        .routes(guarded(SEND_TEMPLATES, routes!(messages::template::send_template_message)))
        .routes(guarded(SEND_TEMPLATES, routes!(messages::template::send_template_message_by_path)))
        .routes(guarded(SEND_TEMPLATES, routes!(messages::templates::send_template_messages)))
        .routes(guarded(SEND_TEMPLATES, routes!(messages::template_csv::send_template_message_csv)))
        .routes(guarded(WRITE_ORDERS, routes!(orders::details::send_order_details)))
        .routes(guarded(WRITE_ORDERS, routes!(orders::details_template::send_order_details_template)))
        .routes(guarded(READ_ORDERS, routes!(orders::show::get_order_details)))
        .routes(guarded(WRITE_ORDERS, routes!(orders::status::send_order_status)))
        .routes(guarded(WRITE_ORDERS, routes!(orders::status_template::send_order_status_template)))
        .routes(guarded(READ_ORDERS, routes!(orders::payment::get_payment_status)))
        .routes(guarded(READ_FILES, routes!(media::get::get_media)))
        .routes(guarded(READ_FILES, routes!(media::get::show_file)))
        .routes(guarded(READ_TEMPLATES, routes!(templates::list::get_message_templates)))
        .routes(guarded(WRITE_TEMPLATES, routes!(templates::create::create_whatsapp_template)))
        .routes(guarded(WRITE_TEMPLATES, routes!(templates::delete::delete_whatsapp_template)))
        .routes(guarded(WRITE_TEMPLATES, routes!(templates::delete::delete_whatsapp_template_language)))
        .routes(guarded_secret(Permission::legacy_jwt_only(), routes!(tokens::rotate::rotate_token)))
}
