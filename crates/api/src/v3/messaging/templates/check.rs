//! `POST /api/ext/v3/messageTemplates/check`: lists what `create` would refuse, without storing anything.

use app::messaging::templates::TemplateProblem;

use super::create::{CreateTemplateRequest, HEADER_TYPE, lacks_header_type};
use crate::error::spelled;
use crate::prelude::*;

list!(TemplateCheck { "problems": TemplateProblemShape } "Empty if the template can be submitted.");

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateProblem)]
pub(crate) struct TemplateProblemShape {
    /// The member's path.
    #[schema(example = "buttons[2].parameter.text")]
    parameter: String,
    #[schema(example = "21 characters, at most 20")]
    message: String,
}

impl From<TemplateProblem> for TemplateProblemShape {
    fn from(problem: TemplateProblem) -> Self {
        Self { parameter: spelled(&problem.place), message: problem.message }
    }
}

/// Check a template
///
/// For editors: returns every problem for which Switchboard itself would refuse to create this template, each with the
/// path of its member. A rule that involves several parts is checked only if each of these parts is valid. Nothing is
/// stored, and files at URLs are not fetched.
#[described::path(
    post,
    path = "/api/ext/v3/messageTemplates/check",
    responses((status = 200, description = "The problems.", body = TemplateCheck)),
)]
pub(crate) async fn check_message_template(
    Gated(state, caller): Gated,
    Json(input): Json<CreateTemplateRequest>,
) -> ApiResult<Json<TemplateCheck>> {
    let new = input.creation(&state);
    let untyped = lacks_header_type(&new)
        .then(|| TemplateProblemShape { parameter: HEADER_TYPE.to_owned(), message: "is required".to_owned() });
    let found = state.app.messaging().templates().check(&caller, &new).await?;
    Ok(Json(List::from_rows(untyped.into_iter().chain(found.into_iter().map(TemplateProblemShape::from)))))
}
