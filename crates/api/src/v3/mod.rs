//! V3: `/api/ext/v3/...`, the tenant from the credential. Nothing but a table of routes.

mod account;
mod calls;
mod channels;
mod contacts;
pub(crate) mod sandbox;
mod segments;

use domain::permission::Permission;
use domain::plans::{Family, Feature};
use domain::roles::Role;
use domain::scopes::Scope::{
    self, Api, CallsV3Read, CallsV3Write, ChannelsV3Read, ContactsRead, ContactsV3Read, ContactsV3Write, ContactsWrite,
    ServiceIntegrationRead, ServiceIntegrationWrite,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::ApiState;
use crate::gate::guarded;

const READ_CALLS: Permission = Permission::any_of(&[Api, CallsV3Read]).feature(Feature::Calls);
const WRITE_CALLS: Permission = Permission::any_of(&[Api, CallsV3Write]).feature(Feature::Calls);

const READ_CHANNELS: Permission = Permission::any_of(&[Api, ChannelsV3Read]);

const READ_CONTACTS: Permission = on_contacts(&[Api, ContactsV3Read, ContactsRead, ServiceIntegrationRead]);
const CREATE_CONTACTS: Permission = on_contacts(&[Api, ContactsV3Write, ContactsWrite]);
const UPDATE_CONTACTS: Permission =
    on_contacts(&[Api, ServiceIntegrationWrite, ContactsV3Write, ContactsWrite]).roles(ALL_BUT_TRIAL);
const CHANGE_CONTACTS: Permission = on_contacts(&[Api, ContactsV3Write]);
const READ_SEGMENTS: Permission = on_contacts(&[Api, ContactsV3Read]);

const ALL_BUT_TRIAL: &[Role] = &[Role::Administrator, Role::Developer, Role::Operator, Role::ApiToken];

const fn on_contacts(scopes: &'static [Scope]) -> Permission {
    Permission::any_of(scopes).feature(Feature::Contacts).family(Family::Contacts)
}

pub(crate) fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .merge(sandbox::operations())
        .routes(guarded(READ_CALLS, routes!(calls::list::list_calls)))
        .routes(guarded(READ_CALLS, routes!(calls::show::get_call)))
        .routes(guarded(WRITE_CALLS, routes!(calls::record::record_call)))
        .routes(guarded(WRITE_CALLS, routes!(calls::update::update_call)))
        .routes(guarded(READ_CHANNELS, routes!(channels::list::list_channels)))
        .routes(guarded(CREATE_CONTACTS, routes!(contacts::create::create_contact)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::list::list_contacts)))
        .routes(guarded(CREATE_CONTACTS, routes!(contacts::import::import_contacts)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::imports::list::list_contact_imports)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::imports::show::get_contact_import)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::imports::verdicts::get_contact_import_verdicts)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::imports::rejected::get_contact_import_rejected)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::export::export_contacts)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::count::count_contacts)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::show::get_contact)))
        .routes(guarded(READ_CONTACTS, routes!(contacts::history::get_contact_history)))
        .routes(guarded(UPDATE_CONTACTS, routes!(contacts::update::update_contacts)))
        .routes(guarded(CHANGE_CONTACTS, routes!(contacts::teams::set_contact_teams)))
        .routes(guarded(CHANGE_CONTACTS, routes!(contacts::consent::set_contact_consent)))
        .routes(guarded(CHANGE_CONTACTS, routes!(contacts::delete::delete_contact)))
        .routes(guarded(CHANGE_CONTACTS, routes!(contacts::merge::merge_contacts)))
        .routes(guarded(CHANGE_CONTACTS, routes!(contacts::undo_merge::undo_contact_merge)))
        .routes(guarded(READ_SEGMENTS, routes!(segments::list::list_segments)))
        .routes(guarded(CHANGE_CONTACTS, routes!(segments::delete::delete_segment)))
        .routes(guarded(Permission::any_of(&[]), routes!(account::credits::get_credits)))
}
