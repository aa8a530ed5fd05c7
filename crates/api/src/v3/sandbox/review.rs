//! `POST /api/ext/v3/sandbox/templates/{name}/review`: sets the simulated network's verdict on a template.

use axum::Json;
use sandbox::driver::{Review, Reviewed};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};
use crate::input::{FromPath, JsonBody};

/// At least one of `verdict`, `quality` and `category` is required.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SandboxReview)]
pub(crate) struct ReviewTemplateRequest {
    /// Default: all languages.
    #[schema(example = "en_US")]
    language: Option<String>,
    /// `APPROVED`, `REJECTED`, `PENDING`, `PAUSED`, `DISABLED`, `REINSTATED`, `FLAGGED`, `UNFLAGGED`, `IN_APPEAL` or
    /// `PENDING_DELETION`.
    #[schema(example = "REJECTED")]
    verdict: Option<String>,
    /// The reason for the verdict.
    #[schema(example = "TAG_CONTENT_MISMATCH")]
    reason: Option<String>,
    /// `GREEN`, `YELLOW`, `RED` or `UNKNOWN`.
    quality: Option<String>,
    /// `MARKETING`, `UTILITY` or `AUTHENTICATION`.
    category: Option<String>,
}

/// Review a template
#[utoipa::path(
    post,
    path = "/api/ext/v3/sandbox/templates/{name}/review",
    tag = "sandbox",
    params(("name" = String, Path, description = "The template's name at the network.", example = "order_update")),
    request_body = ReviewTemplateRequest,
    responses(
        (status = 200, description = "The templates of this name after the review.", body = Reviewed),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn review_sandbox_template(
    driver: Driver,
    FromPath(name): FromPath<String>,
    JsonBody(input): JsonBody<ReviewTemplateRequest>,
) -> ApiResult<Json<Reviewed>> {
    let ReviewTemplateRequest { language, verdict, reason, quality, category } = input;
    let review = Review { name, language, verdict, reason, quality, category };
    Ok(Json(driver.sandbox.review(driver.tenant, review).await?))
}
