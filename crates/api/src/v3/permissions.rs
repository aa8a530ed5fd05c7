//! The permissions that operations of V3 require.

use domain::identity::permission::Permission;
use domain::identity::plans::{Family, Feature};
use domain::identity::roles::Role;
use domain::identity::scopes::Scope::{
    self, Api, CallsV3Read, CallsV3Write, CampaignsV3Read, CampaignsV3Write, ChannelsV3Read, ChatbotsV3Read,
    ChatbotsV3Write, ContactsRead, ContactsV3Read, ContactsV3Write, ContactsWrite, ConversationsV3Read,
    ConversationsV3Write, MessageTemplateV3Read, MessageTemplateV3Write, PaymentRead, PaymentWrite,
    ServiceIntegrationRead, ServiceIntegrationWrite, WebhooksV3Read, WebhooksV3Write,
};

pub(super) const READ_CALLS: Permission = Permission::any_of(&[Api, CallsV3Read]).feature(Feature::Calls);
pub(super) const WRITE_CALLS: Permission = Permission::any_of(&[Api, CallsV3Write]).feature(Feature::Calls);

pub(super) const READ_BROADCASTS: Permission = Permission::any_of(&[Api, CampaignsV3Read]).feature(Feature::Campaigns);
pub(super) const WRITE_BROADCASTS: Permission =
    Permission::any_of(&[Api, CampaignsV3Write]).feature(Feature::Campaigns);

pub(super) const RETRY_BROADCASTS: Permission =
    Permission::any_of(&[Api, CampaignsV3Write]).feature(Feature::Campaigns).family(Family::TemplateSends);

pub(super) const READ_CHATBOTS: Permission = Permission::any_of(&[Api, ChatbotsV3Read]).feature(Feature::Chatbots);
pub(super) const WRITE_CHATBOTS: Permission = Permission::any_of(&[Api, ChatbotsV3Write]).feature(Feature::Chatbots);

pub(super) const READ_CHANNELS: Permission = Permission::any_of(&[Api, ChannelsV3Read]);

pub(super) const READ_CONTACTS: Permission = on_contacts(&[Api, ContactsV3Read, ContactsRead, ServiceIntegrationRead]);
pub(super) const CREATE_CONTACTS: Permission = on_contacts(&[Api, ContactsV3Write, ContactsWrite]);
pub(super) const UPDATE_CONTACTS: Permission =
    on_contacts(&[Api, ServiceIntegrationWrite, ContactsV3Write, ContactsWrite]).roles(ALL_BUT_TRIAL);
pub(super) const CHANGE_CONTACTS: Permission = on_contacts(&[Api, ContactsV3Write]);
pub(super) const READ_SEGMENTS: Permission = on_contacts(&[Api, ContactsV3Read]);

const ALL_BUT_TRIAL: &[Role] = &[Role::Administrator, Role::Developer, Role::Operator, Role::ApiToken];

pub(super) const READ_CONVERSATIONS: Permission =
    Permission::any_of(&[Api, ConversationsV3Read, ServiceIntegrationRead]).family(Family::MessagesRead);
pub(super) const WRITE_CONVERSATIONS: Permission =
    Permission::any_of(&[Api, ConversationsV3Write, ServiceIntegrationWrite]);

/// Scopes of conversations and of contacts, because both have labels.
pub(super) const READ_LABELS: Permission =
    Permission::any_of(&[Api, ConversationsV3Read, ServiceIntegrationRead, ContactsV3Read]);
pub(super) const READ_ACTIVITY: Permission = Permission::any_of(&[Api, ConversationsV3Read, CampaignsV3Read]);
pub(super) const READ_CANNED_REPLIES: Permission =
    Permission::any_of(&[Api, ConversationsV3Read, ServiceIntegrationRead]);

const fn on_contacts(scopes: &'static [Scope]) -> Permission {
    Permission::any_of(scopes).feature(Feature::Contacts).family(Family::Contacts)
}

pub(super) const SEND_FILES: Permission = Permission::any_of(&[Api, ConversationsV3Write]);
pub(super) const SEND_TEMPLATES: Permission =
    Permission::any_of(&[Api, ServiceIntegrationWrite, MessageTemplateV3Write]).family(Family::TemplateSends);
pub(super) const READ_FILES: Permission = Permission::any_of(&[Api, ConversationsV3Read]);
pub(super) const READ_TEMPLATES: Permission = Permission::any_of(&[Api, MessageTemplateV3Read, ServiceIntegrationRead]);
pub(super) const WRITE_TEMPLATES: Permission = Permission::any_of(&[Api, MessageTemplateV3Write]);

/// Not counted: a tenant whose monthly calls are used up can still see what was paid.
pub(super) const READ_ORDERS: Permission =
    Permission::any_of(&[Api, PaymentRead]).feature(Feature::Payments).uncounted();
pub(super) const WRITE_ORDERS: Permission = Permission::any_of(&[Api, PaymentWrite]).feature(Feature::Payments);

pub(super) const READ_WEBHOOKS: Permission = Permission::any_of(&[Api, WebhooksV3Read]).feature(Feature::Webhooks);
pub(super) const WRITE_WEBHOOKS: Permission = Permission::any_of(&[Api, WebhooksV3Write]).feature(Feature::Webhooks);
