//! `GET /api/ext/v3/conversations/counts`: the numbers of open and unread conversations, for inbox tabs.

use app::inbox::conversations::{InboxCounts, QueueCounts};

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConversationCounts {
    /// Conversations assigned to the calling operator.
    mine: QueueCountsShape,
    unassigned: QueueCountsShape,
    all: QueueCountsShape,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QueueCounts)]
pub(crate) struct QueueCountsShape {
    /// Open conversations that are not snoozed. 100 means 100 or more.
    #[schema(example = 7, minimum = 0, maximum = 100)]
    open: usize,
    /// How many of these have messages that the calling operator has not seen.
    #[schema(example = 2, minimum = 0, maximum = 100)]
    unread: usize,
}

impl From<QueueCounts> for QueueCountsShape {
    fn from(counts: QueueCounts) -> Self {
        Self { open: counts.open, unread: counts.unread }
    }
}

/// Count conversations
///
/// Counting stops at 100, so the cost does not grow with the number of conversations.
#[described::path(
    get,
    path = "/api/ext/v3/conversations/counts",
    responses((status = 200, description = "The counts.", body = ConversationCounts)),
)]
pub(crate) async fn count_conversations(Gated(state, caller): Gated) -> ApiResult<Json<ConversationCounts>> {
    let InboxCounts { mine, unassigned, all } = state.app.inbox().conversations().inbox_counts(&caller).await?;
    Ok(Json(ConversationCounts { mine: mine.into(), unassigned: unassigned.into(), all: all.into() }))
}
