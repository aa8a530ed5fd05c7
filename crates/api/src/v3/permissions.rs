//! The permissions that operations of V3 require.

use domain::identity::permission::Permission;
use domain::identity::plans::{Family, Feature};
use domain::identity::roles::{INTEGRATION, Role, TEAM};
use domain::identity::scopes::Scope::{
    self, Api, AutomationRead, AutomationWrite, CallsV3Read, CallsV3Write, CampaignsV3Read, CampaignsV3Write,
    ChannelsV3Read, ChatbotsV3Read, ChatbotsV3Write, ContactsRead, ContactsV3Read, ContactsV3Write, ContactsWrite,
    ConversationsV3Read, ConversationsV3Write, MessageTemplateV3Read, MessageTemplateV3Write, PaymentRead,
    PaymentWrite, ServiceIntegrationRead, ServiceIntegrationWrite, WebhooksV3Read, WebhooksV3Write,
};

pub(super) const READ_CALLS: Permission = Permission::of(TEAM, &[Api, CallsV3Read]).feature(Feature::Calls);
pub(super) const WRITE_CALLS: Permission = Permission::of(TEAM, &[Api, CallsV3Write]).feature(Feature::Calls);

pub(super) const READ_BROADCASTS: Permission =
    Permission::of(TEAM, &[Api, CampaignsV3Read]).feature(Feature::Campaigns);
pub(super) const WRITE_BROADCASTS: Permission =
    Permission::of(INTEGRATION, &[Api, CampaignsV3Write]).feature(Feature::Campaigns);

pub(super) const RETRY_BROADCASTS: Permission =
    Permission::of(INTEGRATION, &[Api, CampaignsV3Write]).feature(Feature::Campaigns).family(Family::TemplateSends);

pub(super) const READ_CHATBOTS: Permission = Permission::of(TEAM, &[Api, ChatbotsV3Read]).feature(Feature::Chatbots);
pub(super) const WRITE_CHATBOTS: Permission = Permission::of(TEAM, &[Api, ChatbotsV3Write]).feature(Feature::Chatbots);

pub(super) const READ_AUTOMATION: Permission = Permission::of(TEAM, &[Api, AutomationRead]);
pub(super) const WRITE_AUTOMATION: Permission = Permission::of(INTEGRATION, &[Api, AutomationWrite]);
/// Everybody sets their own; the operation checks who sets that of others.
pub(super) const SET_PRESENCE: Permission = Permission::of(TEAM, &[Api, AutomationWrite]);
pub(super) const WRITE_TEAMS: Permission =
    Permission::of(&[Role::Administrator, Role::ApiToken], &[Api, AutomationWrite]);

pub(super) const READ_CHANNELS: Permission = Permission::of(INTEGRATION, &[Api, ChannelsV3Read]);

pub(super) const READ_CONTACTS: Permission =
    on_contacts(TEAM, &[Api, ContactsV3Read, ContactsRead, ServiceIntegrationRead]);
/// All contacts in one file, and the files of imports.
pub(super) const EXPORT_CONTACTS: Permission = READ_CONTACTS.roles(INTEGRATION);
pub(super) const CREATE_CONTACTS: Permission = on_contacts(TEAM, &[Api, ContactsV3Write, ContactsWrite]);
/// Many contacts in one file. The operation checks it, because it also takes one contact as JSON.
pub(super) const IMPORT_CONTACTS: Permission = CREATE_CONTACTS.roles(INTEGRATION);
pub(super) const UPDATE_CONTACTS: Permission =
    on_contacts(ALL_BUT_TRIAL, &[Api, ServiceIntegrationWrite, ContactsV3Write, ContactsWrite]);
pub(super) const CHANGE_CONTACTS: Permission = on_contacts(TEAM, &[Api, ContactsV3Write]);
/// What cannot be undone, or concerns many contacts: deletions and segments.
pub(super) const MANAGE_CONTACTS: Permission = CHANGE_CONTACTS.roles(INTEGRATION);
pub(super) const READ_SEGMENTS: Permission = on_contacts(TEAM, &[Api, ContactsV3Read]);

const ALL_BUT_TRIAL: &[Role] = &[Role::Administrator, Role::Developer, Role::Operator, Role::ApiToken];

pub(super) const READ_CONVERSATIONS: Permission =
    Permission::of(TEAM, &[Api, ConversationsV3Read, ServiceIntegrationRead]).family(Family::MessagesRead);
pub(super) const WRITE_CONVERSATIONS: Permission =
    Permission::of(TEAM, &[Api, ConversationsV3Write, ServiceIntegrationWrite]);
/// Read marks, presence, receipts and counts, which open pages of the console send and request by themselves.
pub(super) const SIGNAL_CONVERSATIONS: Permission = WRITE_CONVERSATIONS.automatic();
pub(super) const COUNT_CONVERSATIONS: Permission = READ_CONVERSATIONS.automatic();

/// Scopes of conversations and of contacts, because both have labels.
pub(super) const READ_LABELS: Permission =
    Permission::of(TEAM, &[Api, ConversationsV3Read, ServiceIntegrationRead, ContactsV3Read]);
pub(super) const READ_ACTIVITY: Permission = Permission::of(TEAM, &[Api, ConversationsV3Read, CampaignsV3Read]);
pub(super) const READ_CANNED_REPLIES: Permission =
    Permission::of(TEAM, &[Api, ConversationsV3Read, ServiceIntegrationRead]);

const fn on_contacts(roles: &'static [Role], scopes: &'static [Scope]) -> Permission {
    Permission::of(roles, scopes).feature(Feature::Contacts).family(Family::Contacts)
}

pub(super) const SEND_FILES: Permission = Permission::of(TEAM, &[Api, ConversationsV3Write]);
pub(super) const SEND_TEMPLATES: Permission =
    Permission::of(TEAM, &[Api, ServiceIntegrationWrite, MessageTemplateV3Write]).family(Family::TemplateSends);
/// A template to many people, or later.
pub(super) const BROADCAST: Permission = SEND_TEMPLATES.roles(INTEGRATION);
pub(super) const READ_FILES: Permission = Permission::of(TEAM, &[Api, ConversationsV3Read]);
pub(super) const READ_TEMPLATES: Permission =
    Permission::of(TEAM, &[Api, MessageTemplateV3Read, ServiceIntegrationRead]);
pub(super) const WRITE_TEMPLATES: Permission = Permission::of(INTEGRATION, &[Api, MessageTemplateV3Write]);

/// Not counted: a tenant whose monthly calls are used up can still see what was paid.
pub(super) const READ_ORDERS: Permission =
    Permission::of(TEAM, &[Api, PaymentRead]).feature(Feature::Payments).uncounted();
pub(super) const EXPORT_ORDERS: Permission = READ_ORDERS.roles(INTEGRATION);
pub(super) const WRITE_ORDERS: Permission = Permission::of(TEAM, &[Api, PaymentWrite]).feature(Feature::Payments);

pub(super) const READ_WEBHOOKS: Permission =
    Permission::of(INTEGRATION, &[Api, WebhooksV3Read]).feature(Feature::Webhooks);
pub(super) const WRITE_WEBHOOKS: Permission =
    Permission::of(INTEGRATION, &[Api, WebhooksV3Write]).feature(Feature::Webhooks);
