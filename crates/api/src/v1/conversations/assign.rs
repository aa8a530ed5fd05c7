//! `POST /{tenantId}/api/v1/assignOperator`, with the number in the path or wherever else a client puts it.

use app::conversations::{Assignment, To};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput, Named};
use crate::v1::failure::{Failure, or_failure};

const EMAIL: &str = "email";
const TAKE_OVER: &str = "takeOver";

/// It worked, or why not, both with status 200.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DoneAnswer {
    #[schema(example = true)]
    result: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "email: there is no such operator")]
    info: Option<String>,
}

impl DoneAnswer {
    pub const DONE: Self = Self { result: true, info: None };
}

impl From<Failure> for DoneAnswer {
    fn from(failure: Failure) -> Self {
        Self { result: false, info: Some(failure.into_info()) }
    }
}

/// Assign an operator
///
/// Without `email` it goes to the bot. What another operator has is taken over, unless `takeOver` is false.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/assignOperator",
    tag = "conversations",
    params(
        ("email" = Option<String>, Query, nullable = false, description = "An account of the tenant.", example = "grace@example.com"),
        ("whatsappNumber" = Option<String>, Query, nullable = false, description = "With country code, with or without `+`.", example = "14155552671"),
        ("target" = Option<String>, Query, nullable = false, description = "Wins over `whatsappNumber`: a phone number, a contact id, a conversation id or a BSUID."),
        ("channelPhoneNumber" = Option<String>, Query, nullable = false, description = "Number or name of the channel.", example = "14155550100"),
        ("from" = Option<String>, Query, nullable = false, description = "Only if it is with this one now: an e-mail address, a team's name, `bot` or `unassigned`."),
        ("takeOver" = Option<bool>, Query, nullable = false, description = "Also if another operator has it; true unless said otherwise."),
    ),
    responses((status = 200, description = "It is assigned, or why not.", body = DoneAnswer)),
)]
pub(crate) async fn assign_operator(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Json<DoneAnswer>> {
    let named = input.person_over(&["target", "whatsappNumber"])?;
    assign(&state, &caller, named, &input).await
}

/// Assign an operator
///
/// The same with the number in the path.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/assignOperator/{whatsappNumber}",
    tag = "conversations",
    params(
        ("whatsappNumber" = String, Path, description = "With country code, with or without `+`.", example = "14155552671"),
        ("email" = Option<String>, Query, nullable = false, description = "An account of the tenant.", example = "grace@example.com"),
        ("from" = Option<String>, Query, nullable = false, description = "Only if it is with this one now."),
        ("takeOver" = Option<bool>, Query, nullable = false, description = "Also if another operator has it; true unless said otherwise."),
    ),
    responses((status = 200, description = "It is assigned, or why not.", body = DoneAnswer)),
)]
pub(crate) async fn assign_operator_by_path(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<(String, String)>,
    input: LegacyInput,
) -> ApiResult<Json<DoneAnswer>> {
    let (_tenant, number) = path;
    let named = Named::chosen(input.text(&["target"])?, Some(number))?.over(input.channel()?.as_deref());
    assign(&state, &caller, named, &input).await
}

async fn assign(state: &ApiState, caller: &Caller, named: Named, input: &LegacyInput) -> ApiResult<Json<DoneAnswer>> {
    let assignment = Assignment {
        to: input.text(&[EMAIL])?.map_or(To::Bot, To::Operator),
        from: input.text(&["from"])?,
        // Clients of the hosted platforms assign anew as they like, and know no such word.
        take_over: input.flag(&[TAKE_OVER])?.unwrap_or(true),
        member: EMAIL,
    };
    let assigned = state.app.conversations().assign(caller, &named.target, named.member, assignment).await;
    or_failure(assigned.map(|_| DoneAnswer::DONE))
}
