//! V1: `/{tenantId}/api/v1/...`, with the spellings of the hosted platforms whose clients it serves, including their
//! mistakes (`docs/api-conventions.md`). A table of routes.

mod answer;
mod automation;
mod commerce;
pub(crate) mod failure;
mod identity;
mod inbox;
mod link;
pub(crate) mod messaging;
mod people;
mod permissions;

use crate::gate::{guarded, guarded_secret};
use crate::routing::{Operations, routes};
use permissions::{
    BROADCAST, CREATE_SEGMENTS, READ_ACCOUNTS, READ_CHATBOTS, READ_CONTACTS, READ_FILES, READ_MESSAGES, READ_ORDERS,
    READ_TEMPLATES, ROTATE_TOKENS, SEND_TEMPLATES, WRITE_BROADCASTS, WRITE_CHATBOTS, WRITE_CONTACTS,
    WRITE_CONVERSATIONS, WRITE_MANY_CONTACTS, WRITE_ORDERS, WRITE_TEMPLATES,
};

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(guarded(READ_ACCOUNTS, routes!(messaging::channels::phone_numbers::get_phone_numbers)))
        .routes(guarded(READ_ACCOUNTS, routes!(messaging::channels::business_accounts::get_business_accounts)))
        .routes(guarded(WRITE_BROADCASTS, routes!(messaging::broadcasts::retry::retry_broadcast)))
        .routes(guarded(READ_CHATBOTS, routes!(automation::chatbots::list::get_chatbots)))
        .routes(guarded(WRITE_CHATBOTS, routes!(automation::chatbots::start::start_chatbot_v1)))
        .routes(guarded(READ_CONTACTS, routes!(people::contacts::list::get_contacts)))
        .routes(guarded(READ_CONTACTS, routes!(people::contacts::list_items::list_contact_items)))
        .routes(guarded(WRITE_CONTACTS, routes!(people::contacts::add::add_contact)))
        .routes(guarded(WRITE_CONTACTS, routes!(people::contacts::add::add_contact_by_query)))
        .routes(guarded(WRITE_CONTACTS, routes!(people::contacts::update::update_contact_attributes)))
        .routes(guarded(WRITE_CONTACTS, routes!(people::contacts::update::update_contact_attributes_by_query)))
        .routes(guarded(
            WRITE_MANY_CONTACTS,
            routes!(people::contacts::update_many::update_contact_attributes_for_multi_contacts),
        ))
        .routes(guarded(CREATE_SEGMENTS, routes!(people::segments::create::create_custom_segment)))
        .routes(guarded(READ_MESSAGES, routes!(inbox::conversations::history::get_messages)))
        .routes(guarded(READ_MESSAGES, routes!(inbox::conversations::history::get_messages_by_query)))
        .routes(guarded(READ_MESSAGES, routes!(inbox::conversations::message::get_message)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::conversations::assign::assign_operator)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::conversations::assign::assign_operator_by_path)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::conversations::status::update_chat_status)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::text::send_session_message)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::text::send_session_message_by_query)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::file::send_session_file)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::file::send_session_file_by_query)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::file_via_url::send_session_file_via_url)))
        .routes(guarded(
            WRITE_CONVERSATIONS,
            routes!(messaging::messages::file_via_url::send_session_file_via_url_by_query),
        ))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::buttons::send_interactive_buttons_message)))
        .routes(guarded(
            WRITE_CONVERSATIONS,
            routes!(messaging::messages::buttons::send_interactive_buttons_message_by_path),
        ))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::list::send_interactive_list_message)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::list::send_interactive_list_message_by_path)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::direct::send_direct_send_message)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::direct::send_direct_send_message_by_query)))
        .routes(guarded(SEND_TEMPLATES, routes!(messaging::messages::template::send_template_message)))
        .routes(guarded(SEND_TEMPLATES, routes!(messaging::messages::template::send_template_message_by_path)))
        .routes(guarded(BROADCAST, routes!(messaging::messages::templates::send_template_messages)))
        .routes(guarded(BROADCAST, routes!(messaging::messages::template_csv::send_template_message_csv)))
        .routes(guarded(WRITE_ORDERS, routes!(commerce::orders::details::send_order_details)))
        .routes(guarded(WRITE_ORDERS, routes!(commerce::orders::details_template::send_order_details_template)))
        .routes(guarded(READ_ORDERS, routes!(commerce::orders::show::get_order_details)))
        .routes(guarded(WRITE_ORDERS, routes!(commerce::orders::status::send_order_status)))
        .routes(guarded(WRITE_ORDERS, routes!(commerce::orders::status_template::send_order_status_template)))
        .routes(guarded(READ_ORDERS, routes!(commerce::payments::show::get_payment_status)))
        .routes(guarded(READ_FILES, routes!(messaging::media::get::get_media)))
        .routes(guarded(READ_FILES, routes!(messaging::media::get::show_file)))
        .routes(guarded(READ_TEMPLATES, routes!(messaging::templates::list::get_message_templates)))
        .routes(guarded(WRITE_TEMPLATES, routes!(messaging::templates::create::create_whatsapp_template)))
        .routes(guarded(WRITE_TEMPLATES, routes!(messaging::templates::delete::delete_whatsapp_template)))
        .routes(guarded(WRITE_TEMPLATES, routes!(messaging::templates::delete::delete_whatsapp_template_language)))
        .routes(guarded_secret(ROTATE_TOKENS, routes!(identity::tokens::rotate::rotate_token)))
}
