//! Tracked links: `/c/{code}`. Public, since whoever has a link was sent it; what a code is worth is for `app` to say.

mod open;

use domain::permission::Permission;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::ApiState;
use crate::gate::guarded;

/// Nobody limits how often links are opened: a broadcast may reach everybody at once.
pub(crate) fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(guarded(Permission::public(), routes!(open::open_link)))
}
