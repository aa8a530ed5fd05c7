//! The answer of operations that have nothing to return: `{"result": true}`.

use crate::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Done {
    result: bool,
}

pub(super) const fn done() -> Json<Done> {
    Json(Done { result: true })
}
