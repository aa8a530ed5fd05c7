//! V3: `/api/ext/v3/...`; the tenant follows from the credential. A table of routes.

mod automation;
mod calls;
mod commerce;
mod delivery;
mod inbox;
mod messaging;
mod people;
mod permissions;
pub(crate) mod platform;

use domain::identity::permission::Permission;
use domain::identity::roles::TEAM;

use crate::gate::{guarded, guarded_secret};
use crate::routing::{Operations, routes};
use permissions::{
    BROADCAST, CHANGE_CONTACTS, COUNT_CONVERSATIONS, CREATE_CONTACTS, EXPORT_CONTACTS, EXPORT_ORDERS, MANAGE_CONTACTS,
    READ_ACTIVITY, READ_AUTOMATION, READ_BROADCASTS, READ_CALLS, READ_CANNED_REPLIES, READ_CHANNELS, READ_CHATBOTS,
    READ_CONTACTS, READ_CONVERSATIONS, READ_FILES, READ_LABELS, READ_ORDERS, READ_SEGMENTS, READ_TEMPLATES,
    READ_WEBHOOKS, RETRY_BROADCASTS, SEND_FILES, SEND_TEMPLATES, SET_PRESENCE, SIGNAL_CONVERSATIONS, UPDATE_CONTACTS,
    WRITE_AUTOMATION, WRITE_BROADCASTS, WRITE_CALLS, WRITE_CHATBOTS, WRITE_CONVERSATIONS, WRITE_ORDERS, WRITE_TEAMS,
    WRITE_TEMPLATES, WRITE_WEBHOOKS,
};

pub(crate) fn operations() -> Operations {
    Operations::default()
        .merge(platform::sandbox::operations())
        .routes(guarded(READ_CALLS, routes!(calls::list::list_calls)))
        .routes(guarded(READ_CALLS, routes!(calls::counts::count_calls)))
        .routes(guarded(READ_CALLS, routes!(calls::show::get_call)))
        .routes(guarded(WRITE_CALLS, routes!(calls::record::record_call)))
        .routes(guarded(WRITE_CALLS, routes!(calls::update::update_call)))
        .routes(guarded(READ_BROADCASTS, routes!(messaging::broadcasts::list::list_broadcasts)))
        .routes(guarded(READ_BROADCASTS, routes!(messaging::broadcasts::overview::get_broadcast_overview)))
        .routes(guarded(READ_BROADCASTS, routes!(messaging::broadcasts::show::get_broadcast)))
        .routes(guarded(READ_BROADCASTS, routes!(messaging::broadcasts::recipients::list_broadcast_recipients)))
        .routes(guarded(READ_BROADCASTS, routes!(messaging::broadcasts::failures::get_broadcast_failures)))
        .routes(guarded(WRITE_BROADCASTS, routes!(messaging::broadcasts::cancel::cancel_broadcast)))
        .routes(guarded(RETRY_BROADCASTS, routes!(messaging::broadcasts::retry::retry_failed_recipients)))
        .routes(guarded(READ_BROADCASTS, routes!(messaging::clicks::list::list_clicks)))
        .routes(guarded(READ_BROADCASTS, routes!(messaging::clicks::counts::count_clicks)))
        .routes(guarded(READ_CHATBOTS, routes!(automation::chatbots::list::list_chatbots)))
        .routes(guarded(WRITE_CHATBOTS, routes!(automation::chatbots::start::start_chatbot)))
        .routes(guarded(READ_CHANNELS, routes!(messaging::channels::list::list_channels)))
        .routes(guarded(CREATE_CONTACTS, routes!(people::contacts::create::create_contact)))
        .routes(guarded(READ_CONTACTS, routes!(people::contacts::list::list_contacts)))
        .routes(guarded(CREATE_CONTACTS, routes!(people::imports::create::import_contacts)))
        .routes(guarded(EXPORT_CONTACTS, routes!(people::imports::list::list_contact_imports)))
        .routes(guarded(EXPORT_CONTACTS, routes!(people::imports::show::get_contact_import)))
        .routes(guarded(EXPORT_CONTACTS, routes!(people::imports::verdicts::get_contact_import_verdicts)))
        .routes(guarded(EXPORT_CONTACTS, routes!(people::imports::rejected::get_contact_import_rejected)))
        .routes(guarded(EXPORT_CONTACTS, routes!(people::contacts::export::export_contacts)))
        .routes(guarded(READ_CONTACTS, routes!(people::contacts::count::count_contacts)))
        .routes(guarded(READ_CONTACTS, routes!(people::contacts::show::get_contact)))
        .routes(guarded(READ_CONTACTS, routes!(people::contacts::history::get_contact_history)))
        .routes(guarded(UPDATE_CONTACTS, routes!(people::contacts::update::update_contacts)))
        .routes(guarded(CHANGE_CONTACTS, routes!(people::contacts::teams::set_contact_teams)))
        .routes(guarded(CHANGE_CONTACTS, routes!(people::contacts::consent::set_contact_consent)))
        .routes(guarded(MANAGE_CONTACTS, routes!(people::contacts::delete::delete_contact)))
        .routes(guarded(CHANGE_CONTACTS, routes!(people::contacts::merge::merge_contacts)))
        .routes(guarded(CHANGE_CONTACTS, routes!(people::contacts::preview_merge::preview_contact_merge)))
        .routes(guarded(CHANGE_CONTACTS, routes!(people::contacts::undo_merge::undo_contact_merge)))
        .routes(guarded(CHANGE_CONTACTS, routes!(people::contacts::labels::set_contact_labels)))
        .merge(messaging())
        .merge(team())
        .merge(automation())
        .merge(integration())
}

