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
/// A privilege of the higher plans.
const WRITE_MANY_CONTACTS: Permission = WRITE_CONTACTS.feature(Feature::BulkAttributes);
const CREATE_SEGMENTS: Permission =
    Permission::any_of(&[Api, ServiceIntegrationWrite]).feature(Feature::Contacts).family(Family::Contacts);

pub(crate) fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
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
        .routes(guarded(Permission::legacy_jwt_only(), routes!(tokens::rotate::rotate_token)))
}
