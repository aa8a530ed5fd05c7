//! The shapes of calls, for the document. What is sent is the stored text of the domain.

use utoipa::ToSchema;

/// One call.
#[derive(ToSchema)]
#[schema(as = Call)]
#[expect(dead_code, reason = "a description of the stored text, never built")]
pub(crate) struct CallSchema {
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d", pattern = "^[0-9a-f]{24}$")]
    id: String,
    /// The network's id of the call, or the recorder's own.
    #[schema(example = "wacid.HBgLMTQxNTU1NTI2NzEVAgASGCA")]
    call_id: String,
    direction: DirectionSchema,
    status: StatusSchema,
    #[schema(example = "14155552671")]
    from_number: String,
    #[schema(example = "14155550100")]
    to_number: String,
    #[schema(example = "2026-04-24T10:00:00.000Z", format = "date-time")]
    started_at: String,
    #[schema(example = "2026-04-24T10:00:07.000Z", format = "date-time", nullable = false)]
    answered_at: Option<String>,
    #[schema(example = "2026-04-24T10:03:12.000Z", format = "date-time", nullable = false)]
    ended_at: Option<String>,
    /// Until the answer, or until the end of a call that nobody answered.
    #[schema(example = 7, minimum = 0, nullable = false)]
    ring_seconds: Option<i64>,
    /// 0 unless the call was completed.
    #[schema(example = 185, minimum = 0)]
    duration_seconds: i64,
    #[schema(example = "hangup_by_user", nullable = false)]
    end_reason: Option<String>,
    /// Who handled the call; null when nobody did.
    #[schema(required = true)]
    operator: Option<OperatorSchema>,
    #[schema(example = "Support", nullable = false)]
    team_name: Option<String>,
    #[schema(example = "507f1f77bcf86cd799439011", nullable = false)]
    contact_id: Option<String>,
    #[schema(example = "US.13491208655302741918", nullable = false)]
    bsuid: Option<String>,
    #[schema(example = "US.ENT.11815799212886844830", nullable = false)]
    parent_bsuid: Option<String>,
    #[schema(example = "ada.lovelace", nullable = false)]
    username: Option<String>,
    #[schema(example = "14155552671", nullable = false)]
    wa_id: Option<String>,
    #[schema(example = "685bd235e6119686e693a093", nullable = false)]
    conversation_id: Option<String>,
    #[schema(example = "685bd235e6119686e693a0aa", nullable = false)]
    channel_id: Option<String>,
    #[schema(example = "14155550100", nullable = false)]
    channel_phone_number: Option<String>,
}

/// Inbound: a person called the business.
#[derive(ToSchema)]
#[schema(as = CallDirection, rename_all = "snake_case")]
#[expect(dead_code, reason = "a description of the stored text, never built")]
pub(crate) enum DirectionSchema {
    Inbound,
    Outbound,
}

#[derive(ToSchema)]
#[schema(as = CallStatus, rename_all = "snake_case")]
#[expect(dead_code, reason = "a description of the stored text, never built")]
pub(crate) enum StatusSchema {
    Ringing,
    InProgress,
    Completed,
    Missed,
    Failed,
}

#[derive(ToSchema)]
#[schema(as = CallOperator)]
#[expect(dead_code, reason = "a description of the stored text, never built")]
pub(crate) struct OperatorSchema {
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c01")]
    id: String,
    #[schema(example = "grace@example.com")]
    email: String,
    #[schema(example = "Grace")]
    name: String,
}

/// One page of the call log.
#[derive(ToSchema)]
#[schema(as = CallPage)]
#[expect(dead_code, reason = "a description of the sent text, never built")]
pub(crate) struct PageSchema {
    calls: Vec<CallSchema>,
    #[schema(example = 20, minimum = 1, maximum = 100)]
    limit: i32,
    #[schema(example = 0, minimum = 0)]
    offset: i32,
    has_more: bool,
    /// For the parameter `cursor` of the next call; absent on the last page.
    #[schema(nullable = false)]
    next_cursor: Option<String>,
    /// All calls that the filters allow; there when `include_total` is true.
    #[schema(nullable = false, minimum = 0)]
    total: Option<i64>,
}