/// Conversations, templates and segments.
fn messaging() -> Operations {
    Operations::default()
        .routes(guarded(READ_CONVERSATIONS, routes!(inbox::conversations::list::list_conversations)))
        .routes(guarded(READ_CONVERSATIONS, routes!(inbox::conversations::history::get_conversation_messages)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::conversations::operator::set_conversation_operator)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::conversations::status::set_conversation_status)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::text::send_text)))
        .routes(guarded(SEND_FILES, routes!(messaging::messages::send_file::send_file)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::send_file_via_url::send_file_via_url)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::interactive::send_interactive)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::reaction::send_reaction)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::forward::forward_message)))
        .routes(guarded(SEND_TEMPLATES, routes!(messaging::templates::send::send_template)))
        .routes(guarded(BROADCAST, routes!(messaging::templates::schedule::schedule_template)))
        .routes(guarded(READ_SEGMENTS, routes!(people::segments::list::list_segments)))
        .routes(guarded(MANAGE_CONTACTS, routes!(people::segments::create::create_segment)))
        .routes(guarded(READ_SEGMENTS, routes!(people::segments::count::count_segment)))
        .routes(guarded(READ_SEGMENTS, routes!(people::segments::show::get_segment)))
        .routes(guarded(MANAGE_CONTACTS, routes!(people::segments::update::update_segment)))
        .routes(guarded(MANAGE_CONTACTS, routes!(people::segments::delete::delete_segment)))
        .routes(guarded(READ_FILES, routes!(messaging::messages::file::get_message_file)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(messaging::messages::fetch_file::fetch_message_file)))
        .routes(guarded(READ_TEMPLATES, routes!(messaging::templates::list::list_message_templates)))
        .routes(guarded(READ_TEMPLATES, routes!(messaging::templates::show::get_message_template)))
        .routes(guarded(READ_TEMPLATES, routes!(messaging::templates::history::get_template_history)))
        .routes(guarded(WRITE_TEMPLATES, routes!(messaging::templates::create::create_message_template)))
        .routes(guarded(READ_TEMPLATES, routes!(messaging::templates::check::check_message_template)))
        .routes(guarded(WRITE_TEMPLATES, routes!(messaging::templates::sample::add_template_sample)))
        .routes(guarded(WRITE_TEMPLATES, routes!(messaging::templates::delete::delete_message_template)))
}

/// A team's work in conversations: one conversation, counts, read marks, presence, snoozes, search, labels, teams,
/// notes, canned replies.
fn team() -> Operations {
    Operations::default()
        .routes(guarded(READ_CONVERSATIONS, routes!(inbox::conversations::show::get_conversation)))
        .routes(guarded(COUNT_CONVERSATIONS, routes!(inbox::conversations::counts::count_conversations)))
        .routes(guarded(SIGNAL_CONVERSATIONS, routes!(inbox::conversations::read::mark_conversation)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::conversations::read_all::mark_conversations)))
        .routes(guarded(READ_CONVERSATIONS, routes!(inbox::operators::list_operators)))
        .routes(guarded(SIGNAL_CONVERSATIONS, routes!(inbox::conversations::presence::set_conversation_presence)))
        .routes(guarded(SIGNAL_CONVERSATIONS, routes!(inbox::conversations::receipt::send_receipt)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::conversations::snooze::snooze_conversation)))
        .routes(guarded(READ_CONVERSATIONS, routes!(inbox::conversations::search::search_messages)))
        .routes(guarded(READ_ACTIVITY, routes!(platform::activity::daily::get_daily_activity)))
        .routes(guarded(READ_CONVERSATIONS, routes!(platform::activity::messages::list_activity_messages)))
        .routes(guarded(READ_LABELS, routes!(people::labels::list::list_labels)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(people::labels::create::create_label)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(people::labels::update::update_label)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(people::labels::delete::delete_label)))
        .routes(guarded(READ_AUTOMATION, routes!(people::teams::list::list_teams)))
        .routes(guarded(WRITE_TEAMS, routes!(people::teams::create::create_team)))
        .routes(guarded(READ_AUTOMATION, routes!(people::teams::show::get_team)))
        .routes(guarded(WRITE_TEAMS, routes!(people::teams::update::update_team)))
        .routes(guarded(WRITE_TEAMS, routes!(people::teams::delete::delete_team)))
        .routes(guarded(WRITE_TEAMS, routes!(people::teams::members::set_team_members)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::conversations::labels::set_conversation_labels)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::conversations::note::add_conversation_note)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::conversations::note_delete::delete_conversation_note)))
        .routes(guarded(READ_CANNED_REPLIES, routes!(inbox::canned_replies::list::list_canned_replies)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::canned_replies::create::create_canned_reply)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::canned_replies::update::update_canned_reply)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::canned_replies::delete::delete_canned_reply)))
        .routes(guarded(READ_CANNED_REPLIES, routes!(inbox::canned_replies::fill::fill_canned_reply)))
        .routes(guarded(SEND_FILES, routes!(inbox::canned_replies::file_add::add_canned_file)))
        .routes(guarded(READ_FILES, routes!(inbox::canned_replies::file_show::get_canned_file)))
        .routes(guarded(SEND_FILES, routes!(inbox::canned_replies::file_delete::delete_canned_file)))
        .routes(guarded(WRITE_CONVERSATIONS, routes!(inbox::canned_replies::send_file::send_canned_file)))
}

