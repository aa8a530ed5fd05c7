//! The permissions that operations of V2 require.

use domain::identity::permission::Permission;
use domain::identity::plans::{Family, Feature};
use domain::identity::scopes::Scope::{
    Api, MessageTemplateV2Read, MessageTemplateV2Write, WebhooksCreate, WhatsAppAccountsRead,
};

pub(super) const READ_ACCOUNTS: Permission = Permission::any_of(&[Api, WhatsAppAccountsRead]);
pub(super) const READ_TEMPLATES: Permission = Permission::any_of(&[Api, MessageTemplateV2Read]);

pub(super) const SEND_TEMPLATES: Permission =
    Permission::any_of(&[Api, MessageTemplateV2Write]).family(Family::TemplateSends);

pub(super) const MANAGE_WEBHOOKS: Permission = Permission::any_of(&[Api, WebhooksCreate]).feature(Feature::Webhooks);
