//! The permissions that operations of V1 require.

use domain::identity::permission::Permission;
use domain::identity::plans::{Family, Feature};
use domain::identity::roles::{DEVELOPERS, INTEGRATION, TEAM};
use domain::identity::scopes::Scope::{
    Api, CampaignsV3Write, ChatbotsRead, ChatbotsWrite, ContactsRead, ContactsWrite, ConversationsRead,
    ConversationsV3Read, ConversationsWrite, MessageTemplateRead, MessageTemplateWrite, PaymentRead, PaymentWrite,
    ServiceIntegrationRead, ServiceIntegrationWrite, WebhooksV3Read, WhatsAppAccountsRead,
};

pub(super) const READ_ACCOUNTS: Permission = Permission::of(INTEGRATION, &[Api, WhatsAppAccountsRead]);

pub(super) const WRITE_BROADCASTS: Permission =
    Permission::of(INTEGRATION, &[Api, CampaignsV3Write]).feature(Feature::Campaigns);

pub(super) const READ_CHATBOTS: Permission = Permission::of(TEAM, &[Api, ChatbotsRead]).feature(Feature::Chatbots);
pub(super) const WRITE_CHATBOTS: Permission = Permission::of(TEAM, &[Api, ChatbotsWrite]).feature(Feature::Chatbots);

pub(super) const READ_CONTACTS: Permission = Permission::of(TEAM, &[ContactsRead, Api, ServiceIntegrationRead])
    .feature(Feature::Contacts)
    .family(Family::Contacts);
pub(super) const WRITE_CONTACTS: Permission = Permission::of(TEAM, &[ContactsWrite, Api, ServiceIntegrationWrite])
    .feature(Feature::Contacts)
    .family(Family::Contacts);
/// Only higher plans have this feature.
pub(super) const WRITE_MANY_CONTACTS: Permission = WRITE_CONTACTS.feature(Feature::BulkAttributes);
pub(super) const CREATE_SEGMENTS: Permission =
    Permission::of(INTEGRATION, &[Api, ServiceIntegrationWrite]).feature(Feature::Contacts).family(Family::Contacts);

/// Not counted: a tenant whose monthly calls are used up can still see what was paid.
pub(super) const READ_ORDERS: Permission =
    Permission::of(TEAM, &[Api, PaymentRead]).feature(Feature::Payments).uncounted();
pub(super) const WRITE_ORDERS: Permission = Permission::of(TEAM, &[Api, PaymentWrite]).feature(Feature::Payments);

/// A token that may read a message or its event may read its file.
pub(super) const READ_FILES: Permission =
    Permission::of(TEAM, &[Api, ConversationsRead, ConversationsV3Read, ServiceIntegrationRead, WebhooksV3Read]);
pub(super) const READ_TEMPLATES: Permission = Permission::of(TEAM, &[MessageTemplateRead, Api, ServiceIntegrationRead]);
pub(super) const WRITE_TEMPLATES: Permission = Permission::of(INTEGRATION, &[Api, MessageTemplateWrite]);

pub(super) const SEND_TEMPLATES: Permission =
    Permission::of(TEAM, &[Api, MessageTemplateWrite]).family(Family::TemplateSends);
/// A template to many people at once.
pub(super) const BROADCAST: Permission = SEND_TEMPLATES.roles(INTEGRATION);
pub(super) const READ_MESSAGES: Permission =
    Permission::of(TEAM, &[Api, ConversationsRead]).family(Family::MessagesRead);
pub(super) const WRITE_CONVERSATIONS: Permission =
    Permission::of(TEAM, &[Api, ServiceIntegrationWrite, ConversationsWrite]);

/// The roles that get legacy JWTs in the console.
pub(super) const ROTATE_TOKENS: Permission = Permission::legacy_jwt_only(DEVELOPERS);