/// Opening hours, routing and the presence of operators.
fn automation() -> Operations {
    Operations::default()
        .routes(guarded(READ_AUTOMATION, routes!(automation::opening_hours::list::list_opening_hours)))
        .routes(guarded(WRITE_AUTOMATION, routes!(automation::opening_hours::create::create_opening_hours)))
        .routes(guarded(READ_AUTOMATION, routes!(automation::opening_hours::show::get_opening_hours)))
        .routes(guarded(WRITE_AUTOMATION, routes!(automation::opening_hours::update::update_opening_hours)))
        .routes(guarded(WRITE_AUTOMATION, routes!(automation::opening_hours::delete::delete_opening_hours)))
        .routes(guarded(WRITE_AUTOMATION, routes!(automation::opening_hours::import_holidays::import_holidays)))
        .routes(guarded(READ_AUTOMATION, routes!(automation::routing::list::list_routing_rules)))
        .routes(guarded(WRITE_AUTOMATION, routes!(automation::routing::create::create_routing_rule)))
        .routes(guarded(READ_AUTOMATION, routes!(automation::routing::show::get_routing_rule)))
        .routes(guarded(WRITE_AUTOMATION, routes!(automation::routing::update::update_routing_rule)))
        .routes(guarded(WRITE_AUTOMATION, routes!(automation::routing::delete::delete_routing_rule)))
        .routes(guarded(READ_AUTOMATION, routes!(automation::operators::list::list_operator_presences)))
        .routes(guarded(SET_PRESENCE, routes!(automation::operators::presence::set_operator_presence)))
}

/// Orders and payments, webhooks and events, credits.
fn integration() -> Operations {
    Operations::default()
        .routes(guarded(WRITE_ORDERS, routes!(commerce::orders::create::create_order)))
        .routes(guarded(READ_ORDERS, routes!(commerce::orders::list::list_orders)))
        .routes(guarded(EXPORT_ORDERS, routes!(commerce::orders::export::export_orders)))
        .routes(guarded(READ_ORDERS, routes!(commerce::orders::show::get_order)))
        .routes(guarded(READ_ORDERS, routes!(commerce::orders::history::get_order_history)))
        .routes(guarded(WRITE_ORDERS, routes!(commerce::orders::status::set_order_status)))
        .routes(guarded(READ_ORDERS, routes!(commerce::payments::show::get_payment)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::webhooks::event_types::get_webhook_event_types)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::webhooks::samples::get_webhook_samples)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::webhooks::list::list_webhooks)))
        .routes(guarded_secret(WRITE_WEBHOOKS, routes!(delivery::webhooks::create::create_webhook)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::webhooks::show::get_webhook)))
        .routes(guarded(WRITE_WEBHOOKS, routes!(delivery::webhooks::update::update_webhook)))
        .routes(guarded(WRITE_WEBHOOKS, routes!(delivery::webhooks::delete::delete_webhook)))
        .routes(guarded(WRITE_WEBHOOKS, routes!(delivery::webhooks::test::test_webhook)))
        .routes(guarded_secret(WRITE_WEBHOOKS, routes!(delivery::webhooks::rotate_secret::rotate_webhook_secret)))
        .routes(guarded(WRITE_WEBHOOKS, routes!(delivery::webhooks::recover::recover_webhook)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::webhooks::recovery::preview::preview_webhook_recovery)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::webhooks::recovery::show::get_webhook_recovery)))
        .routes(guarded(WRITE_WEBHOOKS, routes!(delivery::webhooks::recovery::cancel::cancel_webhook_recovery)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::webhooks::summary::get_webhook_summary)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::webhooks::deliveries::list_webhook_deliveries)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::webhooks::delivery::get_webhook_delivery)))
        .routes(guarded(WRITE_WEBHOOKS, routes!(delivery::webhooks::retry::retry_webhook_delivery)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::events::list::list_events)))
        .routes(guarded(READ_WEBHOOKS, routes!(delivery::events::stream::stream_events)))
        .routes(guarded(Permission::of(TEAM, &[]), routes!(platform::credits::get_credits)))
}
