//! The permissions that operations of V2 require.

use domain::identity::permission::Permission;
use domain::identity::plans::{Family, Feature};
use domain::identity::roles::{INTEGRATION, TEAM};
use domain::identity::scopes::Scope::{
    Api, MessageTemplateV2Read, MessageTemplateV2Write, WebhooksCreate, WhatsAppAccountsRead,
};

pub(super) const READ_ACCOUNTS: Permission = Permission::of(INTEGRATION, &[Api, WhatsAppAccountsRead]);
pub(super) const READ_TEMPLATES: Permission = Permission::of(TEAM, &[Api, MessageTemplateV2Read]);

pub(super) const SEND_TEMPLATES: Permission =
    Permission::of(TEAM, &[Api, MessageTemplateV2Write]).family(Family::TemplateSends);
/// A template to many people at once.
pub(super) const BROADCAST: Permission = SEND_TEMPLATES.roles(INTEGRATION);

pub(super) const MANAGE_WEBHOOKS: Permission =
    Permission::of(INTEGRATION, &[Api, WebhooksCreate]).feature(Feature::Webhooks);
