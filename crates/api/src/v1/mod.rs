//! V1: `/{tenantId}/api/v1/...`, with the spellings of the hosted platforms, mistakes included. A table of routes.

mod contacts;
mod failure;
mod tokens;

use domain::permission::Permission;
use domain::plans::{Family, Feature};
use domain::scopes::Scope::{Api, ContactsRead, ContactsWrite, ServiceIntegrationRead, ServiceIntegrationWrite};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::ApiState;
use crate::gate::guarded;

const READ_CONTACTS: Permission = Permission::any_of(&[ContactsRead, Api, ServiceIntegrationRead])
    .feature(Feature::Contacts)
    .family(Family::Contacts);
const WRITE_CONTACTS: Permission = Permission::any_of(&[ContactsWrite, Api, ServiceIntegrationWrite])
    .feature(Feature::Contacts)
    .family(Family::Contacts);

pub(crate) fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(guarded(READ_CONTACTS, routes!(contacts::list::get_contacts)))
        .routes(guarded(WRITE_CONTACTS, routes!(contacts::add::add_contact)))
        .routes(guarded(Permission::legacy_jwt_only(), routes!(tokens::rotate::rotate_token)))
}
