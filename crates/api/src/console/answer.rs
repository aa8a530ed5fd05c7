//! The answer of operations that have nothing to return: `{"result": true}`.

use axum::Json;
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Done {
    result: bool,
}

pub(super) const fn done() -> Json<Done> {
    Json(Done { result: true })
}
