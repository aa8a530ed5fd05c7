//! The permissions that operations of V1 require.

use domain::identity::permission::Permission;
use domain::identity::plans::{Family, Feature};
use domain::identity::scopes::Scope::{
    Api, CampaignsV3Write, ChatbotsRead, ChatbotsWrite, ContactsRead, ContactsWrite, ConversationsRead,
    ConversationsV3Read, ConversationsWrite, MessageTemplateRead, MessageTemplateWrite, PaymentRead, PaymentWrite,
    ServiceIntegrationRead, ServiceIntegrationWrite, WebhooksV3Read, WhatsAppAccountsRead,
};

pub(super) const READ_ACCOUNTS: Permission = Permission::any_of(&[Api, WhatsAppAccountsRead]);

pub(super) const WRITE_BROADCASTS: Permission =
    Permission::any_of(&[Api, CampaignsV3Write]).feature(Feature::Campaigns);

pub(super) const READ_CHATBOTS: Permission = Permission::any_of(&[Api, ChatbotsRead]).feature(Feature::Chatbots);
pub(super) const WRITE_CHATBOTS: Permission = Permission::any_of(&[Api, ChatbotsWrite]).feature(Feature::Chatbots);

pub(super) const READ_CONTACTS: Permission = Permission::any_of(&[ContactsRead, Api, ServiceIntegrationRead])
    .feature(Feature::Contacts)
    .family(Family::Contacts);
pub(super) const WRITE_CONTACTS: Permission = Permission::any_of(&[ContactsWrite, Api, ServiceIntegrationWrite])
    .feature(Feature::Contacts)
    .family(Family::Contacts);
/// Only higher plans have this feature.
pub(super) const WRITE_MANY_CONTACTS: Permission = WRITE_CONTACTS.feature(Feature::BulkAttributes);
pub(super) const CREATE_SEGMENTS: Permission =
    Permission::any_of(&[Api, ServiceIntegrationWrite]).feature(Feature::Contacts).family(Family::Contacts);

/// Not counted: a tenant whose monthly calls are used up can still see what was paid.
pub(super) const READ_ORDERS: Permission =
    Permission::any_of(&[Api, PaymentRead]).feature(Feature::Payments).uncounted();
pub(super) const WRITE_ORDERS: Permission = Permission::any_of(&[Api, PaymentWrite]).feature(Feature::Payments);

/// A token that may read a message or its event may read its file.
pub(super) const READ_FILES: Permission =
    Permission::any_of(&[Api, ConversationsRead, ConversationsV3Read, ServiceIntegrationRead, WebhooksV3Read]);
pub(super) const READ_TEMPLATES: Permission = Permission::any_of(&[MessageTemplateRead, Api, ServiceIntegrationRead]);
pub(super) const WRITE_TEMPLATES: Permission = Permission::any_of(&[Api, MessageTemplateWrite]);

pub(super) const SEND_TEMPLATES: Permission =
    Permission::any_of(&[Api, MessageTemplateWrite]).family(Family::TemplateSends);
pub(super) const READ_MESSAGES: Permission = Permission::any_of(&[Api, ConversationsRead]).family(Family::MessagesRead);
pub(super) const WRITE_CONVERSATIONS: Permission =
    Permission::any_of(&[Api, ServiceIntegrationWrite, ConversationsWrite]);
