//! V3: `/api/ext/v3/...`, the tenant from the credential. Nothing but a table of routes.

mod account;
mod calls;

use domain::permission::Permission;
use domain::plans::Feature;
use domain::scopes::Scope::{Api, CallsV3Read, CallsV3Write};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::ApiState;
use crate::gate::guarded;

const READ_CALLS: Permission = Permission::any_of(&[Api, CallsV3Read]).feature(Feature::Calls);
const WRITE_CALLS: Permission = Permission::any_of(&[Api, CallsV3Write]).feature(Feature::Calls);

pub(crate) fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(guarded(READ_CALLS, routes!(calls::list::list_calls)))
        .routes(guarded(READ_CALLS, routes!(calls::show::get_call)))
        .routes(guarded(WRITE_CALLS, routes!(calls::record::record_call)))
        .routes(guarded(WRITE_CALLS, routes!(calls::update::update_call)))
        .routes(guarded(Permission::any_of(&[]), routes!(account::credits::get_credits)))
}
