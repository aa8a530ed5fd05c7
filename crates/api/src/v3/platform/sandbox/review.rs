//! `POST /api/ext/v3/sandbox/templates/{name}/review`: sets the simulated network's verdict on a template.

use sandbox::driver::{Review, Reviewed};

use super::Driver;
use crate::prelude::*;

/// At least one of `verdict`, `quality` and `category` is required.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxReview {
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
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/templates/{name}/review",
    params(("name" = String, Path, description = "The template's name at the network.", example = "order_update")),
    responses((status = 200, description = "The templates with this name after the review.", body = Reviewed)),
)]
pub(crate) async fn review_sandbox_template(
    driver: Driver,
    FromPath(name): FromPath<String>,
    Json(input): Json<SandboxReview>,
) -> ApiResult<Json<Reviewed>> {
    let SandboxReview { language, verdict, reason, quality, category } = input;
    let review = Review { name, language, verdict, reason, quality, category };
    Ok(Json(driver.sandbox.review(driver.tenant, review).await?))
}
